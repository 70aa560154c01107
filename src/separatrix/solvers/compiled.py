"""Rows as the compiled core reads them."""

from __future__ import annotations

import numpy as np

from separatrix import _core
from separatrix.types import Matrix


def compiled_rows(X: Matrix) -> _core.Rows:
    """The compiled core's view of X; the arrays are shared, not copied.

    >>> out = np.empty(2)
    >>> compiled_rows(np.array([[1.0, 2.0], [3.0, 4.0]])).scores(np.array([1.0, 10.0]), out)
    >>> out
    array([21., 43.])
    """
    if isinstance(X, np.ndarray):
        return _core.dense_rows(X)
    return _core.sparse_rows(X.data, X.indices, X.indptr, X.shape[1])
