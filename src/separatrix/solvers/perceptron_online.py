"""The perceptron as rows come: one look at each row, classes may appear later.

    predict, then learn:   y f(x) <= 0   ->   w += s y x,  b += s y c^2

A batch of n rows is n single steps, bit for bit. While one class is known there is nothing to learn; a second class
makes it one plane (positive for the class met second); from the third on each class has a plane of its own,
the first two inheriting -w and w, which is what Kesler's updates, or one-vs-rest's, would have made them.

The running bound is Freund and Schapire's with a comparator fixed in hindsight-free restarts; see cpp/online.hpp.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.problem.losses import Vector
from separatrix.solvers.passes import Counts, Settings, core, matrix_arguments

_FIRST_RESTART = 64.0
_SIGNS = np.array([-1, 1], dtype=np.int8)
_NO_VECTOR: Vector = np.empty(0)


def _fresh_watch() -> Vector:
    watch = np.zeros(core.watch_size)
    watch[0] = _FIRST_RESTART
    return watch


class NotFiniteError(ValueError):
    """A row holds a NaN or an infinity, or its squared norm overflows; nothing was learnt from the batch."""

    def __init__(self, row: int) -> None:
        super().__init__(f"Row {row} has a norm that is not a finite number.")
        self.row = row


@dataclass(eq=False)
class Planes:
    """Planes that learn together: W (p, d) and b (p,), one for two classes or one a class."""

    W: NDArray[np.float64]
    b: Vector
    tally: Counts = field(default_factory=lambda: np.zeros(3, dtype=np.int64))  #: visits, updates, run
    lag: NDArray[np.float64] = field(default_factory=lambda: _NO_VECTOR)
    lag_b: Vector = field(default_factory=lambda: _NO_VECTOR)
    pocket_w: NDArray[np.float64] = field(default_factory=lambda: _NO_VECTOR)
    pocket_b: Vector = field(default_factory=lambda: _NO_VECTOR)
    pocket: Counts = field(default_factory=lambda: np.array([-1, -1, 0]))
    watch: Vector = field(default_factory=_fresh_watch)
    u: NDArray[np.float64] = field(default_factory=lambda: _NO_VECTOR)
    u_b: Vector = field(default_factory=lambda: _NO_VECTOR)

    def __post_init__(self) -> None:
        if self.u.shape != self.W.shape:
            self.u, self.u_b = np.zeros_like(self.W), np.zeros_like(self.b)

    @staticmethod
    def zero(p: int, d: int, extra: str | None) -> Planes:
        """Planes that have seen nothing."""
        planes = Planes(np.zeros((p, d)), np.zeros(p))
        if extra == "averaged":
            planes.lag, planes.lag_b = np.zeros((p, d)), np.zeros(p)
        if extra == "pocket":
            planes.pocket_w, planes.pocket_b = np.zeros((p, d)), np.zeros(p)
        return planes

    def arguments(self, settings: Settings, gain: float) -> tuple[Any, ...]:
        """What the compiled steps for two classes change, in their order; views, so that one tuple serves for long."""
        return (
            self.W.reshape(-1),
            self.b,
            settings.size,
            gain,
            settings.decreasing,
            self.tally,
            self.lag.reshape(-1),
            self.lag_b,
            self.pocket_w.reshape(-1),
            self.pocket_b,
            self.pocket,
            self.watch,
            self.u.reshape(-1),
            self.u_b,
        )

    def learn_two(
        self, X: Any, signs: NDArray[np.int8], settings: Settings, gain: float, scores: Vector = _NO_VECTOR
    ) -> tuple[Any, Any]:
        """Positions of the mistakes among the rows, and the scores that were wrong.

        ``scores`` (m,), where given, gets the score of every row as it was when the row came.
        """
        bad, positions, wrong = core.learn_two(
            *matrix_arguments(X), signs, scores, *self.arguments(settings, gain)
        )
        if bad >= 0:
            raise NotFiniteError(int(bad))
        return positions, wrong

    def learn_many(
        self, X: Any, codes: NDArray[np.int32], settings: Settings, gain: float
    ) -> NDArray[np.int64]:
        """(row, visits before, rival) of each mistake."""
        bad, log = core.learn_many(
            *matrix_arguments(X),
            codes,
            self.W.reshape(-1),
            self.b,
            settings.size,
            gain,
            settings.decreasing,
            self.tally,
            self.lag.reshape(-1),
            self.lag_b,
            self.watch,
            self.u.reshape(-1),
            self.u_b,
        )
        if bad >= 0:
            raise NotFiniteError(int(bad))
        found: NDArray[np.int64] = log
        return found

    def output(self, extra: str | None) -> tuple[NDArray[np.float64], Vector]:
        """The planes that predict: the last, their average, or the pocket's."""
        if extra == "averaged":
            visits = max(1, int(self.tally[0]))
            return self.W - self.lag / visits, self.b - self.lag_b / visits
        if extra == "pocket" and self.pocket[0] >= self.tally[2]:
            return self.pocket_w, self.pocket_b
        return self.W, self.b

    def bound(self, gain: float, factor: float) -> float:
        """The most updates that the rows so far can have caused."""
        _, base_updates, base_visits, active, largest, margin, *deficits = self.watch.tolist()
        seen = float(self.tally[0]) - base_visits
        if not active or margin <= 0:
            return float(base_updates + seen)
        radius, least = math.sqrt(factor * (largest + gain)), math.inf
        for deficit in deficits:
            least = min(least, (radius + math.sqrt(deficit)) / margin)
            margin *= 0.5
        return float(base_updates + min(seen, least * least))

    def grow(self, W: NDArray[np.float64], b: Vector, p: int) -> Planes:
        """More planes, the given ones first; the comparator starts afresh."""
        d = self.W.shape[1]

        def padded(array: Any, shape: tuple[int, ...], source: Any) -> Any:
            if array.size == 0:
                return array
            out = np.zeros(shape)
            out[: len(source)] = source
            return out

        watch = _fresh_watch()
        watch[0], watch[1:3], watch[4] = self.watch[0], self.tally[[1, 0]], self.watch[4]
        pair = len(W) == 2 and len(self.W) == 1
        lag, lag_b = (
            (np.vstack([-self.lag, self.lag]), np.concatenate([-self.lag_b, self.lag_b]))
            if pair and self.lag.size
            else (self.lag, self.lag_b)
        )
        return Planes(
            padded(self.W, (p, d), W),
            padded(self.b, (p,), b),
            tally=self.tally.copy(),
            lag=padded(lag, (p, d), lag),
            lag_b=padded(lag_b, (p,), lag_b),
            watch=watch,
        )


@dataclass(eq=False)
class OnlinePerceptron:
    """All that a stream changes. Codes number the classes in the order in which they were met.

    ``groups`` is empty until a second class is known, then one `Planes`, or (one-vs-rest, three classes or more)
    one for each class.
    """

    settings: Settings
    n_columns: int
    one_vs_rest: bool = False
    constant: float = float(
        "nan"
    )  #: of the fictitious column; nan until the first row where it is the radius
    n_classes: int = 0
    groups: list[Planes] = field(default_factory=list)
    seen: int = 0

    @property
    def gain(self) -> float:
        """c^2."""
        return self.constant * self.constant

    @property
    def updates(self) -> int:
        """Updates so far."""
        return sum(int(planes.tally[1]) for planes in self.groups)

    @property
    def radius(self) -> float:
        """The largest norm of a row since there was something to learn."""
        return float(np.sqrt(max((planes.watch[4] for planes in self.groups), default=0.0)))

    def bound(self) -> float:
        """The most updates that the rows so far can have caused, whatever comparator is best."""
        factor = 2.0 if self.n_classes > 2 and not self.one_vs_rest else 1.0
        return float(sum(planes.bound(self.gain, factor) for planes in self.groups))

    def add_class(self) -> None:
        """A class is met for the first time (or announced)."""
        self.n_classes += 1
        k, extra = self.n_classes, self.settings.extra
        if k == 2:
            self.groups = [Planes.zero(1, self.n_columns, extra)]
        elif k == 3 and self.one_vs_rest:
            self.groups = [self._mirrored(), self.groups[0], Planes.zero(1, self.n_columns, extra)]
        elif k > 3 and self.one_vs_rest:
            self.groups.append(Planes.zero(1, self.n_columns, extra))
        elif k >= 3:
            planes = self.groups[0]
            pair = len(planes.W) == 1
            W = np.vstack([-planes.W, planes.W]) if pair else planes.W
            b = np.concatenate([-planes.b, planes.b]) if pair else planes.b
            self.groups = [planes.grow(W, b, k)]

    def _mirrored(self) -> Planes:
        """The plane of the first class, as its own updates would have made it."""
        plane = self.groups[0]
        return Planes(
            -plane.W,
            -plane.b,
            plane.tally.copy(),
            -plane.lag,
            -plane.lag_b,
            -plane.pocket_w,
            -plane.pocket_b,
            plane.pocket.copy(),
            plane.watch.copy(),
            -plane.u,
            -plane.u_b,
        )

    def learn(self, X: Any, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Predict each row, then learn it; the predictions (m,) as codes."""
        predicted = codes.copy()
        if self.n_classes < 2:
            self.seen += len(codes)
            return predicted
        if self.n_classes == 2:
            positions, scores = self.groups[0].learn_two(X, _SIGNS[codes], self.settings, self.gain)
            predicted[positions] = scores > 0
        elif self.one_vs_rest:
            self._learn_rest(X, codes, predicted)
        else:
            log = self.groups[0].learn_many(X, codes, self.settings, self.gain)
            # A tie counts as a mistake here, whichever class it would be given to.
            predicted[log[:, 0]] = log[:, 2]
        self.seen += len(codes)
        return predicted

    def _learn_rest(self, X: Any, codes: NDArray[np.int32], predicted: NDArray[np.int32]) -> None:
        """Each class against the rest, with the scores that each row had when it came."""
        scores = np.empty((len(self.groups), len(codes)))
        for code, planes in enumerate(self.groups):
            signs = np.where(codes == code, 1, -1).astype(np.int8)
            planes.learn_two(X, signs, self.settings, self.gain, scores[code])
        predicted[:] = scores.argmax(axis=0)

    def one_by_one(self) -> tuple[Any, ...] | None:
        """The arguments of `learn_one` while there are two classes; they stay good until a class is added."""
        return self.groups[0].arguments(self.settings, self.gain) if self.n_classes == 2 else None


def learn_one(X: NDArray[Any], sign: int, arguments: tuple[Any, ...]) -> int:
    """One dense row (1, d) of sign -1 or +1: -1 if it is not finite, else whether it was predicted positive."""
    answer: int = core.learn_one(X, sign, *arguments)
    return answer
