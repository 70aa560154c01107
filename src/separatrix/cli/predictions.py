"""Predictions for each row: its class, the scores behind it, probabilities, and the distance to the boundary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.models.imported import ImportedModel
from separatrix.svm.svc import SVC
from separatrix.validation.scores import Scores, scores


@dataclass(frozen=True, eq=False)
class Predictions:
    """Answers for n rows and k classes."""

    classes: list[Any]
    labels: NDArray[Any]  #: (n,)
    scores: NDArray[np.float64]  #: (n,) for two classes, above 0 for the second; else (n, k)
    probabilities: NDArray[np.float64] | None  #: (n, k), where the model was calibrated
    distance: NDArray[np.float64] | None  #: (n,) to the nearest boundary; None where there is no such number

    def compared(self, y: NDArray[Any], rows: NDArray[np.intp]) -> Scores:
        """The scores against the labels y (n,) of some rows (m,)."""
        chances = None if self.probabilities is None else self.probabilities[rows]
        return scores(y[rows], self.labels[rows], self.scores[rows], chances, self.classes)

    def columns(self) -> tuple[list[str], list[NDArray[Any]]]:
        """Names and columns of a table: label, score, probability, distance, then those of each class.

        The score is that of the label's own side, the probability that of the label; without a calibration, or
        without a single boundary, their cells are empty.
        """
        n = len(self.labels)
        empty = np.full(n, "", dtype=object)
        code = np.array([self.classes.index(label) for label in self.labels.tolist()], dtype=np.intp)
        every, chances = self.scores, self.probabilities
        many = every.ndim == 2
        own = every[np.arange(n), code] if many else every
        names = ["label", "score"]
        columns: list[NDArray[Any]] = [self.labels, own]
        names.append("probability")
        columns.append(empty if chances is None else chances[np.arange(n), code])
        if many:
            names += [f"score of {name}" for name in self.classes]
            columns += list(every.T)
        if chances is not None:
            names += [f"probability of {name}" for name in self.classes]
            columns += list(chances.T)
        names.append("distance")
        columns.append(empty if self.distance is None else self.distance)
        return names, columns


def predictions(model: Any, X: Any) -> Predictions:
    """Return the predictions of a fitted model for the rows X (n, d)."""
    classes = np.asarray(model.classes_).tolist()
    decision = np.asarray(model.decision_function(X), dtype=np.float64)
    if isinstance(model, ImportedModel):  # which settles ties as the other program does
        labels = model.predict(X)
    else:
        codes = (decision > 0).astype(np.intp) if decision.ndim == 1 else decision.argmax(axis=1)
        labels = np.asarray(model.classes_)[codes]
    chances = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    return Predictions(classes, labels, decision, chances, distances(model, decision))


def distances(model: Any, scores: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the distance (n,) of each row from the nearest boundary, in the space where the boundary is flat.

    Two classes: |f(x)| / |w|. Many classes, one w for each: the least (f_a - f_b) / |w_a - w_b| over the
    other classes b. In the units of the columns as they are scaled. None where classes are compared by votes, or
    where |w_a - w_b| of a kernel is not at hand.
    """
    weights = _weights(model)
    if scores.ndim == 1:
        norm = 0.0 if weights is None else float(np.linalg.norm(weights))
        if weights is None and isinstance(model, SVC):
            norm = 1.0 / float(np.ravel(model.margin_)[0])
        return np.abs(scores) / norm if 0.0 < norm < np.inf else None
    if weights is None or getattr(model, "multi_class", "ovr") == "ovo":
        return None
    own, rows = scores.argmax(axis=1), np.arange(len(scores))
    best = np.full(len(scores), np.inf)
    for b in range(scores.shape[1]):
        apart = np.linalg.norm(weights[own] - weights[b], axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = (scores[rows, own] - scores[:, b]) / apart
        best = np.where((own != b) & (apart > 0) & (distance < best), distance, best)
    return best


def _weights(model: Any) -> NDArray[np.float64] | None:
    """coef_, where the boundary is flat in the columns of X."""
    found = getattr(model, "coef_", None) if model.kernel == "linear" else None
    return None if found is None else np.asarray(found, dtype=np.float64)
