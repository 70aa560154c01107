"""F in float64: what it is, whichever alphas changed, and what a sample says of its rounding."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from separatrix.problem import HINGE, SQUARED_HINGE, Problem
from separatrix.problem.kernels import Poly
from separatrix.problem.losses import Loss
from separatrix.solvers.loop.protocol import Verdict
from separatrix.solvers.smo.solver import BlockSmo
from separatrix.solvers.smo.state import State
from separatrix.solvers.smo.sums import renew, rounding_of_gap


def problem_of(n: int, loss: Loss = HINGE) -> Problem:
    rng = np.random.default_rng(0)
    X = (
        rng.normal(size=(n, 5)) + 3.0
    )  # far from the origin: kernel values are large, their float32 errors too
    y = np.where(X[:, 0] * X[:, 1] - X[:, 2] + rng.normal(scale=0.3, size=n) > 6.0, 1.0, -1.0)
    return Problem(X, y, np.full(n, 10.0), loss, "free", Poly(3, 0.2, 1.0))


def begun(problem: Problem, steps: int = 3) -> State:
    solver = BlockSmo()
    state = solver.init(problem, None, n_threads=1)
    for _ in range(steps):
        solver.step(problem, state, 1e-9)
    return state


@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE], ids=["hinge", "squared"])
def test_sums_are_those_of_float64(loss: Loss) -> None:
    problem = problem_of(1200, loss)
    state = begun(problem)
    for _ in range(2):  # from nothing, then from the alphas that have changed
        alpha, believed = state.current_alpha, np.empty(problem.n_rows)
        state.engine.get_sums(believed)
        renew(problem, state, alpha)
        truth = problem.space.combine(alpha * problem.y)
        scale = np.abs(truth).max()
        np.testing.assert_allclose(state.F, truth, atol=1e-11 * scale)
        assert np.abs(believed - truth).max() > 1e-9 * scale  # it was not exact before
        state.report = state.engine.run(0.0, 1, np.inf)
        assert np.count_nonzero(state.current_alpha != alpha) > 0


def test_a_sample_shows_the_rounding_of_all_rows() -> None:
    problem = problem_of(4000)
    state = begun(problem)
    sampled = rounding_of_gap(problem, state)
    state.tuning = replace(state.tuning, sample=4000)
    assert 0.3 < sampled / rounding_of_gap(problem, state) < 3.0


def test_a_fit_reaches_the_gap_that_sums_in_float64_show() -> None:
    problem, solver = problem_of(4000), BlockSmo()
    state, verdict = solver.init(problem, None, n_threads=1), Verdict.GO_ON
    while verdict is Verdict.GO_ON:
        solver.step(problem, state, 1e-7)
        verdict = solver.terminate(problem, state, tol=1e-7)
    assert verdict is Verdict.CHECK
    point = solver.point(problem, state)
    F = problem.space.combine(point.alpha * problem.y)
    square = float((point.alpha * problem.y) @ F)
    primal, dual = problem.primal_value(square, F + point.b, point.b), problem.dual_value(point.alpha, square)
    assert primal - dual <= 1e-7 * primal
