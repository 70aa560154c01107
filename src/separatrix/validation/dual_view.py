"""The dual of a fitted binary SVM: labels, kernel matrix, and alphas made exact by an active-set method.

    f(x_i) = sum_j alpha_j y_j k(x_i, x_j) + b

Linear or kernel, hinge or squared hinge, any bias, hard margin: what follows from the dual alone is computed from
this one record. The kernel matrix is held whole, so the number of rows is limited.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from separatrix.fitting.inputs import solved_rows
from separatrix.fitting.results import BinaryFit
from separatrix.problem import HINGE, SQUARED_HINGE, Loss, bias_interval
from separatrix.problem.kernels import Kernel, Linear
from separatrix.problem.problem import relative_gap
from separatrix.types import Vector
from separatrix.validation.box_qp import BoxQP

#: Rows of the largest kernel matrix that is built: 800 MB.
MOST_ROWS = 10_000
#: Relative difference up to which the dual value, recomputed from the data, is that of the fit.
_SAME_DUAL = 1e-6


@dataclass(frozen=True, eq=False)
class DualView:
    """One binary problem: y, cost C_i (infinite: hard margin) and alpha over its m rows; K (m, m) without a bias."""

    K: NDArray[np.float64]
    y: Vector
    cost: Vector
    alpha: Vector
    bias: str
    squared: bool
    rows: NDArray[np.intp]  #: (m,) places in the training data

    @property
    def n(self) -> int:
        """m, the number of rows."""
        return len(self.y)

    @property
    def loss(self) -> Loss:
        """The loss function."""
        return SQUARED_HINGE if self.squared else HINGE

    @property
    def hard(self) -> bool:
        """True if no slack is allowed."""
        return bool(np.isinf(self.cost[0]))

    @property
    def gain(self) -> float:
        """Constant that a penalised bias adds to every kernel value."""
        return 1.0 if self.bias == "augmented" else 0.0

    @cached_property
    def qp(self) -> BoxQP:
        """The dual as a quadratic program."""
        upper = np.full(self.n, np.inf) if self.squared else self.cost
        Q = self.K + self.gain if self.gain else self.K
        if self.squared and not self.hard:
            Q = Q + np.diag(1.0 / (2.0 * self.cost))
        return BoxQP(Q, self.y, upper, balanced=self.bias == "free")

    @cached_property
    def scores(self) -> Vector:
        """sum_j alpha_j y_j k(x_i, x_j), without the bias, shape (m,)."""
        return self.K @ (self.alpha * self.y)

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Every best bias; one point unless no row lies strictly between its bounds."""
        return best_biases(self.scores, self.y, self.cost, self.alpha, self.bias, self.squared)

    @property
    def b(self) -> float:
        """The bias, the middle of the best ones."""
        return 0.5 * (self.interval[0] + self.interval[1])

    @cached_property
    def margins(self) -> Vector:
        """y_i f(x_i), shape (m,)."""
        return self.y * (self.scores + self.b)

    @property
    def slack(self) -> Vector:
        """max(0, 1 - y_i f(x_i)), shape (m,)."""
        return np.maximum(0.0, 1.0 - self.margins)

    @cached_property
    def squared_distances(self) -> NDArray[np.float64]:
        """||phi(x_i) - phi(x_j)||^2, shape (m, m)."""
        size = self.K.diagonal()
        return np.maximum(0.0, size[:, None] + size[None, :] - 2.0 * self.K)

    def gap(self) -> float:
        """The relative duality gap, from K."""
        return relative_gap_of(self, self.alpha, self.scores, self.b, np.ones(self.n, dtype=bool))


def dual_view(model: Any, X: Any, y: Any, key: Any = None) -> DualView:
    """The binary problem ``key`` of a fitted SVC (the only one of a model for two classes), solved to the end."""
    return view_problem(model, training_rows(model, X), y, _only(model) if key is None else key)


def training_rows(model: Any, X: Any) -> Any:
    """X checked as the model checks its input, and scaled as it scales it."""
    check_is_fitted(model)
    if not hasattr(model, "problems_"):
        raise TypeError(f"This needs a fitted separatrix.SVC; got {type(model).__name__}.")
    return solved_rows(model, X)


def view_problem(model: Any, X: Any, y: Any, key: Any) -> DualView:
    """The binary problem ``key`` over checked training rows X."""
    result: BinaryFit = model.problems_[key]
    labels = np.asarray(y)
    if X.shape[0] != len(labels) or len(result.rows) == 0 or result.rows[-1] >= len(labels):
        raise ValueError(
            f"X and y must be the training data, {len(model.slack_)} rows; got {X.shape[0]} rows."
        )
    if len(result.rows) > MOST_ROWS:
        raise ValueError(
            f"This builds the kernel matrix of all rows, at most {MOST_ROWS}; the model has {len(result.rows)}."
        )
    signs = np.where(labels[result.rows] == result.positive, 1.0, -1.0)
    K = kernel_matrix(model, X, result.rows)
    view = DualView(K, signs, result.cost, result.alpha, model.bias, result.squared, result.rows)
    _check_same(view, result)
    return replace(view, alpha=view.qp.optimise(view.qp.start(result.alpha)).alpha)


def kernel_matrix(model: Any, X: Any, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """k(x_i, x_j) over the given training rows."""
    kernel = fitted_kernel(model)
    if kernel.name == "precomputed":
        return np.ascontiguousarray(kernel.matrix(X, X)[np.ix_(rows, rows)])
    part = X if len(rows) == X.shape[0] else X[rows]
    K = kernel.matrix(part, part)
    return 0.5 * (K + K.T)  # BLAS may round the two halves differently


def fitted_kernel(model: Any) -> Kernel:
    """The kernel of a fitted SVC, with gamma as the fit worked it out."""
    surface = getattr(model, "_surface", None)
    return Linear() if surface is None else surface.kernel


def best_biases(
    scores: Vector, y: Vector, cost: Vector, alpha: Vector, bias: str, squared: bool
) -> tuple[float, float]:
    """All best biases for given scores, as an interval."""
    if bias != "free":
        b = float(alpha @ y) if bias == "augmented" else 0.0
        return b, b
    if np.isinf(cost[0]):
        middle = -0.5 * float(np.min(scores[y > 0]) + np.max(scores[y < 0]))
        return middle, middle
    return bias_interval(scores, y, cost, SQUARED_HINGE if squared else HINGE)


def relative_gap_of(
    view: DualView, alpha: Vector, scores: Vector, b: float, kept: NDArray[np.bool_]
) -> float:
    """The relative gap of (alpha, b) over the rows that are kept; alpha vanishes elsewhere."""
    norm = _squared_norm(view, alpha, scores, b)
    dual = _dual_terms(view, alpha, kept) - 0.5 * norm
    margins = view.y[kept] * (scores[kept] + b)
    if view.hard:
        least = float(margins.min())
        return relative_gap(0.5 * norm / (least * least), dual) if least > 0 else np.inf
    primal = 0.5 * norm + float(view.cost[kept] @ view.loss.values(margins))
    return relative_gap(primal, dual)


def _squared_norm(view: DualView, alpha: Vector, scores: Vector, b: float) -> float:
    """||w||^2, with b^2 if the bias is penalised."""
    return float((alpha * view.y) @ scores) + (b * b if view.bias == "augmented" else 0.0)


def _dual_terms(view: DualView, alpha: Vector, kept: Any) -> float:
    """Sum of the dual terms of the alphas over the rows that are kept."""
    return float(alpha.sum()) if view.hard else view.loss.dual_total(alpha[kept], view.cost[kept])


def _only(model: Any) -> Any:
    keys = list(model.problems_)
    if len(keys) > 1:
        raise ValueError(
            f"This is about one binary problem, and the model has {len(keys)}: say which with key, one of {keys[:5]}."
        )
    return keys[0]


def _check_same(view: DualView, result: BinaryFit) -> None:
    norm = _squared_norm(view, view.alpha, view.scores, float(view.alpha @ view.y))
    dual = _dual_terms(view, view.alpha, slice(None)) - 0.5 * norm
    if not abs(dual - result.dual) <= _SAME_DUAL * max(abs(result.dual), abs(result.primal)):
        raise ValueError(
            f"X and y are not the data this model was trained on: its dual value was {result.dual!r}, "
            f"from these data it is {dual!r}."
        )
