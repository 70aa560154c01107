"""The soft-margin linear SVM as a plain record.

    min_{w, b}  1/2 ||w||^2 [+ 1/2 b^2 if the bias is augmented] + sum_i C_i loss(y_i (w.x_i + b))

    max_alpha   sum_i dual_term(alpha_i) - 1/2 ||v||^2 [- 1/2 (sum_i alpha_i y_i)^2 if augmented]
    s.t.        0 <= alpha_i <= C_i (hinge) or 0 <= alpha_i (squared hinge);
                sum_i alpha_i y_i = 0 if the bias is free;           v = sum_i alpha_i y_i x_i

Arrays arrive here checked (estimators do that) and are never copied to a wider type.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.problem.losses import Loss
from separatrix.problem.rows import scores, weighted_sum
from separatrix.types import Bias, Matrix, Vector


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows X (n, d), labels y (n,) of -1.0 and +1.0, cost C (n,) > 0 of each row, loss and bias."""

    X: Matrix
    y: Vector
    C: Vector
    loss: Loss
    bias: Bias

    @property
    def n_rows(self) -> int:
        """n."""
        return int(self.X.shape[0])

    @property
    def n_columns(self) -> int:
        """d."""
        return int(self.X.shape[1])

    @property
    def is_sparse(self) -> bool:
        """Whether X is CSR."""
        return sparse.issparse(self.X)

    @property
    def upper(self) -> Vector:
        """Upper bound of each alpha (n,); infinity for the squared hinge."""
        return self.loss.upper(self.C)

    def scores(self, w: Vector, b: float) -> Vector:
        """w.x_i + b in float64, shape (n,)."""
        return scores(self.X, w) + b

    def weighted_sum(self, alpha: Vector) -> Vector:
        """v = sum_i alpha_i y_i x_i in float64, shape (d,)."""
        return weighted_sum(self.X, alpha * self.y)

    def primal(self, w: Vector, b: float) -> float:
        """Primal objective at (w, b)."""
        return self.primal_from_scores(self.scores(w, b), w, b)

    def primal_from_scores(self, f: Vector, w: Vector, b: float) -> float:
        """Primal objective when f = X w + b is already known."""
        penalty = float(w @ w) + (b * b if self.bias == "augmented" else 0.0)
        return 0.5 * penalty + float(self.C @ self.loss.values(self.y * f))

    def dual(self, alpha: Vector) -> float:
        """Dual objective at alpha; a lower bound on the optimum if alpha is feasible."""
        return self.dual_from_sum(alpha, self.weighted_sum(alpha))

    def dual_from_sum(self, alpha: Vector, v: Vector) -> float:
        """Dual objective when v = sum_i alpha_i y_i x_i is already known."""
        penalty = float(v @ v)
        if self.bias == "augmented":
            penalty += float(alpha @ self.y) ** 2
        return self.loss.dual_total(alpha, self.C) - 0.5 * penalty

    def take(self, rows: NDArray[np.intp]) -> Problem:
        """The same problem on some of its rows (a copy of those rows)."""
        return replace(self, X=self.X[rows], y=self.y[rows], C=self.C[rows])


def relative_gap(primal: float, dual: float) -> float:
    """(primal - dual) / primal, the number that `tol` bounds; 0 where both vanish.

    >>> relative_gap(2.0, 1.5)
    0.25
    """
    return (primal - dual) / primal if primal > 0 else max(0.0, primal - dual)
