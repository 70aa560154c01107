"""Kernel values between rows of the same X, and sums of them, a block at a time.

What depends on the fixed rows Z alone is prepared once for all blocks:

    rbf     -gamma ||x - z||^2 = (x, 1, -gamma ||x||^2).(2 gamma z, -gamma ||z||^2, 1): one product, then exp
    poly, sigmoid, linear       one product, then the function

Rows of small whole numbers have whole distances: their product is exact in single precision, and exp is looked up
in a table. All values are float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from separatrix.problem.conversion import is_sparse, to_dense
from separatrix.problem.kernels import Kernel, Laplacian, Linear, Poly, Rbf, Sigmoid, number, whole_power
from separatrix.problem.rows import EXACT, Gram, dense, squared_norms
from separatrix.threads import run_blocks
from separatrix.types import Index, Vector

#: k(x_i, z_j) of a block of rows, shape (h, m).
Values: TypeAlias = Callable[[Any], Gram]

# Sums hold so many kernel values at a time: 1 MiB of float64, which a core's cache holds.
_BLOCK_VALUES = 1 << 17
# A block has at least so many rows, however many support vectors there are.
_LEAST_ROWS = 32
# The table of exp has at most so many entries: 512 KiB of float64.
_LONGEST_TABLE = 1 << 16
# Sparse rows are made dense, a block at a time, up to so many columns.
_DENSE_COLUMNS = 2000
# Z is made dense up to so many entries: 256 MiB of float64.
_DENSE_ENTRIES = 1 << 25


def gram(X: Any, kernel: Kernel, rows: Index | slice, others: Index | slice) -> NDArray[np.float64]:
    """k(x_i, x_j) for i in ``rows`` (p,) and j in ``others`` (q,), float64, shape (p, q).

    With a precomputed kernel X is the matrix itself, shape (n, n).
    """
    if kernel.name == "precomputed":
        part = X[rows][:, others]
        return to_dense(part)
    return kernel.matrix(X[rows], X[others])


def whole_gram(X: Any, kernel: Kernel) -> NDArray[np.float64]:
    """k(x_i, x_j) of all rows, shape (n, n): half of them are computed, a block that a core's cache holds at a time.

    >>> from separatrix.problem.kernels import Linear
    >>> whole_gram(np.array([[1.0], [2.0]]), Linear())
    array([[1., 2.],
           [2., 4.]])
    """
    if not isinstance(kernel, Linear | Poly | Rbf | Sigmoid | Laplacian):
        return gram(X, kernel, slice(None), slice(None))
    n = X.shape[0]
    starts = [0]
    while starts[-1] < n:
        starts.append(min(n, starts[-1] + max(_LEAST_ROWS, _BLOCK_VALUES // (n - starts[-1]))))
    K = np.empty((n, n))

    def fill(k: int) -> None:
        start, stop = starts[k : k + 2]
        block = kernel.matrix(X[start:stop], X[start:])
        K[start:stop, start:] = block
        K[stop:, start:stop] = block[:, stop - start :].T

    run_blocks(fill, len(starts) - 1)
    return K


def kernel_sums(X: Any, kernel: Kernel, coefficients: Vector) -> Vector:
    """F = K c in float64 for c (n,) or (n, k), of the same shape; rows of c that are zero are left out.

    >>> from separatrix.problem.kernels import Linear
    >>> kernel_sums(np.array([[1.0], [2.0]]), Linear(), np.array([3.0, 0.0]))
    array([3., 6.])
    """
    n, used = X.shape[0], coefficients if coefficients.ndim == 1 else coefficients.any(axis=1)
    support = np.flatnonzero(used)
    c, out = coefficients[support], np.zeros((n, *coefficients.shape[1:]))
    if not len(support):
        return out
    values = None if kernel.name == "precomputed" else prepared(kernel, X, X[support])
    height = max(_LEAST_ROWS, _BLOCK_VALUES // len(support))

    def sum_block(k: int) -> None:
        block = slice(k * height, min((k + 1) * height, n))
        if values is None:
            out[block] = gram(X, kernel, np.arange(block.start, block.stop), support) @ c
        else:
            out[block] = values(X[block]) @ c

    run_blocks(sum_block, math.ceil(n / height))
    return out


def prepared(kernel: Kernel, X: Any, Z: Any) -> Values:
    """The kernel against Z, for blocks of rows of X.

    >>> prepared(Rbf(1.0), np.zeros((1, 1)), np.ones((2, 1)))(np.zeros((1, 1))).round(6)
    array([[0.367879, 0.367879]])
    """
    known = isinstance(kernel, Linear | Poly | Rbf | Sigmoid)
    fits = Z.shape[0] * Z.shape[1] <= _DENSE_ENTRIES and (not is_sparse(X) or X.shape[1] <= _DENSE_COLUMNS)
    if not known or not fits:
        return lambda block: kernel.matrix(block, Z)
    others = dense(Z)
    if isinstance(kernel, Rbf):
        largest = _largest_distance(X, others)
        if largest is not None:
            return _tabulated(number(kernel.gamma), others, largest)
        return _radial(number(kernel.gamma), others.astype(np.float64, copy=False))
    transposed = others.astype(np.float64, copy=False).T
    single = others.T

    def values(block: Any) -> Gram:
        rows = dense(block)
        exact = rows.dtype == single.dtype == np.float32
        products = np.asarray(rows @ (single if exact else transposed), dtype=np.float64)
        if isinstance(kernel, Linear):
            return products
        assert isinstance(kernel, Poly | Sigmoid)
        products *= number(kernel.gamma)
        products += kernel.coef0
        if isinstance(kernel, Sigmoid):
            return np.asarray(np.tanh(products, out=products))
        return whole_power(products, kernel.degree)

    return values


def _radial(gamma: float, Z: NDArray[np.float64]) -> Values:
    lifted = np.column_stack([2.0 * gamma * Z, -gamma * squared_norms(Z), np.ones(len(Z))]).T.copy()

    def values(block: Any) -> Gram:
        rows = dense(block).astype(np.float64, copy=False)
        t = np.column_stack([rows, np.ones(len(rows)), -gamma * squared_norms(rows)]) @ lifted
        np.minimum(t, 0.0, out=t)  # rounding may leave a distance a little below zero
        return np.asarray(np.exp(t, out=t))

    return values


def _tabulated(gamma: float, Z: NDArray[Any], largest: int) -> Values:
    table = np.exp(-gamma * np.arange(largest + 1))
    lifted = np.column_stack([-2.0 * Z, squared_norms(Z), np.ones(len(Z))]).astype(np.float32).T.copy()

    def values(block: Any) -> Gram:
        rows = dense(block)
        stacked = np.column_stack([rows, np.ones(len(rows)), squared_norms(rows)]).astype(np.float32)
        return np.asarray(table.take((stacked @ lifted).astype(np.int32)))

    return values


def _largest_distance(X: Any, Z: NDArray[Any]) -> int | None:
    """A bound on ||x - z||^2 where all rows are whole numbers for which it is exact in single precision."""
    if Z.dtype != np.float32:
        return None
    entries = X.data if is_sparse(X) else X
    if not np.array_equal(entries, np.rint(entries)):
        return None
    reach = 2.0 * (
        float(np.max(squared_norms(X), initial=0.0)) + float(np.max(squared_norms(Z), initial=0.0))
    )
    largest = float(np.max(np.abs(entries), initial=0.0))
    # Every partial sum of the product stays below twice the sum of the two squares.
    small = reach < min(_LONGEST_TABLE, EXACT / 2) and largest * largest * max(1, X.shape[1]) <= EXACT
    return int(reach) if small else None
