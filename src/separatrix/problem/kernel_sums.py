"""Values of a kernel between rows of the same X, and sums of them, a block at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.problem.kernel_blocks import prepared
from separatrix.problem.kernels import Kernel
from separatrix.types import Vector

_BLOCK = 1 << 17  # kernel values held at a time: 1 MiB, which the cache holds,
_LEAST_ROWS = 32  # or as many as so many rows have


def gram(
    X: Any, kernel: Kernel, rows: NDArray[np.intp] | slice, others: NDArray[np.intp] | slice
) -> NDArray[np.float64]:
    """k(x_i, x_j) for i in ``rows`` (p,) and j in ``others`` (q,), float64, shape (p, q).

    With a precomputed kernel X is the matrix itself, shape (n, n).
    """
    if kernel.name == "precomputed":
        part = X[rows][:, others]
        return np.asarray(part.toarray() if bool(sparse.issparse(part)) else part, dtype=np.float64)
    return kernel.matrix(X[rows], X[others])


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
    height = max(_LEAST_ROWS, _BLOCK // len(support))
    for start in range(0, n, height):
        block = slice(start, min(start + height, n))
        if values is None:
            out[block] = gram(X, kernel, np.arange(block.start, block.stop), support) @ c
        else:
            out[block] = values(X[block]) @ c
    return out
