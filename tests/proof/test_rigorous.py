"""Rigorous floats: errors within their bounds for numbers of any size, or no bound."""

import math
from fractions import Fraction

import numpy as np
import pytest
from exact_objectives import is_bounded, linear_values, rationals
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from separatrix.problem import HINGE, LOSSES, SQUARED_HINGE, Problem
from separatrix.proof.mistakes import squared_radius
from separatrix.proof.rigorous import (
    bounded_scores,
    bounded_weighted_sum,
    upper_half_square,
)
from separatrix.proof.sums import Rejected
from separatrix.proof.value_bounds import bounds


def exact_product(A, x):
    return [sum(Fraction(float(a)) * Fraction(float(b)) for a, b in zip(row, x, strict=True)) for row in A]


def awkward(n, d, seed):
    """Numbers of many sizes that nearly cancel."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-8, 9, (n, d))
    X[:, 1::2] = -X[:, : 2 * (d // 2) : 2] * (1 + 1e-13 * rng.normal(size=(n, d // 2)))
    return X * (rng.random((n, d)) < 0.9), np.repeat(rng.normal(size=(d + 1) // 2), 2)[:d]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, np.float32])
@pytest.mark.parametrize("seed", range(3))
def test_errors_are_within_their_bounds(form, seed):
    X, w = awkward(60, 11, seed)
    held = form(X)
    X = np.asarray(X.astype(np.float32), dtype=float) if held.dtype == np.float32 else X
    f, error = bounded_scores(held, w)
    for value, bound, true in zip(f, error, exact_product(X, w), strict=True):
        assert abs(Fraction(float(value)) - true) <= Fraction(float(bound))
    c = np.random.default_rng(seed).normal(size=60)
    v, error = bounded_weighted_sum(held, c)
    for value, bound, true in zip(v, error, exact_product(X.T, c), strict=True):
        assert abs(Fraction(float(value)) - true) <= Fraction(float(bound))


def test_bounds_do_not_grow_with_the_number_of_rows():
    def relative(n):
        X = np.ones((n, 1))
        v, error = bounded_weighted_sum(X, np.ones(n))
        assert v[0] == n
        return error[0] / n

    assert relative(200_000) == pytest.approx(relative(1000), rel=0.1)


def test_products_that_vanish_are_paid_for():
    X, w = np.full((3, 2), 1e-200), np.full(2, 1e-200)
    f, error = bounded_scores(X, w)
    assert f[0] == 0
    assert Fraction(float(error[0])) >= 2 * Fraction(1e-200) ** 2
    v, error = bounded_weighted_sum(X, np.full(3, 1e-200))
    assert v[0] == 0
    assert Fraction(float(error[0])) >= 3 * Fraction(1e-200) ** 2


def test_half_square_is_an_upper_bound():
    rng = np.random.default_rng(0)
    for scale in (1.0, 1e-170, 1e100):
        v = scale * rng.normal(size=50)
        true = sum(Fraction(x) ** 2 for x in v.tolist()) / 2
        assert (
            true <= Fraction(upper_half_square(v)) <= true * (1 + Fraction(1, 10**14)) + Fraction(1, 10**300)
        )


def sized(rng, shape, least=-320, most=300, spread=4):
    """Numbers around one magnitude, with their signs; some are zero."""
    exponents = rng.integers(least, most + 1) + rng.integers(-spread, spread + 1, shape)
    values = rng.choice([-1.0, 1.0], shape) * rng.random(shape) * 10.0 ** np.clip(exponents, -320, 300)
    return values * (rng.random(shape) < 0.9)


def any_size(rng):
    return (-320, 300) if rng.random() < 0.5 else (-3, 3)


def some_problem(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 4)) * 2, int(rng.integers(1, 5))
    X = sized(rng, (n, d), *any_size(rng))
    C = np.abs(sized(rng, n, *any_size(rng)))
    y = np.where(C > 0, np.tile([1.0, -1.0], n // 2), 0.0)
    bias = str(rng.choice(["free", "augmented", "none"]))
    alpha = C * rng.random(n) * (rng.random(n) < 0.8)
    if bias == "free":
        alpha = np.repeat(np.minimum(alpha[::2], alpha[1::2]), 2)
    loss = LOSSES[str(rng.choice(list(LOSSES)))]
    fitting = 1.0 / max(float(np.max(np.abs(X))), 1e-300)
    w = sized(rng, d, *any_size(rng)) if rng.random() < 0.5 else fitting * rng.normal(size=d)
    return Problem(X, y, C, loss, bias), w, float(rng.choice([0.0, 1.0, float(sized(rng, ()))])), alpha


@settings(max_examples=400)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 4.0]), st.booleans(), st.booleans())
def test_objectives_of_any_size_are_bounded(seed, slack, sharp, csr):
    problem, w, b, alpha = some_problem(seed)
    held = sparse.csr_array(problem.X) if csr else problem.X
    try:
        upper, lower = bounds(
            Problem(held, problem.y, problem.C, problem.loss, problem.bias), w, b, alpha, slack, sharp
        )
    except Rejected:
        return
    primal, dual = linear_values(problem, w, b, alpha)
    assert upper >= primal
    assert lower <= dual


def test_moderate_numbers_are_not_refused():
    """The search above would prove nothing if everything were refused."""
    assert sum(is_bounded(*some_problem(seed)) for seed in range(100)) >= 40


@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE])
@pytest.mark.parametrize("sharp", [False, True])
def test_numbers_out_of_range_are_refused(loss, sharp):
    X, y = np.array([[1e300, 1e300], [-1e300, 1.0]]), np.array([1.0, -1.0])
    problem = Problem(X, y, np.ones(2), loss, "none")
    for w in (np.full(2, 1e300), np.array([1e300, -1e300])):
        with pytest.raises(Rejected):
            bounds(problem, w, 0.0, np.zeros(2), sharp=sharp)
    with pytest.raises(Rejected):
        bounds(problem, np.zeros(2), 0.0, np.ones(2), sharp=sharp)
    with pytest.raises(Rejected):
        bounds(problem, np.zeros(2), math.nan, np.zeros(2), sharp=sharp)


@pytest.mark.parametrize("cost", [5e-324, 1e-310, 1e-291, 1e-280])
def test_costs_below_the_normal_floats(cost):
    X, y = np.array([[1.0], [-0.5]]), np.array([1.0, -1.0])
    problem = Problem(X, y, np.full(2, cost), SQUARED_HINGE, "augmented")
    alpha = np.array([3 * cost, cost])
    upper, lower = bounds(problem, np.array([1e-160]), 1e-170, alpha)
    primal, dual = linear_values(problem, np.array([1e-160]), 1e-170, alpha)
    assert upper >= primal
    assert lower <= dual


def test_alpha_must_be_feasible():
    problem = Problem(np.ones((2, 1)), np.array([1.0, -1.0]), np.array([1.0, 0.0]), HINGE, "none")
    for alpha in ([2.0, 0.0], [-1.0, 0.0], [np.nan, 0.0], [0.0, 1e-300]):
        with pytest.raises(Rejected, match="alpha"):
            bounds(problem, np.zeros(1), 0.0, np.array(alpha))


def test_sums_out_of_range_have_no_finite_bound():
    X = np.array([[1e300, 1e300], [1.0, 1.0]])
    with np.errstate(all="ignore"):
        f, error = bounded_scores(X, np.array([1e300, -1e300]))
        v, reach = bounded_weighted_sum(X, np.array([1e300, 0.0]))
    assert error.tolist() == [np.inf, pytest.approx(error[1])]
    assert np.isfinite(f[1])
    assert np.all(np.isinf(reach))
    assert not np.any(np.isfinite(v))


@given(st.integers(0, 2**32 - 1), st.sampled_from(["dense", "csr", "single", "single csr"]))
def test_squared_radius_of_any_size(seed, form):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 5)), int(rng.integers(1, 5))
    X = sized(rng, (n, d), *((-45, 33) if "single" in form else (-320, 300)))
    with np.errstate(all="ignore"):
        X = X.astype(np.float32) if "single" in form else X
    members = rng.random(n) < 0.7
    low, high = squared_radius(sparse.csr_array(X) if "csr" in form else X, members)
    true = max((sum(v * v for v in rationals(row)) for row in X[members]), default=Fraction())
    assert low <= true <= high <= true * (1 + Fraction(1, 10**13))
    assert squared_radius(X, np.flatnonzero(members)) == (low, high) or "csr" in form
