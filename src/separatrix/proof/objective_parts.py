"""What the bounds on values with and without a kernel have in common: the rows' share of both objectives.

    primal   sum_i C_i loss(y_i f_i)           dual   sum_i alpha_i [- sum_i alpha_i^2 / 4 C_i]

A product of floats misses its value by a unit of rounding, or by 2^-1075 where it is below the normal floats; sums
are exact. Errors are taken ``slack`` times.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from separatrix.problem import KernelProblem, Problem
from separatrix.problem.losses import Loss
from separatrix.proof.outward import Rejected, above, certain
from separatrix.proof.rigorous import TINY, UNIT
from separatrix.proof.sums import exact_sum, rounded_sum
from separatrix.types import Vector


def check_feasible(problem: Problem | KernelProblem, alpha: Vector) -> Fraction:
    """sum_i alpha_i y_i; raises `Rejected` unless 0 <= alpha <= its bound, and the sum is 0 if the bias is free."""
    certain(problem.C >= 0, "C[{row}] is not a cost.")
    limit = np.where(problem.C > 0, problem.upper, 0.0)
    certain((alpha >= 0) & (alpha <= limit), "alpha[{row}] is not between its bounds.")
    signed = alpha * problem.y
    imbalance = exact_sum(signed)
    if problem.bias == "free" and imbalance != 0:
        raise Rejected(f"The bias is free, yet sum alpha_i y_i is {rounded_sum(signed)}, not zero.")
    return imbalance


def losses_above(loss: Loss, C: Vector, xi: Vector, slack: float) -> Fraction:
    """At least sum_i C_i xi_i or sum_i C_i xi_i^2, for C and xi >= 0; xi may itself be wrong by four roundings."""
    xi = xi * (1.0 + 4 * UNIT * slack)
    terms = C * (xi * xi if loss.squared else xi)
    # A square may lose 2^-1075, which C multiplies, and the product with C as much again.
    largest = above(float(np.max(C, initial=0.0)))
    vanished = int(np.count_nonzero(xi)) * (above(slack) + largest) * Fraction(TINY)
    return exact_sum(terms) * Fraction(1.0 + 16 * UNIT * slack) + vanished


def curvature_above(alpha: Vector, C: Vector, slack: float) -> Fraction:
    """At least sum_i alpha_i^2 / 4 C_i over alpha_i > 0; costs may be infinite."""
    used = alpha > 0
    alpha, C = alpha[used], C[used]
    terms = (alpha / C) * alpha
    # A quotient may lose 2^-1075, which alpha multiplies, and the product as much again.
    vanished = (len(alpha) + exact_sum(alpha)) * Fraction(slack) * Fraction(TINY)
    return (exact_sum(terms) * Fraction(1.0 + 16 * UNIT * slack) + vanished) / 4
