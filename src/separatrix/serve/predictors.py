"""Predictors: immutable, so that readers never wait for the learner nor see it half-way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.predicting import raw_scores
from separatrix.perceptron.estimator import Perceptron
from separatrix.perceptron.online import KernelOnline
from separatrix.perceptron.partial_fit import OnlineState
from separatrix.problem.kernels import Kernel
from separatrix.svm.svc import SVC

_ENTRIES = 1 << 20  #: kernel values in memory at a time


class Predictor(Protocol):
    """A model as it was at one moment."""

    @property
    def labels(self) -> list[Any]:
        """The classes, sorted."""
        ...

    @property
    def work(self) -> int:
        """Multiplications for one row, to decide whether a request is answered at once or by a thread."""
        ...

    def answer(self, X: NDArray[np.float64]) -> tuple[list[Any], NDArray[np.float64]]:
        """The class of each row (n,), and the scores: (n,) for two classes, positive for the second; else (n, k)."""
        ...


@dataclass(frozen=True, eq=False)
class Planes:
    """W (p, d) and b (p,): one plane for two classes, else one for each."""

    labels: list[Any]
    W: NDArray[np.float64]
    b: NDArray[np.float64]

    @property
    def work(self) -> int:
        """Entries of W."""
        return self.W.size

    def answer(self, X: NDArray[np.float64]) -> tuple[list[Any], NDArray[np.float64]]:
        """W x + b."""
        return _decide(self.labels, raw_scores(X, self.W, self.b))


@dataclass(frozen=True, eq=False)
class Expansion:
    """sum_i beta_i (k(x_i, x) + c^2) over the support rows of a kernel perceptron."""

    labels: list[Any]
    kernel: Kernel
    support: Any
    beta: NDArray[np.float64]
    gain: float

    @property
    def work(self) -> int:
        """Entries of the support."""
        return int(self.support.shape[0] * self.support.shape[1])

    def answer(self, X: NDArray[np.float64]) -> tuple[list[Any], NDArray[np.float64]]:
        """A kernel value for each row and support row, so many rows at a time."""
        height = max(1, _ENTRIES // max(1, len(self.beta)))
        parts = [
            self.kernel.matrix(X[i : i + height], self.support) @ self.beta for i in range(0, len(X), height)
        ]
        return _decide(self.labels, np.vstack(parts) + self.gain * self.beta.sum(axis=0))


@dataclass(frozen=True, eq=False)
class Fitted:
    """Any fitted model, by its own methods."""

    labels: list[Any]
    model: Any
    work: int

    def answer(self, X: NDArray[np.float64]) -> tuple[list[Any], NDArray[np.float64]]:
        """Return what `predict` and `decision_function` say."""
        return self.model.predict(X).tolist(), np.asarray(self.model.decision_function(X), dtype=np.float64)


def of_fitted(model: Any) -> Predictor:
    """A model that was loaded and learns no more."""
    labels = model.classes_.tolist()
    linear = isinstance(model, SVC | Perceptron) and model.kernel == "linear"
    planes = linear and getattr(model, "scaling_", None) is None
    if planes and len(labels) == 2 and getattr(model, "output", "last") == "last":
        W, b = getattr(model, "coef_", None), getattr(model, "intercept_", None)
        if isinstance(W, np.ndarray) and W.shape == (1, model.n_features_in_):
            return Planes(labels, np.array(W, dtype=np.float64), np.array(b, dtype=np.float64))
    support = getattr(model, "support_vectors_", None) if not linear else None
    rows = support.shape[0] if support is not None else len(labels)
    return Fitted(labels, model, int(rows * model.n_features_in_))


def of_online(online: OnlineState, n_columns: int) -> Predictor:
    """The perceptron as it is now, in memory of its own."""
    labels = online.labels[online.order].tolist()
    model = online.model
    if isinstance(model, KernelOnline):
        if not model.rows:
            planes = 1 if len(labels) <= 2 else len(labels)
            return Planes(labels, np.zeros((planes, n_columns)), np.zeros(planes))
        beta = online.sorted_planes(model.coefficients(), axis=1)
        return Expansion(labels, model.kernel, model.support(), beta, model.gain)
    W, b = online.planes()
    return Planes(labels, W.copy(), b.copy())


def _decide(labels: list[Any], scores: NDArray[np.float64]) -> tuple[list[Any], NDArray[np.float64]]:
    if scores.shape[1] > 1:
        return [labels[code] for code in scores.argmax(axis=1).tolist()], scores
    column = scores[:, 0]
    if len(labels) < 2:
        return labels * len(column), column
    no, yes = labels
    return [yes if score > 0 else no for score in column.tolist()], column
