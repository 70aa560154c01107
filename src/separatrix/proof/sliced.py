"""Matrix-vector products to about twice the working precision, by products that BLAS gets exactly right.

Numbers are cut into slices of few bits, so short that a sum of products of slices fits a float without
rounding, in whatever order it is added. With k terms and t = (53 + log2 k) / 2, slices of 53 - t bits do;
three of them hold the leading 3 (53 - t) bits below the largest term, and the nine partial products are added
with their rounding errors kept. Where numbers leave the range of floats, the bound on the error is infinite.
Ozaki, Ogita, Oishi, Rump, Error-free transformations of matrix multiplication, Numer. Algorithms 59, 2012.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import singledispatch
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.problem.rows import row_blocks
from separatrix.proof.arrays import is_sparse
from separatrix.proof.rigorous import TINY, UNIT
from separatrix.types import Vector

_SLICES = 3


def two_sum(a: Vector, b: Vector | float) -> tuple[Vector, Vector]:
    """(s, e) with s = fl(a + b) and s + e = a + b exactly (Knuth)."""
    s = a + b
    shadow = s - a
    return s, (a - (s - shadow)) + (b - shadow)


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


def _infinite_with(values: Vector, error: Vector) -> Vector:
    """The error, infinite where value or error is no number: then it bounds nothing, and must not seem to."""
    return np.where(np.isfinite(values) & np.isfinite(error), error, np.inf)


def _slices(values: Vector, tops: NDArray[np.int32], shift: int) -> Iterator[Vector]:
    """Three slices of values below 2^tops, each of 53 - shift bits; what is left is below the last bit."""
    for _ in range(_SLICES):
        sigma = np.ldexp(1.0, tops + shift)
        piece = (values + sigma) - sigma
        yield piece
        values = values - piece
        tops = tops - (53 - shift)
