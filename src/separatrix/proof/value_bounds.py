"""Rigorous bounds on primal and dual values in double precision.

    primal(w, b) <= upper,   dual(alpha) >= lower,   whatever the rounding and the order of summation

The quick bounds cost two products with X and two with |X|. Where they are too wide (many columns,
cancellation, a large C that magnifies the error of a margin), the sharp ones redo the products by slices.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import Problem, is_mapped
from separatrix.proof.objective_parts import check_feasible, curvature_above, losses_above
from separatrix.proof.outward import above, certain
from separatrix.proof.rigorous import (
    UNIT,
    bounded_scores,
    bounded_weighted_sum,
    require_gradual_underflow,
    upper_half_square,
)
from separatrix.proof.sliced import join_sliced, sliced_scores, sliced_weighted_sum, two_sum
from separatrix.proof.sums import exact_sum
from separatrix.types import Vector

_COPIED_ENTRIES = 1 << 20  # of a mapped file at a time


def bounds(
    problem: Problem, w: Vector, b: float, alpha: Vector, slack: float = 1.0, sharp: bool = False
) -> tuple[Fraction, Fraction]:
    """(at least primal(w, b), at most dual(alpha)); error bounds are taken ``slack`` >= 1 times.

    Rows with C = 0 take no part. Raises `Rejected` where a bound is not finite, or alpha is not feasible.
    """
    require_gradual_underflow()
    with np.errstate(all="ignore"):
        return _primal_above(problem, w, b, slack, sharp), _dual_below(problem, alpha, slack, sharp)


def _primal_above(problem: Problem, w: Vector, b: float, slack: float, sharp: bool) -> Fraction:
    """At least primal(w, b)."""
    takes_part = problem.C > 0
    t, error = bounded_scores(problem.X, w)
    t += b
    if b != 0 and np.any(w):  # otherwise nothing was rounded
        error += 4 * UNIT * np.abs(t)
    t *= problem.y
    s = np.subtract(1.0, t, out=t)
    error += 4 * UNIT * np.abs(s)
    error *= slack
    s += error
    xi = np.maximum(0.0, s, out=s)
    xi[~takes_part] = 0.0
    if sharp:
        rows = np.flatnonzero(xi > 0)
        for some in _portions(problem, rows):
            xi[some] = _sharp_slack(problem.take(some), w, b, slack)
    certain(np.isfinite(xi))
    penalty = above(upper_half_square(w)) * Fraction(1.0 + 16 * UNIT * slack)
    if problem.bias == "augmented":
        penalty += above(b) ** 2 / 2
    return losses_above(problem.loss, problem.C, xi, slack) + penalty


def _sharp_slack(problem: Problem, w: Vector, b: float, slack: float) -> Vector:
    """At least max(0, 1 - y_i (w.x_i + b)), with 1 - y f cancelled before anything is rounded away."""
    hi, lo, error = sliced_scores(problem.X, w)
    t, t_lost = two_sum(hi, b)
    s, s_lost = two_sum(-problem.y * t, 1.0)
    small = s_lost - problem.y * (t_lost + lo)
    error += 8 * UNIT * (np.abs(s_lost) + np.abs(t_lost) + np.abs(lo))
    s = s + small
    return np.maximum(0.0, s + slack * (error + 4 * UNIT * np.abs(s)))


def _dual_below(problem: Problem, alpha: Vector, slack: float, sharp: bool) -> Fraction:
    """At most dual(alpha)."""
    imbalance = check_feasible(problem, alpha)
    signed = alpha * problem.y
    if sharp:
        # The slices get coarser with the number of rows: rows that add nothing must not count, or a claim about
        # some rows of the data could not be proved again among all of them.
        rows = np.flatnonzero(signed)
        everything = len(rows) == len(signed)
        hi, lo, error = (
            sliced_weighted_sum(problem.X, signed)
            if everything
            else join_sliced(
                sliced_weighted_sum(problem.X[some], signed[some]) for some in _portions(problem, rows)
            )
        )
        v = hi + lo
        error += 4 * UNIT * np.abs(v)
    else:
        v, error = bounded_weighted_sum(problem.X, signed)
    penalty = above(upper_half_square(v, slack * error)) * Fraction(1.0 + 16 * UNIT * slack)
    if problem.bias == "augmented":
        penalty += imbalance**2 / 2
    if problem.loss.squared:
        penalty += curvature_above(alpha, problem.C, slack)
    return exact_sum(alpha) - penalty


def _portions(problem: Problem, rows: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """The rows to copy at a time, at least one portion: all of them, but few of a mapped file, which may not fit."""
    if not is_mapped(problem.X):
        return [rows]
    entries = problem.X.size if isinstance(problem.X, np.ndarray) else problem.X.nnz
    per_row = entries / problem.n_rows
    return np.array_split(rows, max(1, math.ceil(len(rows) * per_row / _COPIED_ENTRIES)))
