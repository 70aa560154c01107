"""Cross-validation along a path of C: each fit starts from the one before, in C and from fold to fold.

For up to `SMALL` rows of two classes and the hinge loss the kernel matrix is computed once for all folds and all C, and
an active-set method goes from one solution to the next: alphas scale with C, and from fold to fold the rows that
both share keep theirs. Where that takes long, and for every other model, the estimator is fitted, with
``warm_start`` along C where it has that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from separatrix.problem.kernels import Linear, make_kernel
from separatrix.proof.balance import balance
from separatrix.svm.svc import SVC
from separatrix.types import Vector
from separatrix.validation.box_qp import BoxQP, Iterate
from separatrix.validation.dual_view import best_biases

#: Rows up to which the kernel matrix is shared.
SMALL = 2000
#: Steps of the active-set method beyond which a fit from the beginning costs less.
_STEPS = 120

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def path_predictions(
    model: Any, X: Any, y: Any, Cs: Sequence[float], splits: Sequence[Split]
) -> list[NDArray[Any]]:
    """For each split (train, test) the predictions of the test rows by every C, shape (len(Cs), len(test)).

    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> split = (np.array([0, 3]), np.array([1, 2]))
    >>> path_predictions(SVC(), X, y, [0.1, 10.0], [split])
    [array([[0, 1],
           [0, 1]])]
    """
    costs, labels = sorted(float(C) for C in Cs), np.asarray(y)
    found = _SharedPath(model, X, labels, costs).run(splits) if _suits(model, X, labels) else None
    if found is None:
        found = [_refitted(model, X, labels, costs, *split) for split in splits]
    order = [costs.index(float(C)) for C in Cs]
    return [table[order] for table in found]


def _suits(model: Any, X: Any, labels: NDArray[Any]) -> bool:
    return (
        isinstance(model, SVC)
        and model.loss == "hinge"
        and model.class_weight is None
        and model.kernel != "precomputed"
        and len(labels) <= SMALL
        and len(np.unique(labels)) == 2
        and hasattr(X, "shape")
    )


def _refitted(
    model: Any, X: Any, y: NDArray[Any], costs: list[float], train: NDArray[np.intp], test: NDArray[np.intp]
) -> NDArray[Any]:
    """Every C by a fit of the estimator, each starting from the last where it can."""
    fitted, rows = clone(model), []
    if "warm_start" in fitted.get_params():
        fitted.set_params(warm_start=True)
    for C in costs:
        rows.append(fitted.set_params(C=C).fit(X[train], y[train]).predict(X[test]))
    return np.stack(rows)


@dataclass(eq=False)
class _SharedPath:
    model: Any
    X: Any
    labels: NDArray[Any]
    costs: list[float]

    def run(self, splits: Sequence[Split]) -> list[NDArray[Any]]:
        classes = np.unique(self.labels)
        self.y = np.where(self.labels == classes[1], 1.0, -1.0)
        whole = make_kernel(self.model.kernel, self.X, self.model.degree, 1.0, self.model.coef0)
        K = whole.matrix(self.X, self.X) if isinstance(whole, Linear) else None
        known, tables = np.full(len(self.y), np.nan), []
        scores = np.zeros(len(self.y))
        for train, test in splits:
            G = self._gram(train) if K is None else K
            qp, cross = self._qp(G, train), G[np.ix_(test, train)]
            predicted = []
            self._near = True  # until the active-set method takes too long in this fold
            at: Iterate | None = None
            for place, C in enumerate(self.costs):
                qp = replace(qp, upper=np.full(len(train), C))
                start = known[train] if at is None else at.alpha * (C / self.costs[place - 1])
                at = self._solve(qp, start, (self.y * scores)[train], train, place)
                own: Vector = qp.y * (1.0 - at.g) - self._gain * float(at.alpha @ qp.y)
                low, high = best_biases(own, qp.y, qp.upper, at.alpha, self.model.bias, squared=False)
                b = 0.5 * (low + high)
                new = cross @ (at.alpha * qp.y) + b
                predicted.append(classes[(new > 0).astype(np.intp)])
                if place == 0:  # where the next fold starts from
                    known, scores = np.full(len(self.y), np.nan), np.zeros(len(self.y))
                    known[train], scores[train], scores[test] = at.alpha, own + b, new
            tables.append(np.stack(predicted))
        return tables

    @property
    def _gain(self) -> float:
        return 1.0 if self.model.bias == "augmented" else 0.0

    def _gram(self, train: NDArray[np.intp]) -> NDArray[np.float64]:
        """The kernel as a fit to these rows would have it: gamma may depend on them."""
        m = self.model
        return make_kernel(m.kernel, self.X[train], m.degree, m.gamma, m.coef0).matrix(self.X, self.X)

    def _qp(self, G: NDArray[np.float64], train: NDArray[np.intp]) -> BoxQP:
        part = G[np.ix_(train, train)] + self._gain
        return BoxQP(0.5 * (part + part.T), self.y[train], np.empty(0), self.model.bias == "free")

    def _solve(
        self, qp: BoxQP, start: Vector, margins: Vector, train: NDArray[np.intp], place: int
    ) -> Iterate:
        """Solve from the start by a limited number of steps; by a fit where the start is unknown or too far."""
        if self._near and not np.all(np.isnan(start)):
            guess = np.where(
                np.isnan(start), np.where(margins < 1.0, qp.upper, 0.0), np.minimum(start, qp.upper)
            )
            if qp.balanced:
                guess = balance(guess, qp.y, qp.upper, margins)
            at, done = qp.attempt(qp.start(guess), _STEPS)
            if done:
                return at
            self._near = place == 0
        fitted = clone(self.model).set_params(C=self.costs[place]).fit(self.X[train], self.labels[train])
        return qp.start(np.asarray(fitted.alpha_))
