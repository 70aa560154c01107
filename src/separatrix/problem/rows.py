"""Products with the rows of X in float64, block by block, so that float32 data are never widened whole.

Dense C-contiguous arrays and CSR share one path: a block of rows is taken, widened, multiplied, dropped. Rows that are
kept elsewhere, on the workers of a cluster, register their own products for their type.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import Any

import numpy as np
from scipy import sparse

from separatrix.problem.mapped import is_mapped
from separatrix.types import Vector

_BLOCK_ENTRIES = 1 << 18  # 2 MiB of float64: fits the second-level cache and amortises the call
_REUSED_ENTRIES = 1 << 20  # larger where their memory is paid for once: each block costs a vector of d sums
_WIDENED_ENTRIES = 1 << 22  # 32 MiB of float64: so few are widened whole for several products
_WORTH_PICKING = 0.35  # share of rows with a coefficient up to which a copy of them beats a sweep over all


def rows_between(X: Any, start: int, stop: int) -> Any:
    """The rows start .. stop - 1 of a dense array or CSR, in the memory of X; SciPy's own slices of CSR are copies.

    >>> rows_between(np.eye(3), 1, 3)
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    if not bool(sparse.issparse(X)):
        return X[start:stop]
    begin, end = X.indptr[start], X.indptr[stop]
    part: Any = sparse.csr_array((stop - start, int(X.shape[1])), dtype=X.dtype)
    # Set directly: the constructor would read all indices again to choose their type.
    part.data, part.indices = X.data[begin:end], X.indices[begin:end]
    part.indptr = X.indptr[start : stop + 1] - begin
    return part


def row_blocks(X: Any, *, reuse: bool = False) -> Iterator[tuple[slice, Any]]:
    """Consecutive blocks of rows as ``(slice, block)``; the block is float64, dense or CSR.

    ``reuse=True`` widens every block in the same memory: it may not be kept when the next one is asked for.
    Fresh pages cost about as much as the widening itself.
    """
    n, is_sparse = X.shape[0], bool(sparse.issparse(X))
    entries = X.nnz if is_sparse else X.size
    large = is_sparse and reuse and not is_mapped(X)  # of a mapped file a block is not all that SciPy copies
    height = max(1, (_REUSED_ENTRIES if large else _BLOCK_ENTRIES) * n // max(1, entries))
    wide = np.empty(0)
    for start in range(0, n, height):
        rows = slice(start, min(n, start + height))
        if not is_sparse:
            if reuse and X.dtype != np.float64:
                wide = np.empty((height, *X.shape[1:])) if start == 0 else wide
                wide[: rows.stop - start] = X[rows]
                yield rows, wide[: rows.stop - start]
            else:
                yield rows, np.asarray(X[rows], dtype=np.float64)
            continue
        block = rows_between(X, rows.start, rows.stop)
        if block.dtype != np.float64:
            if not reuse:
                wide = np.empty(block.nnz)
            elif len(wide) < block.nnz:
                wide = np.empty(block.nnz + block.nnz // 4)
            narrow, block.data = block.data, wide[: block.nnz]
            block.data[:] = narrow
        yield rows, block


def widened(X: Any, coefficients: Vector) -> Any:
    """CSR of few float32 entries in float64, for X^T c and other products; anything else as it is.

    As it is too where few rows have a coefficient: `weighted_sum` then widens those alone.

    >>> X = sparse.csr_array(np.eye(3, dtype=np.float32))
    >>> widened(X, np.ones(3)).dtype, widened(X, np.array([0.0, 0.0, 1.0])).dtype
    (dtype('float64'), dtype('float32'))
    """
    if not _are_few(X) or X.dtype == np.float64 or _takes_few(coefficients):
        return X
    wide = rows_between(X, 0, int(X.shape[0]))
    wide.data = wide.data.astype(np.float64)
    return wide


def _transposed(block: Any) -> Any:
    """block^T in the memory of the block; SciPy's own copies what is a view of a much larger array."""
    if not bool(sparse.issparse(block)):
        return block.T
    out: Any = sparse.csc_array((int(block.shape[1]), int(block.shape[0])), dtype=block.dtype)
    out.data, out.indices, out.indptr = block.data, block.indices, block.indptr
    return out


def _takes_few(coefficients: Vector) -> bool:
    """Whether so few rows have a coefficient that their sum is sooner formed from a copy of them."""
    return bool(np.count_nonzero(coefficients) < _WORTH_PICKING * len(coefficients))


def _are_few(X: Any) -> bool:
    """Whether X is CSR of few entries."""
    return bool(sparse.issparse(X)) and X.nnz <= _WIDENED_ENTRIES


def _is_wide_csr(X: Any) -> bool:
    """Whether X is CSR in float64, which SciPy multiplies in one sweep without a copy."""
    return bool(sparse.issparse(X)) and X.dtype == np.float64


@singledispatch
def scores(X: Any, w: Vector) -> Vector:
    """X w, shape (n,), in float64 whatever the type of X; (n, k) where w is (d, k).

    >>> scores(np.array([[1, 2], [3, 4]], dtype=np.float32), np.array([1.0, 10.0]))
    array([21., 43.])
    """
    if _is_wide_csr(X):
        return np.asarray(X @ w, dtype=np.float64)
    out = np.empty((X.shape[0], *w.shape[1:]))
    for rows, block in row_blocks(X, reuse=True):
        out[rows] = block @ w
    return out


@singledispatch
def weighted_sum(X: Any, coefficients: Vector) -> Vector:
    """X^T c, shape (d,), in float64 whatever the type of X; (d, k) where c is (n, k).

    >>> weighted_sum(np.array([[1, 2], [3, 4]], dtype=np.float32), np.array([1.0, 10.0]))
    array([31., 42.])
    """
    if coefficients.ndim == 1 and _are_few(X) and not is_mapped(X) and _takes_few(coefficients):
        used = np.flatnonzero(coefficients)
        coefficients = coefficients[used]
        X = widened(X[used], coefficients)
    if _is_wide_csr(X):
        return np.asarray(_transposed(X) @ coefficients, dtype=np.float64)
    out = np.zeros((X.shape[1], *coefficients.shape[1:]))
    for rows, block in row_blocks(X, reuse=True):
        out += _transposed(block) @ coefficients[rows]
    return out


def sum_and_scores(X: Any, coefficients: Vector, w: Vector) -> tuple[Vector, Vector]:
    """X^T c and X w, shapes (d,) and (n,): dense rows are read, and widened, once for both.

    >>> sum_and_scores(np.array([[1, 2], [3, 4]], dtype=np.float32), np.array([1.0, 10.0]), np.array([1.0, 10.0]))
    (array([31., 42.]), array([21., 43.]))
    """
    if not isinstance(X, np.ndarray):
        return weighted_sum(X, coefficients), scores(X, w)
    total, product = np.zeros(X.shape[1]), np.empty(X.shape[0])
    for rows, block in row_blocks(X, reuse=True):
        total += block.T @ coefficients[rows]
        np.matmul(block, w, out=product[rows])
    return total, product
