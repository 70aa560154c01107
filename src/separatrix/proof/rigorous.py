"""Sums and products of floats with a bound on what rounding did, whatever the order of operations.

With u = 2^-53, a sum of k products evaluated in any order, with or without fused multiply-add, misses the
exact value by at most  gamma_k sum |x_j| |w_j| + k 2^-1074,   gamma_k = k u / (1 - k u).
Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1. The second term is for products below
the least float, which vanish. Where a sum leaves the range of floats its bound is infinite.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.problem.rows import row_blocks, squared_norms
from separatrix.proof.arrays import is_sparse
from separatrix.proof.outward import Rejected, above, below
from separatrix.proof.sums import rounded_sum
from separatrix.types import Vector

UNIT = 2.0**-53
TINY = 2.0**-1074
_MODERATE = 1e-200, 1e200  # squares of this size lost nothing to speak of below, and nothing above
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
    return f, _infinite_with(f, error)


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
    error = factor(height + 4) * size + (4 * UNIT) * np.abs(result) + vanished
    return result, _infinite_with(result, error)


def _infinite_with(values: Vector, error: Vector) -> Vector:
    """The error, infinite where the value is no number: then it bounds nothing, and must not seem to."""
    error[~np.isfinite(values)] = np.inf
    return error


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
    """At least 1/2 ||v||^2 for every v within the error of the vector; infinity where that is no float.

    >>> upper_half_square(np.array([1e200]))
    inf
    """
    with np.errstate(over="ignore"):
        reach = np.abs(vector) + error
        squares = rounded_sum(reach * reach) * (1.0 + 16 * UNIT)
    if not math.isfinite(squares):
        return math.inf
    # A square of a nonzero number may vanish; half of the next number up pays for it.
    return (0.5 * squares + np.count_nonzero(reach) * TINY) * (1.0 + 4 * UNIT)


def squared_radius(X: Any, members: NDArray[Any]) -> tuple[Fraction, Fraction]:
    """Bounds (low, high) on max_i ||x_i||^2 over the members, a mask (n,) or indices of rows; (0, 0) of none.

    Squares that vanish or overflow are taken again of rows times a power of two, which rounds nothing that counts.

    >>> low, high = squared_radius(np.array([[3e200, 4e200], [9e300, 0.0]]), np.array([True, False]))
    >>> bool(low <= Fraction(3e200) ** 2 + Fraction(4e200) ** 2 <= high)
    True
    """
    inside = np.zeros(X.shape[0], dtype=bool)
    inside[members] = True
    with np.errstate(all="ignore"):
        largest, exponent = float(np.max(squared_norms(X)[inside], initial=0.0)), 0
        if not _MODERATE[0] < largest < _MODERATE[1]:
            exponent = math.frexp(_largest_entry(X, inside))[1]
            half = exponent // 2  # the whole power may be no float
            largest = 0.0
            for rows, block in row_blocks(X):
                part = block * math.ldexp(1.0, -half) * math.ldexp(1.0, half - exponent)
                largest = max(largest, float(np.max(squared_norms(part)[inside[rows]], initial=0.0)))
    # Scaled so, the largest square is at least 1/4, if there is one; what vanished beside it is far below its rounding.
    slack = Fraction(factor(X.shape[1] + 8))
    scale = Fraction(2) ** (2 * exponent)
    return below(largest) * (1 - slack) * scale, above(largest) * (1 + slack) * scale


def _largest_entry(X: Any, inside: NDArray[np.bool_]) -> float:
    """max |x_ij| over some rows."""
    largest = 0.0
    for rows, block in row_blocks(X):
        part = block[inside[rows]]
        largest = max(largest, float(np.max(np.abs(part.data if is_sparse(part) else part), initial=0.0)))
    return largest
