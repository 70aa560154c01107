"""Primal, dual and gap of a kernel SVM recomputed from the data, whatever a solver claims.

    primal = 1/2 (alpha y).F + sum_i C_i loss(y_i (F_i + b)),    dual = sum_i alpha_i - 1/2 (alpha y).F

with F = K (alpha y). One alpha serves both: w = sum_i alpha_i y_i phi(x_i). Weak duality needs K positive semidefinite.
"""

from __future__ import annotations

import numpy as np

from separatrix.problem import History, KernelProblem, Point, Solution, Status, best_bias, bias_interval
from separatrix.problem.bias import middle
from separatrix.problem.problem import relative_gap
from separatrix.proof.balance import balance, take_up_rounding
from separatrix.types import Vector

_FEW = 4  # a correction by fewer than a quarter of the rows in the sum is cheaper than the sum
_KEPT = 1 << 17  # kernel values that are computed at once: 1 MiB


def certify_kernel(problem: KernelProblem, point: Point) -> Solution:
    """Make a proposal feasible, choose its best bias, and compute primal, dual and gap from the data.

    alpha is clipped to its bounds and, with a free bias, balanced so that sum_i alpha_i y_i is exactly zero. Several
    biases may be equally good; the middle one is taken, so that it depends on alpha alone.
    Costs one sweep over the kernel values of all rows with those of alpha > 0. The w of the solution is F (n,):
    its products with the rows are all that is ever needed of it.
    """
    alpha = point.alpha if np.isfinite(point.alpha).all() else np.nan_to_num(point.alpha, nan=0.0, posinf=0.0)
    alpha = np.minimum(np.maximum(alpha, 0.0), problem.upper)
    interval = None
    if problem.bias == "free":
        even = take_up_rounding(alpha, problem.y, problem.upper)
        alpha, F = _balanced(problem, alpha) if even is None else (even, _sums(problem, even))
        interval = bias_interval(F, problem.y, problem.C, problem.loss)
        b = middle(interval)
    else:
        F = _sums(problem, alpha)
        # The penalised bias is a weight of one more column, and so part of the same sum.
        b = float(alpha @ problem.y) if problem.bias == "augmented" else 0.0
    primal, dual = problem.primal(alpha * problem.y, F, b), problem.dual(alpha, F)
    return Solution(
        w=F,
        b=b,
        alpha=alpha,
        primal=primal,
        dual=dual,
        gap=relative_gap(primal, dual),
        status=Status.MAX_ITER,
        n_iter=0,
        history=History(),
        interval=interval,
    )


def _sums(problem: KernelProblem, alpha: Vector) -> Vector:
    """F = K (alpha y), shape (n,)."""
    signed = alpha * problem.y
    support = alpha.nonzero()[0]
    if len(alpha) * len(support) > _KEPT:
        return problem.scores(signed)
    return np.asarray(problem.gram(slice(None), support) @ signed[support])


def _balanced(problem: KernelProblem, alpha: Vector) -> tuple[Vector, Vector]:
    """alpha with sum_i alpha_i y_i = 0, by the rows whose margins make that cheapest, and its F."""
    F = _sums(problem, alpha)
    margins = problem.y * (F + best_bias(F, problem.y, problem.C, problem.loss))
    if problem.loss.squared:
        margins += alpha / (2.0 * problem.C)
    balanced = balance(alpha, problem.y, problem.upper, margins)
    return balanced, moved(problem, F, alpha, balanced)


def moved(problem: KernelProblem, F: Vector, old: Vector, new: Vector) -> Vector:
    """K (new y) where F = K (old y)."""
    change = (new - old) * problem.y
    if np.count_nonzero(change) * _FEW > np.count_nonzero(new):
        return problem.scores(new * problem.y)
    return F + problem.scores(change)
