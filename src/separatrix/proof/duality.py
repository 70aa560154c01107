"""Primal, dual, gap and optimality conditions recomputed from the data, whatever a solver claims.

Weak duality: for every feasible alpha, dual(alpha) <= optimum <= primal(w, b) for every (w, b).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite

import numpy as np

from separatrix.problem import History, Point, Problem, Solution, Status, best_bias, widened
from separatrix.problem.problem import relative_gap
from separatrix.problem.rows import sum_and_scores
from separatrix.proof.balance import balance
from separatrix.types import Vector

_FEW = 8  # a correction by fewer than n / 8 rows is cheaper than another pass over the data


def certify(problem: Problem, point: Point) -> Solution:
    """Make a proposal feasible, choose its best bias, and compute primal, dual and gap from the data.

    alpha is clipped to its bounds and, with a free bias, balanced so that sum_i alpha_i y_i is exactly zero;
    a w or b that is not finite counts as not proposed. Costs two passes over the data.
    """
    alpha = _feasible(problem, point.alpha)
    problem = replace(problem, X=widened(problem.X, alpha))
    if point.w is None or not np.all(np.isfinite(point.w)):
        w = v = problem.weighted_sum(alpha)
        scores = problem.scores(w, 0.0)
    else:
        w = point.w
        v, scores = sum_and_scores(problem.X, alpha * problem.y, w)
    b = _bias(problem, scores, alpha, None if point.b is None or not isfinite(point.b) else point.b)
    f = scores if b == 0.0 else scores + b
    if problem.bias == "free":
        # Balanced only now, because the margins tell which rows are cheap to move.
        margins = problem.y * f
        if problem.loss.squared:
            margins += alpha / (2.0 * problem.C)
        balanced = balance(alpha, problem.y, problem.upper, margins)
        v = _moved(problem, v, alpha, balanced)
        alpha = balanced
    primal = problem.primal_from_scores(f, w, b)
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
        scores=scores,
    )


def _feasible(problem: Problem, alpha: Vector) -> Vector:
    """alpha within its bounds, zero where it is not finite; alpha itself where nothing is to be changed."""
    finite = alpha.min(initial=0.0) >= 0.0 and alpha.max(initial=0.0) < np.inf  # false where there is a NaN
    if finite and problem.loss.squared:
        return alpha
    return np.clip(alpha if finite else np.nan_to_num(alpha, nan=0.0, posinf=0.0), 0.0, problem.upper)


def _moved(problem: Problem, v: Vector, old: Vector, new: Vector) -> Vector:
    """sum_i new_i y_i x_i where v = sum_i old_i y_i x_i."""
    rows = np.flatnonzero(new != old)
    if len(rows) == 0:
        return v
    if len(rows) * _FEW > len(old):
        return problem.weighted_sum(new)
    return v + problem.take(rows).weighted_sum((new - old)[rows])


def _bias(problem: Problem, f: Vector, alpha: Vector, proposed: float | None) -> float:
    if problem.bias == "none":
        return 0.0
    if problem.bias == "augmented":
        return float(alpha @ problem.y) if proposed is None else proposed
    best = best_bias(f, problem.y, problem.C, problem.loss, near=0.0 if proposed is None else proposed)
    if proposed is None or _losses(problem, f + best) <= _losses(problem, f + proposed):
        return best
    return proposed  # where C is large the rounding of one bias may cost more than that of another


def _losses(problem: Problem, f: Vector) -> float:
    return float(problem.C @ problem.loss.values(problem.y * f))


@dataclass(frozen=True, eq=False)
class KKT:
    """How far a primal-dual pair is from optimal, by condition. All vanish exactly at an optimum.

    They add up to the gap:  primal - dual = sum(slackness) + 1/2 ||stationarity||^2 + 1/2 bias^2,
    without the last term where the bias is free or absent.
    """

    slackness: Vector  #: (n,) >= 0: each row's share of the gap; 0 where complementary slackness holds
    stationarity: Vector  #: (d,): w - sum_i alpha_i y_i x_i
    bias: float  #: sum_i alpha_i y_i (free), b - sum_i alpha_i y_i (augmented), 0 (none)


def kkt_residuals(problem: Problem, w: Vector, b: float, alpha: Vector) -> KKT:
    """The residuals of the optimality conditions at (w, b) and a feasible alpha, from the data.

        slackness_i = C_i loss(m_i) - dual_term(alpha_i) + alpha_i m_i,      m_i = y_i (w.x_i + b)

    For the hinge this is (C_i - alpha_i) max(0, 1 - m_i) + alpha_i max(0, m_i - 1): zero if and only if
    alpha_i = 0 and m_i >= 1, or alpha_i = C_i and m_i <= 1, or m_i = 1.

    >>> from separatrix.problem import HINGE
    >>> X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    >>> problem = Problem(X, y, np.ones(2), HINGE, "free")
    >>> residuals = kkt_residuals(problem, np.array([1.0]), 0.0, np.array([0.5, 0.5]))
    >>> residuals.slackness, residuals.stationarity, residuals.bias
    (array([0., 0.]), array([0.]), 0.0)
    """
    margins = problem.y * problem.scores(w, b)
    beyond = alpha * np.maximum(0.0, margins - 1.0)
    slack = np.maximum(0.0, 1.0 - margins)
    if problem.loss.squared:
        short = problem.C * np.square(slack - alpha / (2.0 * problem.C))
    else:
        short = (problem.C - alpha) * slack
    imbalance = float(alpha @ problem.y)
    bias = {"free": imbalance, "augmented": b - imbalance, "none": 0.0}[problem.bias]
    return KKT(short + beyond, w - problem.weighted_sum(alpha), bias)
