"""Rigorous bounds on primal and dual values in double precision, with and without a kernel.

    primal(w, b) <= upper,   dual(alpha) >= lower,   whatever the rounding and the order of summation

    primal = 1/2 ||w||^2 [+ 1/2 b^2] + sum_i C_i loss(y_i (w.phi(x_i) + b))
    dual   = sum_i alpha_i [- alpha_i^2 / 4 C_i] - 1/2 ||v||^2 [- 1/2 (sum_i alpha_i y_i)^2]

Without a kernel the quick bounds cost two products with X and two with |X|. Where they are too wide (many columns,
cancellation, a large C that magnifies the error of a margin), the sharp ones redo the products by slices. With a kernel
they cost one sweep over the kernel values with their error bounds (`kernel_sweep`), two where w is not that of alpha.

A product of floats misses its value by a unit of rounding, or by 2^-1075 where it is below the normal floats; sums are
exact. Errors are taken ``slack`` times. A cost of infinity is the hard margin: no row may have slack, and the primal
value is 1/2 ||w||^2 alone.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import KernelSpace, Problem, is_mapped
from separatrix.problem.losses import Loss
from separatrix.proof import kernel_sweep
from separatrix.proof.rigorous import (
    TINY,
    UNIT,
    bounded_scores,
    bounded_weighted_sum,
    join_sliced,
    require_gradual_underflow,
    sliced_scores,
    sliced_weighted_sum,
    two_sum,
    upper_half_square,
)
from separatrix.proof.sums import Rejected, certain, exact_sum, finite, rounded_sum
from separatrix.types import Index, Matrix, Vector

_COPIED_ENTRIES = 1 << 20  # entries of a mapped file that are copied at a time: 8 MiB of float64

#: At least 1/2 ||w||^2, at least 1/2 ||v||^2, and at least the slack of each row (n,).
Parts = tuple[Fraction, Fraction, Vector]


def bounds(
    problem: Problem,
    w: Vector | None,
    b: float,
    alpha: Vector,
    slack: float = 1.0,
    sharp: bool = False,
) -> tuple[Fraction, Fraction]:
    """(at least primal(w, b), at most dual(alpha)); error bounds are taken ``slack`` >= 1 times.

    w is (d,); with a kernel it is the coefficients c (n,) of w = sum_j c_j phi(x_j), and None stands for alpha y.
    ``sharp`` is without a kernel. Rows with C = 0 take no part. Raises `Rejected` where a bound is not finite, or alpha
    is not feasible.
    """
    require_gradual_underflow()
    with np.errstate(all="ignore"):
        imbalance = _check_feasible(problem, alpha)
        if problem.kernel is None:
            assert w is not None
            half_w, half_v, xi = _without_kernel(problem, w, b, alpha, slack, sharp)
        else:
            half_w, half_v, xi = _with_kernel(problem, w, b, alpha, slack)
        primal, dual = half_w + _losses_above(problem.loss, problem.C, xi, slack), exact_sum(alpha) - half_v
        if problem.bias == "augmented":
            primal, dual = primal + finite(b) ** 2 / 2, dual - imbalance**2 / 2
        if problem.loss.squared:
            dual -= _curvature_above(alpha, problem.C, slack)
        return primal, dual


def _check_feasible(problem: Problem, alpha: Vector) -> Fraction:
    """sum_i alpha_i y_i; raises `Rejected` unless 0 <= alpha <= its bound, and the sum is 0 if the bias is free."""
    certain(problem.C >= 0, "C[{row}] is not a cost.")
    limit = np.where(problem.C > 0, problem.upper, 0.0)
    certain((alpha >= 0) & (alpha <= limit), "alpha[{row}] is not between its bounds.")
    signed = alpha * problem.y
    imbalance = exact_sum(signed)
    if problem.bias == "free" and imbalance != 0:
        raise Rejected(f"The bias is free, yet sum alpha_i y_i is {rounded_sum(signed)}, not zero.")
    return imbalance


def _losses_above(loss: Loss, C: Vector, xi: Vector, slack: float) -> Fraction:
    """At least sum_i C_i xi_i or sum_i C_i xi_i^2, for C and xi >= 0; xi may itself be wrong by four roundings."""
    certain(np.isfinite(xi))
    if np.any(np.isinf(C)):
        certain(xi == 0, "Row {row} may lie inside the slab: y f is not proved to be at least 1.")
        return Fraction()
    xi = xi * (1.0 + 4 * UNIT * slack)
    terms = C * (xi * xi if loss.squared else xi)
    # A square may lose 2^-1075, which C multiplies, and the product with C as much again.
    largest = finite(float(np.max(C, initial=0.0)))
    vanished = int(np.count_nonzero(xi)) * (finite(slack) + largest) * Fraction(TINY)
    return exact_sum(terms) * Fraction(1.0 + 16 * UNIT * slack) + vanished


def _curvature_above(alpha: Vector, C: Vector, slack: float) -> Fraction:
    """At least sum_i alpha_i^2 / 4 C_i over alpha_i > 0; costs may be infinite."""
    used = alpha > 0
    alpha, C = alpha[used], C[used]
    terms = (alpha / C) * alpha
    # A quotient may lose 2^-1075, which alpha multiplies, and the product as much again.
    vanished = (len(alpha) + exact_sum(alpha)) * Fraction(slack) * Fraction(TINY)
    return (exact_sum(terms) * Fraction(1.0 + 16 * UNIT * slack) + vanished) / 4


def _slack_above(y: Vector, f: Vector, error: Vector, b: float, slack: float) -> Vector:
    """At least 1 - y_i (f_i + b), up to four roundings of itself, where f is known within ``error``."""
    t = f + b
    s = 1.0 - y * t
    rounded = np.abs(s)
    if b != 0:  # where f is zero, or b, nothing was rounded in f + b
        rounded += np.where(f != 0, np.abs(t), 0.0)
    return np.asarray(s + slack * (error + 4 * UNIT * rounded))


def _without_kernel(problem: Problem, w: Vector, b: float, alpha: Vector, slack: float, sharp: bool) -> Parts:
    f, error = bounded_scores(problem.X, w)
    xi = np.maximum(0.0, _slack_above(problem.y, f, error, b, slack))
    xi[~(problem.C > 0)] = 0.0
    if sharp:
        for some in _portions(problem, np.flatnonzero(xi > 0)):
            xi[some] = _sharp_slack(problem.X[some], problem.y[some], w, b, slack)
    signed = alpha * problem.y
    if sharp:
        # The slices get coarser with the number of rows: rows that add nothing must not count, or a claim about
        # some rows of the data could not be proved again among all of them.
        rows = np.flatnonzero(signed)
        if len(rows) == len(signed):
            hi, lo, error = sliced_weighted_sum(problem.X, signed)
        else:
            portions = _portions(problem, rows)
            hi, lo, error = join_sliced(
                sliced_weighted_sum(problem.X[some], signed[some]) for some in portions
            )
        v = hi + lo
        error += 4 * UNIT * np.abs(v)
    else:
        v, error = bounded_weighted_sum(problem.X, signed)
    room = Fraction(1.0 + 16 * UNIT * slack)
    return finite(upper_half_square(w)) * room, finite(upper_half_square(v, slack * error)) * room, xi


def _sharp_slack(X: Matrix, y: Vector, w: Vector, b: float, slack: float) -> Vector:
    """At least max(0, 1 - y_i (w.x_i + b)), with 1 - y f cancelled before anything is rounded away."""
    hi, lo, error = sliced_scores(X, w)
    t, t_lost = two_sum(hi, b)
    s, s_lost = two_sum(-y * t, 1.0)
    small = s_lost - y * (t_lost + lo)
    error += 8 * UNIT * (np.abs(s_lost) + np.abs(t_lost) + np.abs(lo))
    s = s + small
    return np.maximum(0.0, s + slack * (error + 4 * UNIT * np.abs(s)))


def _portions(problem: Problem, rows: Index) -> list[Index]:
    """The rows to copy at a time, at least one portion: all of them, but few of a mapped file, which may not fit."""
    if not is_mapped(problem.X):
        return [rows]
    entries = problem.X.size if isinstance(problem.X, np.ndarray) else problem.X.nnz
    per_row = entries / problem.n_rows
    return np.array_split(rows, max(1, math.ceil(len(rows) * per_row / _COPIED_ENTRIES)))


def _with_kernel(problem: Problem, coef: Vector | None, b: float, alpha: Vector, slack: float) -> Parts:
    def outside(rows: Index, f: Vector, error: Vector) -> NDArray[np.bool_]:
        """Return True for rows that have no slack, however rough their scores."""
        return (_slack_above(problem.y[rows], f, error, b, slack) <= 0) | ~(problem.C[rows] > 0)

    def all_rows(rows: Index, f: Vector, error: Vector) -> NDArray[np.bool_]:
        """Return True for all rows: those without a coefficient have no part in c.F."""
        return np.ones(len(rows), dtype=bool)

    signed, space = alpha * problem.y, problem.space
    assert isinstance(space, KernelSpace)
    F, error = kernel_sweep.bounded_scores(space, signed, outside if coef is None else all_rows)
    square_w = square_v = _square_above(signed, F, error, slack)
    if coef is not None:
        F, error = kernel_sweep.bounded_scores(space, coef, outside)
        square_w = _square_above(coef, F, error, slack)
    s = _slack_above(problem.y, F, error, b, slack)
    return square_w / 2, square_v / 2, np.where(problem.C > 0, np.maximum(0.0, s), 0.0)


def _square_above(coef: Vector, F: Vector, error: Vector, slack: float) -> Fraction:
    """At least c.(K c) = ||w||^2, where F = K c within ``error``; raises `Rejected` where that is not finite."""
    terms, reach = coef * F, np.abs(coef) * (error + 2 * UNIT * np.abs(F))
    # Each of the two products may lose 2^-1075.
    vanished = 2 * int(np.count_nonzero(coef)) * Fraction(slack) * Fraction(TINY)
    total = exact_sum(terms) + exact_sum(reach) * Fraction(slack * (1.0 + 16 * UNIT)) + vanished
    return max(Fraction(), total)
