"""Alphas put exactly on their bounds, where an interior method only came close.

A row beyond the margin (m_i > 1) has alpha_i = 0 at the optimum, one inside it (m_i < 1) has alpha_i = C_i.
To first order the move raises the dual by alpha_i (m_i - 1) or (C_i - alpha_i) (1 - m_i); with a free bias
the rows strictly between their bounds, whose gradient is zero, take up the change of sum_i alpha_i y_i. Which
rows move is decided by the smaller of the two complementary quantities (indicators: El-Bakry, Tapia, Zhang,
SIAM Review 36, 1994); the result is proved again and kept only if it is as good.
"""

from __future__ import annotations

from dataclasses import replace
from math import fsum

import numpy as np

from separatrix.problem import Point, Problem, Solution
from separatrix.problem.losses import Vector
from separatrix.problem.problem import relative_gap
from separatrix.proof.duality import certify


def snap(problem: Problem, solution: Solution, tol: float) -> Solution:
    """The solution with its alphas on their bounds, if that keeps the gap within tol or makes it no worse."""
    upper = problem.upper
    if np.any(solution.alpha == 0.0) or np.any(solution.alpha == upper):
        return solution  # not from an interior method: its bounds are exact already
    margins = problem.y * problem.scores(solution.w, solution.b)
    alpha = _on_bounds(problem, solution.alpha, upper, margins)
    if alpha is None:
        return solution
    checked = certify(problem, Point(alpha, solution.w, solution.b))
    gap = relative_gap(solution.primal, checked.dual)
    if gap <= max(tol, solution.gap):
        return replace(solution, alpha=checked.alpha, dual=checked.dual, gap=gap)
    return solution


def _on_bounds(problem: Problem, alpha: Vector, upper: Vector, margins: Vector) -> Vector | None:
    C = problem.C
    low = alpha / C < margins - 1.0
    high = (C - alpha) / C < 1.0 - margins if not problem.loss.squared else np.zeros_like(low)
    snapped = np.where(low, 0.0, np.where(high, upper, alpha))
    if problem.bias != "free":
        return snapped
    # Move the free rows so that sum_i alpha_i y_i = 0 again, each by a share of the room it has.
    excess = fsum(snapped * problem.y)
    falls = problem.y == np.sign(excess)
    room = np.where(falls, snapped, np.minimum(upper - snapped, snapped))
    room[low | high] = 0.0
    total = fsum(room)
    if abs(excess) > 0.5 * total:
        return snapped if excess == 0.0 else None
    return snapped - np.where(falls, 1.0, -1.0) * room * (abs(excess) / total if total > 0 else 0.0)
