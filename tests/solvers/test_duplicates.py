"""Merging equal rows changes the work, not the answer."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from separatrix.problem import HINGE, Problem
from separatrix.proof.duality import certify
from separatrix.solvers.interior_point.fewer_rows import merge_duplicates, sample_rows
from separatrix.solvers.interior_point.solver import InteriorPoint
from separatrix.solvers.loop.run import Limits, Stage, run


def repeated(bias: str = "free") -> Problem:
    rng = np.random.default_rng(0)
    X = (rng.random((4000, 6)) < 0.3).astype(float)
    y = np.where(X @ np.array([2.0, -1.0, 1.0, -2.0, 0.5, 0.1]) + rng.standard_normal(4000) > 0.3, 1.0, -1.0)
    return Problem(sparse.csr_array(X), y, rng.random(4000) + 0.1, HINGE, bias)  # type: ignore[arg-type]


def test_few_rows_remain_and_costs_add_up() -> None:
    problem = repeated()
    merged = merge_duplicates(problem)
    assert merged is not None
    assert merged.problem.n_rows <= 128
    assert np.sum(merged.problem.C) == pytest.approx(np.sum(problem.C))
    np.testing.assert_array_equal(merged.problem.X.toarray()[merged.group], problem.X.toarray())
    np.testing.assert_array_equal(merged.problem.y[merged.group], problem.y)


@pytest.mark.parametrize("bias", ["none", "augmented", "free"])
def test_same_answer(bias: str) -> None:
    problem = repeated(bias)
    values = []
    for solver in (InteriorPoint(), InteriorPoint(screen=False)):
        found = run([Stage(solver, "test")], problem, Limits(1e-9, max_iter=200), certify)
        assert found.gap <= 1e-9
        values.append(found.primal)
    assert values[0] == pytest.approx(values[1], rel=1e-8)


def test_bounds_are_met_exactly() -> None:
    problem = repeated()
    merged = merge_duplicates(problem)
    assert merged is not None
    np.testing.assert_array_equal(merged.split(merged.problem.C), problem.C)
    assert not np.any(merged.split(np.zeros(merged.problem.n_rows)))


def test_distinct_or_dense_rows_are_left_alone() -> None:
    problem = repeated()
    distinct = np.random.default_rng(0).standard_normal((50, 3))
    y = np.where(np.arange(50) % 2, 1.0, -1.0)
    assert merge_duplicates(Problem(sparse.csr_array(distinct), y, np.ones(50), HINGE, "none")) is None
    assert merge_duplicates(Problem(problem.X.toarray(), problem.y, problem.C, HINGE, "none")) is None


def test_a_sample_keeps_a_rare_class() -> None:
    y = np.where(np.arange(10000) < 20, 1.0, -1.0)
    rows, weights = sample_rows(y, 1000, seed=3)
    assert np.count_nonzero(y[rows] > 0) == 20
    assert np.all(np.diff(rows) > 0)
    assert np.sum(weights[y[rows] > 0]) == pytest.approx(20)
    assert np.sum(weights) == pytest.approx(10000)
