"""A model of LIBSVM or LIBLINEAR that predicts here as it does there."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.errors import ModelFileError
from separatrix.fitting.predicting import raw_scores
from separatrix.models.libsvm_text import LINEAR_CLASSIFIERS, LiblinearModel, LibsvmModel
from separatrix.problem.conversion import canonical_csr, check_finite, contiguous
from separatrix.types import Vector

_BLOCK = 1 << 20  # kernel values in memory at a time


@dataclass(frozen=True, eq=False)
class ImportedModel:
    """Predictions of a model that another program trained; `separatrix.audit` says how good it is.

    ``classes_`` are the labels in increasing order. A file does not know how many columns the data had: rows may
    have more columns or fewer, as in the programs themselves, where a column that is not written is zero.
    """

    parsed: LiblinearModel | LibsvmModel
    name: str = "model text"
    classes_: NDArray[Any] = field(init=False)

    def __post_init__(self) -> None:
        parsed = self.parsed
        if isinstance(parsed, LiblinearModel):
            if parsed.solver not in LINEAR_CLASSIFIERS:
                raise ModelFileError(f"{self.name} was trained with {parsed.solver}, which is no classifier.")
        elif parsed.kind not in ("c_svc", "nu_svc") or parsed.kernel is None:
            raise ModelFileError(
                f"{self.name} is a {parsed.kind} model with kernel {parsed.kernel_name}; c_svc and nu_svc models can "
                "be imported where they hold their vectors."
            )
        object.__setattr__(self, "classes_", np.array(sorted(parsed.labels)))

    @property
    def n_features_in_(self) -> int:
        """Number of columns in the file."""
        parsed = self.parsed
        return len(parsed.weights) if isinstance(parsed, LiblinearModel) else int(parsed.vectors.shape[1])

    @property
    def kernel(self) -> str:
        """Name of the kernel as the file has it; LIBLINEAR's models are linear."""
        return "linear" if isinstance(self.parsed, LiblinearModel) else self.parsed.kernel_name

    @property
    def coef_(self) -> Vector:
        """Weights with which `decision_function` is computed, (1, d) or (k, d), of a model of LIBLINEAR."""
        if not isinstance(self.parsed, LiblinearModel):
            raise AttributeError("coef_ is of models of LIBLINEAR; LIBSVM's files hold support vectors.")
        planes, labels = self.parsed.weights.T, self.parsed.labels
        if len(labels) > 2:
            return planes[np.argsort(labels)]
        plane = planes[:1] - planes[1:] if len(planes) == 2 else planes
        return plane if labels[0] > labels[1] else -plane

    def decision_values(self, X: Any) -> Vector:
        """Decision values of the other program, shape (n, p), in its own order and with its own signs.

        LIBLINEAR: one for each label, or one positive for the first of two labels. LIBSVM: one for each pair of
        labels, positive for the first of the pair.
        """
        is_sparse = bool(sparse.issparse(X))
        rows = canonical_csr(X) if is_sparse else contiguous(X)
        if rows.ndim != 2:
            raise ValueError(f"X must have rows and columns; got shape {rows.shape}.")
        check_finite(rows)
        parsed = self.parsed
        if isinstance(parsed, LiblinearModel):
            columns = min(rows.shape[1], len(parsed.weights))
            return raw_scores(rows[:, :columns], parsed.weights[:columns].T.copy(), parsed.intercepts)
        return _pair_values(parsed, rows)

    def decision_function(self, X: Any) -> Vector:
        """(n,) for two classes, positive for the greater label; else (n, k) in the order of ``classes_``.

        For LIBSVM with many classes these are votes; as there, the label named first wins a tie.
        """
        values, labels = self.decision_values(X), self.parsed.labels
        if len(labels) == 2 and values.shape[1] == 1:
            return values[:, 0] if labels[0] > labels[1] else -values[:, 0]
        if len(labels) == 2:  # MCSVM_CS has a plane for each of two classes
            return (values[:, 0] - values[:, 1]) * (1.0 if labels[0] > labels[1] else -1.0)
        if isinstance(self.parsed, LibsvmModel):
            values = _votes(values, len(labels))
        return values[:, np.argsort(labels)]

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each row, shape (n,)."""
        values, labels = self.decision_values(X), np.array(self.parsed.labels)
        if values.shape[1] == 1:
            return np.asarray(np.where(values[:, 0] > 0, labels[0], labels[1]))
        if isinstance(self.parsed, LibsvmModel):
            values = _votes(values, len(labels))
        return np.asarray(labels[values.argmax(axis=1)])

    def score(self, X: Any, y: Any) -> float:
        """The share of rows that are predicted as y says."""
        return float(np.mean(self.predict(X) == np.asarray(y)))


def _pair_values(parsed: LibsvmModel, X: Any) -> Vector:
    """sum_j coef_j k(x, x_j) - rho for each pair of labels, a block of rows at a time."""
    assert parsed.kernel is not None
    width = max(X.shape[1], parsed.vectors.shape[1])
    vectors, X = _widened(parsed.vectors, width), _widened(X, width)
    first = np.concatenate([[0], np.cumsum(parsed.counts)])
    pairs = list(combinations(range(len(parsed.labels)), 2))
    coefficients = np.zeros((vectors.shape[0], len(pairs)))
    for place, (i, j) in enumerate(pairs):
        of_i, of_j = slice(first[i], first[i + 1]), slice(first[j], first[j + 1])
        coefficients[of_i, place] = parsed.coef[j - 1, of_i]
        coefficients[of_j, place] = parsed.coef[i, of_j]
    out = np.empty((X.shape[0], len(pairs)))
    height = max(1, _BLOCK // max(1, vectors.shape[0]))
    for start in range(0, X.shape[0], height):
        block = slice(start, start + height)
        out[block] = parsed.kernel.matrix(X[block], vectors) @ coefficients
    return out - parsed.rho


def _widened(X: Any, width: int) -> Any:
    missing = width - X.shape[1]
    if missing == 0:
        return X
    is_sparse = bool(sparse.issparse(X))
    if is_sparse:
        return sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], width))
    return np.hstack([X, np.zeros((X.shape[0], missing), dtype=X.dtype)])


def _votes(values: Vector, k: int) -> Vector:
    votes = np.zeros((len(values), k))
    for (i, j), column in zip(combinations(range(k), 2), values.T, strict=True):
        votes[:, i] += column > 0
        votes[:, j] += column <= 0
    return votes
