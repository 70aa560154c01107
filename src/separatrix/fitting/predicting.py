"""Scores of new rows: against fitted planes, or against the support vectors of a kernel model.

planes    X coef^T + b                              float32 rows are never widened whole
surface   f(x) = sum_j c_j k(x, x_j) + b            over the support vectors
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.problem.conversion import is_sparse, to_dense
from separatrix.problem.kernels import Kernel
from separatrix.solvers.compiled import compiled_rows
from separatrix.solvers.smo.kernel_scores import kernel_scores
from separatrix.types import Matrix, Vector

_BLOCK = 1 << 20  # kernel values in memory at a time: 8 MiB


def raw_scores(X: Matrix, coef: Vector, intercept: Vector) -> Vector:
    """X coef^T + intercept, shape (n, number of problems), in float64.

    >>> raw_scores(np.array([[1.0, 2.0]]), np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([0.5, 0.0]))
    array([[3.5, 2. ]])
    """
    out = np.empty((X.shape[0], len(coef)))
    # Not by BLAS, which rounds differently for other numbers of rows: ties between classes would depend on the batch.
    compiled_rows(X).plane_scores(np.ascontiguousarray(coef, dtype=np.float64), out)
    out += intercept
    return out


def pair_votes(scores: Vector, n_classes: int) -> Vector:
    """Votes of each pair (i, j), i < j, for i where its score is above 0, else for j; shape (n, k).

    Ties are settled by the sum of the scores, squeezed into (-1/3, 1/3) so that it never outweighs a vote.

    >>> pair_votes(np.array([[2.0, 1.0, -0.5]]), 3).argmax(axis=1)
    array([0])
    """
    votes, sums = np.zeros((len(scores), n_classes)), np.zeros((len(scores), n_classes))
    pairs = [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]
    for (i, j), score in zip(pairs, scores.T, strict=True):
        votes[:, i] += score > 0
        votes[:, j] += score <= 0
        sums[:, i] += score
        sums[:, j] -= score
    return votes + sums / (3.0 * (np.abs(sums) + 1.0))


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

    def support_vectors(self) -> Any:
        """The support vectors; none, shape (0, 0), where the kernel is precomputed."""
        return np.empty((0, 0)) if self.vectors is None else self.vectors

    def scores(self, X: Any) -> Vector:
        """f of each row for each problem, shape (n, p), a block of rows at a time.

        >>> from separatrix.problem.kernels import Linear
        >>> rows, one = np.arange(1), np.array([0.5])
        >>> Surface(Linear(), np.array([[2.0]]), rows, np.array([[3.0]]), one).scores(np.array([[1.0]]))
        array([[6.5]])
        """
        if self.vectors is not None and is_sparse(X) == is_sparse(self.vectors):
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
        return to_dense(X[:, self.rows])
