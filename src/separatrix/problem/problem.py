"""The soft-margin SVM as a plain record, in the space of the columns of X or of a kernel; several on the same rows.

    min_{w, b}  1/2 ||w||^2 [+ 1/2 b^2 if the bias is augmented] + sum_i C_i loss(y_i (w.phi(x_i) + b))

    max_alpha   sum_i dual_term(alpha_i) - 1/2 ||v||^2 [- 1/2 (sum_i alpha_i y_i)^2 if augmented]
    s.t.        0 <= alpha_i <= C_i (hinge) or 0 <= alpha_i (squared hinge);
                sum_i alpha_i y_i = 0 if the bias is free;           v = sum_i alpha_i y_i phi(x_i)

Without a kernel phi(x) = x. With one, w and v are known by their products with the rows alone (`spaces`).
Arrays arrive here checked (estimators do that) and are never copied to a wider type.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from separatrix.problem.conversion import is_sparse
from separatrix.problem.kernels import Kernel
from separatrix.problem.losses import Loss
from separatrix.problem.rows import scores, weighted_sum
from separatrix.problem.solution import Point
from separatrix.problem.spaces import KernelSpace, LinearSpace, Space
from separatrix.types import Bias, Index, Matrix, Vector


class OnRows:
    """A problem about the rows of X, in the space of its kernel."""

    X: Matrix
    kernel: Kernel | None

    @property
    def n_rows(self) -> int:
        """n."""
        return int(self.X.shape[0])

    @property
    def n_columns(self) -> int:
        """d; n where the kernel is precomputed."""
        return int(self.X.shape[1])

    @property
    def is_sparse(self) -> bool:
        """True if X is CSR."""
        return is_sparse(self.X)

    @cached_property
    def space(self) -> Space:
        """The space of the weights: everything that differs with and without a kernel."""
        return LinearSpace(self.X) if self.kernel is None else KernelSpace(self.X, self.kernel)


@dataclass(frozen=True, eq=False)
class Problem(OnRows):
    """Rows X (n, d), labels y (n,) of -1.0 and +1.0, cost C (n,) > 0 of each row, loss, bias, kernel (None: linear).

    With a precomputed kernel X is K itself, shape (n, n).

    >>> from separatrix.problem.kernels import Linear
    >>> from separatrix.problem.losses import HINGE
    >>> X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    >>> flat = Problem(X, y, np.ones(2), HINGE, "free")
    >>> lifted = Problem(X, y, np.ones(2), HINGE, "free", Linear())
    >>> alpha = np.array([0.5, 0.5])
    >>> flat.primal(np.array([1.0]), 0.0), flat.dual(alpha), lifted.dual(alpha)
    (0.5, 0.5, 0.5)
    """

    X: Matrix
    y: Vector
    C: Vector
    loss: Loss
    bias: Bias
    kernel: Kernel | None = None

    @property
    def upper(self) -> Vector:
        """Upper bound of each alpha (n,); infinity for the squared hinge."""
        return self.loss.upper(self.C)

    @property
    def zero(self) -> Point:
        """alpha = 0, which is always feasible."""
        return Point(np.zeros(self.n_rows))

    def scores(self, w: Vector, b: float) -> Vector:
        """w.x_i + b in float64, shape (n,); without a kernel."""
        return scores(self.X, w) + b

    def weighted_sum(self, alpha: Vector) -> Vector:
        """v = sum_i alpha_i y_i x_i in float64, shape (d,); without a kernel."""
        return weighted_sum(self.X, alpha * self.y)

    def primal(self, w: Vector, b: float) -> float:
        """Primal objective at (w, b); without a kernel."""
        return self.primal_value(float(w @ w), self.scores(w, b), b)

    def primal_value(self, square: float, f: Vector, b: float) -> float:
        """Primal objective where ||w||^2 and f_i = w.phi(x_i) + b are known."""
        penalty = square + (b * b if self.bias == "augmented" else 0.0)
        return 0.5 * penalty + float(self.C @ self.loss.values(self.y * f))

    def dual(self, alpha: Vector) -> float:
        """Dual objective at alpha; a lower bound on the optimum if alpha is feasible."""
        signed = alpha * self.y
        return self.dual_value(alpha, self.space.square(signed, self.space.combine(signed)))

    def dual_value(self, alpha: Vector, square: float) -> float:
        """Dual objective where ||v||^2 is known."""
        penalty = square + (float(alpha @ self.y) ** 2 if self.bias == "augmented" else 0.0)
        return self.loss.dual_total(alpha, self.C) - 0.5 * penalty

    def take(self, rows: Index) -> Problem:
        """The same problem on some of its rows (a copy of those rows)."""
        return replace(self, X=self.space.take(rows).X, y=self.y[rows], C=self.C[rows])


@dataclass(frozen=True, eq=False)
class ProblemSet(OnRows):
    """k problems on rows X (n, d) that share loss, bias and kernel: one for each class or pair, each C or each fold.

    signs (k, n) are +1 and -1, and 0 where a row takes no part in a problem; so is its cost in C (k, n).

    >>> from separatrix.problem.losses import HINGE
    >>> X, signs = np.array([[1.0], [-1.0], [3.0]]), np.array([[1, -1, 0], [-1, -1, 1]], dtype=np.int8)
    >>> problems = ProblemSet(X, signs, 2.0 * np.abs(signs), HINGE, "free")
    >>> len(problems), problems[0].y, problems[1].C
    (2, array([ 1., -1.]), array([2., 2., 2.]))
    """

    X: Matrix
    signs: NDArray[np.int8]
    C: Vector
    loss: Loss
    bias: Bias
    kernel: Kernel | None = None

    def __len__(self) -> int:
        return len(self.signs)

    def rows(self, index: int) -> NDArray[np.intp]:
        """The rows that take part in one of the problems."""
        return np.flatnonzero(self.signs[index])

    def __getitem__(self, index: int) -> Problem:
        y, rows = self.signs[index].astype(np.float64), self.rows(index)
        whole = Problem(self.X, y, self.C[index], self.loss, self.bias, self.kernel)
        return whole if len(rows) == self.n_rows else whole.take(rows)


def relative_gap(primal: float, dual: float) -> float:
    """(primal - dual) / primal, the number that `tol` bounds; not divided where primal is 0.

    At the optimum rounding may put the primal value a few units in the last place below the dual one, which is a gap of
    0. NaN where a value is none: it is within no tolerance.

    >>> relative_gap(2.0, 1.5), relative_gap(1.0, 1.0 + 1e-16), relative_gap(float("nan"), 1.0)
    (0.25, 0.0, nan)
    """
    gap = primal - dual
    if gap < 0:
        return 0.0
    return gap / primal if primal > 0 else gap
