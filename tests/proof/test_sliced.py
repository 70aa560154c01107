"""Products by slices: errors within their bounds, and much sharper than plain products."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from separatrix.proof.rigorous import bounded_scores, sliced_scores, sliced_weighted_sum


def worst(hi, lo, error, rows, vector):
    """The largest error as a part of its bound."""
    parts = []
    for h, low, bound, row in zip(hi.tolist(), lo.tolist(), error.tolist(), rows.tolist(), strict=True):
        true = sum(Fraction(a) * Fraction(b) for a, b in zip(row, vector.tolist(), strict=True))
        off = abs(Fraction(h) + Fraction(low) - true)
        assert off <= Fraction(bound)
        parts.append(float(off / Fraction(bound)) if bound else 0.0)
    return max(parts)


def awkward(n, d, seed, spread):
    rng = np.random.default_rng(seed)
    X = (
        rng.normal(size=(n, d))
        * 10.0 ** rng.integers(-spread, spread + 1, (n, d))
        * (rng.random((n, d)) < 0.7)
    )
    w = rng.normal(size=d) * 10.0 ** rng.integers(-spread, spread + 1, d)
    w[rng.random(d) < 0.2] = 0.0
    return X, w, rng.normal(size=n) * 10.0 ** rng.integers(-spread, spread + 1, n)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (30, 40), (8, 1200)])
@pytest.mark.parametrize("spread", [0, 9, 120])
def test_errors_are_within_their_bounds(n, d, spread, form):
    X, w, c = awkward(n, d, n + d + spread, spread)
    worst(*sliced_scores(form(X), w), X, w)
    worst(*sliced_weighted_sum(form(X), c), X.T, c)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 6))
def test_small_products_of_any_size(seed, n, d):
    X, w, c = awkward(n, d, seed, 150)
    worst(*sliced_scores(X, w), X, w)
    worst(*sliced_weighted_sum(X, c), X.T, c)


def test_rows_in_several_blocks(monkeypatch):
    monkeypatch.setattr("separatrix.problem.rows._BLOCK_ENTRIES", 64)
    X, w, c = awkward(50, 8, 5, 3)
    worst(*sliced_scores(X, w), X, w)
    worst(*sliced_weighted_sum(sparse.csr_array(X), c), X.T, c)


def test_they_are_much_sharper_than_plain_products():
    X, w, _ = awkward(20, 2000, 1, 0)
    _, plain = bounded_scores(X, w)
    _, _, sharp = sliced_scores(X, w)
    assert np.all(sharp < 1e-2 * plain)


@given(st.integers(0, 2**32 - 1), st.integers(-310, 290), st.integers(-310, 290))
def test_no_finite_bound_is_wrong_at_the_ends_of_the_range(seed, rows, factors):
    """Rows and weights of any size: subnormal products, and sums that overflow, whose bound is infinite."""
    X, w, c = awkward(4, 3, seed, 10)
    with np.errstate(all="ignore"):
        X, w, c = X * 10.0**rows, w * 10.0**factors, c * 10.0**factors
        found = (sliced_scores(X, w), X, w), (sliced_weighted_sum(X, c), X.T, c)
    for (hi, lo, error), A, x in found:
        known = np.isfinite(error)
        assert np.all(np.isfinite((hi + lo)[known]))
        if np.any(known):
            worst(hi[known], lo[known], error[known], A[known], x)
