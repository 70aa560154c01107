"""Products with the rows of X, and of rows with rows, in float64, so that float32 data are never widened whole.

Dense C-contiguous arrays and CSR share one path: a block of rows is taken, widened, multiplied, dropped. Rows that are
kept elsewhere, on the workers of a cluster, register their own products for their type.

Rows of small whole numbers (one-hot codes, counts, pixels) have inner products below 2^24, which single precision
holds exactly: products of rows with rows are then taken there, in half the time and without any rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.problem.conversion import is_mapped, is_sparse
from separatrix.threads import large_product
from separatrix.types import Vector

Gram = NDArray[np.float64]

# Entries of a block of rows: 2 MiB of float64 fit the second-level cache and amortise the call.
_BLOCK_ENTRIES = 1 << 18
# Entries of a block of CSR whose memory is used again: more, because each block costs a vector of d sums.
_REUSED_ENTRIES = 1 << 20
# CSR of at most so many entries, 32 MiB of float64, is widened whole for several products.
_WIDENED_ENTRIES = 1 << 22
# Share of rows with a coefficient up to which a copy of them beats a sweep over all rows.
_WORTH_PICKING = 0.35

#: Whole numbers up to here are floats of single precision.
EXACT = float(1 << 24)
# Nanoseconds that a sparse inner product takes without its terms, for each of its terms, and for a dense term in BLAS.
_SPARSE_COST, _SPARSE_TERM, _DENSE_TERM = 20.0, 4.0, 0.08
# Rows that are examined before all of them: most data show in these that they are not whole numbers.
_PROBED_ROWS = 4
# So few multiplications take less time than the choice of how to do them.
_FEW_MULTIPLICATIONS = 1 << 17
# Entries that may be made dense for inner products: 256 MiB of float64.
_DENSE_ENTRIES = 1 << 25


def rows_between(X: Any, start: int, stop: int) -> Any:
    """The rows start .. stop - 1 of a dense array or CSR, in the memory of X; SciPy's own slices of CSR are copies.

    >>> rows_between(np.eye(3), 1, 3)
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    if not is_sparse(X):
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
    n, csr = X.shape[0], is_sparse(X)
    entries = X.nnz if csr else X.size
    large = csr and reuse and not is_mapped(X)  # of a mapped file a block is not all that SciPy copies
    height = max(1, (_REUSED_ENTRIES if large else _BLOCK_ENTRIES) * n // max(1, entries))
    wide = np.empty(0)
    for start in range(0, n, height):
        rows = slice(start, min(n, start + height))
        if not csr:
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
    if not is_sparse(block):
        return block.T
    out: Any = sparse.csc_array((int(block.shape[1]), int(block.shape[0])), dtype=block.dtype)
    out.data, out.indices, out.indptr = block.data, block.indices, block.indptr
    return out


def _takes_few(coefficients: Vector) -> bool:
    """Return True if so few rows have a coefficient that their sum is sooner formed from a copy of them."""
    return bool(np.count_nonzero(coefficients) < _WORTH_PICKING * len(coefficients))


def _are_few(X: Any) -> bool:
    """Return True if X is CSR of few entries."""
    return is_sparse(X) and X.nnz <= _WIDENED_ENTRIES


def _is_wide_csr(X: Any) -> bool:
    """Return True if X is CSR in float64, which SciPy multiplies in one sweep without a copy."""
    return is_sparse(X) and X.dtype == np.float64


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


def inner_products(X: Any, Z: Any) -> Gram:
    """x_i.z_j in float64, shape (n, m).

    >>> inner_products(np.array([[1, 2]], dtype=np.float32), np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([[11.,  2.]])
    """
    few = X.shape[0] * Z.shape[0] * X.shape[1] <= _FEW_MULTIPLICATIONS
    if few and isinstance(X, np.ndarray) and isinstance(Z, np.ndarray) and X.dtype == Z.dtype == np.float64:
        return np.asarray(X @ Z.T)
    narrow = X.shape[1] * (_DENSE_TERM - _SPARSE_TERM * _density(X) * _density(Z)) < _SPARSE_COST
    if narrow and X.shape[1] * max(X.shape[0], Z.shape[0]) <= _DENSE_ENTRIES:
        same, X = Z is X, dense(X)
        Z = X if same else dense(Z)  # the same array is multiplied with itself, in half the time
        if X.dtype == Z.dtype:  # single precision here is exact, and double needs no blocks
            with large_product(X.size * Z.shape[0]):
                return np.asarray(X @ Z.T, dtype=np.float64)
    other = Z.astype(np.float64)
    out = np.empty((X.shape[0], Z.shape[0]))
    for rows, block in row_blocks(X):
        product = block @ other.T
        out[rows] = product.toarray() if is_sparse(product) else product
    return out


def dense(X: Any) -> NDArray[Any]:
    """X as a dense array: single precision where all inner products of its rows are exact in it, else double."""
    X = X.toarray() if is_sparse(X) else X
    probe = X[:_PROBED_ROWS]
    if not (probe == np.rint(probe)).all():
        return np.asarray(X, dtype=np.float64)
    single = X.astype(np.float32, copy=False)
    whole = bool(np.array_equal(single, np.rint(single)) and (single is X or np.array_equal(single, X)))
    largest = float(np.max(np.abs(single), initial=0.0)) if whole else np.inf
    # Both factors of a product are at most the root of 2^24 / d; partial sums are whole and below 2^24.
    exact = largest * largest * max(1, X.shape[1]) <= EXACT
    return np.asarray(single if exact else X, dtype=np.float32 if exact else np.float64)


def _density(X: Any) -> float:
    return X.nnz / max(1.0, float(np.prod(X.shape))) if is_sparse(X) else 1.0


def squared_norms(X: Any) -> Vector:
    """||x_i||^2 in float64, shape (n,).

    >>> squared_norms(np.array([[3.0, 4.0]]))
    array([25.])
    """
    if isinstance(X, np.ndarray) and X.dtype == np.float64:
        return np.asarray(np.einsum("ij,ij->i", X, X))
    out = np.empty(X.shape[0])
    for rows, block in row_blocks(X):
        squares = block.multiply(block) if is_sparse(block) else block * block
        out[rows] = np.asarray(squares.sum(axis=1)).ravel()
    return out
