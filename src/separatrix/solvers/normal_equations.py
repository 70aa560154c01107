"""The linear algebra of an interior-point step, on the side where it is smaller.

With A = diag(y) [X 1] (no column of ones without a bias), R = diag(1, ..., 1, r), r = 1 for the augmented and
0 for the free bias, and positive weights theta (n,), every step solves

    R dz - A^T da     = p          z = (w, b)
    A dz + da / theta = g

Primal side, D x D:   (R + A^T Theta A) dz = p + A^T Theta g,            da = theta (g - A dz)
Gram side,   n x n:   (Q + Theta^-1) da + y db = g - A_w p_w,            dz_w = p_w + A_w^T da,   Q = A_w A_w^T

Rows are read in blocks and widened to float64 there, so float32 or sparse data are never copied whole.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from separatrix.problem import Problem, row_blocks, scores, weighted_sum
from separatrix.problem.losses import Vector

Array = NDArray[np.float64]


class LinearAlgebra(Protocol):
    """What an interior-point method needs to know of A and R."""

    def margins(self, z: Vector) -> Vector:
        """A z, shape (n,): y_i (w.x_i + b)."""
        ...

    def pull(self, c: Vector) -> Vector:
        """A^T c, shape (D,)."""
        ...

    def penalise(self, z: Vector) -> Vector:
        """R z, shape (D,)."""
        ...

    def factor(self, theta: Vector) -> None:
        """Prepare `solve` for these weights (n,) > 0."""
        ...

    def solve(self, p: Vector, g: Vector) -> tuple[Vector, Vector, Vector]:
        """dz (D,), A dz (n,) and da (n,) of the system above."""
        ...


class _Augmented:
    """Products with A and R, shared by both sides."""

    def __init__(self, problem: Problem) -> None:
        self.X, self.y, self.d = problem.X, problem.y, problem.n_columns
        self.has_bias = problem.bias != "none"
        self.D = self.d + self.has_bias
        self.R = np.ones(self.D)
        if problem.bias == "free":
            self.R[-1] = 0.0

    def margins(self, z: Vector) -> Vector:
        f = scores(self.X, z[: self.d])
        if self.has_bias:
            f += z[-1]
        f *= self.y
        return f

    def pull(self, c: Vector) -> Vector:
        yc = self.y * c
        v = weighted_sum(self.X, yc)
        return np.append(v, np.sum(yc)) if self.has_bias else v

    def penalise(self, z: Vector) -> Vector:
        return self.R * z


class PrimalSide(_Augmented):
    """Normal matrix R + A^T Theta A, D x D, by blocked SYRK; Cholesky after symmetric scaling."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self._factor: Array = np.zeros((0, 0))
        self._scale: Vector = np.zeros(0)
        self._theta: Vector = np.zeros(0)

    def factor(self, theta: Vector) -> None:
        self._theta = theta
        D, d = self.D, self.d
        M = np.zeros((D, D), order="F")
        root = np.sqrt(theta)
        for rows, block in row_blocks(self.X):
            dense = block.toarray() if sparse.issparse(block) else block
            W = np.empty((dense.shape[0], D))
            np.multiply(dense, root[rows, None], out=W[:, :d])
            if self.has_bias:
                W[:, d] = root[rows]
            M = linalg.blas.dsyrk(1.0, W.T, beta=1.0, c=M, overwrite_c=1, lower=1)
        M[np.diag_indices(D)] += self.R
        self._factor, self._scale = scaled_cholesky(M)

    def solve(self, p: Vector, g: Vector) -> tuple[Vector, Vector, Vector]:
        rhs = p + self.pull(self._theta * g)
        dz = self._scale * linalg.cho_solve((self._factor, True), self._scale * rhs, check_finite=False)
        Adz = self.margins(dz)
        return dz, Adz, self._theta * (g - Adz)


class GramSide(_Augmented):
    """Kernel matrix Q = A_w A_w^T computed once, n x n; Cholesky of Q + Theta^-1 after symmetric scaling."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.free = problem.bias == "free"
        n, y = problem.n_rows, problem.y
        K = np.zeros((n, n), order="F")
        if problem.is_sparse:
            for rows, block in row_blocks(self.X):
                K[:, rows] = (self.X @ block.T).toarray()
        else:
            width = max(1, (1 << 18) // n)
            for begin in range(0, self.d, width):
                part = np.asarray(self.X[:, begin : begin + width], dtype=np.float64, order="F")
                K = linalg.blas.dsyrk(1.0, part, beta=1.0, c=K, overwrite_c=1, lower=1)
            K = np.tril(K) + np.tril(K, -1).T
        if problem.bias == "augmented":
            K += 1.0
        K *= y[:, None] * y
        self._Q = np.asfortranarray(K)
        self._factor: Array = np.zeros((0, 0))
        self._scale: Vector = np.zeros(0)
        self._towards_bias: Vector = np.zeros(0)

    def factor(self, theta: Vector) -> None:
        M = self._Q.copy(order="F")
        M[np.diag_indices_from(M)] += 1.0 / theta
        self._factor, self._scale = scaled_cholesky(M)
        if self.free:
            self._towards_bias = self._solve(self.y)

    def _solve(self, rhs: Vector) -> Vector:
        x: Vector = self._scale * linalg.cho_solve(
            (self._factor, True), self._scale * rhs, check_finite=False
        )
        return x

    def solve(self, p: Vector, g: Vector) -> tuple[Vector, Vector, Vector]:
        inner = p.copy()
        if self.free:
            inner[-1] = 0.0
        da = self._solve(g - self.margins(inner))
        db = 0.0
        if self.free:
            # y.da = -p_b closes the system: da = da_0 - db * (Q + Theta^-1)^-1 y
            db = (float(self.y @ da) + p[-1]) / float(self.y @ self._towards_bias)
            da -= db * self._towards_bias
        dz = inner + self.pull(da)
        if self.free:
            dz[-1] = db
        return dz, self.margins(dz), da


def scaled_cholesky(M: Array) -> tuple[Array, Vector]:
    """L and s with L L^T = diag(s) M diag(s), unit diagonal up to rounding; M (lower triangle) is overwritten.

    Scaling makes the factorisation independent of the units of the columns. Where M is singular to working
    precision a multiple of the identity, as small as succeeds, is added to the scaled matrix.

    >>> L, s = scaled_cholesky(np.array([[4.0, 0.0], [0.0, 1e-20]], order="F"))
    >>> s * L.diagonal()
    array([5.e-01, 1.e+10])
    """
    diagonal = M.diagonal().copy()
    scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    M *= scale[:, None]
    M *= scale
    boost = 0.0
    while True:
        work = M if boost == 0.0 else M + boost * np.eye(len(M))
        factor, info = linalg.lapack.dpotrf(work, lower=1, clean=0)
        if info == 0:
            return factor, scale
        boost = max(1e-15, 100.0 * boost)
        if not boost < 1.0:
            raise np.linalg.LinAlgError("the normal matrix is not finite")
