"""Kernel certificates: both checks accept what is true, and neither accepts what was changed."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from small_problems import changed, judge

from separatrix import SVC, Certificate, kernels, verify
from separatrix.checker.kernels import points_of, read_kernel, values_of
from separatrix.problem import HINGE, Problem
from separatrix.proof.kernel_bounds import bounded_matrix
from separatrix.proof.kernel_sweep import bounded_scores
from separatrix.proof.optimal import alone
from separatrix.proof.writing import build_kernel, write_kernel

RNG = np.random.default_rng(3)
X = RNG.normal(size=(40, 3))
Y = np.where(X[:, 0] * X[:, 1] + 0.3 * RNG.normal(size=40) > 0, "up", "down")
KERNELS: dict[str, Any] = {
    "rbf": kernels.Rbf(0.7),
    "laplacian": kernels.Laplacian(0.4),
    "poly": kernels.Poly(3, 0.5, 1.0),
    "linear twice": 2 * kernels.Linear(),
    "sum": kernels.Rbf(0.3) + 0.25 * kernels.Poly(2, 1.0, 0.0),
    "product": kernels.Laplacian(0.2) * kernels.Poly(2, 1.0, 1.0),
    "sigmoid": kernels.Sigmoid(0.05, 0.5),
}


@pytest.mark.parametrize("name", KERNELS)
def test_error_bounds_contain_the_exact_values(name: str) -> None:
    """The enclosure in integers holds the truth; the floats must lie within their own bounds of it."""
    kernel = KERNELS[name]
    rows = np.vstack([X[:12], 30.0 * X[12:15], np.zeros((1, 3))])
    K, E = bounded_matrix(kernel, rows, rows)
    spec = read_kernel(write_kernel(kernel))
    data = alone(Problem(rows, np.ones(len(rows)), np.ones(len(rows)), HINGE, "free", kernel))
    value, k_scale = values_of(spec, data.scale)
    points = points_of(data)
    for i, x in enumerate(points):
        for j, z in enumerate(points):
            lower, upper = (Fraction(end, 1 << k_scale) for end in value(x, z))
            centre, reach = Fraction(float(K[i, j])), Fraction(float(E[i, j]))
            # The truth is somewhere in [lower, upper], 2^-99 wide at most.
            assert centre - reach <= upper
            assert lower <= centre + reach
            assert reach <= Fraction(1, 10**9) * max(1, abs(centre))
    assert build_kernel(spec) == kernel


@pytest.mark.parametrize("name", [name for name in KERNELS if name != "sigmoid"])
@pytest.mark.parametrize(
    ("loss", "bias"), [("hinge", "free"), ("squared_hinge", "augmented"), ("hinge", "none")]
)
def test_both_checks_prove_a_fit(name: str, loss: str, bias: str) -> None:
    model = SVC(10.0, kernel=KERNELS[name], loss=loss, bias=bias).fit(X, Y)
    certificate = model.certificate_
    quick, exact = verify(certificate, X, Y, exact=False), verify(certificate, X, Y, exact=True)
    assert quick, quick.reason
    assert exact, exact.reason
    assert (quick.arithmetic, exact.arithmetic) == ("rigorous floats", "exact")
    assert (exact.primal, exact.dual) == (quick.primal, quick.dual)
    assert quick.gap <= 1e-8
    assert certificate.claim in quick.reason
    assert abs(exact.primal - model.primal_) <= 1e-9 * model.primal_
    assert verify(certificate, sparse.csr_array(X), Y)
    assert Certificate.from_dict(json.loads(json.dumps(certificate.to_dict()))) == certificate


@pytest.mark.parametrize("exact", [False, True])
def test_a_condition_is_said_and_is_no_proof(exact: bool) -> None:
    # Definite because of the column of ones, but no theorem about the kernel says so.
    rows = np.hstack([X, np.ones((len(X), 1))])
    model = SVC(kernel=kernels.Poly(1, 1.0, -0.5)).fit(rows, Y)
    answer = verify(model.certificate_, rows, Y, exact=exact)
    assert answer.outcome == "conditional", answer.reason
    assert not answer
    assert "but only if the kernel matrix is positive semidefinite" in answer.reason
    assert answer.reason.endswith(model.certificate_.claim)
    assert answer.gap is not None


@pytest.mark.parametrize("exact", [False, True])
def test_a_small_matrix_is_decided(exact: bool) -> None:
    """X X^T in floats has rank 3 and rounding, so it may well be indefinite; integers leave no doubt."""
    rows = np.round(8 * X)
    K = rows @ rows.T
    model = SVC(kernel="precomputed").fit(K, Y)
    answer = verify(model.certificate_, K, Y, exact=exact)
    assert answer, answer.reason
    assert "precomputed kernel" in answer.reason


@pytest.mark.parametrize("exact", [False, True])
def test_a_function_must_be_given(exact: bool) -> None:
    rows = np.round(8 * X)

    def kernel(A: Any, B: Any) -> Any:
        return (1.0 + A @ B.T) ** 2

    certificate = SVC(kernel=kernel).fit(rows, Y).certificate_
    found = verify(certificate, rows, Y, exact=exact, kernel=kernel)
    assert found, found.reason
    assert "matrix of kernel values is needed" in verify(certificate, rows, Y, exact=exact).reason
    assert not judge(certificate, rows, Y, exact=exact, kernel=lambda A, B: 2.0 * kernel(A, B))
    assert not judge(certificate, rows, Y, exact=exact, kernel=lambda A, B: kernel(A, B)[:, :-1])
    assert not verify(certificate, rows, Y, exact=exact, kernel=lambda A, B: 1 / 0)


def test_neither_check_believes_a_change() -> None:
    certificate = SVC(5.0, kernel="rbf", gamma=0.5).fit(X, Y).certificate_
    proof, problem = certificate.proof, certificate.problem
    primal = float.fromhex(proof["primal"])
    alpha = {**proof["alpha"], "values": [(2.0).hex()] * len(proof["alpha"]["values"])}
    lies = [
        changed(certificate, "problem", kernel={"name": "rbf", "gamma": (0.51).hex()}),
        changed(certificate, "problem", kernel={"name": "laplacian", "gamma": (0.5).hex()}),
        changed(certificate, "problem", kernel={"name": "rbf"}),
        changed(certificate, "problem", kernel={"name": "rbf", "gamma": (-0.5).hex()}),
        changed(certificate, "problem", C={"positive": (4.0).hex(), "negative": (4.0).hex()}),
        changed(certificate, "problem", C="hard"),
        changed(certificate, "proof", b=(0.5).hex()),
        changed(certificate, "proof", coef=alpha),
        changed(certificate, "proof", alpha=alpha),
        changed(certificate, "proof", primal=(0.99 * primal).hex(), dual=(0.9 * primal).hex()),
        changed(certificate, "proof", primal=(1.1 * primal).hex(), dual=(1.05 * primal).hex()),
        changed(certificate, "problem", kernel={"name": "sum", "parts": [problem["kernel"]]}),
    ]
    for lie in lies:
        for exact in (False, True):
            answer = judge(lie, X, Y, exact=exact)
            assert not answer, answer.reason
    moved = X.copy()
    moved[3, 1] += 1e-12
    assert "fingerprint differs" in verify(certificate, moved, Y).reason


def test_the_stand_alone_checker(tmp_path: Path) -> None:
    rows, labels = X[:25], Y[:25]
    model = SVC(kernel="rbf").fit(rows, labels)
    model.certificate_.save(tmp_path / "cert.json.gz")
    lines = [",".join([*map(repr, row), label]) for row, label in zip(rows.tolist(), labels, strict=True)]
    (tmp_path / "data.csv").write_text("a,b,c,side\n" + "\n".join(lines) + "\n")
    command = [sys.executable, "-S", "-m", "separatrix.checker", "cert.json.gz", "data.csv"]
    source = Path(__file__).parents[2] / "src"
    done = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(source)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Proved")


def test_scores_and_their_errors() -> None:
    y = np.where(Y == "up", 1.0, -1.0)
    problem = Problem(X, y, np.ones(40), HINGE, "free", kernels.Rbf(0.5))
    c = RNG.normal(size=40)
    F, error = bounded_scores(problem.space, c)
    np.testing.assert_allclose(F, problem.space.combine(c), rtol=1e-12, atol=1e-12)
    assert np.all(error > 0)
    assert np.all(error < 1e-12)


def test_a_kernel_that_no_certificate_holds_gets_a_sentence():
    X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 1.5], [1.5, 0.0]])
    model = SVC(kernel="poly", degree=17, gamma=0.5, coef0=1.0).fit(X, [0, 0, 1, 1])
    with pytest.raises(ValueError, match=r"degrees that come to 16; this one has 1 and 17"):
        _ = model.certificate_


def test_a_matrix_that_rounding_has_spoiled_gets_a_sentence_when_the_certificate_is_made():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 3))
    K, y = X @ X.T, np.where(X[:, 0] > 0, "a", "b")
    K = (K + K.T) / 2
    with pytest.raises(ValueError, match=r"not positive semidefinite.*Hint"):
        _ = SVC(kernel="precomputed").fit(K, y).certificate_
    ridge = K + 1e-9 * np.eye(40)
    assert verify(SVC(kernel="precomputed").fit(ridge, y).certificate_, ridge, y)


def test_seconds_and_powers_get_certificates():
    """A column of unix seconds, and polynomials whose values are large: no rejection leaks, and no data changed."""
    rng = np.random.default_rng(0)
    X = np.c_[1.7e9 + rng.integers(0, 10**7, 60), rng.normal(size=60)]
    y = np.where(X[:, 1] + 0.3 * rng.normal(size=60) > 0, 1, -1)
    for cost in (1.0, 1e6):
        assert verify(SVC(kernel="rbf", gamma="auto", C=cost).fit(X, y).certificate_, X, y)
    flowers = load_iris()
    model = SVC(kernel="poly", degree=5, coef0=1.0, gamma=1.0).fit(flowers.data, flowers.target)
    assert all(verify(each, flowers.data, flowers.target) for each in model.certificate_.values())
