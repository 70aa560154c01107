"""Primal, dual, gap and optimality conditions recomputed from the data, whatever a solver claims.

Weak duality: for every feasible alpha, dual(alpha) <= optimum <= primal(w, b) for every (w, b). With a kernel w follows
from alpha, so that one alpha serves both, and K must be positive semidefinite.

`certify` takes one problem, `certify_together` several on the same rows, whose alphas a solver has put on their bounds
already: products with the rows are taken for all of them at once, and so are the sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np

from separatrix.problem import (
    Point,
    Problem,
    ProblemSet,
    Solution,
    Status,
    bias_interval,
    middle,
    relative_gap,
    scores,
    weighted_sum,
)
from separatrix.proof.balance import balance
from separatrix.threads import large_product
from separatrix.types import Vector


def certify(problem: Problem, point: Point) -> Solution:
    """Make a proposal feasible, choose its best bias, and compute primal, dual and gap from the data.

    alpha is clipped to its bounds and, with a free bias, balanced so that sum_i alpha_i y_i is exactly zero; a w or b
    that is not finite counts as not proposed. Costs two passes over the data, or one sweep over the kernel values of
    all rows with those of alpha > 0.
    """
    space, y = problem.space, problem.y
    alpha = _within_bounds(problem, point.alpha)
    v, w, scores = space.combine_with(alpha * y, point.w)
    b, interval = _bias(problem, scores, alpha, point.b)
    if problem.bias == "free":
        # Balanced only now, because the margins show which rows are cheap to move.
        margins = y * (scores + b)
        if problem.loss.squared:
            margins += alpha / (2.0 * problem.C)
        balanced = balance(alpha, y, problem.upper, margins)
        moved = space.moved(v, alpha * y, balanced * y)
        if space.vector(w) is None and moved is not v:  # w follows from alpha
            w = scores = moved
            b, interval = _bias(problem, scores, balanced, point.b)
        alpha, v = balanced, moved
    signed = alpha * y
    square = space.square(signed, v)
    dual = problem.dual_value(alpha, square)
    f = scores if b == 0.0 else scores + b
    primal = problem.primal_value(square if w is v else space.square(signed, w), f, b)
    return Solution(
        w=space.vector(w),
        b=b,
        alpha=alpha,
        primal=primal,
        dual=dual,
        gap=relative_gap(primal, dual),
        status=Status.MAX_ITER,
        scores=scores,
        interval=interval,
    )


def _within_bounds(problem: Problem, alpha: Vector) -> Vector:
    """alpha within its bounds, zero where it is not finite; alpha itself where nothing is to be changed."""
    finite = alpha.min(initial=0.0) >= 0.0 and alpha.max(initial=0.0) < np.inf  # false where there is a NaN
    if finite and problem.loss.squared:
        return alpha
    return np.clip(alpha if finite else np.nan_to_num(alpha, nan=0.0, posinf=0.0), 0.0, problem.upper)


def _bias(
    problem: Problem, scores: Vector, alpha: Vector, proposed: float | None
) -> tuple[float, tuple[float, float] | None]:
    """The best bias, nearest to the proposed one, and the interval of all best ones if it is free."""
    if proposed is not None and not isfinite(proposed):
        proposed = None
    if problem.bias == "none":
        return 0.0, None
    if problem.bias == "augmented":
        # The penalised bias is a weight of one more column, and so, with a kernel, part of the same sum.
        own = float(alpha @ problem.y)
        return own if proposed is None or problem.kernel is not None else proposed, None
    lower, upper = interval = bias_interval(scores, problem.y, problem.C, problem.loss)
    best = min(max(0.0 if proposed is None else proposed, lower), upper)
    if proposed is None or _losses(problem, scores + best) <= _losses(problem, scores + proposed):
        return best, interval
    return proposed, interval  # where C is large the rounding of one bias may cost more than that of another


def _losses(problem: Problem, f: Vector) -> float:
    return float(problem.C @ problem.loss.values(problem.y * f))


@dataclass(frozen=True, eq=False)
class Certified:
    """Points of k problems and their values; a free b is the middle of all best biases."""

    alpha: Vector  #: (k, n)
    w: Vector | None  #: (k, d); None with a kernel
    b: list[float]
    intervals: list[tuple[float, float]]  #: every best bias
    slack: Vector  #: (k, n) max(0, 1 - y_i (w.x_i + b)), where a row takes part
    scores: Vector  #: (k, n) w.x_i, of rows that take no part too
    squares: list[float]  #: ||w||^2
    primal: list[float]
    dual: list[float]
    gap: list[float]


def certify_together(
    problems: ProblemSet, alpha: Vector, planes: tuple[Vector, Vector] | None = None, K: Vector | None = None
) -> Certified:
    """Values of the dual at alpha (k, n) and of the primal at the ``planes`` w (k, d), b (k,), from the data.

    alpha is clipped to its bounds and, with a free bias, balanced exactly. Without planes w = sum_i alpha_i y_i x_i
    and b is best for it, as always with a kernel, whose values K (n, n) are given.

    >>> from separatrix.problem import HINGE
    >>> X, signs = np.array([[1.0], [-1.0]]), np.array([[1, -1]], dtype=np.int8)
    >>> found = certify_together(ProblemSet(X, signs, np.ones((1, 2)), HINGE, "free"), np.array([[0.5, 0.5]]))
    >>> found.primal, found.dual, found.w, found.b
    ([0.5], [0.5], array([[1.]]), [0.0])
    """
    C, signs, squared = problems.C, problems.signs.astype(np.float64), problems.loss.squared
    upper = np.where(C > 0, np.inf, 0.0) if squared else C
    alpha = np.clip(np.nan_to_num(alpha, nan=0.0, posinf=0.0), 0.0, upper)
    if problems.bias == "free":
        for i, part in enumerate(
            alpha
        ):  # the dual point bounds nothing unless sum_i alpha_i y_i is zero exactly
            alpha[i] = balance(part, signs[i], upper[i])
    signed = alpha * signs
    sums = signed.sum(axis=1)
    if K is not None:
        used = np.flatnonzero(signed.any(axis=0))  # few, where the problems are of pairs of classes
        with large_product(float(len(signed)) * len(used) * len(K)):
            f = signed[:, used] @ K[used] if 2 * len(used) < len(K) else signed @ K
        w, squares = None, np.einsum("ij,ij->i", signed, f)
        dual_squares = squares
    else:
        v = weighted_sum(problems.X, signed.T).T
        w = v if planes is None else np.where(np.isfinite(planes[0]), planes[0], v)
        f = scores(problems.X, w.T).T
        squares, dual_squares = np.einsum("ij,ij->i", w, w), np.einsum("ij,ij->i", v, v)
    if problems.bias == "free":
        intervals = _best_biases(problems, f, signs)
        b = np.array(list(map(middle, intervals)))
    else:
        b = np.zeros(len(f)) if problems.bias == "none" else sums if planes is None else planes[1]
        intervals = [(each, each) for each in b.tolist()]
    slack = np.maximum(0.0, 1.0 - signs * (f + b[:, np.newaxis]))
    primal = 0.5 * squares + np.einsum("ij,ij->i", C, slack * slack if squared else slack)
    dual = alpha.sum(axis=1) - 0.5 * dual_squares
    if squared:
        dual -= 0.25 * np.divide(alpha * alpha, C, out=np.zeros_like(C), where=C > 0).sum(axis=1)
    if problems.bias == "augmented":
        primal += 0.5 * b * b
        dual -= 0.5 * sums * sums
    gap = list(map(relative_gap, primal.tolist(), dual.tolist()))
    return Certified(
        alpha, w, b.tolist(), intervals, slack, f, squares.tolist(), primal.tolist(), dual.tolist(), gap
    )


def _best_biases(problems: ProblemSet, f: Vector, signs: Vector) -> list[tuple[float, float]]:
    """All best biases of each problem."""
    intervals = []
    for i, scored in enumerate(f):
        y, cost = signs[i], problems.C[i]
        if problems.loss.squared and not cost.all():
            rows = problems.rows(i)
            scored, y, cost = scored[rows], y[rows], cost[rows]
        intervals.append(bias_interval(scored, y, cost, problems.loss))
    return intervals


@dataclass(frozen=True, eq=False)
class KKT:
    """Distance of a primal-dual pair from optimality, by condition. All vanish exactly at an optimum.

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
