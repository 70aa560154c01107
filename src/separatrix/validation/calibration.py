"""Probabilities from scores, calibrated on rows that were not trained on.

Platt's sigmoid and isotonic regression are scikit-learn's (`CalibratedClassifierCV` around a frozen model), with a
check that the model has not seen the rows. Venn-Abers is not in scikit-learn: for each new row two
isotonic regressions, one with the row added as negative (p0), one as positive (p1). One of the two is the
perfectly calibrated probability of a Venn predictor, whatever the distribution of exchangeable rows; their distance
says how little the data say.

Platt (1999); Zadrozny, Elkan (2002); Vovk, Petej, Fedorova: Large-scale probabilistic predictors with and without
guarantees of validity, NIPS 2015.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import isotonic_regression

from separatrix.errors import ParameterError
from separatrix.types import Vector
from separatrix.validation.held_out import check_unseen

_METHODS = {"platt": "sigmoid", "isotonic": "isotonic"}


def calibrate(
    model: Any, X: Any, y: Any, method: str = "platt", *, training: Any = None, allow_equal_rows: bool = False
) -> Any:
    """A classifier with ``predict_proba`` from a fitted model and calibration rows X, y that it has not seen.

    ``method`` is "platt", "isotonic" or "venn-abers". ``training``, the rows of the fit, makes the check complete.

    >>> import numpy as np, separatrix as sx
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2)); y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    >>> model = sx.SVC().fit(X[:100], y[:100])
    >>> calibrated = calibrate(model, X[100:], y[100:], "platt", training=X[:100])
    >>> calibrated.predict_proba([[0.0, 0.0]]).shape
    (1, 2)
    """
    if not allow_equal_rows:
        check_unseen(model, X, training)
    if method == "venn-abers":
        return VennAbers(model, X, y)
    if method not in _METHODS:
        names = ", ".join(repr(name) for name in (*_METHODS, "venn-abers"))
        raise ParameterError(f"method must be one of {names}; got {method!r}.")
    return CalibratedClassifierCV(FrozenEstimator(model), method=_METHODS[method]).fit(X, y)


class VennAbers:
    """The inductive Venn-Abers predictor of a fitted model for two classes; made by `calibrate`.

    >>> scores = VennAbers.of_scores([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    >>> p0, p1 = scores.interval_of_scores([1.5])
    >>> print(p0, p1)
    [0.5] [1.]
    """

    def __init__(self, model: Any, X: Any, y: Any) -> None:
        classes = np.asarray(model.classes_)
        if len(classes) != 2:
            raise ValueError(f"Venn-Abers is for two classes; the model has {len(classes)}.")
        self.model, self.classes_ = model, classes
        self._set(model.decision_function(X), np.asarray(y) == classes[1])

    @classmethod
    def of_scores(cls, scores: Any, y: Any) -> VennAbers:
        """From scores (n,) and labels 0, 1 (n,) of the calibration rows."""
        made = cls.__new__(cls)
        made.model, made.classes_ = None, np.array([0, 1])
        made._set(np.asarray(scores, dtype=np.float64), np.asarray(y) == 1)
        return made

    def _set(self, scores: Vector, positive: NDArray[np.bool_]) -> None:
        if len(scores) != len(positive) or not len(scores):
            raise ValueError(
                f"There must be one label for each score; got {len(scores)} and {len(positive)}."
            )
        self._scores, place = np.unique(scores, return_inverse=True)
        self._weight = np.bincount(place, minlength=len(self._scores)).astype(np.float64)
        self._positive = np.bincount(place, weights=positive, minlength=len(self._scores))
        self._known: dict[tuple[int, bool], tuple[float, float]] = {}

    def interval_of_scores(self, scores: Any) -> tuple[Vector, Vector]:
        """(p0, p1), each (n,): the probability of the positive class lies between them."""
        values = np.asarray(scores, dtype=np.float64)
        left = np.searchsorted(self._scores, values)
        equal = (left < len(self._scores)) & (self._scores[np.minimum(left, len(self._scores) - 1)] == values)
        pairs = [self._pair(int(i), bool(tied)) for i, tied in zip(left, equal, strict=True)]
        both = np.array(pairs).reshape(-1, 2)
        return both[:, 0], both[:, 1]

    def _pair(self, place: int, tied: bool) -> tuple[float, float]:
        """p0 and p1 of a score at this place among the calibration scores: few places, so they are kept."""
        if (place, tied) not in self._known:
            self._known[place, tied] = self._fit(place, tied, 0.0), self._fit(place, tied, 1.0)
        return self._known[place, tied]

    def _fit(self, place: int, tied: bool, label: float) -> float:
        weight, positive = self._weight.copy(), self._positive.copy()
        if tied:
            weight[place] += 1.0
            positive[place] += label
        else:
            weight, positive = np.insert(weight, place, 1.0), np.insert(positive, place, label)
        return float(isotonic_regression(positive / weight, sample_weight=weight)[place])

    def predict_interval(self, X: Any) -> tuple[Vector, Vector]:
        """(p0, p1) of each row of X."""
        return self.interval_of_scores(self.model.decision_function(X))

    def predict_proba(self, X: Any) -> Vector:
        """Probabilities (n, 2); of the positive class p1 / (1 - p0 + p1), which minimises the worst log loss."""
        p0, p1 = self.predict_interval(X)
        p = p1 / (1.0 - p0 + p1)
        return np.column_stack([1.0 - p, p])

    def predict(self, X: Any) -> NDArray[Any]:
        """The more probable class."""
        labels: NDArray[Any] = self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(np.intp)]
        return labels
