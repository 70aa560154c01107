"""Rigorous bounds on primal and dual values of a kernel SVM in double precision.

    primal = 1/2 c.F [+ 1/2 b^2] + sum_i C_i loss(y_i (F_i + b)),   F = K c
    dual   = sum_i alpha_i [- alpha_i^2 / 4 C_i] - 1/2 (alpha y).K (alpha y) [- 1/2 (sum_i alpha_i y_i)^2]

One sweep over the kernel values with their error bounds (`kernel_matrices`); two where c is not alpha y. A cost of
infinity is the hard margin: no row may have slack, and the primal value is 1/2 c.F alone.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from separatrix.checker.verdict import Rejected
from separatrix.problem import KernelProblem
from separatrix.problem.losses import Vector
from separatrix.proof.kernel_matrices import bounded_matrix
from separatrix.proof.rigorous import TINY, UNIT, factor
from separatrix.proof.sums import rounded_sum

_BLOCK = 1 << 20  # kernel values held at a time: 8 MiB, and as much for their errors
_LEAST_COST = 1e-290  # dividing by less could magnify what underflow took


def kernel_bounds(
    problem: KernelProblem, coef: Vector | None, b: float, alpha: Vector, slack: float = 1.0
) -> tuple[Fraction, Fraction]:
    """(at least primal at w = sum_j coef_j phi(x_j) and b, at most dual(alpha)); errors are taken ``slack`` times.

    A coef of None is alpha y. Raises `Rejected` where a bound is not finite, or alpha is not balanced.
    """
    signed = alpha * problem.y
    imbalance = rounded_sum(signed)
    if problem.bias == "free" and imbalance != 0:
        raise Rejected(f"The bias is free, yet sum alpha_i y_i is {imbalance}, not zero.")
    with np.errstate(all="ignore"):
        F, error = bounded_scores(problem, signed)
        square = square_above(signed, F, error, slack)
        linear = rounded_sum(alpha) * (1.0 - 2 * UNIT * slack)
        penalty = square
        if problem.bias == "augmented":
            penalty += imbalance * imbalance * (1.0 + 8 * UNIT * slack)
        if problem.loss.squared and np.all(np.isfinite(problem.C)):
            half, C = 0.5 * alpha[alpha > 0], problem.C[alpha > 0]
            curvature = rounded_sum((half / C) * half) * (1.0 + 16 * UNIT * slack)
            penalty += 2.0 * (curvature + (len(half) + 2.0 * linear) * slack * TINY)
        if coef is not None:
            F, error = bounded_scores(problem, coef)
            square = square_above(coef, F, error, slack)
        losses = _losses_above(problem, F, error, b, slack)
        if problem.bias == "augmented":
            square += b * b * (1.0 + 8 * UNIT * slack)
    parts = losses, square, linear, penalty
    if not all(map(math.isfinite, parts)) or np.any((problem.C > 0) & (problem.C < _LEAST_COST)):
        raise Rejected("The numbers leave the range of floating point; use exact=True.")
    primal = Fraction(losses) + Fraction(_up(square)) / 2
    return primal, Fraction(linear) - Fraction(_up(penalty)) / 2


def bounded_scores(problem: KernelProblem, coef: Vector) -> tuple[Vector, Vector]:
    """F = K c, shape (n,), and a bound on the error of each entry."""
    support = np.flatnonzero(coef)
    F, error = np.zeros(problem.n_rows), np.zeros(problem.n_rows)
    if not len(support):
        return F, error
    c, size = coef[support], np.abs(coef[support])
    precomputed, X = problem.kernel.name == "precomputed", problem.X
    vectors = None if precomputed else X[support]
    g = factor(len(support) + 2)
    height = max(1, _BLOCK // len(support))
    for start in range(0, problem.n_rows, height):
        rows = np.arange(start, min(start + height, problem.n_rows))
        if precomputed:
            K = problem.gram(rows, support)
            missed: Vector | float = 0.0
        else:
            K, E = bounded_matrix(problem.kernel, X[rows], vectors)
            missed = E @ size
        F[rows] = K @ c
        error[rows] = (missed + g * (np.abs(K) @ size)) * (1.0 + 2 * g) + (len(support) + 1) * TINY
    return F, error


def square_above(coef: Vector, F: Vector, error: Vector, slack: float) -> float:
    """At least c.(K c) = ||w||^2, where F = K c within ``error``."""
    terms, reach = coef * F, np.abs(coef) * (error + 2 * UNIT * np.abs(F))
    total = rounded_sum(terms) + rounded_sum(reach) * slack * (1.0 + 16 * UNIT)
    return max(0.0, total + abs(total) * 4 * UNIT * slack + len(coef) * TINY * slack)


def _losses_above(problem: KernelProblem, F: Vector, error: Vector, b: float, slack: float) -> float:
    """At least sum_i C_i loss(y_i (F_i + b))."""
    t = F + b
    s = 1.0 - problem.y * t
    xi = np.maximum(0.0, s + slack * (error + 4 * UNIT * (np.abs(t) + np.abs(s))))
    xi *= 1.0 + 4 * UNIT * slack
    takes_part = problem.C > 0
    if np.any(np.isinf(problem.C)):
        if np.any(xi[takes_part] > 0):
            row = int(np.flatnonzero(takes_part & (xi > 0))[0])
            raise Rejected(f"Row {row} may lie inside the slab: y f is not proved to be at least 1.")
        return 0.0
    terms = problem.C * (xi * xi if problem.loss.squared else xi)
    vanished = np.count_nonzero(xi) * (slack + float(np.max(problem.C, initial=0.0))) * TINY
    return _up(rounded_sum(terms) * (1.0 + 16 * UNIT * slack) + vanished)


def _up(value: float) -> float:
    return math.nextafter(value, math.inf) if value else value
