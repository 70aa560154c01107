"""Alphas put exactly on their bounds, where an interior method only came close.

A row beyond the margin (m_i > 1) has alpha_i = 0 at the optimum, one inside it (m_i < 1) has alpha_i = C_i.
To first order the move raises the dual by alpha_i (m_i - 1) or (C_i - alpha_i) (1 - m_i); with a free bias
the rows strictly between their bounds, whose gradient is zero, take up the change of sum_i alpha_i y_i. Which
rows move is decided by the smaller of the two complementary quantities (indicators: El-Bakry, Tapia, Zhang,
SIAM Review 36, 1994); the result is proved again and kept only if it is as good.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import KernelProblem, Problem, Solution
from separatrix.problem.problem import relative_gap
from separatrix.proof.balance import balance
from separatrix.types import Vector


def snap(problem: Problem, solution: Solution, margins: Vector, tol: float) -> Solution:
    """The solution with its alphas on their bounds, if that keeps the gap within tol or makes it no worse.

    margins (n,) are y_i (w.x_i + b). A method that moves along the bounds has them exact already, and is told
    by its number of rows between them: rarely more than w and b have coordinates.
    """
    alpha, upper = solution.alpha, problem.upper
    if problem.loss.squared and not np.any((alpha > 0) & (margins > 1.0)):
        return solution
    between = (alpha > 0) & (alpha < upper)
    if not between.all() and np.count_nonzero(between) <= problem.n_columns + 1:
        return solution
    alpha = on_bounds(problem, alpha, upper, margins, between)
    if np.array_equal(alpha, solution.alpha):
        return solution
    if problem.bias == "free":
        alpha = balance(alpha, problem.y, upper, margins)
    dual = problem.dual(alpha)
    gap = relative_gap(solution.primal, dual)
    if gap <= max(tol, solution.gap):
        return replace(solution, alpha=alpha, dual=dual, gap=gap)
    return solution


def on_bounds(
    problem: Problem | KernelProblem,
    alpha: Vector,
    upper: Vector,
    margins: Vector,
    between: NDArray[np.bool_],
) -> Vector:
    """alpha with those of ``between`` on the bound that their margins call for, where they are close to it."""
    share = alpha / problem.C
    if problem.loss.squared:  # alpha_i = 2 C_i slack_i has no upper bound
        return np.where(between & (0.5 * share < margins - 1.0), 0.0, alpha)
    low = between & (share < margins - 1.0)
    high = between & (1.0 - share < 1.0 - margins)
    return np.where(low, 0.0, np.where(high, upper, alpha))
