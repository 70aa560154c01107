"""The order in which coordinate descent visits rows: near to chance where they stay in the cache, in runs elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from separatrix.solvers.compiled import compiled_rows


def after_some_epochs(rows: int, columns: int, chunk: int, **settings) -> np.ndarray:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns)).astype(np.float32)
    y = np.sign(X[:, 0] + rng.standard_normal(rows))
    C = np.ones(rows)
    fixed = {"squared": True, "shrink": False, "kappa": 0.0, "seed": 5, "n_threads": 1, "memory": 0}
    descent = compiled_rows(X).descent(y, C, chunk=chunk, **fixed, **settings)
    for _ in range(3):
        descent.epoch()
    alpha = np.empty(rows)
    descent.get_alpha(alpha)
    return alpha


def test_rows_in_the_cache_are_visited_in_runs_of_two() -> None:
    short, long = (after_some_epochs(400, 20, chunk) for chunk in (2, 8))
    np.testing.assert_array_equal(short, long)
    assert np.any(short != after_some_epochs(400, 20, 1))


@pytest.mark.parametrize(
    ("rows", "columns", "settings"), [(400, 3000, {}), (400, 20, {"mapped": True, "in_place": True})]
)
def test_many_entries_and_rows_of_a_file_are_visited_in_runs_as_long_as_asked_for(
    rows, columns, settings
) -> None:
    short, long = (after_some_epochs(rows, columns, chunk, **settings) for chunk in (2, 8))
    assert np.any(short != long)
