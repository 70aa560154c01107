"""Balancing: sum_i alpha_i y_i is exactly zero, within the bounds, at the least cost."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix.proof.balance import balance


def residual(alpha, y):
    return sum((Fraction(float(a)) * int(s) for a, s in zip(alpha, y, strict=True)), Fraction())


def feasible(alpha, upper):
    return bool(np.all(alpha >= 0) and np.all(alpha <= upper))


@st.composite
def dual_points(draw):
    n = draw(st.integers(1, 12))
    costs = st.floats(1e-6, 1e10) | st.sampled_from([0.1, 1.0, 3.0])
    C = np.array(draw(st.lists(costs, min_size=n, max_size=n)))
    parts = draw(st.lists(st.sampled_from([0.0, 1.0]) | st.floats(0, 1), min_size=n, max_size=n))
    y = np.array(draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n)))
    margins = draw(st.none() | st.lists(st.floats(-3, 3), min_size=n, max_size=n).map(np.array))
    upper = np.full(n, np.inf) if draw(st.booleans()) else C
    return np.minimum(C * np.array(parts), upper), y, upper, margins


@settings(max_examples=150)
@given(dual_points())
def test_any_point_is_balanced_exactly_within_its_bounds(point):
    alpha, y, upper, margins = point
    before = alpha.copy()
    balanced = balance(alpha, y, upper, margins)
    assert residual(balanced, y) == 0
    assert feasible(balanced, upper)
    np.testing.assert_array_equal(alpha, before)  # the argument is not touched


@st.composite
def solved_points(draw):
    """What a solver returns: zeros and bounds met exactly, and four free rows that leave a small residual."""
    n, seed = draw(st.integers(8, 200)), draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    C = 10.0 ** rng.uniform(*draw(st.sampled_from([(0, 0), (-1, 1), (-6, 10)])), n)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    alpha = C * rng.choice([0.0, 1.0], n)
    y[:4], y[4:8] = (1.0, 1.0, -1.0, -1.0), (1.0, 1.0, -1.0, -1.0)
    # The free rows carry what the bounded rows leave over; the smallest of them is as fine as the smallest C.
    alpha[:4] = rng.uniform(1, 2, 4) * C.min() * np.array([1e-3, 1.0, 1e-3, 1.0])
    excess = float(alpha @ y)
    carrier = 1 if excess < 0 else 3
    alpha[carrier] += abs(excess) * (1 - draw(st.sampled_from([0.0, 1e-15, 1e-9, 1e-6])))
    C[:4] = 4 * alpha[:4] + abs(excess)
    return alpha, y, np.full(n, np.inf) if draw(st.booleans()) else C, 1 + 0.1 * rng.normal(size=n)


@settings(max_examples=150)
@given(solved_points())
def test_free_rows_absorb_small_residuals(point):
    alpha, y, upper, margins = point
    off = abs(float(residual(alpha, y)))
    balanced = balance(alpha, y, upper, margins)
    assert residual(balanced, y) == 0
    assert feasible(balanced, upper)
    np.testing.assert_array_equal(balanced[alpha == 0], 0.0)
    np.testing.assert_array_equal(balanced[alpha == upper], alpha[alpha == upper])
    # The change is that of the residual, up to rounding at the size of the largest alpha.
    assert np.abs(balanced - alpha).sum() <= 1.001 * off + 4e-15 * alpha.max()


def test_a_balanced_point_is_returned_as_it_is():
    alpha, y = np.array([0.1, 0.1, 0.0]), np.array([1.0, -1.0, 1.0])
    assert balance(alpha, y, np.ones(3)) is alpha


def test_one_free_row_takes_all():
    C = 0.1
    alpha = np.array([C, C, C, 0.0, 0.05 + 1e-9, 0.25])
    y = np.array([1.0, 1.0, 1.0, 1.0, -1.0, -1.0])
    upper = np.array([C, C, C, C, 1.0, 0.25])
    balanced = balance(alpha, y, upper)
    np.testing.assert_array_equal(balanced[[0, 1, 2, 3, 5]], alpha[[0, 1, 2, 3, 5]])
    assert residual(balanced, y) == 0


def test_no_free_row_at_all():
    alpha, y = np.array([0.1] * 3 + [0.1] * 2), np.array([1.0] * 3 + [-1.0] * 2)
    balanced = balance(alpha, y, np.full(5, 0.1))
    assert residual(balanced, y) == 0
    assert np.sum(balanced) == pytest.approx(0.4)


def test_without_margins_zeros_stay_zero_when_rows_can_fall():
    alpha, y = np.array([1.0, 1.0, 0.0, 0.0]), np.array([1.0, 1.0, -1.0, -1.0])
    np.testing.assert_array_equal(balance(alpha, y, np.ones(4)), np.zeros(4))


def test_the_cheapest_rows_move():
    rng = np.random.default_rng(0)
    n = 1000
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    alpha, upper = rng.uniform(0.3, 0.7, n), np.ones(n)
    alpha[y > 0] *= alpha[y < 0].sum() / alpha[y > 0].sum() * (1 + 1e-6)
    margins = np.where(np.arange(n) < 100, 1.0, 2.0)
    balanced = balance(alpha, y, upper, margins)
    moved = np.flatnonzero(np.abs(balanced - alpha) > 1e-12)
    assert 2 <= len(moved) <= 100
    assert moved.max() < 100


def test_a_free_row_too_coarse_for_the_bounds_is_helped_out():
    # 0.1 ends at 2^-55; floats near 1e6 are multiples of 2^-33, so the free row alone cannot meet the sum.
    alpha = np.array([0.1, 1e6, 1e6 + 0.1, 0.0])
    y = np.array([1.0, 1.0, -1.0, -1.0])
    upper = np.array([0.1, 1e6, 1e7, 1.0])
    balanced = balance(alpha, y, upper)
    assert residual(balanced, y) == 0
    assert feasible(balanced, upper)
    np.testing.assert_allclose(balanced, alpha, atol=1e-9)


def test_the_common_grid_is_the_last_resort():
    # Nothing can rise, and every float that may fall is coarser than the residual: only the grid is left.
    alpha, y = np.array([1.0, 2.0**60, 2.0**60]), np.array([-1.0, 1.0, -1.0])
    balanced = balance(alpha, y, alpha.copy())
    assert residual(balanced, y) == 0
    assert feasible(balanced, alpha)
    np.testing.assert_allclose(balanced[1:], 2.0**60, rtol=1e-15)


def test_a_hundred_thousand_rows_are_balanced():
    rng = np.random.default_rng(0)
    n = 100_000
    y = np.where(rng.random(n) < 0.3, 1.0, -1.0)
    alpha = np.clip(rng.normal(0.05, 0.05, n), 0.0, 0.1)
    heavy = y == np.sign(alpha @ y)
    alpha[heavy] *= alpha[~heavy].sum() / alpha[heavy].sum()
    balanced = balance(alpha, y, np.full(n, 0.1), 1 + 0.01 * rng.normal(size=n))
    assert residual(balanced, y) == 0
    assert np.sum(balanced != alpha) <= 64


def test_alphas_near_the_largest_float_that_balance_are_left_alone():
    alpha, y = np.full(4, 1.5e308), np.array([1.0, 1.0, -1.0, -1.0])
    assert balance(alpha, y, np.full(4, np.inf)) is alpha
