"""Products of some rows, copied a few at a time, claim no more than the collected rows prove."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from separatrix.proof.rigorous import bounded_weighted_sum, sliced_weighted_sum

pytest.importorskip("distributed")

from separatrix.dask.products import product
from separatrix.dask.rows import _SLICE_ERROR


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_the_error_of_a_sum_of_picked_rows_is_not_less_than_that_of_the_whole(form: type) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60_000, 8)) * (rng.random((60_000, 8)) < 0.5)
    rows = np.flatnonzero(rng.random(60_000) < 0.6)
    c = rng.random(len(rows))
    hi, lo, error = product([form(X)], "sliced_weighted_sum", c, [rows])
    whole_hi, whole_lo, whole_error = sliced_weighted_sum(form(X[rows]), c)
    assert np.all(_SLICE_ERROR * error >= whole_error)
    assert np.all(np.abs((hi - whole_hi) + (lo - whole_lo)) <= error + whole_error)
    value, error = product([form(X)], "bounded_weighted_sum", c, [rows])
    whole, whole_error = bounded_weighted_sum(form(X[rows]), c)
    assert np.all(np.abs(value - whole) <= error + whole_error)


def test_parts_and_picks_are_in_order() -> None:
    rng = np.random.default_rng(1)
    parts = [rng.standard_normal((n, 3)) for n in (5, 0, 4)]
    picks = [np.array([0, 3]), np.array([], dtype=int), np.array([1, 2, 3])]
    w, X = np.ones(3), np.concatenate([part[rows] for part, rows in zip(parts, picks, strict=True)])
    assert product(parts, "scores", w, None) == pytest.approx(np.concatenate(parts) @ w)
    assert product(parts, "scores", w, picks) == pytest.approx(X @ w)
    value, error = product(parts, "bounded_scores", w, picks)
    assert value == pytest.approx(X @ w)
    assert len(error) == 5
    assert product(parts, "weighted_sum", np.arange(5.0), picks) == pytest.approx(X.T @ np.arange(5.0))
    nothing = [np.array([], dtype=int)] * 3
    assert product(parts, "weighted_sum", np.zeros(0), nothing).tolist() == [0.0, 0.0, 0.0]
