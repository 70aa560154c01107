"""Primal, dual and gap of a kernel SVM recomputed from the data, whatever a solver claims.

    primal = 1/2 (alpha y).F + sum_i C_i loss(y_i (F_i + b)),    dual = sum_i alpha_i - 1/2 (alpha y).F

with F = K (alpha y). One alpha serves both: w = sum_i alpha_i y_i phi(x_i). Weak duality needs K positive semidefinite.
"""

from __future__ import annotations

import numpy as np

from separatrix.problem import History, KernelProblem, Point, Solution, Status, best_bias
from separatrix.problem.losses import Vector
from separatrix.problem.problem import relative_gap
from separatrix.proof.balance import balance

_FEW = 4  # a correction by fewer than a quarter of the rows in the sum is cheaper than the sum
_ROUNDING = 1e-14  # relative change of alpha that moves the best bias by no more than rounding does
_KEPT = 1 << 17  # kernel values up to which they are kept for a second sum: 1 MiB


def certify_kernel(problem: KernelProblem, point: Point) -> Solution:
    """Make a proposal feasible, choose its best bias, and compute primal, dual and gap from the data.

    alpha is clipped to its bounds and, with a free bias, balanced so that sum_i alpha_i y_i is exactly zero.
    Costs one sweep over the kernel values of all rows with those of alpha > 0. The w of the solution is F (n,):
    its products with the rows are all that is ever needed of it.
    """
    alpha = point.alpha if np.isfinite(point.alpha).all() else np.nan_to_num(point.alpha, nan=0.0, posinf=0.0)
    alpha = np.clip(alpha, 0.0, problem.upper)
    support = np.flatnonzero(alpha)
    K = problem.gram(slice(None), support) if len(alpha) * len(support) <= _KEPT else None
    F = problem.scores(alpha * problem.y) if K is None else K @ (alpha * problem.y)[support]
    near = 0.0 if point.b is None or not np.isfinite(point.b) else point.b
    if problem.bias == "free":
        b = best_bias(F, problem.y, problem.C, problem.loss, near)
        margins = problem.y * (F + b)
        if problem.loss.squared:
            margins += alpha / (2.0 * problem.C)
        balanced = balance(alpha, problem.y, problem.upper, margins)
        if balanced is not alpha:
            if K is not None and not np.any(balanced[alpha == 0]):
                F = K @ (balanced * problem.y)[support]
            else:
                F = moved(problem, F, alpha, balanced)
            if np.max(np.abs(balanced - alpha)) > _ROUNDING * np.max(alpha):
                b = best_bias(F, problem.y, problem.C, problem.loss, near)
            alpha = balanced
    else:
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
    )


def moved(problem: KernelProblem, F: Vector, old: Vector, new: Vector) -> Vector:
    """K (new y) where F = K (old y)."""
    change = (new - old) * problem.y
    if np.count_nonzero(change) * _FEW > np.count_nonzero(new):
        return problem.scores(new * problem.y)
    return F + problem.scores(change)
