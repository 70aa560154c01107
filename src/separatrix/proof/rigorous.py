"""Products of the rows with a vector, and a bound on what rounding did, whatever the order of operations.

With u = 2^-53, a sum of k products evaluated in any order, with or without fused multiply-add, misses the
exact value by at most  gamma_k sum |x_j| |w_j| + k 2^-1074,   gamma_k = k u / (1 - k u).
Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1. The second term is for products below
the least float, which vanish. Where a sum leaves the range of floats its bound is infinite.

Where that bound is too wide, products are taken to about twice the working precision. Numbers are cut into slices of
few bits, so short that a sum of products of slices fits a float without rounding, in whatever order it is added. With k
terms and t = (53 + log2 k) / 2, slices of 53 - t bits do; three of them hold the leading 3 (53 - t) bits below the
largest term, and the nine partial products are added with their rounding errors kept.
Ozaki, Ogita, Oishi, Rump, Error-free transformations of matrix multiplication, Numer. Algorithms 59, 2012.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import singledispatch
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import is_sparse, row_blocks
from separatrix.proof.sums import Rejected, rounded_sum
from separatrix.types import Vector

UNIT = 2.0**-53
TINY = 2.0**-1074
_SLICES = 3
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


def two_sum(a: Vector, b: Vector | float) -> tuple[Vector, Vector]:
    """(s, e) with s = fl(a + b) and s + e = a + b exactly (Knuth)."""
    s = a + b
    shadow = s - a
    return s, (a - (s - shadow)) + (b - shadow)


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
        total, rounded_off = two_sum(total, block.T @ c)
        lost += rounded_off
        size += abs(block).T @ np.abs(c)
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
    """The error, infinite where value or error is no number: then it bounds nothing, and must not seem to."""
    return np.where(np.isfinite(values) & np.isfinite(error), error, np.inf)


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


@singledispatch
def sliced_scores(X: Any, w: Vector) -> tuple[Vector, Vector, Vector]:
    """(hi, lo, error), each (n,): X w lies within the error of hi + lo.

    >>> hi, lo, error = sliced_scores(np.array([[1e16, 1.0, -1e16]]), np.ones(3))
    >>> hi + lo, bool(error[0] < 1e-1)
    (array([1.]), True)
    """
    hi, lo, error = np.empty((3, X.shape[0]))
    for rows, block in row_blocks(X):
        hi[rows], lo[rows], error[rows] = _product(block, w)
    return hi, lo, error


@singledispatch
def sliced_weighted_sum(X: Any, c: Vector) -> tuple[Vector, Vector, Vector]:
    """(hi, lo, error), each (d,): X^T c lies within the error of hi + lo."""
    nothing = np.zeros(X.shape[1])
    blocks = (
        _product(block.T.tocsr() if is_sparse(block) else block.T, c[rows]) for rows, block in row_blocks(X)
    )
    return join_sliced(chain([(nothing, nothing, nothing)], blocks))


def join_sliced(parts: Iterable[tuple[Vector, Vector, Vector]]) -> tuple[Vector, Vector, Vector]:
    """(hi, lo, error) of a sum, each (d,), from those of its parts, of which there is at least one."""
    hi = lo = error = np.zeros(1)
    for part_hi, part_lo, part_error in parts:
        hi, lost = two_sum(hi, part_hi)
        # lo is added up plainly: each addition errs by a unit of what it holds.
        lo = lo + (part_lo + lost)
        error = error + part_error + 4 * UNIT * (np.abs(lo) + np.abs(part_lo) + np.abs(lost))
    return hi, lo, _infinite_with(hi + lo, error * (1 + 2.0**-20) + TINY)


def _product(A: Any, x: Vector) -> tuple[Vector, Vector, Vector]:
    """(hi, lo, error) of A x, for a dense or CSR block A (m, k)."""
    m = A.shape[0]
    mantissa, exponent = np.frexp(x)
    # The sizes of x go into A, so that slices are cut below the largest product of each row.
    if is_sparse(A):
        terms = int(np.max(np.diff(A.indptr), initial=1))
        entries = np.ldexp(A.data, exponent[A.indices])
        largest = np.zeros(m)
        owner = np.repeat(np.arange(m), np.diff(A.indptr))
        np.maximum.at(largest, owner, np.abs(entries))
    else:
        terms = max(1, A.shape[1])
        entries = np.ldexp(A, exponent)
        largest = np.max(np.abs(entries), axis=1, initial=0.0)
        owner = None
    shift = (53 + (terms - 1).bit_length() + 1) // 2
    tops = np.frexp(largest)[1]
    right = np.stack(list(_slices(mantissa, np.zeros(1, dtype=np.int32), shift)), axis=1)
    hi, lo, size = np.zeros((3, m))
    ends = tops if owner is None else tops[owner]
    for piece in _slices(entries, ends if owner is not None else ends[:, None], shift):
        if owner is None:
            products = piece @ right
        else:
            part = A.copy()
            part.data = piece
            products = np.asarray(part @ right)
        for column in products.T:
            hi, lost = two_sum(hi, column)
            lo = lo + lost
            size += np.abs(column)
    left_over = np.where(largest > 0, terms * np.ldexp(1.0, tops - _SLICES * (53 - shift) + 1), 0.0)
    return hi, lo, _infinite_with(hi + lo, left_over + 128 * UNIT * UNIT * size + 32 * terms * TINY)


def _slices(values: Vector, tops: NDArray[np.int32], shift: int) -> Iterator[Vector]:
    """Three slices of values below 2^tops, each of 53 - shift bits; what is left is below the last bit."""
    for _ in range(_SLICES):
        sigma = np.ldexp(1.0, tops + shift)
        piece = (values + sigma) - sigma
        yield piece
        values = values - piece
        tops = tops - (53 - shift)
