"""F in float64 on the rows that matter: right there, and nothing else is lost."""

from __future__ import annotations

import numpy as np
import pytest

from separatrix.problem import HINGE, SQUARED_HINGE, Problem
from separatrix.problem.kernels import Poly
from separatrix.problem.losses import Loss
from separatrix.solvers.loop.protocol import Verdict
from separatrix.solvers.smo import solver as block_smo
from separatrix.solvers.smo.solver import BlockSmo
from separatrix.solvers.smo.state import State
from separatrix.solvers.smo.sums import renew, rows_that_matter


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
def test_sums_are_those_of_float64_where_they_matter_and_the_rounds_own_elsewhere(loss: Loss) -> None:
    problem = problem_of(1200, loss)
    state = begun(problem)
    alpha, believed = state.current_alpha, np.empty(problem.n_rows)
    state.engine.get_sums(believed)
    matter = rows_that_matter(problem, state, 1e-3)
    assert 0.05 < matter.mean() < 0.7
    renew(problem, state, alpha, matter)
    truth = problem.space.combine(alpha * problem.y)
    scale = np.abs(truth).max()
    np.testing.assert_allclose(state.F[matter], truth[matter], atol=1e-11 * scale)
    np.testing.assert_array_equal(state.F[~matter], believed[~matter])
    assert np.abs(believed[matter] - truth[matter]).max() > 1e-9 * scale  # it was not exact before


def test_rows_that_did_not_matter_are_computed_from_all_alphas_when_they_do() -> None:
    problem = problem_of(1200)
    state = begun(problem)
    renew(problem, state, state.current_alpha, rows_that_matter(problem, state, 1e-3))
    assert not state.exact.all()
    state.report = state.engine.run(0.0, 1, np.inf)
    renew(problem, state, state.current_alpha)
    truth = problem.space.combine(state.alpha * problem.y)
    assert state.exact.all()
    np.testing.assert_allclose(state.F, truth, atol=1e-11 * np.abs(truth).max())


def test_every_row_with_alpha_or_within_the_margin_matters() -> None:
    problem = problem_of(600)
    state = begun(problem)
    F = problem.space.combine(state.current_alpha * problem.y)
    matter = rows_that_matter(problem, state, 0.1)
    inside = problem.y * (F + state.report.bias) < 1.0
    assert matter[inside].all()
    assert matter[state.current_alpha > 0].all()
    assert rows_that_matter(problem, state, 1e9).all()


def test_a_fit_that_renews_some_rows_reaches_the_gap_that_all_rows_show(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shares = []

    def noted(problem: Problem, state: State, *rest: np.ndarray) -> None:
        renew(problem, state, *rest)
        shares.append(state.exact.mean())

    monkeypatch.setattr(block_smo, "renew", noted)
    problem, solver = problem_of(4000), BlockSmo()
    state, verdict = solver.init(problem, None, n_threads=1), Verdict.GO_ON
    while verdict is Verdict.GO_ON:
        solver.step(problem, state, 1e-7)
        verdict = solver.terminate(problem, state, tol=1e-7)
    assert verdict is Verdict.CHECK
    assert min(shares) < 0.7
    point = solver.point(problem, state)
    F = problem.space.combine(point.alpha * problem.y)
    square = float((point.alpha * problem.y) @ F)
    primal, dual = problem.primal_value(square, F + point.b, point.b), problem.dual_value(point.alpha, square)
    assert primal - dual <= 1e-7 * primal
