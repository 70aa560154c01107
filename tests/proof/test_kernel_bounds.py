"""Bounds on kernel values and objectives hold for numbers of any size, or there are none.

Tests `proof/kernel_bounds.py` and `proof/kernel_sweep.py`.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from exact_objectives import is_bounded, kernel_objectives, kernel_value, rationals
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from separatrix import SVC, kernels
from separatrix.problem import HINGE, LOSSES, Problem
from separatrix.proof.definiteness import surely_definite
from separatrix.proof.kernel_bounds import bounded_matrix
from separatrix.proof.kernel_sweep import bounded_scores
from separatrix.proof.sums import Rejected, certain, finite
from separatrix.proof.value_bounds import bounds

HUGE = 1.7e308
SECONDS = 1.7e9 + np.array([0.0, 1.0, 2.0, 3.0, 86400.0, 86401.0, 86402.5, 1e6])[:, None]


def sized(rng, shape, least=-320, most=300, spread=4):
    """Numbers around one magnitude, with their signs; some are zero."""
    exponents = rng.integers(least, most + 1) + rng.integers(-spread, spread + 1, shape)
    return rng.choice([-1.0, 1.0], shape) * rng.random(shape) * 10.0 ** np.clip(exponents, -320, 300)


def some_kernel(rng, X):
    """A kernel, mostly with a width that fits the rows, however small or large they are."""
    size = max(float(np.max(np.abs(X))), 1e-323)
    fitting = 10.0 ** float(np.clip(-2 * np.log10(size) + rng.integers(-4, 5), -320, 308))
    gamma = min(float(rng.choice([fitting, float(abs(sized(rng, ()))), HUGE, 1.0, 0.0])), HUGE)
    coef0 = float(rng.choice([0.0, 1.0, float(sized(rng, ()))]))
    basic = [
        kernels.Linear(),
        kernels.Rbf(gamma),
        kernels.Laplacian(gamma),
        kernels.Poly(int(rng.integers(0, 6)), gamma, coef0),
        kernels.Sigmoid(gamma, coef0),
    ]
    first, second = (basic[i] for i in rng.integers(0, len(basic), 2))
    scale = float(10.0 ** rng.integers(-300, 300))
    return rng.choice(
        np.array([first, first, first, first + second, first * second, scale * first], dtype=object)
    )


def some_problem(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 3)) * 2, int(rng.integers(1, 4))
    X = sized(rng, (n, d), *((-320, 300) if rng.random() < 0.5 else (-3, 3)))
    X[rng.random((n, d)) < 0.2] = 0.0
    if rng.random() < 0.2:
        X[1] = X[0]
    y = np.tile([1.0, -1.0], n // 2)
    C = np.abs(sized(rng, n, *((-320, 300) if rng.random() < 0.5 else (-2, 2)))) + 5e-324
    loss = LOSSES[str(rng.choice(list(LOSSES)))]
    bias = str(rng.choice(["free", "augmented", "none"]))
    problem = Problem(X, y, C, loss, bias, some_kernel(rng, X))
    alpha = C * rng.random(n) * (rng.random(n) < 0.8)
    if bias == "free":
        alpha = np.repeat(np.minimum(alpha[::2], alpha[1::2]), 2)
    coef = None if rng.random() < 0.5 else sized(rng, n) if rng.random() < 0.5 else sized(rng, n, -3, 3)
    return problem, coef, float(rng.choice([0.0, 1.0, float(sized(rng, ()))])), alpha


@settings(max_examples=400)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 4.0]))
def test_objectives_of_any_size_are_bounded(seed, slack):
    point = some_problem(seed)
    try:
        upper, lower = bounds(*point, slack=slack)
    except Rejected:
        return
    primal, dual = kernel_objectives(*point)
    assert upper >= primal
    assert lower <= dual


def test_moderate_numbers_are_not_refused():
    """The search above would prove nothing if everything were refused."""
    assert sum(is_bounded(*some_problem(seed)) for seed in range(100)) >= 40


@settings(max_examples=400)
@given(st.integers(0, 2**32 - 1), st.sampled_from([np.asarray, sparse.csr_array]))
def test_kernel_values_of_any_size_are_bounded(seed, form):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    X, Z = sized(rng, (2, d)), sized(rng, (2, d))
    if rng.random() < 0.6:
        Z = X[::-1] * (1.0 + rng.choice([0.0, 1e-12, 1.0]))
    kernel = some_kernel(rng, X)
    try:
        K, E = bounded_matrix(kernel, form(X), form(Z))
    except Rejected:
        return
    for i, x in enumerate(map(rationals, X)):
        for j, z in enumerate(map(rationals, Z)):
            if np.isfinite(E[i, j]):
                off = abs(Fraction(float(K[i, j])) - kernel_value(kernel, x, z))
                # The exact values of exp and tanh are themselves cut after 60 digits.
                assert off <= Fraction(float(E[i, j])) * (1 + Fraction(1, 10**30))


def few_rows(kernel, C=1.0, bias="free", loss=HINGE):
    X = np.random.default_rng(0).normal(size=(6, 2))
    return Problem(X, np.tile([1.0, -1.0], 3), np.full(6, C), loss, bias, kernel)


@pytest.mark.parametrize("size", [1e160, 1e165, 1e170, 1e300])
def test_a_norm_that_overflows_does_not_vanish(size):
    problem = few_rows(kernels.Rbf(0.5))
    coef = np.full(6, size) * problem.y
    with pytest.raises(Rejected, match="range of floating point"):
        bounds(problem, coef, 0.0, np.zeros(6))


@pytest.mark.parametrize("gamma", [1.0, 1e10, 1e300, HUGE])
def test_far_rows_do_not_make_a_dual_too_large(gamma):
    n = len(SECONDS)
    problem = Problem(
        SECONDS, np.tile([1.0, -1.0], n // 2), np.full(n, 1e6), HINGE, "free", kernels.Rbf(gamma)
    )
    alpha, nothing = np.full(n, 1e6), np.zeros(n)
    upper, lower = bounds(problem, nothing, 0.0, alpha)
    primal, dual = kernel_objectives(problem, nothing, 0.0, alpha)
    assert dual * (1 + Fraction(1, 10**10)) <= lower <= dual < 0 < primal <= upper


def test_no_row_is_outside_a_slab_by_not_being_a_number():
    problem = few_rows(kernels.Linear(), C=np.inf)
    coef = np.full(6, 1e308)
    with pytest.raises(Rejected):
        bounds(problem, coef, 0.0, np.zeros(6))
    K = np.full((2, 2), np.nan)
    given_values = Problem(K, np.array([1.0, -1.0]), np.full(2, np.inf), HINGE, "free", kernels.Precomputed())
    with pytest.raises(Rejected):
        bounds(given_values, np.ones(2), 0.0, np.zeros(2))


@pytest.mark.parametrize(
    "kernel",
    [kernels.Poly(1, HUGE, 0.0), kernels.Poly(3, HUGE, 0.0), kernels.Rbf(HUGE), kernels.Sigmoid(HUGE, 0.0)],
)
@pytest.mark.parametrize("size", [1e-155, 1e-161, 1e-162, 3e-162, 1e-163, 1e-170, 1e-320])
def test_what_underflow_took_is_paid_for_times_gamma(kernel, size):
    X = np.array([[size, 0.7 * size], [-size, size], [0.3 * size, size], [size, size]])
    K, E = bounded_matrix(kernel, X, X)
    for i, x in enumerate(map(rationals, X)):
        for j, z in enumerate(map(rationals, X)):
            assert abs(Fraction(float(K[i, j])) - kernel_value(kernel, x, z)) <= Fraction(float(E[i, j]))
    problem = Problem(X, np.tile([1.0, -1.0], 2), np.ones(4), HINGE, "none", kernel)
    coef = np.array([1e20, -1e10, 1e18, 1e5])
    upper, lower = bounds(problem, coef, 0.25, np.ones(4))
    primal, dual = kernel_objectives(problem, coef, 0.25, np.ones(4))
    assert upper >= primal
    assert lower <= dual


@pytest.mark.parametrize(
    "kernel", [kernels.Rbf(HUGE), kernels.Sigmoid(HUGE, 0.0), kernels.Poly(2, HUGE, 1.0)]
)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_many_products_may_vanish(kernel, form):
    """A thousand squares below the least float; gamma times their sum is a thousand roundings."""
    X = np.vstack([np.full(1000, 1.5e-162), np.full(1000, -1.5e-162)])
    K, E = bounded_matrix(kernel, form(X), form(X))
    x, z = map(rationals, X)
    assert abs(Fraction(float(K[0, 1])) - kernel_value(kernel, x, z)) <= Fraction(float(E[0, 1]))
    assert E[0, 1] <= 1e-9


def test_rows_and_columns_of_many_tiles(monkeypatch):
    """Every tile is used for its rows and its columns; long rows among them are put last."""
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(40, 2)), 1e9 + rng.normal(size=(3, 2)), rng.normal(size=(20, 2))])
    c = np.where(rng.random(63) < 0.6, rng.normal(size=63), 0.0)
    rows = [rationals(x) for x in X]
    for kernel in (kernels.Rbf(0.5), kernels.Laplacian(0.3)):
        problem = Problem(X, np.ones(63), np.ones(63), HINGE, "none", kernel)
        exact = [
            sum(Fraction(b) * kernel_value(kernel, x, z) for b, z in zip(c, rows, strict=True)) for x in rows
        ]
        for held in (X, sparse.csr_array(X)):
            problem = Problem(held, np.ones(63), np.ones(63), HINGE, "none", kernel)
            for height, width in ((7, 5), (5, 7), (256, 512)):
                monkeypatch.setattr("separatrix.proof.kernel_sweep._HEIGHT", height)
                monkeypatch.setattr("separatrix.proof.kernel_sweep._WIDTH", width)
                for enough in (None, lambda rows, F, error: error < 1e-4):
                    F, error = bounded_scores(problem.space, c, enough)
                    assert np.all(error < (1e-10 if enough is None else 1e-4))
                    for value, bound, true in zip(F.tolist(), error.tolist(), exact, strict=True):
                        assert abs(Fraction(value) - true) <= Fraction(bound)


@settings(max_examples=200)
@given(st.integers(0, 2**32 - 1))
def test_rough_sums_are_bounded(seed):
    rng = np.random.default_rng(seed)
    n, d = 8, int(rng.integers(1, 4))
    X = sized(rng, (n, d), *((-320, 300) if rng.random() < 0.5 else (-50, 20)))
    size = max(float(np.max(np.abs(X))), 1e-150)
    gamma = float(10.0 ** np.clip(-2 * np.log10(size) + rng.integers(-3, 3), -320, 300))
    c = sized(rng, n) * (np.arange(n) < 4)
    problem = Problem(X, np.ones(n), np.ones(n), HINGE, "none", kernels.Rbf(gamma))
    try:
        F, error = bounded_scores(problem.space, c, lambda rows, F, error: np.ones(len(rows), dtype=bool))
    except Rejected:
        return
    rows = [rationals(x) for x in X]
    for value, bound, x in zip(F.tolist(), error.tolist(), rows, strict=True):
        true = sum(
            Fraction(a) * kernel_value(problem.kernel, x, z) for a, z in zip(c.tolist(), rows, strict=True)
        )
        assert abs(Fraction(value) - true) <= Fraction(bound)


def test_a_column_of_seconds_has_useful_bounds():
    """The kernel does not change when all rows move by the same whole number; nor may what is proved."""
    rng = np.random.default_rng(0)
    moved = np.sort(rng.integers(0, 200, 60)).astype(float)[:, None]
    y = np.where(np.sin(moved[:, 0] / 9.0) + 0.3 * rng.normal(size=60) > 0, 1.0, -1.0)
    model = SVC(10.0, kernel="rbf", gamma="auto").fit(moved, y)
    alpha = np.zeros(60)
    alpha[model.support_] = np.abs(model.dual_coef_.ravel())
    b = float(model.intercept_[0])
    near, far = (
        bounds(Problem(X, y, np.full(60, 10.0), HINGE, "free", kernels.Rbf(1.0)), None, b, alpha)
        for X in (moved, moved + 1.7e9)
    )
    assert 0 <= far[0] - far[1] <= near[0] - near[1] + far[0] / 10**10
    assert far[0] - far[1] <= far[0] / 1000


def test_differences_keep_the_digits_that_squares_lose():
    K, E = bounded_matrix(kernels.Rbf(1.0), SECONDS, SECONDS)
    assert np.all(E <= 1e-12)
    assert K[0, 1] == pytest.approx(np.exp(-1.0), rel=1e-14)
    _, wide = bounded_matrix(kernels.Rbf(1.0), sparse.csr_array(SECONDS), SECONDS)
    assert np.all(wide <= 1e-12)


def test_alpha_must_be_feasible():
    problem = few_rows(kernels.Rbf(0.5))
    for alpha in (np.full(6, 1.5), np.full(6, -0.5), np.full(6, np.nan)):
        with pytest.raises(Rejected, match=r"alpha\[0\]"):
            bounds(problem, None, 0.0, alpha)
    with pytest.raises(Rejected, match="sum alpha_i y_i"):
        bounds(problem, None, 0.0, np.array([1.0, 0.5, 0.5, 0.5, 0.5, 0.5]))


def test_bounds_are_numbers():
    assert finite(0.25) == Fraction(1, 4)
    for value in (np.nan, np.inf, -np.inf):
        with pytest.raises(Rejected):
            finite(value)
    certain(np.array([True, True]))
    with pytest.raises(Rejected, match="1 fails"):
        certain(np.array([0.0, np.nan]) <= 0, "{row} fails")


@pytest.mark.parametrize("n", [1, 2, 5, 60])
def test_definite_matrices_are_proved_so(n):
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n + 5))
    K = A @ A.T
    K = (K + K.T) / 2
    assert surely_definite(K)
    assert surely_definite(1e150 * K)
    assert surely_definite(1e-150 * K)
    assert surely_definite(K.astype(np.float32))


def test_what_is_not_definite_is_never_proved_so():
    for n in (2, 3, 30):
        ones = np.ones((n, n))
        assert not surely_definite(ones)  # singular
        assert not surely_definite(np.zeros((n, n)))
        for size in (1.0, 1e-200, 1e-315, 1e300):
            # The least eigenvalue is just below zero, by less than a rounding of the entries.
            assert not surely_definite(size * (ones - np.diag(np.full(n, 2.0**-53))))
    asymmetric = np.array([[2.0, 1.0], [1.0 + 2.0**-52, 2.0]])
    for K in (
        asymmetric,
        np.full((2, 2), np.nan),
        np.diag([1.0, np.inf]),
        np.diag([1.0, -1.0]),
        np.ones((2, 3)),
    ):
        assert not surely_definite(K)


@settings(max_examples=200)
@given(st.integers(0, 2**32 - 1))
def test_definiteness_agrees_with_rationals(seed):
    """Matrices of small whole numbers, nearly singular, against their leading minors."""
    rng = np.random.default_rng(seed)
    A = rng.integers(-3, 4, (4, 4)).astype(float)
    K = A @ A.T + np.diag(rng.integers(-1, 2, 4)) * 10.0 ** rng.integers(-17, 1)
    K *= 10.0 ** rng.integers(-300, 290)
    if surely_definite(K):
        exact = [rationals(row) for row in K]
        for pivot in range(4):  # Gaussian elimination: all pivots of a definite matrix are positive
            assert exact[pivot][pivot] > 0
            for i in range(pivot + 1, 4):
                ratio = exact[i][pivot] / exact[pivot][pivot]
                exact[i] = [a - ratio * b for a, b in zip(exact[i], exact[pivot], strict=True)]
