"""All classes at once: the values of the joint SVM against brute force in fractions, and what is rejected."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from separatrix import SVC, kernels, verify
from separatrix.checker.classes import signed, values
from separatrix.checker.data import Labels, read_data
from separatrix.checker.statement import Claim
from separatrix.proof.arrays import ArrayRows
from separatrix.proof.writing import write_real
from tests.proof.small_problems import changed, judge

RNG = np.random.default_rng(5)
X = RNG.normal(size=(18, 2))
Y = RNG.integers(0, 3, 18)
BIASES = ["free", "augmented", "none"]


def fitted(bias="free", weights=None, **options):
    model = SVC(2.0, multi_class="crammer-singer", bias=bias, **options)
    return model.fit(X, Y, sample_weight=weights).certificate_


def claim_of(certificate):
    source = certificate.data
    names = [str(each) for each in dict.fromkeys(Y.tolist())]
    known = Labels("number", names, [names.index(str(each)) for each in Y.tolist()])
    data = read_data(list(source.positive), [], list(source.excluded), True, ArrayRows(X), known)
    return Claim("optimal", certificate.problem, certificate.proof, data)


def dense(record):
    out = [Fraction(0)] * record["length"]
    for place, text in zip(record.get("indices", range(record["length"])), record["values"], strict=True):
        out[place] = Fraction(float.fromhex(text))
    return out


def brute_force(certificate):
    """(primal, dual) from the formulas of the page, term by term, without a kernel."""
    proof, k, n, d = certificate.proof, 3, len(X), X.shape[1]
    rows = [[Fraction(v) for v in row] for row in X.tolist()]
    own = [certificate.data.positive.index(str(label)) for label in Y.tolist()]
    record = certificate.problem["C"]
    C = dense(record["rows"]) if "rows" in record else [Fraction(float.fromhex(record["positive"]))] * n
    beta, b = dense(proof["beta"]), dense(proof["b"])
    A = [[-beta[i * k + m] for m in range(k)] for i in range(n)]
    for i in range(n):
        A[i][own[i]] = sum(beta[i * k : (i + 1) * k])
    pull = [[sum(A[i][m] * rows[i][j] for i in range(n)) for j in range(d)] for m in range(k)]
    W = pull
    if "W" in proof:
        flat = dense(proof["W"])
        W = [flat[m * d : (m + 1) * d] for m in range(k)]
    primal = sum(v * v for w in W for v in w) / 2
    for i in range(n):
        f = [sum(w * x for w, x in zip(W[m], rows[i], strict=True)) + b[m] for m in range(k)]
        primal += C[i] * max((m != own[i]) + f[m] - f[own[i]] for m in range(k))
    dual = sum(A[i][own[i]] for i in range(n)) - sum(v * v for w in pull for v in w) / 2
    if certificate.problem["bias"] == "augmented":
        primal += sum(v * v for v in b) / 2
        dual -= sum(sum(A[i][m] for i in range(n)) ** 2 for m in range(k)) / 2
    return primal, dual


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bias", BIASES)
def test_values_are_those_of_brute_force(bias, weighted):
    certificate = fitted(bias, np.linspace(0.5, 2.0, 18) if weighted else None)
    _, primal, dual, condition = values(claim_of(certificate))
    assert (primal, dual) == brute_force(certificate)
    assert condition == ""
    verdict = verify(certificate, X, Y)
    assert verdict, verdict.reason
    assert "SVM of all classes at once" in verdict.reason
    with_zeros = changed(certificate, "proof", W={"length": 6, "indices": [], "values": []})
    assert values(claim_of(with_zeros))[1:3] == brute_force(with_zeros)


def test_a_kernel_and_rows_of_weight_zero():
    weights = np.ones(18)
    weights[[3, 7]] = 0.0
    certificate = fitted(weights=weights, kernel=kernels.Rbf(0.5))
    assert certificate.data.excluded == (3, 7)
    verdict = verify(certificate, X, Y)
    assert verdict, verdict.reason
    assert "rbf (gamma = 0.5) kernel" in verdict.reason
    assert "16 of 18 rows take part, not the excluded 3, 7." in verdict.reason
    source = dataclasses.replace(certificate.data, excluded=(3,))
    assert not judge(dataclasses.replace(certificate, data=source), X, Y)


@pytest.mark.parametrize(
    ("part", "change", "message"),
    [
        ("proof", {"primal": write_real(0.0)}, "not the claimed one"),
        ("proof", {"dual": write_real(1e9)}, "not the claimed one"),
        (
            "proof",
            {"beta": {"length": 54, "indices": [0, 1, 2], "values": [write_real(0.1)] * 3}},
            "must be zero",
        ),
        ("proof", {"beta": {"length": 54, "indices": [4], "values": [write_real(-0.1)]}}, "negative"),
        ("proof", {"beta": {"length": 54, "indices": [4], "values": [write_real(0.1)]}}, "zero"),
        ("proof", {"beta": {"length": 54, "indices": [], "values": []}}, "not the claimed one"),
        ("proof", {"beta": {"length": 36, "indices": [], "values": []}}, "must have length 54"),
        ("proof", {"alpha": None}, "must have exactly"),
        ("proof", {"W": {"length": 6, "values": [write_real(100.0)] * 6}}, "not the claimed one"),
        ("problem", {"loss": "squared_hinge"}, "hinge loss"),
        ("problem", {"C": {"positive": write_real(2.0), "negative": write_real(1.0)}}, "C must be"),
        ("problem", {"C": "hard"}, "must have exactly"),
        (
            "problem",
            {"C": {"positive": write_real(2.0**-20), "negative": write_real(2.0**-20)}},
            "more than C",
        ),
    ],
)
def test_false_claims_are_rejected(part, change, message):
    certificate = fitted("augmented" if "W" in change else "free")
    verdict = judge(changed(certificate, part, **change), X, Y)
    assert verdict.outcome == "rejected"
    assert message in verdict.reason


def test_classes_must_be_those_of_the_rows():
    certificate = fitted()
    for positive in (("0", "1"), ("1", "0", "2"), ("0", "1", "2", "3"), ("0",)):
        source = dataclasses.replace(certificate.data, positive=positive)
        assert not judge(dataclasses.replace(certificate, data=source), X, Y)
    source = dataclasses.replace(certificate.data, positive=("0", "1"), negative=("2",))
    assert not judge(dataclasses.replace(certificate, data=source), X, Y)


@pytest.mark.parametrize("bias", [False, True])
def test_pairs_are_those_of_kesler(bias):
    """a_im has (x, 1) at its own class, the negative at class m."""
    data = claim_of(fitted()).data
    d, k = 2, 3
    found = {
        place: dict(zip(columns, entries, strict=True)) for place, columns, entries in signed(data, bias)
    }
    assert len(found) == len(X) * (k - 1)
    for i, row in enumerate(X.tolist()):
        own = data.part[i] - 1
        for m in range(k):
            if m == own:
                assert i * k + m not in found
                continue
            a = {j: Fraction(v, 1 << data.scale) for j, v in found[i * k + m].items()}
            for j in range(d):
                assert a[own * d + j] == Fraction(row[j]) == -a[m * d + j]
            assert not bias or (a[k * d + own], a[k * d + m]) == (1, -1)
            assert len(a) == 2 * (d + bias)
