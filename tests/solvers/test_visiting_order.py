"""The order in which coordinate descent visits rows: runs that lie together in memory, the runs in random order."""

from __future__ import annotations

import numpy as np
import pytest

from separatrix.problem import HINGE, Problem
from separatrix.solvers.compiled import compiled_rows
from separatrix.solvers.coordinate_descent.solver import CoordinateDescent
from separatrix.solvers.coordinate_descent.tuning import Tuning


def after_some_epochs(run_length: int, mapped: bool) -> np.ndarray:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((401, 20)).astype(np.float32)
    y = np.sign(X[:, 0] + rng.standard_normal(401))
    tuning = Tuning(run_length=run_length, shrink=False, moves=0, copy=False)
    descent = compiled_rows(X).descent(
        y, np.ones(401), tuning=tuning, squared=True, kappa=0.0, seed=5, mapped=mapped
    )
    for _ in range(3):
        assert descent.epoch().active == 401
    alpha = np.empty(401)
    descent.get_alpha(alpha)
    return alpha


@pytest.mark.parametrize("run_length", [1, 2, 8, 1000])
def test_rows_of_a_file_are_visited_in_the_same_order(run_length) -> None:
    np.testing.assert_array_equal(after_some_epochs(run_length, True), after_some_epochs(run_length, False))


def test_runs_are_as_long_as_asked_for() -> None:
    first = after_some_epochs(1, False)
    assert all(np.any(first != after_some_epochs(run_length, False)) for run_length in (2, 8, 1000))
    np.testing.assert_array_equal(after_some_epochs(401, False), after_some_epochs(1000, False))


def test_runs_are_longer_where_rows_come_from_memory() -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 5))
    problem = Problem(X, np.sign(X[:, 0]), np.ones(300), HINGE, "none")

    def alpha(tuning: Tuning) -> np.ndarray:
        solver = CoordinateDescent(tuning=tuning)
        state = solver.init(problem, None, n_threads=1)
        solver.step(problem, state, tol=1e-2)
        return solver.point(problem, state).alpha

    small = alpha(Tuning(cached_bytes=X.nbytes))
    large = alpha(Tuning(cached_bytes=X.nbytes - 1))
    np.testing.assert_array_equal(small, alpha(Tuning(run_length=2)))
    np.testing.assert_array_equal(large, alpha(Tuning(run_length=8)))
    assert np.any(small != large)
