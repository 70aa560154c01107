"""Kernel certificates: both checks accept what is true, and neither accepts what was changed."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from separatrix import SVC, Certificate, kernels, verify
from separatrix.checker.kernel_claim import read_kernel
from separatrix.checker.kernel_values import Point, kernel_values, scale_of
from separatrix.problem import HINGE, KernelProblem
from separatrix.proof.arrays import ArrayRows
from separatrix.proof.kernel_codec import build_kernel, write_kernel
from separatrix.proof.kernel_matrices import bounded_matrix
from separatrix.proof.kernel_value_bounds import bounded_scores

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
    table = ArrayRows(rows)
    scale = scale_of(table.smallest())
    value, k_scale = kernel_values(spec, scale)
    points = [Point.of(i, row, 3, scale) for i, row in enumerate(table.rows())]
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
    quick, exact = verify(certificate, X, Y), verify(certificate, X, Y, exact=True)
    assert quick, quick.reason
    assert exact, exact.reason
    assert exact.primal <= quick.primal
    assert exact.dual >= quick.dual
    assert quick.gap <= 1e-8
    assert abs(exact.primal - model.primal_) <= 1e-9 * model.primal_
    assert verify(certificate, sparse.csr_array(X), Y)
    assert Certificate.from_dict(json.loads(json.dumps(certificate.to_dict()))) == certificate


def test_a_condition_is_said() -> None:
    K = X @ X.T
    model = SVC(kernel="precomputed").fit(K, Y)
    for exact in (False, True):
        answer = verify(model.certificate_, K, Y, exact=exact)
        assert answer
        assert "positive semidefinite" in answer.reason
    assert "positive semidefinite" in model.certificate_.claim


def test_a_function_must_be_given() -> None:
    def kernel(A: Any, B: Any) -> Any:
        return (1.0 + A @ B.T) ** 2

    certificate = SVC(kernel=kernel).fit(X, Y).certificate_
    for exact in (False, True):
        assert verify(certificate, X, Y, exact=exact, kernel=kernel)
        assert "give it as kernel=" in verify(certificate, X, Y, exact=exact).reason
        assert not verify(certificate, X, Y, exact=exact, kernel=lambda A, B: 2.0 * kernel(A, B))


def changed(certificate: Certificate, part: str, **values: Any) -> Certificate:
    return dataclasses.replace(certificate, **{part: {**getattr(certificate, part), **values}})


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
        changed(certificate, "proof", b=(0.5).hex()),
        changed(certificate, "proof", alpha=alpha),
        changed(certificate, "proof", primal=(0.99 * primal).hex(), dual=(0.9 * primal).hex()),
        changed(certificate, "proof", primal=(1.1 * primal).hex(), dual=(1.05 * primal).hex()),
        changed(certificate, "problem", kernel={"name": "sum", "parts": [problem["kernel"]]}),
    ]
    for lie in lies:
        for exact in (False, True):
            answer = verify(lie, X, Y, exact=exact)
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
    problem = KernelProblem(X, y, np.ones(40), HINGE, "free", kernels.Rbf(0.5))
    c = RNG.normal(size=40)
    F, error = bounded_scores(problem, c)
    np.testing.assert_allclose(F, problem.scores(c), rtol=1e-12, atol=1e-12)
    assert np.all(error > 0)
    assert np.all(error < 1e-12)
