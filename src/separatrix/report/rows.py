"""The rows of a report under a model: margins, confusions, and the rows that contradict it most.

    m_i = y_i f(x_i)                           two classes; 1 is the edge of the slab of an SVM
    m_i = f_own(x_i) - max_other f(x_i)        many classes: the lead of the own class

A row is misclassified where m_i <= 0; for an SVM max(0, 1 - m_i) is its slack.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.svg import nice_step
from separatrix.types import Index, Vector

#: Bins of the histogram of margins, about.
_BINS = 48


@dataclass(frozen=True, eq=False)
class RowFacts:
    """codes (n,) of the labels, predicted (n,) codes, scores (n,) or (n, k), margins (n,), probabilities (n, k)."""

    classes: NDArray[Any]
    codes: Index
    predicted: Index
    scores: NDArray[np.float64]
    margins: Vector
    chances: NDArray[np.float64] | None = None  #: None where the model gives no probabilities

    @property
    def names(self) -> list[str]:
        """The classes as texts."""
        return [str(name) for name in self.classes.tolist()]

    @property
    def errors(self) -> int:
        """Rows that the model puts into another class than their own."""
        return int(np.count_nonzero(self.predicted != self.codes))

    def confusion(self) -> NDArray[np.int64]:
        """Rows of class i that were predicted as class j, shape (k, k)."""
        k = len(self.classes)
        flat = np.bincount(self.codes * k + self.predicted, minlength=k * k)
        return flat.reshape(k, k).astype(np.int64)

    def worst(self, count: int) -> Index:
        """The rows with the smallest margins, worst first; only those on the wrong side or inside the slab."""
        order = np.argsort(self.margins, kind="stable")[:count]
        return order[self.margins[order] < 1.0 - 1e-6]

    def wrong(self, rows: Index) -> Index:
        """Those of some rows that are misclassified, worst first."""
        here = rows[self.predicted[rows] != self.codes[rows]]
        order: Index = here[np.argsort(self.margins[here], kind="stable")]
        return order

    def histogram(self) -> tuple[Vector, NDArray[np.int64]]:
        """Edges (b + 1,) that have 0 among them, and the rows of each class between them (k, b).

        The middle 98 % of the rows decide the range; the outermost bins hold the rest.
        """
        low, high = np.quantile(self.margins, [0.01, 0.99])
        low, high = min(float(low), 0.0), max(float(high), 0.0)
        step = nice_step((high - low) / _BINS) if high > low else 1.0
        first = np.floor(low / step)
        edges = step * np.arange(first, max(np.ceil(high / step), first + 1) + 1)
        if edges[0] >= 0 and self.margins.min() <= 0:
            edges = np.concatenate([[edges[0] - step], edges])  # a row on the wrong side must be seen there
        # A row on the boundary is not on the right side.
        shown = np.where(self.margins == 0, -0.5 * step, self.margins)
        inside = np.clip(shown, edges[0], np.nextafter(edges[-1], -np.inf))
        counts = [np.histogram(inside[self.codes == code], edges)[0] for code in range(len(self.classes))]
        return edges, np.array(counts, dtype=np.int64)


def row_facts(model: Any, X: Any, y: Any) -> RowFacts:
    """Ask the model about every row."""
    labels, classes = np.asarray(y).ravel(), model.classes_
    if len(labels) != X.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows but y has {len(labels)} labels.")
    codes = label_codes(classes, labels)
    scores = np.asarray(model.decision_function(X), dtype=np.float64)
    predicted = label_codes(classes, model.predict(X))
    if scores.ndim == 1:
        margins = np.where(codes == len(classes) - 1, scores, -scores)
    else:
        each = np.arange(len(codes))
        others = scores.copy()
        others[each, codes] = -np.inf
        margins = scores[each, codes] - others.max(axis=1)
    chances = np.asarray(model.predict_proba(X), np.float64) if hasattr(model, "predict_proba") else None
    return RowFacts(classes, codes, predicted, scores, margins, chances)


def label_codes(classes: NDArray[Any], labels: NDArray[Any]) -> Index:
    """The place of each label among the classes, which may be texts where labels are numbers, or the reverse."""
    known = {name: code for code, name in enumerate(classes.tolist())}
    as_text = {str(name): code for name, code in known.items()}
    values = labels.tolist()
    codes = [known.get(value, as_text.get(str(value), -1)) for value in values]
    if codes and min(codes) < 0:
        row = codes.index(-1)
        raise ValueError(
            f"Row {row} has the label {values[row]!r}, which the model does not know; its classes are "
            f"{list(known)[:10]}."
        )
    return np.array(codes, dtype=np.intp)


def column_spread(X: Any) -> Vector:
    """Standard deviation of each column, shape (d,)."""
    is_sparse = bool(sparse.issparse(X))
    if not is_sparse:
        return np.asarray(np.std(X, axis=0, dtype=np.float64))
    mean = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
    squares = np.asarray(X.multiply(X).mean(axis=0, dtype=np.float64)).ravel()
    return np.asarray(np.sqrt(np.maximum(0.0, squares - mean * mean)))


def column_range(X: Any) -> tuple[Vector, Vector]:
    """The least and the greatest value of each column, each (d,)."""
    ends = X.min(axis=0), X.max(axis=0)
    low, high = (end.toarray() if hasattr(end, "toarray") else end for end in ends)
    return np.ravel(low), np.ravel(high)


def dense_rows(X: Any, rows: Any) -> NDArray[np.float64]:
    """Some rows as a dense float64 array."""
    part = X[rows]
    is_sparse = bool(sparse.issparse(part))
    return np.asarray(part.toarray() if is_sparse else part, dtype=np.float64)
