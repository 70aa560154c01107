"""The joint multi-class SVM of Crammer and Singer as a plain record.

    min_{W, b}  1/2 ||W||^2 [+ 1/2 ||b||^2 if augmented] + sum_i C_i max_m ([m != y_i] + f_m(x_i) - f_{y_i}(x_i))

    max_A       sum_i A_{i, y_i} - 1/2 sum_im A_im F_im [- 1/2 ||s||^2 if augmented]
    s.t.        sum_m A_im = 0,   A_im <= C_i [m = y_i],   s = A^T 1 = 0 if the bias is free;      F = K A

with f(x) = W x + b over k classes at once, and W = A^T X (in the space of the kernel). Unlike the binary problems of
"ovr" and "ovo" this is one problem with one optimum and one gap.
K. Crammer, Y. Singer, On the algorithmic implementation of multiclass kernel-based vector machines, JMLR 2 (2001).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from separatrix.problem.kernels import Kernel
from separatrix.problem.problem import OnRows
from separatrix.problem.solution import JointPoint
from separatrix.types import Bias, Matrix, Vector


@dataclass(frozen=True, eq=False)
class JointProblem(OnRows):
    """Rows X (n, d), class codes (n,) in 0 .. k - 1, cost C (n,) > 0 of each row, bias, kernel (None: linear).

    A dual point is A (n, k). A primal point is W (k, d) and b (k,); with a kernel W follows from A.

    >>> X, codes = np.array([[1.0], [0.0], [-1.0]]), np.array([0, 1, 2])
    >>> problem = JointProblem(X, codes, np.ones(3), 3, "none")
    >>> A = np.array([[0.5, -0.5, 0.0], [0.0, 0.0, 0.0], [0.0, -0.5, 0.5]])
    >>> F = problem.space.products(problem.space.combine(A))
    >>> problem.primal(float(np.vdot(A, F)), F, np.zeros(3)), problem.dual(A, F)
    (2.25, 0.75)
    """

    X: Matrix
    codes: NDArray[np.int64]
    C: Vector
    n_classes: int
    bias: Bias
    kernel: Kernel | None = None

    @property
    def own(self) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """The place of each row's own class in an (n, k) array."""
        return np.arange(self.n_rows), self.codes

    @property
    def zero(self) -> JointPoint:
        """A = 0, which is always feasible."""
        return JointPoint(np.zeros((self.n_rows, self.n_classes)))

    def slack(self, F: Vector, b: Vector) -> Vector:
        """max_m ([m != y_i] + f_m - f_{y_i}) of each row, at least 0, where f = F + b; shape (n,)."""
        f = F + b
        mine = f[self.own]
        f += 1.0
        f[self.own] -= 1.0
        return np.asarray(f.max(axis=1) - mine)

    def primal(self, squared_norm: float, F: Vector, b: Vector) -> float:
        """Primal objective where ||W||^2 and the scores F (n, k) without the bias are known."""
        penalty = squared_norm + (float(b @ b) if self.bias == "augmented" else 0.0)
        return 0.5 * penalty + float(self.C @ self.slack(F, b))

    def dual(self, A: Vector, F: Vector) -> float:
        """Dual objective at A, where F = K A; a lower bound on the optimum if A is feasible."""
        s = A.sum(axis=0)
        penalty = float(np.vdot(A, F)) + (float(s @ s) if self.bias == "augmented" else 0.0)
        return float(A[self.own].sum()) - 0.5 * penalty
