"""Kernels: values against formulas written out, algebra, widths, blocks.

Tests `problem/kernel_algebra.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from separatrix import kernels
from separatrix.problem import HINGE, Problem
from separatrix.problem.kernels import kernel_width
from separatrix.problem.rows import dense, inner_products

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4))
Z = RNG.normal(size=(20, 4))
FORMULAS: list[tuple[Any, Any]] = [
    (kernels.Linear(), lambda x, z: x @ z),
    (kernels.Poly(3, 0.5, 1.0), lambda x, z: (0.5 * (x @ z) + 1.0) ** 3),
    (kernels.Poly(0, 0.5), lambda x, z: 1.0),
    (kernels.Rbf(0.7), lambda x, z: np.exp(-0.7 * np.sum((x - z) ** 2))),
    (kernels.Laplacian(0.7), lambda x, z: np.exp(-0.7 * np.sum(np.abs(x - z)))),
    (kernels.Sigmoid(0.2, 0.1), lambda x, z: np.tanh(0.2 * (x @ z) + 0.1)),
    (2 * kernels.Linear() + kernels.Rbf(1.0), lambda x, z: 2 * (x @ z) + np.exp(-np.sum((x - z) ** 2))),
    (kernels.Linear() * kernels.Linear() * 0.5, lambda x, z: 0.5 * (x @ z) ** 2),
    (kernels.Function(lambda a, b: (a @ b.T) ** 2), lambda x, z: (x @ z) ** 2),
]
LAYOUTS = {
    "float64": lambda A: A,
    "float32": lambda A: A.astype(np.float32),
    "csr": sparse.csr_array,
}


@pytest.mark.parametrize(("kernel", "formula"), FORMULAS, ids=lambda each: getattr(each, "name", ""))
@pytest.mark.parametrize("layout", LAYOUTS)
def test_values_are_those_of_the_formula(kernel: Any, formula: Any, layout: str) -> None:
    if kernel.name == "function" and layout == "csr":
        pytest.skip("the function of this test is for dense rows")
    A, B = LAYOUTS[layout](X), LAYOUTS[layout](Z)
    expected = np.array([[formula(x, z) for z in Z] for x in X])
    close = 1e-5 if layout == "float32" else 1e-12
    np.testing.assert_allclose(kernel.matrix(A, B), expected, rtol=close, atol=close)
    np.testing.assert_allclose(kernel.diagonal(A), [formula(x, x) for x in X], rtol=close, atol=close)


@pytest.mark.parametrize(("kernel", "formula"), FORMULAS[:-1], ids=lambda each: getattr(each, "name", ""))
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_scores_by_blocks(kernel: Any, formula: Any, whole: bool, make: Any) -> None:
    """Rows of whole numbers take a way of their own; the values must not tell."""
    rows = RNG.integers(0, 3, size=(90, 4)).astype(float) if whole else RNG.normal(size=(90, 4))
    c = RNG.normal(size=90) * (RNG.random(90) < 0.6)
    problem = Problem(make(rows), np.ones(90), np.ones(90), HINGE, "free", kernel)
    expected = [sum(cj * formula(x, z) for cj, z in zip(c, rows, strict=True)) for x in rows]
    np.testing.assert_allclose(problem.space.combine(c), expected, rtol=1e-11, atol=1e-11)


def test_products_of_whole_numbers_are_exact_in_single_precision() -> None:
    rows = RNG.integers(-50, 50, size=(20, 40)).astype(float)
    assert dense(rows).dtype == np.float32
    assert np.array_equal(inner_products(rows, rows), rows @ rows.T)
    assert dense(rows + 0.5).dtype == np.float64
    assert dense(rows * 1000).dtype == np.float64  # products beyond 2^24


def test_widths_follow_the_rows_and_their_weights() -> None:
    weights = np.array([0.0, 2.0, *np.ones(28)])
    repeated = np.vstack([X[1:2], X[1:]])
    assert kernel_width("scale", X) == pytest.approx(1 / (4 * X.var()))
    assert kernel_width("scale", X, weights) == pytest.approx(1 / (4 * repeated.var()))
    assert kernel_width("scale", sparse.csr_array(X)) == pytest.approx(1 / (4 * X.var()))
    assert kernel_width("scale", np.ones((3, 2))) == 1.0
    fixed = (kernels.Rbf() + kernels.Poly(gamma="auto")).fixed(X)
    assert fixed == kernels.Rbf(kernel_width("scale", X)) + kernels.Poly(gamma=0.25)


def test_which_kernels_are_positive_semidefinite_by_theorem() -> None:
    assert (2 * kernels.Rbf(1.0) * kernels.Poly(2, 1.0, 0.0) + kernels.Laplacian(1.0)).definite
    assert not kernels.Poly(2, 1.0, -0.1).definite
    assert not (kernels.Rbf(1.0) + kernels.Sigmoid(1.0)).definite
    assert not kernels.Precomputed().definite


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: kernels.Rbf(-1.0), "gamma must be"),
        (lambda: kernels.Rbf().matrix(X, Z), "depends on the rows"),
        (lambda: -2 * kernels.Linear(), "above 0"),
        (lambda: kernels.Precomputed() + kernels.Linear(), "cannot be combined"),
        (lambda: kernels.Function(lambda a, b: a).matrix(X, Z), "must return an array of shape"),
    ],
)
def test_what_a_kernel_cannot_be(make: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make()
