"""Inner products of rows with rows in float64, by BLAS where that is faster, without widening X as a whole.

Rows of small whole numbers (one-hot codes, counts, pixels) have inner products below 2^24, which single
precision holds exactly: the product is then taken there, in half the time and without any rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.problem.rows import row_blocks
from separatrix.types import Vector

Gram = NDArray[np.float64]

EXACT = float(1 << 24)  # whole numbers up to here are floats of single precision
_SPARSE_COST = 20.0  # nanoseconds of a sparse product beside its terms; 4 a term there, 0.08 in BLAS
_PROBE = 4  # rows
_FEW = 1 << 17  # products that take less time than the choice of how
_LARGEST = 1 << 25  # entries that may be made dense: 256 MiB


def inner_products(X: Any, Z: Any) -> Gram:
    """x_i.z_j in float64, shape (n, m).

    >>> inner_products(np.array([[1, 2]], dtype=np.float32), np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([[11.,  2.]])
    """
    few = X.shape[0] * Z.shape[0] * X.shape[1] <= _FEW
    if few and isinstance(X, np.ndarray) and isinstance(Z, np.ndarray) and X.dtype == Z.dtype == np.float64:
        return np.asarray(X @ Z.T)
    narrow = X.shape[1] * (0.08 - 4.0 * _density(X) * _density(Z)) < _SPARSE_COST
    if narrow and X.shape[1] * max(X.shape[0], Z.shape[0]) <= _LARGEST:
        same, X = Z is X, dense(X)
        Z = X if same else dense(Z)  # the same array is multiplied with itself, in half the time
        if X.dtype == Z.dtype:  # single precision here is exact, and double needs no blocks
            return np.asarray(X @ Z.T, dtype=np.float64)
    other = Z.astype(np.float64)
    out = np.empty((X.shape[0], Z.shape[0]))
    for rows, block in row_blocks(X):
        product = block @ other.T
        out[rows] = product.toarray() if bool(sparse.issparse(product)) else product
    return out


def dense(X: Any) -> NDArray[Any]:
    """X as a dense array: single precision where all inner products of its rows are exact in it, else double."""
    is_sparse = bool(sparse.issparse(X))
    X = X.toarray() if is_sparse else X
    probe = X[:_PROBE]
    if not (probe == np.rint(probe)).all():  # most data are told by their first rows
        return np.asarray(X, dtype=np.float64)
    single = X.astype(np.float32, copy=False)
    whole = bool(np.array_equal(single, np.rint(single)) and (single is X or np.array_equal(single, X)))
    largest = float(np.max(np.abs(single), initial=0.0)) if whole else np.inf
    # Both factors of a product are at most the root of 2^24 / d; partial sums are whole and below 2^24.
    exact = largest * largest * max(1, X.shape[1]) <= EXACT
    return np.asarray(single if exact else X, dtype=np.float32 if exact else np.float64)


def _density(X: Any) -> float:
    is_sparse = bool(sparse.issparse(X))
    return X.nnz / max(1.0, float(np.prod(X.shape))) if is_sparse else 1.0


def squared_norms(X: Any) -> Vector:
    """||x_i||^2 in float64, shape (n,).

    >>> squared_norms(np.array([[3.0, 4.0]]))
    array([25.])
    """
    if isinstance(X, np.ndarray) and X.dtype == np.float64:
        return np.asarray(np.einsum("ij,ij->i", X, X))
    out = np.empty(X.shape[0])
    for rows, block in row_blocks(X):
        is_sparse = bool(sparse.issparse(block))
        squares = block.multiply(block) if is_sparse else block * block
        out[rows] = np.asarray(squares.sum(axis=1)).ravel()
    return out
