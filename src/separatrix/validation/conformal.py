"""Split-conformal prediction sets: all classes that the calibration rows do not speak against.

    strangeness of (x, class c)   s(x, c) = -y f(x) for two classes; max over others of f - f_c for many
    p-value                       (1 + number of calibration rows at least as strange) / (n + 1)
    set                           every class with p-value above 1 - confidence

If calibration rows and the new row are exchangeable, the set contains the true class with probability >= confidence, on
average over calibration sets, whatever the model. ``by_class=True`` compares with calibration rows of class c
only: then it holds within every class. Vovk, Gammerman, Shafer: Algorithmic Learning in a Random World (2005);
Papadopoulos et al. (2002).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.types import Vector
from separatrix.validation.held_out import check_confidence, check_unseen


class ConformalSets:
    """Prediction sets of a fitted model, from calibration rows X, y that it has not seen.

    >>> import numpy as np, separatrix as sx
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 1)); y = (X[:, 0] > 0).astype(int)
    >>> model = sx.SVC().fit(X[:100], y[:100])
    >>> sets = ConformalSets(model, X[100:], y[100:], confidence=0.9)
    >>> sets.predict_set([[2.0], [-2.0]])
    array([[False,  True],
           [ True, False]])
    """

    def __init__(
        self,
        model: Any,
        X: Any,
        y: Any,
        *,
        confidence: float = 0.9,
        by_class: bool = False,
        training: Any = None,
        allow_equal_rows: bool = False,
    ) -> None:
        if not allow_equal_rows:
            check_unseen(model, X, training)
        self.model, self.by_class = model, by_class
        self.classes_: NDArray[Any] = np.asarray(model.classes_)
        self.confidence = check_confidence(confidence)
        codes = np.searchsorted(self.classes_, np.asarray(y))
        if np.any(codes >= len(self.classes_)) or np.any(self.classes_[codes] != np.asarray(y)):
            raise ValueError(
                f"y has classes that the model does not know; it knows {self.classes_.tolist()}."
            )
        own = self._strangeness(X)[np.arange(len(codes)), codes]
        groups = (
            [own[codes == c] for c in range(len(self.classes_))] if by_class else [own] * len(self.classes_)
        )
        self._sorted = [np.sort(group) for group in groups]
        short = min(map(len, self._sorted))
        if (short + 1) * (1.0 - self.confidence) < 1.0:
            raise ValueError(
                f"{short} calibration rows{' of one class' * by_class} cannot speak against anything at confidence "
                f"{self.confidence:g}: at least {int(np.ceil(1.0 / (1.0 - self.confidence) - 1e-9)) - 1} are needed."
            )

    def _strangeness(self, X: Any) -> Vector:
        """s(x, c), shape (n, k)."""
        scores = np.asarray(self.model.decision_function(X), dtype=np.float64)
        if scores.ndim == 1:
            return np.column_stack([scores, -scores])
        order = np.sort(scores, axis=1)
        rival = np.where(scores == order[:, -1:], order[:, -2:-1], order[:, -1:])
        return rival - scores

    def p_values(self, X: Any) -> Vector:
        """The p-value of every class for every row, shape (n, k)."""
        strange = self._strangeness(X)
        columns = [
            (1.0 + len(known) - np.searchsorted(known, strange[:, c])) / (len(known) + 1.0)
            for c, known in enumerate(self._sorted)
        ]
        return np.column_stack(columns)

    def predict_set(self, X: Any) -> NDArray[np.bool_]:
        """Classes in the set of each row, as a mask (n, k)."""
        return self.p_values(X) > 1.0 - self.confidence
