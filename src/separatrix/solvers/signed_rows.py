"""The rows a_i = y_i (x_i, 1) of a problem, or of some of them, as a second-order solver reads them.

    margins  A z = y (X w + b)          pull  A^T c = sum_i c_i y_i (x_i, 1)

Few rows are copied into one dense float64 array. Many are read from the data block by block and widened there, so
that the extra memory stays a fraction of the data.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from separatrix.problem import Problem, row_blocks, scores, weighted_sum
from separatrix.problem.losses import Vector

Array = NDArray[np.float64]
_BLOCK_BYTES = 1 << 18  # a block and its scaled copy share the second-level cache
_ALWAYS_COPY = 1 << 25  # bytes that may be copied whatever the size of the data


class SignedRows:
    """A (n, D), y (n,), R (D,): D = d without a bias, d + 1 with one."""

    def __init__(self, problem: Problem, rows: NDArray[np.intp] | None = None) -> None:
        self.d = problem.n_columns
        self.has_bias, self.free_bias = problem.bias != "none", problem.bias == "free"
        self.D = self.d + self.has_bias
        self.R = np.ones(self.D)
        if self.free_bias:
            self.R[-1] = 0.0
        self.y = problem.y if rows is None else problem.y[rows]
        self.n = len(self.y)
        size = problem.X.data.nbytes + problem.X.indices.nbytes if problem.is_sparse else problem.X.nbytes
        self._A: Array | None = None
        if 8 * self.n * self.D <= max(_ALWAYS_COPY, 0.4 * size):
            self._A = self._dense(problem.X if rows is None else problem.X[rows])
        else:
            self._X = problem.X if rows is None else problem.X[rows]
        height = max(1, min(self.n, _BLOCK_BYTES // (8 * self.D)))
        self.scratch = np.empty((height, self.D))

    def _dense(self, X: NDArray[np.floating] | sparse.csr_array) -> Array:
        A = np.empty((self.n, self.D))
        if isinstance(X, np.ndarray):
            np.multiply(X, self.y[:, None], out=A[:, : self.d])
        else:
            for span, block in row_blocks(X):
                np.multiply(block.toarray(), self.y[span, None], out=A[span, : self.d])
        if self.has_bias:
            A[:, self.d] = self.y
        return A

    def margins(self, z: Vector) -> Vector:
        """A z, shape (n,)."""
        if self._A is not None:
            product: Vector = self._A @ z
            return product
        f = scores(self._X, z[: self.d])
        if self.has_bias:
            f += z[-1]
        f *= self.y
        return f

    def pull(self, c: Vector) -> Vector:
        """A^T c, shape (D,)."""
        if self._A is not None:
            product: Vector = c @ self._A
            return product
        yc = self.y * c
        v = weighted_sum(self._X, yc)
        return np.append(v, np.sum(yc)) if self.has_bias else v

    def take(self, rows: NDArray[np.intp]) -> Array:
        """Some rows of A as a dense array."""
        if self._A is not None:
            return self._A[rows]
        X = self._X[rows]
        A = np.empty((len(rows), self.D))
        A[:, : self.d] = X.toarray() if sparse.issparse(X) else X
        A[:, self.d :] = 1.0
        A *= self.y[rows, None]
        return A

    def blocks(self) -> Iterator[tuple[slice, Array, Array]]:
        """Consecutive blocks of A up to the signs of rows, each with scratch memory of its shape."""
        height = len(self.scratch)
        for begin in range(0, self.n, height):
            span = slice(begin, min(self.n, begin + height))
            scratch = self.scratch[: span.stop - begin]
            if self._A is not None:
                yield span, self._A[span], scratch
                continue
            X = self._X[span]
            scratch[:, : self.d] = X.toarray() if sparse.issparse(X) else X
            scratch[:, self.d :] = 1.0
            yield span, scratch, scratch

    def gram(self) -> Array:
        """Q = A_w A_w^T, with the column of the bias unless it is free; shape (n, n), both triangles."""
        Q = np.zeros((self.n, self.n), order="F")
        if self._A is not None:
            part = self._A[:, : self.d] if self.free_bias else self._A
            return np.asarray(part @ part.T, order="F")
        if sparse.issparse(self._X):
            for span, block in row_blocks(self._X):
                Q[:, span] = (self._X @ block.T).toarray()
        else:
            width = max(1, _ALWAYS_COPY // (8 * self.n))
            for begin in range(0, self.d, width):
                part = np.asarray(self._X[:, begin : begin + width], dtype=np.float64, order="F")
                Q = linalg.blas.dsyrk(1.0, part, beta=1.0, c=Q, overwrite_c=1, lower=1)
            Q += np.tril(Q, -1).T
        if self.has_bias and not self.free_bias:
            Q += 1.0
        Q *= self.y[:, None] * self.y
        return Q
