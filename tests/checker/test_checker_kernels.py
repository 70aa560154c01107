"""Kernels in the exact check: their values against fractions, their limits, and matrices that are definite or not."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix.checker.data import Labels, read_data
from separatrix.checker.kernels import check_definite, kernel_text, points_of, read_kernel, values_of
from separatrix.checker.numbers import Rejected
from separatrix.proof.arrays import ArrayRows
from separatrix.proof.writing import write_real

ONE, HALF = write_real(1.0), write_real(0.5)
LINEAR = {"name": "linear"}
RBF = {"name": "rbf", "gamma": HALF}
POLY = {"name": "poly", "degree": 3, "gamma": HALF, "coef0": ONE}
SIGMOID = {"name": "sigmoid", "gamma": HALF, "coef0": write_real(-0.25)}
LAPLACIAN = {"name": "laplacian", "gamma": HALF}
SCALED = {"name": "scaled", "factor": write_real(0.1), "parts": [POLY]}
SUM = {"name": "sum", "parts": [SCALED, RBF]}
PRODUCT = {"name": "product", "parts": [SIGMOID, SUM]}
X = np.array([[0.5, -1.25, 3.0], [0.0, 0.0, 0.0], [1e-3, 2.0, -0.75], [0.5, -1.25, 3.0]])


def exact_value(record, x, z):
    """The value of a kernel: a fraction, or a float where there is an exponential."""
    parts = [exact_value(part, x, z) for part in record.get("parts", [])]
    number = {
        name: Fraction(float.fromhex(record[name])) for name in ("gamma", "coef0", "factor") if name in record
    }
    dot = sum(a * b for a, b in zip(x, z, strict=True))
    if record["name"] == "sum":
        return parts[0] + parts[1]
    if record["name"] == "product":
        return parts[0] * parts[1]
    if record["name"] == "scaled":
        return number["factor"] * parts[0]
    if record["name"] == "linear":
        return dot
    if record["name"] == "poly":
        return (number["gamma"] * dot + number["coef0"]) ** record["degree"]
    if record["name"] == "sigmoid":
        return math.tanh(number["gamma"] * dot + number["coef0"])
    far = [a - b for a, b in zip(x, z, strict=True)]
    size = sum(a * a for a in far) if record["name"] == "rbf" else sum(map(abs, far))
    return math.exp(-number["gamma"] * size)


@pytest.mark.parametrize(
    ("record", "exact"),
    [
        *((LINEAR, True), (POLY, True), (SCALED, True), (RBF, False), (LAPLACIAN, False), (SIGMOID, False)),
        *((SUM, False), (PRODUCT, False)),
    ],
    ids=str,
)
def test_values_are_those_of_the_formulas(record, exact):
    kernel = read_kernel(record)
    assert kernel.exact is exact
    data = read_data(["1"], [], [], False, ArrayRows(X), Labels("number", ["1"], [0] * len(X)))
    value_of, scale = values_of(kernel, data.scale)
    rows = [[Fraction(v) for v in row] for row in X.tolist()]
    for x, row in zip(points_of(data), rows, strict=True):
        for z, other in zip(points_of(data), rows, strict=True):
            low, high = (Fraction(end, 1 << scale) for end in value_of(x, z))
            true = exact_value(record, row, other)
            if exact:
                assert low == high == true
            else:
                assert low <= high
                assert high - low <= Fraction(1, 1 << 80)
                assert float(low) == pytest.approx(float(true), rel=1e-13, abs=1e-25)


@pytest.mark.parametrize(
    ("record", "text", "definite", "size", "order"),
    [
        (LINEAR, "linear", True, 1, 1),
        (RBF, "rbf (gamma = 0.5)", True, 1, 1),
        (POLY, "poly (degree = 3, gamma = 0.5, coef0 = 1)", True, 1, 3),
        (SIGMOID, "sigmoid (gamma = 0.5, coef0 = -0.25)", False, 1, 1),
        ({**POLY, "coef0": write_real(-1.0)}, "poly (degree = 3, gamma = 0.5, coef0 = -1)", False, 1, 3),
        (SCALED, "0.1 * (poly (degree = 3, gamma = 0.5, coef0 = 1))", True, 2, 3),
        (SUM, "(0.1 * (poly (degree = 3, gamma = 0.5, coef0 = 1))) + (rbf (gamma = 0.5))", True, 4, 3),
        (
            {"name": "product", "parts": [POLY, LINEAR]},
            "(poly (degree = 3, gamma = 0.5, coef0 = 1)) * (linear)",
            True,
            3,
            4,
        ),
        (
            {"name": "product", "parts": [SIGMOID, RBF]},
            "(sigmoid (gamma = 0.5, coef0 = -0.25)) * (rbf (gamma = 0.5))",
            False,
            3,
            2,
        ),
        ({"name": "precomputed"}, "precomputed", False, 1, 1),
    ],
)
def test_kernels_are_named_and_known(record, text, definite, size, order):
    kernel = read_kernel(record)
    assert kernel_text(record) == text
    assert (kernel.definite, kernel.size, kernel.order) == (definite, size, order)


def in_a_row(record, times):
    for _ in range(times):
        record = {"name": "scaled", "factor": ONE, "parts": [record]}
    return record


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (None, "The kernel must be one of"),
        ("rbf", "The kernel must be one of"),
        ({}, "The kernel must be one of"),
        ({"name": ["rbf"]}, "The kernel must be one of"),
        ({"name": "cosine"}, "The kernel must be one of"),
        ({"name": "rbf"}, "must have exactly"),
        ({**RBF, "coef0": ONE}, "must have exactly"),
        ({"name": "rbf", "gamma": 0.5}, "hexadecimal real"),
        ({"name": "rbf", "gamma": write_real(-0.5)}, "gamma must be at least 0"),
        ({**POLY, "degree": -1}, "integer from 0"),
        ({**POLY, "degree": "3"}, "integer from 0"),
        ({**POLY, "degree": True}, "integer from 0"),
        ({**POLY, "degree": 17}, "degrees that come to 16"),
        ({"name": "sum", "parts": [RBF]}, "must have 2 parts"),
        ({"name": "sum", "parts": [RBF, RBF, RBF]}, "must have 2 parts"),
        ({"name": "sum", "parts": {"0": RBF, "1": RBF}}, "must have 2 parts"),
        ({"name": "sum", "parts": [RBF, None]}, "The kernel must be one of"),
        ({"name": "scaled", "factor": write_real(0.0), "parts": [RBF]}, "factor above 0"),
        ({"name": "scaled", "factor": write_real(-1.0), "parts": [RBF]}, "factor above 0"),
        ({"name": "scaled", "factor": ONE, "parts": [{"name": "precomputed"}]}, "given matrix"),
        ({"name": "sum", "parts": [{"name": "function"}, RBF]}, "given matrix"),
        (in_a_row(RBF, 16), "parts"),
        (
            {"name": "product", "parts": [{**POLY, "degree": 9}, {**POLY, "degree": 8}]},
            "degrees that come to 16",
        ),
    ],
)
def test_malformed_kernels_get_a_sentence(record, message):
    with pytest.raises(Rejected, match=message):
        read_kernel(record)


def test_kernels_up_to_their_limits_are_read():
    assert read_kernel(in_a_row(RBF, 15)).size == 16
    assert read_kernel({**POLY, "degree": 16}).order == 16
    assert read_kernel({**POLY, "degree": 0}).order == 0


entries = st.integers(-3, 3)


@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(entries, min_size=n, max_size=n), min_size=1, max_size=4)
    )
)
def test_gram_matrices_are_definite(rows):
    K = [[sum(a * b for a, b in zip(x, z, strict=True)) for z in rows] for x in rows]
    check_definite(K)


@given(st.lists(st.lists(entries, min_size=4, max_size=4), min_size=4, max_size=4), st.integers(0, 12))
def test_definite_is_what_the_principal_minors_say(rows, shift):
    """A symmetric matrix is positive semidefinite if and only if all its principal minors are at least 0."""
    K = [[rows[min(i, j)][max(i, j)] + shift * (i == j) for j in range(4)] for i in range(4)]
    chosen = [[i for i in range(4) if code >> i & 1] for code in range(1, 16)]
    definite = all(determinant([[K[i][j] for j in some] for i in some]) >= 0 for some in chosen)
    if definite:
        check_definite([list(row) for row in K])
    else:
        with pytest.raises(Rejected, match="not positive semidefinite"):
            check_definite([list(row) for row in K])


def determinant(K):
    if len(K) == 1:
        return K[0][0]
    minors = ([row[:j] + row[j + 1 :] for row in K[1:]] for j in range(len(K)))
    return sum((-1) ** j * K[0][j] * determinant(minor) for j, minor in enumerate(minors))
