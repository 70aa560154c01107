"""The hard margin: optimality from its conditions, against a QP by NNLS, and dependences on inseparable rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, sparse

from separatrix.solvers.active_set import ActiveSet, hard_margin


def separable(n: int, d: int, margin: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian rows pushed out of a slab of the given half width."""
    generator = np.random.default_rng(seed)
    X = generator.standard_normal((n, d))
    w = generator.standard_normal(d)
    w /= np.linalg.norm(w)
    f = X @ w + 0.1
    y = np.where(f >= 0, 1.0, -1.0)
    return X + (np.maximum(0.0, margin - y * f) * y)[:, None] * w, y


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("n", "d"), [(2, 1), (50, 2), (300, 20), (3000, 20), (400, 60), (30, 200)])
def test_relative_gap_at_most_1e_9(n: int, d: int, bias: bool) -> None:
    X, y = separable(n, d, 0.01)
    if not bias:
        X = X + np.outer(y, np.ones(d)) * 5.0  # leaves a separator through the origin
        y[:2] = 1.0, -1.0
        X[:2] = 10.0 * y[:2, None]
    found = hard_margin(X, y, bias)
    assert found.status == "optimal"
    least = (y * (X @ found.w + found.b)).min()
    w = found.w / least
    alpha = np.zeros(n)
    alpha[found.rows] = found.alpha
    assert alpha.min() >= 0
    if bias:
        assert abs(alpha @ y) <= 1e-12 * alpha.sum()
    v = X.T @ (alpha * y)
    dual = alpha.sum() - 0.5 * v @ v
    assert 0.5 * w @ w - dual <= 1e-9 * 0.5 * w @ w
    assert np.count_nonzero(alpha) <= d + 1


def test_against_nnls() -> None:
    """Without a bias, min ||w|| s.t. A w >= 1 is the dual of NNLS on [A^T; 1^T] lambda = e_last."""
    for seed in range(20):
        X, y = separable(40, 3, 0.05, seed)
        A = np.column_stack([X, np.ones(40)]) * y[:, None]
        _, residual = optimize.nnls(np.vstack([A.T, np.ones(40)]), np.r_[np.zeros(4), 1.0])
        # residual^2 = 1 / (1 + ||w||^2) at the optimum
        found = hard_margin(A, y * y, bias=False)
        assert found.w @ found.w == pytest.approx(1.0 / residual**2 - 1.0, rel=1e-9)


def test_sparse_and_single_precision() -> None:
    X, y = separable(500, 10, 0.05)
    X32 = X.astype(np.float32)
    reference = hard_margin(X32.astype(np.float64), y)
    for Z in (X32, sparse.csr_array(X32), sparse.csr_array(X32.astype(np.float64))):
        found = hard_margin(Z, y)
        assert found.status == "optimal"
        assert np.allclose(found.w, reference.w, rtol=1e-9)


@pytest.mark.parametrize("n", [20, 2000])
def test_inseparable_rows_give_a_dependence(n: int) -> None:
    generator = np.random.default_rng(1)
    X = generator.standard_normal((n, 4))
    y = generator.choice([-1.0, 1.0], size=n)
    found = hard_margin(X, y)
    assert found.status == "infeasible"
    assert len(found.rows) <= 6
    assert found.alpha.min() > 0
    A = np.column_stack([X, np.ones(n)]) * y[:, None]
    assert np.allclose(A[found.rows].T @ found.alpha, 0.0, atol=1e-9 * found.alpha.max())


def test_equal_rows_of_both_classes() -> None:
    found = hard_margin(np.array([[1.0, 2.0], [1.0, 2.0]]), np.array([1.0, -1.0]))
    assert found.status == "infeasible"
    assert sorted(found.rows.tolist()) == [0, 1]


def test_far_from_the_origin() -> None:
    """A free bias makes the answer independent of a shift of all rows."""
    X, y = separable(200, 5, 0.1)
    near, far = hard_margin(X, y), hard_margin(X + 1e6, y)
    assert np.allclose(near.w, far.w, rtol=1e-6)


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_samples_that_miss_a_class(form) -> None:
    """40,000 sorted rows, three of them positive and far from any sample: every row counts all the same."""
    X, y = separable(40_000, 3, 0.0, seed=3)
    X[:, 0] -= 10.0
    y[:] = -1.0
    X[12_345:12_348, 0] += 25.0
    y[12_345:12_348] = 1.0
    found = hard_margin(form(X), y)
    assert found.status == "optimal"
    margins = y * (X @ found.w + found.b)
    assert margins.min() >= 1 - 1e-9
    v = X[found.rows].T @ (found.alpha * y[found.rows])
    assert found.w @ found.w - (2 * found.alpha.sum() - v @ v) <= 1e-9 * (found.w @ found.w)


def test_one_class_and_a_free_bias_is_refused() -> None:
    with pytest.raises(ValueError, match="both classes"):
        hard_margin(np.ones((3, 2)), np.ones(3))


def test_labels_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="y must have length 3; got 2"):
        hard_margin(np.ones((3, 2)), np.array([1.0, -1.0]))


def test_no_more_active_rows_than_columns() -> None:
    # Rows whose rank is full only by rounding once grew the active set beyond the memory that was meant for it.
    for seed in range(40):
        generator = np.random.default_rng(seed)
        width = int(generator.integers(5, 60))
        rank = int(generator.integers(2, width))
        rows = generator.normal(size=(6 * width, rank)) @ generator.normal(size=(rank, width))
        engine = ActiveSet(width, False)
        engine.add(rows, np.ones(len(rows)))
        engine.solve(5000)
        assert len(engine.active) <= width
