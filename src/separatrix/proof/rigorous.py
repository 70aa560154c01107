"""Sums and products of floats with a bound on what rounding did, whatever the order of operations.

With u = 2^-53, a sum of k products evaluated in any order, with or without fused multiply-add, misses the
exact value by at most  gamma_k sum |x_j| |w_j| + k 2^-1074,   gamma_k = k u / (1 - k u).
Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import Any

import numpy as np

from separatrix.checker.verdict import Rejected
from separatrix.problem.losses import Vector
from separatrix.problem.rows import row_blocks
from separatrix.proof.arrays import is_sparse
from separatrix.proof.sums import rounded_sum

UNIT = 2.0**-53
TINY = 2.0**-1074
_SUM_ROWS = 512  # rows summed plainly; longer sums are continued with their rounding errors kept


def factor(k: int) -> float:
    """At least gamma_k / (1 - gamma_k), with room for the rounding of the bound's own evaluation.

    >>> factor(10) > 10 * UNIT
    True
    """
    return (k + 8) * UNIT / (1.0 - 2.0 * (k + 8) * UNIT)


def require_gradual_underflow() -> None:
    """Reject where the process flushes subnormal numbers to zero: the bounds above would not hold."""
    if not float(np.nextafter(0.0, 1.0) * np.float64(1.0)) > 0.0:
        raise Rejected("This process flushes subnormal numbers to zero; use exact=True.")


@singledispatch
def bounded_scores(X: Any, w: Vector) -> tuple[Vector, Vector]:
    """X w, shape (n,), and a bound on the error of each entry."""
    n = X.shape[0]
    f, error = np.empty(n), np.zeros(n)
    magnitude = np.abs(w)
    if not np.any(magnitude):
        return np.zeros(n), error
    for rows, block in row_blocks(X):
        f[rows] = block @ w
        size = abs(block) @ magnitude
        if is_sparse(block):
            terms = np.diff(block.indptr)
            g = (terms + 8) * UNIT / (1.0 - 2.0 * (terms + 8) * UNIT)
        else:
            terms, g = block.shape[1], factor(block.shape[1])
        error[rows] = g * size + (terms + 1) * TINY
    return f, error


@singledispatch
def bounded_weighted_sum(X: Any, coefficients: Vector) -> tuple[Vector, Vector]:
    """X^T c, shape (d,), and a bound on the error of each entry.

    Blocks of a few hundred rows are summed plainly; the sum over blocks keeps its rounding errors
    (TwoSum), so that the bound does not grow with n.
    """
    d = X.shape[1]
    total, lost, size = np.zeros(d), np.zeros(d), np.zeros(d)
    height, blocks = 0, 0
    for rows, block in _short_blocks(X):
        c = coefficients[rows]
        if not np.any(c):
            continue
        part = block.T @ c
        size += abs(block).T @ np.abs(c)
        new = total + part
        shadow = new - total
        lost += (total - (new - shadow)) + (part - shadow)
        total = new
        height, blocks = max(height, block.shape[0]), blocks + 1
    if blocks > 1 << 24:
        raise Rejected("Too many rows for this check; use exact=True.")
    result = total + lost
    if not blocks:
        return result, size
    vanished = (X.shape[0] + 1) * TINY  # a product may vanish without leaving a trace in the size
    return result, factor(height + 4) * size + (4 * UNIT) * np.abs(result) + vanished


def _short_blocks(X: Any) -> Iterator[tuple[slice, Any]]:
    """Blocks for `bounded_weighted_sum`: as they come where sparse, short where dense."""
    for rows, block in row_blocks(X):
        if is_sparse(block):
            yield rows, block
            continue
        for start in range(0, len(block), _SUM_ROWS):
            piece = block[start : start + _SUM_ROWS]
            yield slice(rows.start + start, rows.start + start + len(piece)), piece


def upper_half_square(vector: Vector, error: Vector | float = 0.0) -> float:
    """At least 1/2 ||v||^2 for every v within the error of the vector."""
    reach = np.abs(vector) + error
    squares = rounded_sum(reach * reach) * (1.0 + 16 * UNIT)
    # A square of a nonzero number may vanish; half of the next number up pays for it.
    return (0.5 * squares + np.count_nonzero(reach) * TINY) * (1.0 + 4 * UNIT)
