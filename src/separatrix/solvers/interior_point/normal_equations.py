"""The linear algebra of an interior-point step, on the side where it is smaller.

With rows a_i = y_i (x_i, 1) stacked in A (n, D), R = diag(1, ..., 1, r), r = 1 for the augmented and 0 for
the free bias, and positive weights theta (n,), every step solves

    R dz - A^T da     = p          z = (w, b)
    A dz + da / theta = g

Primal side, D x D:   (R + A^T Theta A) dz = p + A^T Theta g,     da = theta (g - A dz)
Gram side,   n x n:   (Q + Theta^-1) da + y db = g - A_w p_w,     dz_w = p_w + A_w^T da,     Q = A_w A_w^T

Vectors over rows are long: theta (g - A dz) is computed where it is needed, for a span of rows at a time.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from separatrix.solvers.interior_point.signed_rows import SignedRows
from separatrix.solvers.loop.protocol import FLOPS_PER_ENTRY
from separatrix.threads import large_product
from separatrix.types import Vector

Array = NDArray[np.float64]


class RightSide(Protocol):
    """g of the system above, with the theta that goes with it."""

    def plain(self) -> Vector:
        """g (n,)."""
        ...

    def weighted(self, span: slice, less: Vector) -> Vector:
        """theta (g - less) of the rows in a span; ``less`` may be changed."""
        ...


class LinearAlgebra(Protocol):
    """One side of the system above. ``rows`` holds A and R."""

    rows: SignedRows

    @property
    def work(self) -> float:
        """Of a step with one factorisation and a few solutions, in entries visited."""
        ...

    def factor(self, theta: Vector) -> None:
        """Prepare `solve` for these weights (n,) > 0."""
        ...

    def solve(self, p: Vector, g: RightSide, da: Vector) -> Vector:
        """dz (D,) of the system above; da (n,) is written to the array given."""
        ...

    def variances(self) -> Vector:
        """1 / M_jj, how loosely each z_j is held by the last weights, shape (D,)."""
        ...


def smaller_side(rows: SignedRows) -> LinearAlgebra:
    """The Gram side where there are fewer rows than columns, else the primal side."""
    return GramSide(rows) if rows.n < rows.D else PrimalSide(rows)


class PrimalSide:
    """Normal matrix R + A^T Theta A, D x D, by blocked SYRK; Cholesky after symmetric scaling."""

    def __init__(self, rows: SignedRows) -> None:
        self.rows = rows
        self._factor: Array = np.zeros((0, 0))
        self._scale: Vector = np.zeros(0)

    @property
    def work(self) -> float:
        """The normal matrix, its factor, and about eight passes."""
        n, D = self.rows.n, self.rows.D
        return (n * D * D + D**3 / 3) / FLOPS_PER_ENTRY + 8.0 * self.rows.entries

    def factor(self, theta: Vector) -> None:
        """One pass over the rows, D^2 n flops, and one Cholesky factorisation."""
        self._factor, self._scale = scaled_cholesky(self.rows.normal_matrix(theta))

    def solve(self, p: Vector, g: RightSide, da: Vector) -> Vector:
        """Two passes over the rows."""
        dz = back_substitute(self._factor, self._scale, p + weighted_pull(self.rows, g))
        write_da(self.rows, g, dz, da)
        return dz

    def variances(self) -> Vector:
        """The diagonal of the scaling, squared."""
        return self._scale**2


class GramSide:
    """Q = A_w A_w^T computed once, n x n; Cholesky of Q + Theta^-1 after symmetric scaling."""

    def __init__(self, rows: SignedRows) -> None:
        self.rows = rows
        self._Q = rows.gram()
        self._factor: Array = np.zeros((0, 0))
        self._scale: Vector = np.zeros(0)
        self._towards_bias: Vector = np.zeros(0)

    @property
    def work(self) -> float:
        """The factor and about eight passes."""
        return self.rows.n**3 / 3 / FLOPS_PER_ENTRY + 8.0 * self.rows.entries

    def factor(self, theta: Vector) -> None:
        """One Cholesky factorisation, n^3 / 3 flops."""
        M = self._Q.copy(order="F")
        M[np.diag_indices_from(M)] += 1.0 / theta
        self._factor, self._scale = scaled_cholesky(M)
        if self.rows.free_bias:
            self._towards_bias = back_substitute(self._factor, self._scale, self.rows.y)

    def solve(self, p: Vector, g: RightSide, da: Vector) -> Vector:
        """Two passes over the rows."""
        rows, y = self.rows, self.rows.y
        inner = p.copy()
        if rows.free_bias:
            inner[-1] = 0.0
        da[:] = back_substitute(self._factor, self._scale, g.plain() - rows.margins(inner))
        db = 0.0
        if rows.free_bias:
            # y.da = -p_b closes the system: da = da_0 - db (Q + Theta^-1)^-1 y
            db = (float(y @ da) + p[-1]) / float(y @ self._towards_bias)
            da -= db * self._towards_bias
        dz = inner + rows.pull(da)
        if rows.free_bias:
            dz[-1] = db
        return dz

    def variances(self) -> Vector:
        """Bounded by the penalty alone."""
        return np.ones(self.rows.D)


def weighted_pull(rows: SignedRows, g: RightSide) -> Vector:
    """A^T Theta g, shape (D,)."""
    total = np.zeros(rows.D)
    for span in rows.spans:
        total += rows.pull(g.weighted(span, np.zeros(span.stop - span.start)), span)
    return total


def write_da(rows: SignedRows, g: RightSide, dz: Vector, da: Vector) -> None:
    """da = theta (g - A dz), shape (n,)."""
    for span in rows.spans:
        da[span] = g.weighted(span, rows.margins(dz, span))


def scaled_cholesky(M: Array) -> tuple[Array, Vector]:
    """L and s with L L^T = diag(s) M diag(s), of unit diagonal; the lower triangle of M is read and lost.

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
        with large_product(len(M) ** 3 / 6):
            factor, info = linalg.lapack.dpotrf(work, lower=1, clean=0)
        if info == 0 and np.isfinite(factor[-1, -1]):
            return factor, scale
        boost = max(1e-15, 100.0 * boost)
        if not boost < 1.0:
            raise np.linalg.LinAlgError("the normal matrix is not finite")


def back_substitute(factor: Array, scale: Vector, rhs: Vector) -> Vector:
    """M^-1 rhs from the factors of `scaled_cholesky`."""
    solution: Any = linalg.lapack.dpotrs(factor, scale * rhs, lower=1)[0]
    result: Vector = scale * solution
    return result
