"""Probabilities from scores, once a model is calibrated (`separatrix.calibrate`): one map for each score.

    sigmoid       p = 1 / (1 + exp(a s + b))
    isotonic      p rises with s, linear between the points (x, y) and constant outside
    venn-abers    p = p1 / (1 - p0 + p1); (p0, p1) is known for every place of s among the calibration scores

Two classes have one map, of the probability of the second; k classes have one for each class against the rest, and the
k numbers are divided by their sum. Maps are plain numbers, so that a model file and an ONNX graph can hold them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from scipy.special import expit

from separatrix.errors import with_hint
from separatrix.types import Vector

#: Advice where probabilities are asked of a model that has none.
ADVICE = (
    "separatrix.calibrate(model, X, y) gives a model with probabilities, from rows that the fit has not seen; "
    "sklearn.calibration.CalibratedClassifierCV(model) does it by cross-validation"
)


@dataclass(frozen=True)
class Sigmoid:
    """Platt's sigmoid 1 / (1 + exp(slope s + offset)); the slope is negative where greater scores are more probable.

    >>> Sigmoid(-2.0, 0.0).probability(np.array([0.0, 100.0]))
    array([0.5, 1. ])
    """

    slope: float
    offset: float

    def probability(self, scores: Vector) -> Vector:
        """Probability of each score, (n,)."""
        return np.asarray(expit(-(self.slope * scores + self.offset)))


@dataclass(frozen=True, eq=False)
class Isotonic:
    """A rising function through the points (x, y), linear between them and constant outside; x (t,) increases.

    >>> Isotonic(np.array([0.0, 1.0]), np.array([0.2, 0.4])).probability(np.array([-1.0, 0.5]))
    array([0.2, 0.3])
    """

    x: Vector
    y: Vector

    def probability(self, scores: Vector) -> Vector:
        """Probability of each score, (n,)."""
        return np.asarray(np.interp(scores, self.x, self.y))


@dataclass(frozen=True, eq=False)
class VennAbers:
    """Lower and upper probability for every place of a score among the m distinct scores of the calibration rows.

    ``low`` and ``high`` have 2 m + 1 entries: below the first score, at it, between the first and the second, ...
    One of the two is the perfectly calibrated probability of a Venn predictor, whatever the distribution of
    exchangeable rows; their distance says how little the data say.
    """

    scores: Vector
    low: Vector
    high: Vector

    def place(self, scores: Vector) -> Any:
        """Entry of ``low`` and ``high`` for each score, (n,)."""
        return np.searchsorted(self.scores, scores, "left") + np.searchsorted(self.scores, scores, "right")

    def interval(self, scores: Any) -> tuple[Vector, Vector]:
        """(p0, p1), each (n,)."""
        place = self.place(np.asarray(scores, dtype=np.float64))
        return self.low[place], self.high[place]

    @property
    def single(self) -> Vector:
        """p1 / (1 - p0 + p1), which has the least log loss in the worst case, (2 m + 1,)."""
        return self.high / (1.0 - self.low + self.high)

    def probability(self, scores: Vector) -> Vector:
        """Probability of each score, (n,)."""
        return np.asarray(self.single[self.place(scores)])


Map: TypeAlias = Sigmoid | Isotonic | VennAbers


@dataclass(frozen=True, eq=False)
class Calibration:
    """The maps of a calibrated model: one for two classes, else one for each class."""

    method: str  #: "sigmoid", "isotonic" or "venn-abers"
    maps: tuple[Map, ...]
    rows: int  #: rows that it was made from

    def __repr__(self) -> str:
        return f"Calibration({self.method!r}, {len(self.maps)} map{'s' * (len(self.maps) > 1)}, {self.rows} rows)"

    def probabilities(self, scores: Vector) -> Vector:
        """Probabilities (n, k) of scores (n,) or (n, k); every row sums to 1.

        >>> Calibration("sigmoid", (Sigmoid(-1.0, 0.0),), 10).probabilities(np.array([0.0]))
        array([[0.5, 0.5]])
        """
        if len(self.maps) == 1:
            p = self.maps[0].probability(scores)
            return np.column_stack([1.0 - p, p])
        each = np.column_stack(
            [own.probability(column) for own, column in zip(self.maps, scores.T, strict=True)]
        )
        total = each.sum(axis=1, keepdims=True)
        even = np.full_like(each, 1.0 / each.shape[1])
        return np.asarray(np.divide(each, total, out=even, where=total > 0))


class _Scored(Protocol):
    calibration_: Calibration

    def decision_function(self, X: Any) -> Vector: ...


class _Calibrated:
    """A method that a calibrated model has; of any other its absence is explained, and `hasattr` is false."""

    def __init__(self, method: Callable[[Any, Any], Vector]) -> None:
        self._method, self.__doc__ = method, method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is not None and "calibration_" in vars(instance):
            return self._method.__get__(instance, owner)
        raise with_hint(
            AttributeError,
            f"{owner.__name__!r} object has no attribute {self._name!r}: scores are distances, not probabilities.",
            ADVICE,
        )


class Probabilities:
    """An estimator whose scores are distances, and which has probabilities once it is calibrated."""

    calibration_: Calibration

    @_Calibrated
    def predict_proba(self: _Scored, X: Any) -> Vector:
        """Probabilities of the classes (n, k), calibrated on rows that the fit has not seen.

        `predict` stays what was proved: where the classes are not as frequent as they were in the fit, the most
        probable class may be another.
        """
        return self.calibration_.probabilities(self.decision_function(X))

    @_Calibrated
    def predict_log_proba(self: Any, X: Any) -> Vector:
        """Logarithms of the probabilities, (n, k)."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))
