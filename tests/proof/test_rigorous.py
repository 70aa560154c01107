from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from separatrix.proof.rigorous import bounded_scores, bounded_weighted_sum, upper_half_square


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
