"""The two spaces that a problem may live in: the columns of X, or the space of a kernel.

                       LinearSpace          KernelSpace
    row i              x_i                  phi(x_i), never built
    combine(c)         w = X^T c            F = K c, the products of w = sum_j c_j phi(x_j) with all rows
    products(image)    X w                  F itself
    square(c, image)   w.w                  c.F

`combine` gives the *image* of coefficients c: an array that stands for the vector w = sum_j c_j phi(x_j). In the
linear space that is w, in the space of a kernel F, which is all that is ever needed of w. Coefficients may be (n,) or
(n, k), one column for each of k vectors. Everything else about a problem is the same in both spaces.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from separatrix.problem.kernel_values import gram, kernel_sums
from separatrix.problem.kernels import Kernel
from separatrix.problem.rows import inner_products, scores, sum_and_scores, weighted_sum, widened
from separatrix.types import Index, Matrix, Vector

# So many kernel values are computed at once rather than in blocks: 1 MiB of float64.
_AT_ONCE = 1 << 17
# The whole kernel matrix is kept if it has at most so many values, 1 MiB of float64, and they are slow to compute.
_KEPT_VALUES = 1 << 17
# Kernel values are slow to compute from rows of at least so many columns,
_SLOW_COLUMNS = 64
# and where the kernel is none of these, which compiled code computes.
_COMPILED_KERNELS = frozenset({"linear", "poly", "rbf", "sigmoid", "laplacian"})
# A change of fewer than this part of the rows is added to a known image sooner than the image is computed anew.
_FEW_ROWS = 1 / 8
# In the space of a kernel the image costs as many kernel values for each row with a coefficient: the part is of those.
_FEW_SUPPORT_ROWS = 1 / 4


@dataclass(frozen=True, eq=False)
class LinearSpace:
    """The space of the columns of X (n, d), where w is at hand.

    >>> space = LinearSpace(np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> c = np.array([1.0, 10.0])
    >>> w = space.combine(c)
    >>> w, space.products(w), space.square(c, w)
    (array([31., 42.]), array([115., 261.]), 2725.0)
    """

    X: Matrix

    @property
    def dimension(self) -> int:
        """d."""
        return int(self.X.shape[1])

    def combine(self, c: Vector) -> Vector:
        """w = X^T c in float64, shape (d,) or (d, k)."""
        return weighted_sum(self.X, c)

    def combine_with(self, c: Vector, w: Vector | None) -> tuple[Vector, Vector, Vector]:
        """The image of c, the image of a proposed w (None: that of c), and the latter's products with the rows.

        Rows in single precision are widened once for all of it.
        """
        X = widened(self.X, c)
        if w is None or w.shape != X.shape[1:] or not np.isfinite(w).all():
            image = weighted_sum(X, c)
            return image, image, scores(X, image)
        image, products = sum_and_scores(X, c, w)
        return image, w, products

    def products(self, image: Vector) -> Vector:
        """X w in float64, shape (n,) or (n, k)."""
        return scores(self.X, image)

    def square(self, c: Vector, image: Vector) -> float:
        """||w||^2."""
        return float(np.vdot(image, image))

    def moved(self, image: Vector, old: Vector, new: Vector) -> Vector:
        """The image of the coefficients ``new`` where that of ``old`` is known."""
        rows = np.flatnonzero(new != old)
        if not len(rows):
            return image
        if len(rows) > _FEW_ROWS * len(old):
            return self.combine(new)
        return image + weighted_sum(self.X[rows], (new - old)[rows])

    def vector(self, image: Vector) -> Vector | None:
        """w itself."""
        return image

    def gram(self, rows: Index | slice, others: Index | slice) -> NDArray[np.float64]:
        """x_i.x_j for i in ``rows`` (p,) and j in ``others`` (q,), float64, shape (p, q)."""
        return inner_products(self.X[rows], self.X[others])

    def take(self, rows: Index) -> LinearSpace:
        """The same space with some of its rows (a copy of those rows)."""
        return LinearSpace(self.X[rows])


@dataclass(frozen=True, eq=False)
class KernelSpace:
    """The space of a kernel over the rows of X (n, d); with a precomputed kernel X is K itself, (n, n).

    >>> from separatrix.problem.kernels import Linear
    >>> space = KernelSpace(np.array([[1.0, 2.0], [3.0, 4.0]]), Linear())
    >>> c = np.array([1.0, 10.0])
    >>> F = space.combine(c)
    >>> F, space.square(c, F)
    (array([115., 261.]), 2725.0)
    """

    X: Matrix
    kernel: Kernel

    @property
    def dimension(self) -> int:
        """n: the rows alone span no more."""
        return int(self.X.shape[0])

    @cached_property
    def matrix(self) -> NDArray[np.float64] | None:
        """The whole of K, computed once and read-only, where its values are few and slow to compute; else None.

        >>> from separatrix.problem.kernels import Linear
        >>> KernelSpace(np.array([[2.0] * 64, [-1.0] * 64]), Linear()).matrix
        array([[ 256., -128.],
               [-128.,   64.]])
        """
        n, d = self.X.shape
        fast = self.kernel.name in _COMPILED_KERNELS and d < _SLOW_COLUMNS
        if self.kernel.name == "precomputed" or n * n > _KEPT_VALUES or fast:
            return None
        K = self.kernel.matrix(self.X, self.X).view()  # a function may have returned an array that it keeps
        K.flags.writeable = False
        return K

    def combine(self, c: Vector) -> Vector:
        """F = K c in float64, of the shape of c."""
        support = np.flatnonzero(c if c.ndim == 1 else c.any(axis=1))
        if self.matrix is not None or len(c) * len(support) <= _AT_ONCE:
            return np.asarray(self.gram(slice(None), support) @ c[support])
        return kernel_sums(self.X, self.kernel, c)

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
        change = new - old
        changed = np.count_nonzero(change)
        if not changed:
            return image
        if changed > _FEW_SUPPORT_ROWS * np.count_nonzero(new):
            return self.combine(new)
        return image + self.combine(change)

    def vector(self, image: Vector) -> Vector | None:
        """None: w is never built."""
        return None

    def gram(self, rows: Index | slice, others: Index | slice) -> NDArray[np.float64]:
        """k(x_i, x_j) for i in ``rows`` (p,) and j in ``others`` (q,), float64, shape (p, q)."""
        if self.matrix is not None:
            return self.matrix[rows][:, others]
        return gram(self.X, self.kernel, rows, others)

    def take(self, rows: Index) -> KernelSpace:
        """The same space with some of its rows (a copy of those rows)."""
        part = self.X[rows]
        return KernelSpace(part[:, rows] if self.kernel.name == "precomputed" else part, self.kernel)


Space: TypeAlias = LinearSpace | KernelSpace
