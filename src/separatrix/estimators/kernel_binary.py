"""One binary problem with a kernel: where to start, and what is settled at the end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.estimators.binary import with_last_record
from separatrix.estimators.snap import on_bounds
from separatrix.problem import KernelProblem, Point, Solution, bias_interval
from separatrix.problem.losses import Vector
from separatrix.problem.problem import relative_gap
from separatrix.proof.kernel_duality import certify_kernel


def warm_alpha(previous: Any, problem: KernelProblem, rows: NDArray[np.intp]) -> Point | None:
    """Where to start from an earlier fit on as many rows; alphas follow the change of C_i."""
    if previous is None or len(previous.rows) != len(rows):
        return None
    alpha = np.minimum(previous.alpha * (problem.C / previous.cost), problem.upper)
    return Point(alpha=alpha, w=np.empty(0), b=previous.intercept)


def settle_kernel(
    problem: KernelProblem, solution: Solution, tol: float
) -> tuple[Solution, tuple[float, float], Vector]:
    """The solution with a bias that depends on w alone and alphas on their bounds; best biases; slacks (m,).

    With a free bias several values may be equally good; the middle of the interval is taken.
    """
    solution = _snapped(problem, solution, tol)
    F, b, primal, gap = solution.w, solution.b, solution.primal, solution.gap
    interval = (b, b)
    if problem.bias == "free":
        interval = solution.interval or bias_interval(F, problem.y, problem.C, problem.loss)
        middle = 0.5 * (interval[0] + interval[1])
        there = problem.primal(solution.alpha * problem.y, F, middle)
        if (left := relative_gap(there, solution.dual)) <= max(tol, gap):
            b, primal, gap = middle, there, left
    slack = np.maximum(0.0, 1.0 - problem.y * (F + b))
    return with_last_record(solution, b, primal, gap), interval, slack


def _snapped(problem: KernelProblem, solution: Solution, tol: float) -> Solution:
    """Alphas on their bounds, where an interior method came close to them and this makes the gap no worse."""
    if solution.history[-1].solver != "gram":
        return solution
    alpha, upper = solution.alpha, problem.upper
    margins = problem.y * (solution.w + solution.b)
    nearest = on_bounds(problem, alpha, upper, margins, (alpha > 0) & (alpha < upper))
    if np.array_equal(nearest, alpha):
        return solution
    moved = certify_kernel(problem, Point(nearest, b=solution.b))
    if moved.gap > max(tol, solution.gap):
        return solution
    return replace(moved, status=solution.status, n_iter=solution.n_iter, history=solution.history)
