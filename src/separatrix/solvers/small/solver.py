"""Fits to few rows: all their binary problems in one call into the compiled core.

    max_alpha   sum_i dual_term(alpha_i) - 1/2 ||sum_i alpha_i y_i phi(x_i)||^2      (problem/problem.py)

Newton's method on augmented Lagrangians of the dual, from zero in the space of the rows, from steps on pairs of rows in
that of a kernel matrix (cpp/small/small_newton.hpp). It ends at the aim, or in the exact corner, and gives up after
counted work: the answer says for each problem whether its relative gap is below the aim.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from separatrix import _core
from separatrix.solvers.small.tuning import Tuning
from separatrix.types import Bias, Vector

NAME = "augmented-lagrangian"


@dataclass(frozen=True)
class Limits:
    """Sizes up to which the ordinary solvers, which stop at tol, take longer; measured on clouds of points."""

    rows: int = 2000
    #: Multiplications for a normal matrix, n d min(n, d). The geometric mean over C = 0.01, 1 and 100 of 1,000 x 100
    #: rows is 3.1 ms against 4.7 step by step, of 2,000 x 50 2.2 against 3.6; of 2,000 x 200 it is 18 against 10.
    products: float = 4e7
    #: Values of the kernel matrix for each problem: 1,000 rows of two classes take 5.6 ms against 4.0 step by step,
    #: 2,000 take 34 against 7.7; ten classes of 1,800 rows share one matrix, and take a fifth.
    kernel_values: float = 2.0**19


LIMITS = Limits()
TUNING = Tuning()


@dataclass(frozen=True, eq=False)
class SmallAnswer:
    """One row for each of k problems: alpha (k, n), w (k, d) or None with a kernel matrix, b (k,).

    ``alpha`` is 0 for rows that take no part, and exactly 0 or C at its bounds. ``w`` is the sum over alpha, or the
    point of the last step where that has the smaller primal value; the two differ by rounding. ``work`` counts products
    of two numbers. ``reached`` says whether the relative gap is below the aim, with room for rounding.
    """

    alpha: Vector
    w: Vector | None
    b: Vector
    work: NDArray[np.int64]
    reached: NDArray[np.bool_]


def solve_small(
    signs: NDArray[np.int8],
    costs: Vector,
    *,
    rows: Vector | None = None,
    gram: Vector | None = None,
    squared: bool = False,
    bias: Bias = "free",
    aim: float = 1e-3,
    chain: int = 1,
    n_threads: int = 1,
    tuning: Tuning = TUNING,
) -> SmallAnswer:
    """Solve the k problems whose labels are the rows of ``signs`` (k, n): -1, 1, or 0 for a row that takes no part.

    ``costs`` (k, n) are C_i > 0. Exactly one of ``rows`` (n, d) and the symmetric ``gram`` (n, n) is given. Of each
    ``chain`` consecutive problems all but the first begin at the answer to the one before, where the labels are the
    same. The answer is the same whatever ``n_threads``.

    >>> answer = solve_small(np.array([[1, -1]], np.int8), np.ones((1, 2)), rows=np.array([[2.0], [-2.0]]))
    >>> answer.alpha, answer.w, answer.reached
    (array([[0.125, 0.125]]), array([[0.5]]), array([ True]))
    """
    signs = np.ascontiguousarray(signs, dtype=np.int8)
    costs = np.ascontiguousarray(costs, dtype=np.float64)
    rows = None if rows is None else np.ascontiguousarray(rows, dtype=np.float64)
    gram = None if gram is None else np.ascontiguousarray(gram, dtype=np.float64)
    return SmallAnswer(
        *_core.solve_small(rows, gram, signs, costs, squared, bias, aim, chain, n_threads, tuning)
    )
