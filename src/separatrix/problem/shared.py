"""The space of a problem that has some of the rows whose kernel matrix is known: it gives what `KernelSpace` gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.problem.rows import Gram
from separatrix.types import Index, Vector


@dataclass(frozen=True, eq=False)
class SharedGram:
    """The space of a kernel over the rows ``rows`` (m,) of those that K (n, n) is the matrix of.

    >>> space = SharedGram(np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]]), np.array([0, 2]))
    >>> space.combine(np.array([1.0, 10.0])), space.everywhere(np.array([1.0, 10.0]))
    (array([ 2., 20.]), array([ 2., 11., 20.]))
    """

    K: Gram
    rows: Index

    @property
    def dimension(self) -> int:
        """m: the rows alone span no more."""
        return len(self.rows)

    def everywhere(self, c: Vector) -> Vector:
        """The products of w with all n rows, those of other problems too."""
        support = np.flatnonzero(c)
        if 4 * len(support) < len(self.K):
            return np.asarray(
                c[support] @ self.K[self.rows[support]]
            )  # K is symmetric, and its rows are side by side
        whole = np.zeros(len(self.K))
        whole[self.rows] = c
        return np.asarray(self.K @ whole)

    def combine(self, c: Vector) -> Vector:
        """F = K c at the rows of this problem, shape (m,)."""
        return self.everywhere(c)[self.rows]

    def combine_with(self, c: Vector, w: Vector | None) -> tuple[Vector, Vector, Vector]:
        """The image of c three times: here no w can be proposed that does not follow from c."""
        image = self.combine(c)
        return image, image, image

    def products(self, image: Vector) -> Vector:
        """F itself."""
        return image

    def square(self, c: Vector, image: Vector) -> float:
        """||w||^2 = c.F."""
        return float(np.vdot(c, image))

    def moved(self, image: Vector, old: Vector, new: Vector) -> Vector:
        """The image of the coefficients ``new`` where that of ``old`` is known."""
        change = np.flatnonzero(new != old)
        if not len(change):
            return image
        return np.asarray(image + self.gram(slice(None), change) @ (new - old)[change])

    def vector(self, image: Vector) -> Vector | None:
        """None: w is never built."""
        return None

    def gram(self, rows: Index | slice, others: Index | slice) -> Gram:
        """k(x_i, x_j) for i in ``rows`` (p,) and j in ``others`` (q,), shape (p, q)."""
        return self.K[np.ix_(self.rows[rows], self.rows[others])]

    def take(self, rows: Index) -> SharedGram:
        """The same space with some of its rows."""
        return SharedGram(self.K, self.rows[rows])
