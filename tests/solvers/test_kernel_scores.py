"""Scores in a kernel's space against the kernel's own matrix."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from separatrix import _core
from separatrix.problem.kernels import Function, Laplacian, Linear, Poly, Rbf, Sigmoid
from separatrix.solvers.smo.kernel_scores import core_formula, core_points, kernel_scores

KERNELS = [Linear(), Poly(3, 0.3, 1.0), Poly(1, 0.5, 0.0), Rbf(0.2), Sigmoid(0.1, 0.2), Laplacian(0.1)]


def points(d: int, density: float, dtype: type) -> np.ndarray:
    rng = np.random.default_rng(d)
    X = rng.standard_normal((333, d))
    X[rng.random(X.shape) > density] = 0.0
    return X.astype(dtype)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("d", "density"), [(1, 1.0), (3, 1.0), (20, 0.1), (123, 1.0), (123, 0.1), (2500, 0.01)]
)
def test_scores_agree_with_the_matrix(kernel, dtype, d, density) -> None:
    X = points(d, density, dtype)
    support, coef = X[:77].copy(), np.random.default_rng(0).standard_normal((77, 3))
    expected = kernel.matrix(X, support) @ coef
    error = (2e-5 if dtype == np.float32 else 1e-12) * np.abs(expected).max()
    for made in (np.asarray, sparse.csr_array):
        for n_threads in (1, 2):
            got = kernel_scores(kernel, made(X), made(support), coef, n_threads)
            np.testing.assert_allclose(got, expected, rtol=0, atol=error)
        alone = kernel_scores(kernel, made(X), made(support), coef[:, 1], 1)
        np.testing.assert_allclose(alone, expected[:, 1], rtol=0, atol=error)


@pytest.mark.parametrize("made", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_points_may_be_chosen_by_number(made) -> None:
    X, kernel, rng = points(40, 0.2, np.float64), Rbf(0.05), np.random.default_rng(1)
    targets, sources = rng.permutation(333)[:50].astype(np.int32), rng.permutation(333)[:200].astype(np.int32)
    coef, out = rng.standard_normal((200, 1)), np.zeros((50, 1))
    held, formula = core_points(made(X)), core_formula(kernel)
    assert formula is not None
    chosen = {"target_rows": targets, "source_rows": sources}
    _core.kernel_scores(formula, held, held, coef, out, wide=True, n_threads=2, **chosen)
    np.testing.assert_allclose(out, kernel.matrix(X[targets], X[sources]) @ coef, rtol=0, atol=1e-12)
    for wrong in (-1, 333):
        chosen["source_rows"] = np.full(200, wrong, dtype=np.int32)
        with pytest.raises(IndexError, match="must be from 0 to 332; got"):
            _core.kernel_scores(formula, held, held, coef, out, wide=True, n_threads=1, **chosen)
    chosen["source_rows"] = sources[:7]
    with pytest.raises(ValueError, match="coef must have length 7"):
        _core.kernel_scores(formula, held, held, coef, out, wide=True, n_threads=1, **chosen)


def test_no_support_scores_zero() -> None:
    scores = kernel_scores(Rbf(1.0), np.ones((3, 2)), np.empty((0, 2)), np.empty(0))
    np.testing.assert_array_equal(scores, np.zeros(3))


def test_a_function_is_asked_by_blocks() -> None:
    X = points(4, 1.0, np.float64)
    kernel = Function(lambda A, B: (A @ B.T) ** 2)
    got = kernel_scores(kernel, X, X[:5], np.arange(5.0))
    np.testing.assert_allclose(got, (X @ X[:5].T) ** 2 @ np.arange(5.0))


def test_exponents_far_below_the_smallest_number() -> None:
    X = np.array([[0.0], [1e3]], dtype=np.float32)
    np.testing.assert_allclose(kernel_scores(Rbf(1.0), X, X[:1], np.ones(1)), [1.0, 0.0], atol=1e-30)


@pytest.mark.parametrize("isa", ["baseline", "avx2", "avx512"])
def test_every_instruction_set_gives_the_same(isa) -> None:
    script = (
        "import numpy as np\n"
        "from separatrix.problem.kernels import *\n"
        "from separatrix.solvers.smo.kernel_scores import kernel_scores\n"
        "X = np.random.default_rng(0).standard_normal((50, 30))\n"
        "for kernel in (Rbf(0.1), Poly(3, 0.1, 1.0), Laplacian(0.1), Sigmoid(0.1, 0.0)):\n"
        "    got = kernel_scores(kernel, X, X[:9], np.ones(9))\n"
        "    assert np.allclose(got, kernel.matrix(X, X[:9]).sum(axis=1), rtol=1e-12, atol=1e-12)\n"
    )
    environment = {**os.environ, "SEPARATRIX_ISA": isa}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)
