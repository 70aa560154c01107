"""Random small problems, degenerate on purpose, against brute force; every proof checked in fractions.

Tests `separability/overlap.py`, `separability/peeling.py`, `separability/candidates.py`,
`separability/rationalise.py`.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from exact_oracle import signed_fractions, tied_rows, verdict_of
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from small_data import KINDS, small_problem

from separatrix.proof.verify import verify
from separatrix.separability import Separability, separability


def assert_proved(found: Separability, X: np.ndarray, y: np.ndarray, bias: bool) -> None:
    """Everything the record says, from the definition."""
    A = signed_fractions(X, y, bias)
    n, D = len(A), len(A[0])
    tied = tied_rows(X, y, bias)
    assert found.verdict == verdict_of(tied, n)
    assert set(found.tied.tolist()) == tied
    if found.w is not None:
        z = [Fraction(v) for v in found.w.tolist()] + ([Fraction(found.b)] if bias else [])
        products = [sum(a * b for a, b in zip(row, z, strict=True)) for row in A]
        assert all(product == 0 if i in tied else product > 0 for i, product in enumerate(products))
    if tied:
        assert 0 < len(found.rows) <= D + 1
        assert sum(found.weights) == 1
        assert min(found.weights) > 0
        for j in range(D):
            assert sum(w * A[i][j] for i, w in zip(found.rows, found.weights, strict=True)) == 0
        kept = found.rows[1:]  # irreducible: without any one row, the rest are strictly separable
        if len(kept):
            assert not tied_rows(X[kept], y[kept], bias)
        assert found.margin == (0.0, 0.0)


@pytest.mark.parametrize("kind", KINDS)
def test_seeded(kind: str) -> None:
    generator = np.random.default_rng(KINDS.index(kind))
    for _ in range(80):
        X, y, bias = small_problem(generator, kind)
        assert_proved(separability(X, y, bias), X, y, bias)


@pytest.mark.parametrize("kind", KINDS)
def test_certificates_verify_both_ways(kind: str) -> None:
    generator = np.random.default_rng(100 + KINDS.index(kind))
    for _ in range(12):
        X, y, bias = small_problem(generator, kind)
        found = separability(X, y, bias)
        for exact in (False, True):
            outcome = verify(found.certificate, X, y, exact=exact)
            assert outcome, outcome.reason
        if found.verdict == "separable":
            lower, upper = found.margin
            assert 0 < lower <= upper
            assert upper - lower <= 1e-9 * upper


def test_sparse_agrees_with_dense() -> None:
    generator = np.random.default_rng(7)
    for k in range(60):
        X, y, bias = small_problem(generator, KINDS[k % len(KINDS)])
        dense, csr = separability(X, y, bias), separability(sparse.csr_array(X), y, bias)
        assert dense.verdict == csr.verdict
        assert dense.tied.tolist() == csr.tied.tolist()
        outcome = verify(csr.certificate, X, y, exact=True)
        assert outcome, outcome.reason


grids = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 7), st.integers(1, 3)),
    elements=st.one_of(
        st.integers(-2, 2).map(float), st.floats(allow_nan=False, allow_infinity=False, width=32)
    ),
)


@settings(max_examples=100)
@given(X=grids, data=st.data(), bias=st.booleans())
def test_hypothesis(X: np.ndarray, data: st.DataObject, bias: bool) -> None:
    y = np.array(data.draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=len(X), max_size=len(X))))
    y[:2] = -1.0, 1.0
    found = separability(X, y, bias)
    assert_proved(found, X, y, bias)
    outcome = verify(found.certificate, X, y, exact=False)
    assert outcome, outcome.reason


@settings(max_examples=40)
@given(X=grids, power=st.integers(-60, 60), seed=st.integers(0, 99))
def test_symmetries(X: np.ndarray, power: int, seed: int) -> None:
    """Flipped labels, other row order, columns scaled by powers of two: the same verdict and tied rows."""
    generator = np.random.default_rng(seed)
    y = generator.choice([-1.0, 1.0], size=len(X))
    y[:2] = -1.0, 1.0
    tied = separability(X, y).tied.tolist()
    assert separability(X, -y).tied.tolist() == tied
    order = generator.permutation(len(X))
    assert sorted(order[separability(X[order], y[order]).tied].tolist()) == tied
    scaled = np.ldexp(X, power)
    if np.array_equal(np.ldexp(scaled, -power), X):
        assert separability(scaled, y).tied.tolist() == tied
