"""Rows as the compiled core reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from separatrix import _core


def compiled_rows(X: Any) -> _core.Rows:
    """The compiled core's view of X (n, d), dense or sparse, which every solver of the core takes.

    The arrays of a C-contiguous or CSR matrix of float32 or float64 are shared, others are copied. A CSR matrix
    is checked: an index out of range or starts that decrease are a ValueError.

    >>> out = np.empty(2)
    >>> compiled_rows(np.array([[1.0, 2.0], [3.0, 4.0]])).scores(np.array([1.0, 10.0]), out)
    >>> out
    array([21., 43.])
    """
    kept = np.float32 if X.dtype == np.float32 else np.float64
    is_sparse = bool(sparse.issparse(X))
    if not is_sparse:
        return _core.dense_rows(np.ascontiguousarray(X, dtype=kept))
    matrix: Any = X
    rows = matrix if matrix.format == "csr" else matrix.tocsr()
    index = np.int64 if np.int64 in (rows.indptr.dtype, rows.indices.dtype) else np.int32
    return _core.sparse_rows(
        np.ascontiguousarray(rows.data, dtype=kept),
        np.ascontiguousarray(rows.indices, dtype=index),
        np.ascontiguousarray(rows.indptr, dtype=index),
        rows.shape[1],
    )
