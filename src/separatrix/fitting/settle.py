"""The end of the fit of one binary problem: an answer that depends on w alone.

With a free bias several values may be equally good; the middle of their interval is taken, so that the answer does not
depend on the path to it. Then alphas are put exactly on their bounds, where an interior method only came close: a row
beyond the margin (m_i > 1) has alpha_i = 0 at the optimum, one inside it (m_i < 1) has alpha_i = C_i. To first order
the move raises the dual by alpha_i (m_i - 1) or (C_i - alpha_i) (1 - m_i); with a free bias the rows strictly between
their bounds, whose gradient is zero, take up the change of sum_i alpha_i y_i. Which rows move is decided by the smaller
of the two complementary quantities (indicators: El-Bakry, Tapia, Zhang, SIAM Review 36, 1994); the result is proved
again and kept only if it is as good.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from separatrix.problem import History, Point, Problem, Solution
from separatrix.problem.losses import bias_interval, middle
from separatrix.problem.problem import relative_gap
from separatrix.proof.duality import certify
from separatrix.types import Vector

# An alpha that misses a bound by less than this part of C misses it by rounding alone.
_ROUNDING = 1e-9


def settle(problem: Problem, solution: Solution, tol: float) -> tuple[Solution, Vector]:
    """The solution with a bias that depends on w alone and alphas on their bounds; slacks (m,).

    Neither may take the gap above tol, unless it was there already. The history ends with what was settled.
    """
    solution = _with_middle_bias(problem, solution, tol)
    snapped = _on_bounds(problem, solution, tol)
    if snapped is not solution:
        solution = _with_middle_bias(problem, snapped, tol)
    margins = problem.y * _with_bias(solution)
    slack = np.subtract(1.0, margins, out=margins)
    last = replace(
        solution.history[-1],
        primal=solution.primal,
        dual=solution.dual,
        gap=solution.gap,
        note="bias and bounds settled",
        proved=True,
    )
    settled = replace(solution, history=History([*solution.history, last]))
    return settled, np.maximum(slack, 0.0, out=slack)


def squared_norm(problem: Problem, solution: Solution) -> float:
    """||w||^2 in the space of the problem."""
    image = solution.w if solution.w is not None else solution.scores
    assert image is not None, "with a kernel, w is known by its scores"
    return problem.space.square(solution.alpha * problem.y, image)


def _with_bias(solution: Solution) -> Vector:
    """w.phi(x_i) + b, shape (m,)."""
    assert solution.scores is not None
    return solution.scores if solution.b == 0.0 else solution.scores + solution.b


def _with_middle_bias(problem: Problem, solution: Solution, tol: float) -> Solution:
    """The solution with the middle of all best biases, if the bias is free."""
    if problem.bias != "free":
        return solution
    assert solution.scores is not None
    interval = solution.interval or bias_interval(solution.scores, problem.y, problem.C, problem.loss)
    b = middle(interval)
    primal = problem.primal_value(squared_norm(problem, solution), solution.scores + b, b)
    solution = replace(solution, interval=interval)
    gap = relative_gap(primal, solution.dual)
    return replace(solution, b=b, primal=primal, gap=gap) if gap <= max(tol, solution.gap) else solution


def _on_bounds(problem: Problem, solution: Solution, tol: float) -> Solution:
    """The solution with its alphas on their bounds, if that keeps the gap within tol or makes it no worse.

    A method that moves along the bounds has them exact already, which shows in its number of rows between them: rarely
    more than w and b have coordinates. Then only what rounding left between the bounds is moved.
    """
    alpha, upper = solution.alpha, problem.upper
    margins = problem.y * _with_bias(solution)
    if problem.loss.squared and not np.any((alpha > 0) & (margins > 1.0)):
        return solution
    between, share = (alpha > 0) & (alpha < upper), alpha / problem.C
    if not between.all() and np.count_nonzero(between) <= problem.space.dimension + 1:
        between &= np.minimum(share, np.abs(1.0 - share)) < _ROUNDING
    if problem.loss.squared:  # alpha_i = 2 C_i slack_i has no upper bound
        nearest = np.where(between & (0.5 * share < margins - 1.0), 0.0, alpha)
    else:
        low, high = between & (share < margins - 1.0), between & (1.0 - share < 1.0 - margins)
        nearest = np.where(low, 0.0, np.where(high, upper, alpha))
    if np.array_equal(nearest, alpha):
        return solution
    moved = certify(problem, Point(nearest, solution.w, solution.b))
    if moved.gap > max(tol, solution.gap):
        return solution
    return replace(moved, status=solution.status, n_iter=solution.n_iter, history=solution.history)
