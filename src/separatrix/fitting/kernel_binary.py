"""One binary problem with a kernel: where to start, and what is settled at the end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.binary import with_last_record
from separatrix.fitting.snap_to_bounds import on_bounds
from separatrix.problem import KernelProblem, Point, Solution
from separatrix.proof.kernel_duality import certify_kernel
from separatrix.types import Vector


def warm_alpha(previous: Any, problem: KernelProblem, rows: NDArray[np.intp]) -> Point | None:
    """Where to start from an earlier fit on as many rows; alphas follow the change of C_i."""
    if previous is None or len(previous.rows) != len(rows):
        return None
    alpha = np.minimum(previous.alpha * (problem.C / previous.cost), problem.upper)
    return Point(alpha=alpha, w=np.empty(0), b=previous.intercept)


def settle_kernel(
    problem: KernelProblem, solution: Solution, tol: float
) -> tuple[Solution, tuple[float, float], Vector]:
    """The solution with alphas on their bounds; all biases as good as its own; slacks (m,)."""
    solution = _snapped(problem, solution, tol)
    b = solution.b
    slack = np.maximum(0.0, 1.0 - problem.y * (solution.w + b))
    settled = with_last_record(solution, b, solution.primal, solution.gap)
    return settled, solution.interval or (b, b), slack


def _snapped(problem: KernelProblem, solution: Solution, tol: float) -> Solution:
    """Alphas on their bounds, where an interior method came close to them and this makes the gap no worse."""
    if not solution.inside_bounds:
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
