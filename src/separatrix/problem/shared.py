"""Spaces of problems that share their rows: what one product has computed for all of them is not computed again.

    SharedGram        the whole kernel matrix K (n, n) of rows of which a problem has some
    KnownProducts     X^T c and X w of one c and one w, from a product for many of them

Both give what `KernelSpace` and `LinearSpace` give. Asked about other coefficients than those that are known, they
compute.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.problem.rows import Gram
from separatrix.problem.spaces import LinearSpace
from separatrix.types import Index, Vector


@dataclass(frozen=True, eq=False)
class SharedGram:
    """The space of a kernel over the rows ``rows`` (m,) of those that K (n, n) is the matrix of.

    ``known`` is a c (m,) and K c at all n rows, where that has been computed.

    >>> space = SharedGram(np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]]), np.array([0, 2]))
    >>> space.combine(np.array([1.0, 10.0])), space.everywhere(np.array([1.0, 10.0]))
    (array([ 2., 20.]), array([ 2., 11., 20.]))
    """

    K: Gram
    rows: Index
    known: tuple[Vector, Vector] | None = None

    @property
    def dimension(self) -> int:
        """m: the rows alone span no more."""
        return len(self.rows)

    def everywhere(self, c: Vector) -> Vector:
        """The products of w with all n rows, those of other problems too."""
        if self.known is not None and np.array_equal(c, self.known[0]):
            return self.known[1]
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


@dataclass(frozen=True, eq=False)
class KnownProducts(LinearSpace):
    """The space of the columns of X (m, d), where X^T c and X w are known for this c and this w.

    >>> X, c, w = np.array([[1.0], [2.0]]), np.array([3.0, 4.0]), np.array([5.0])
    >>> space = KnownProducts(X, c, X.T @ c, w, X @ w)
    >>> space.combine_with(c, w), space.combine_with(2 * c, w)[0]
    ((array([11.]), array([5.]), array([ 5., 10.])), array([22.]))
    """

    c: Vector
    image: Vector
    w: Vector
    scores: Vector

    def combine_with(self, c: Vector, w: Vector | None) -> tuple[Vector, Vector, Vector]:
        """The image of c, w, and its products with the rows."""
        if w is not None and np.array_equal(c, self.c) and np.array_equal(w, self.w):
            return self.image, self.w, self.scores
        return super().combine_with(c, w)
