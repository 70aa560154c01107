"""Rigorous bounds on primal and dual values of a kernel SVM in double precision.

    primal = 1/2 c.F [+ 1/2 b^2] + sum_i C_i loss(y_i (F_i + b)),   F = K c
    dual   = sum_i alpha_i [- alpha_i^2 / 4 C_i] - 1/2 (alpha y).K (alpha y) [- 1/2 (sum_i alpha_i y_i)^2]

One sweep over the kernel values with their error bounds (`kernel_sweep`); two where c is not alpha y. A cost of
infinity is the hard margin: no row may have slack, and the primal value is 1/2 c.F alone.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import KernelProblem
from separatrix.proof.kernel_sweep import bounded_scores as bounded_scores
from separatrix.proof.objective_parts import check_feasible, curvature_above, losses_above
from separatrix.proof.outward import above, certain
from separatrix.proof.rigorous import TINY, UNIT, require_gradual_underflow
from separatrix.proof.sums import exact_sum
from separatrix.types import Index, Vector


def kernel_bounds(
    problem: KernelProblem, coef: Vector | None, b: float, alpha: Vector, slack: float = 1.0
) -> tuple[Fraction, Fraction]:
    """(at least primal at w = sum_j coef_j phi(x_j) and b, at most dual(alpha)); errors are taken ``slack`` times.

    A coef of None is alpha y. Raises `Rejected` where a bound is not finite, or alpha is not feasible.
    """
    require_gradual_underflow()
    with np.errstate(all="ignore"):
        imbalance = check_feasible(problem, alpha)
        signed = alpha * problem.y
        outside = partial(_outside, problem, b, slack)
        F, error = bounded_scores(problem, signed, outside if coef is None else _unasked)
        square = square_above(signed, F, error, slack)
        penalty = square + (imbalance**2 if problem.bias == "augmented" else 0)
        dual = exact_sum(alpha) - penalty / 2
        if problem.loss.squared:
            dual -= curvature_above(alpha, problem.C, slack)
        if coef is not None:
            F, error = bounded_scores(problem, coef, outside)
            square = square_above(coef, F, error, slack)
        if problem.bias == "augmented":
            square += above(b) ** 2
        return square / 2 + _losses_above(problem, F, error, b, slack), dual


def square_above(coef: Vector, F: Vector, error: Vector, slack: float) -> Fraction:
    """At least c.(K c) = ||w||^2, where F = K c within ``error``; raises `Rejected` where that is not finite."""
    terms, reach = coef * F, np.abs(coef) * (error + 2 * UNIT * np.abs(F))
    # Each of the two products may lose 2^-1075.
    vanished = 2 * int(np.count_nonzero(coef)) * Fraction(slack) * Fraction(TINY)
    total = exact_sum(terms) + exact_sum(reach) * Fraction(slack * (1.0 + 16 * UNIT)) + vanished
    return max(Fraction(), total)


def _slack_above(
    problem: KernelProblem, rows: Index | slice, F: Vector, error: Vector, b: float, slack: float
) -> Vector:
    """At least 1 - y_i (F_i + b) for some rows, up to four roundings of itself."""
    t = F + b
    s = 1.0 - problem.y[rows] * t
    return np.asarray(s + slack * (error + 4 * UNIT * (np.abs(t) + np.abs(s))))


def _outside(
    problem: KernelProblem, b: float, slack: float, rows: Index, F: Vector, error: Vector
) -> NDArray[np.bool_]:
    """Which rows have no slack, however rough their scores."""
    return (_slack_above(problem, rows, F, error, b, slack) <= 0) | ~(problem.C[rows] > 0)


def _unasked(rows: Index, F: Vector, error: Vector) -> NDArray[np.bool_]:
    """All of them: rows without a coefficient have no part in c.F."""
    return np.ones(len(rows), dtype=bool)


def _losses_above(problem: KernelProblem, F: Vector, error: Vector, b: float, slack: float) -> Fraction:
    """At least sum_i C_i loss(y_i (F_i + b))."""
    takes_part = problem.C > 0
    s = _slack_above(problem, slice(None), F, error, b, slack)
    if np.any(np.isinf(problem.C)):
        outside = (s <= 0) | ~takes_part
        certain(outside, "Row {row} may lie inside the slab: y f is not proved to be at least 1.")
        return Fraction()
    xi = np.where(takes_part, np.maximum(0.0, s), 0.0)
    certain(np.isfinite(xi))
    return losses_above(problem.loss, problem.C, xi, slack)
