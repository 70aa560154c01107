"""The last touches on a solution, and the first point of a fit that continues an earlier one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.snap_to_bounds import snap
from separatrix.problem import History, Point, Problem, Solution, bias_interval
from separatrix.problem.bias import middle
from separatrix.problem.problem import relative_gap
from separatrix.types import Vector


def settle(problem: Problem, solution: Solution, tol: float) -> tuple[Solution, tuple[float, float], Vector]:
    """The solution with a bias that depends on w alone and alphas on their bounds; best biases; slacks (m,).

    With a free bias several values may be equally good; the middle of the interval is taken, so that the
    answer does not depend on the path to it.
    """
    f, b = solution.scores, solution.b
    if f is None:
        f = problem.scores(solution.w, 0.0)
    interval = (b, b)
    if problem.bias == "free":
        interval = bias_interval(f, problem.y, problem.C, problem.loss)
        b = middle(interval)
        primal = problem.primal_from_scores(f + b, solution.w, b)
        gap = relative_gap(primal, solution.dual)
        if gap <= max(tol, solution.gap):
            solution = replace(solution, b=b, primal=primal, gap=gap)
    margins = problem.y * (f if solution.b == 0.0 else f + solution.b)
    solution = snap(problem, solution, margins, tol)
    settled = with_last_record(solution, solution.b, solution.primal, solution.gap)
    slack = np.subtract(1.0, margins, out=margins)
    return settled, interval, np.maximum(slack, 0.0, out=slack)


def with_last_record(solution: Solution, b: float, primal: float, gap: float) -> Solution:
    """The solution with this bias and what it gives, where the history ends; scores and interval have served."""
    # At the optimum rounding may put the primal value a few units in the last place below the dual one.
    gap, last, note = max(0.0, gap), solution.history[-1], "bias and bounds settled"
    final = replace(last, primal=primal, dual=solution.dual, gap=gap, note=note, proved=True)
    history = History([*solution.history, final])
    return replace(solution, b=b, primal=primal, gap=gap, history=history, scores=None, interval=None)


def warm_point(previous: Any, problem: Problem, rows: NDArray[np.intp]) -> Point | None:
    """Where to start from an earlier fit on as many rows and columns; alphas follow the change of C_i."""
    if previous is None or len(previous.rows) != len(rows) or len(previous.coef) != problem.n_columns:
        return None
    alpha = np.minimum(previous.alpha * (problem.C / previous.cost), problem.upper)
    return Point(alpha=alpha, w=previous.coef, b=previous.intercept)
