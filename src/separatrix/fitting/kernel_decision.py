"""The separating surface of a kernel model: f(x) = sum_j c_j k(x, x_j) + b over the support vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.problem.kernels import Kernel
from separatrix.solvers.smo.kernel_scores import kernel_scores
from separatrix.types import Vector

_BLOCK = 1 << 20  # kernel values held at a time: 8 MiB


@dataclass(frozen=True, eq=False)
class Surface:
    """``vectors`` (s, d) are the support vectors, ``rows`` (s,) where they were in the training data.

    ``coefficients`` (s, p) has one column for each of p binary problems, ``intercept`` (p,) their biases. With a
    precomputed kernel new rows hold their kernel values with all training rows, and ``vectors`` is None.
    """

    kernel: Kernel
    vectors: Any
    rows: NDArray[np.intp]
    coefficients: Vector
    intercept: Vector
    n_threads: int = 1

    def scores(self, X: Any) -> Vector:
        """f of each row for each problem, shape (n, p), a block of rows at a time.

        >>> from separatrix.problem.kernels import Linear
        >>> rows, one = np.arange(1), np.array([0.5])
        >>> Surface(Linear(), np.array([[2.0]]), rows, np.array([[3.0]]), one).scores(np.array([[1.0]]))
        array([[6.5]])
        """
        if self.vectors is not None and bool(sparse.issparse(X)) == bool(sparse.issparse(self.vectors)):
            together = kernel_scores(self.kernel, X, self.vectors, self.coefficients, self.n_threads)
            return together + self.intercept
        out = np.empty((X.shape[0], len(self.intercept)))
        height = max(1, _BLOCK // max(1, len(self.rows)))
        for start in range(0, X.shape[0], height):
            block = slice(start, start + height)
            out[block] = self._values(X[block]) @ self.coefficients
        out += self.intercept
        return out

    def _values(self, X: Any) -> Vector:
        if self.vectors is not None:
            return self.kernel.matrix(X, self.vectors)
        part = X[:, self.rows]
        return np.asarray(part.toarray() if bool(sparse.issparse(part)) else part, dtype=np.float64)
