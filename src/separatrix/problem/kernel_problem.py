"""The soft-margin SVM in the space of a kernel, as a plain record.

    min_{w, b}  1/2 ||w||^2 [+ 1/2 b^2 if the bias is augmented] + sum_i C_i loss(y_i (w.phi(x_i) + b))

    max_alpha   sum_i dual_term(alpha_i) - 1/2 (alpha y).F [- 1/2 (sum_i alpha_i y_i)^2 if augmented]
    s.t.        0 <= alpha_i <= C_i (hinge) or 0 <= alpha_i (squared hinge);
                sum_i alpha_i y_i = 0 if the bias is free;           F = K (alpha y),  K_ij = k(x_i, x_j)

w = sum_j c_j phi(x_j) is never built: F = K c holds all its products with the rows, and ||w||^2 = c.F. At a
solution c = alpha y. `Problem` is the same with k(x, z) = x.z and w at hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.problem.kernel_sums import gram, kernel_sums
from separatrix.problem.kernels import Kernel
from separatrix.problem.losses import Loss
from separatrix.types import Bias, Matrix, Vector

_KEPT = 1 << 17  # kernel values that are kept if they are all: 1 MiB
_DEAR = 64  # columns so many that no value should be computed twice, as with kernels other than
_FORMULAS = frozenset({"linear", "poly", "rbf", "sigmoid", "laplacian"})  # which compiled code computes too


@dataclass(frozen=True, eq=False)
class KernelProblem:
    """Rows X (n, d), labels y (n,) of -1.0 and +1.0, cost C (n,) > 0 of each row, loss, bias and kernel.

    With a precomputed kernel X is K itself, shape (n, n).

    >>> from separatrix.problem.kernels import Linear
    >>> from separatrix.problem.losses import HINGE
    >>> X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    >>> problem = KernelProblem(X, y, np.ones(2), HINGE, "free", Linear())
    >>> alpha = np.array([0.5, 0.5])
    >>> F = problem.scores(alpha * y)
    >>> problem.primal(alpha * y, F, 0.0), problem.dual(alpha, F)
    (0.5, 0.5)
    """

    X: Matrix
    y: Vector
    C: Vector
    loss: Loss
    bias: Bias
    kernel: Kernel

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
        """Whether X is CSR."""
        return sparse.issparse(self.X)

    @property
    def upper(self) -> Vector:
        """Upper bound of each alpha (n,); infinity for the squared hinge."""
        return self.loss.upper(self.C)

    @cached_property
    def matrix(self) -> NDArray[np.float64] | None:
        """The whole of K, computed once and read-only, where rows are few and their values dear; else None.

        >>> from separatrix.problem.kernels import Linear
        >>> from separatrix.problem.losses import HINGE
        >>> X, y = np.array([[2.0] * 64, [-1.0] * 64]), np.array([1.0, -1.0])
        >>> KernelProblem(X, y, np.ones(2), HINGE, "free", Linear()).matrix
        array([[ 256., -128.],
               [-128.,   64.]])
        """
        n, d = self.X.shape
        cheap = self.kernel.name in _FORMULAS and d < _DEAR
        if self.kernel.name == "precomputed" or n * n > _KEPT or cheap:
            return None
        K = self.kernel.matrix(self.X, self.X).view()  # a function may have returned an array of its own
        K.flags.writeable = False
        return K

    def gram(self, rows: NDArray[np.intp] | slice, others: NDArray[np.intp] | slice) -> NDArray[np.float64]:
        """k(x_i, x_j) for i in ``rows`` (p,) and j in ``others`` (q,), float64, shape (p, q)."""
        if self.matrix is not None:
            return self.matrix[rows][:, others]
        return gram(self.X, self.kernel, rows, others)

    def scores(self, coefficients: Vector) -> Vector:
        """F = K c in float64, shape (n,), for c (n,)."""
        if self.matrix is not None:
            return np.asarray(self.matrix @ coefficients)
        return kernel_sums(self.X, self.kernel, coefficients)

    def primal(self, coefficients: Vector, F: Vector, b: float) -> float:
        """Primal objective at w = sum_j c_j phi(x_j) and b, where F = K c."""
        penalty = float(coefficients @ F) + (b * b if self.bias == "augmented" else 0.0)
        return 0.5 * penalty + float(self.C @ self.loss.values(self.y * (F + b)))

    def dual(self, alpha: Vector, F: Vector) -> float:
        """Dual objective at alpha, where F = K (alpha y); a lower bound on the optimum if alpha is feasible."""
        signed = alpha * self.y
        penalty = float(signed @ F) + (float(signed.sum()) ** 2 if self.bias == "augmented" else 0.0)
        return self.loss.dual_total(alpha, self.C) - 0.5 * penalty

    def take(self, rows: NDArray[np.intp]) -> KernelProblem:
        """The same problem on some of its rows (a copy of those rows)."""
        part = self.X[rows]
        if self.kernel.name == "precomputed":
            part = part[:, rows]
        return replace(self, X=part, y=self.y[rows], C=self.C[rows])
