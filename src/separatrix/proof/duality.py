"""Primal, dual and gap recomputed from the data, whatever a solver claims.

Weak duality: for every feasible alpha, dual(alpha) <= optimum <= primal(w, b) for every (w, b).
"""

from __future__ import annotations

import numpy as np

from separatrix.problem import History, Point, Problem, Solution, Status, best_bias
from separatrix.problem.losses import Vector
from separatrix.problem.problem import relative_gap
from separatrix.proof.balance import balance


def certify(problem: Problem, point: Point) -> Solution:
    """Make a proposal feasible, choose its best bias, and compute primal, dual and gap from the data.

    alpha is clipped to its bounds and, with a free bias, balanced so that sum_i alpha_i y_i is exactly zero.
    """
    alpha = np.clip(np.nan_to_num(point.alpha, nan=0.0), 0.0, problem.upper)
    if problem.bias == "free":
        alpha = balance(alpha, problem.y, problem.upper)
    v = problem.weighted_sum(alpha)
    w = v if point.w is None else point.w
    f = problem.scores(w, 0.0)
    b = _bias(problem, f, alpha, point.b)
    primal = problem.primal_from_scores(f + b, w, b)
    dual = problem.dual_from_sum(alpha, v)
    return Solution(
        w=w,
        b=b,
        alpha=alpha,
        primal=primal,
        dual=dual,
        gap=relative_gap(primal, dual),
        status=Status.MAX_ITER,
        n_iter=0,
        history=History(),
    )


def _bias(problem: Problem, f: Vector, alpha: Vector, proposed: float | None) -> float:
    if problem.bias == "none":
        return 0.0
    if problem.bias == "augmented":
        return float(alpha @ problem.y) if proposed is None else proposed
    return best_bias(f, problem.y, problem.C, problem.loss, near=0.0 if proposed is None else proposed)
