"""Planes that learn together as rows come, and the running bound on their updates.

    predict, then learn:   y f(x) <= 0   ->   w += s y x,  b += s y c^2

The bound is Freund and Schapire's with a comparator fixed in hindsight-free restarts; see cpp/online.hpp.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.perceptron.state import Counts, Settings, core, matrix_arguments
from separatrix.types import Vector

_FIRST_RESTART = 64.0
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
        return float(core.most_updates(self.watch, self.tally, gain, factor))

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


def learn_one(X: NDArray[Any], sign: int, arguments: tuple[Any, ...]) -> int:
    """One dense row (1, d) of sign -1 or +1: -1 if it is not finite, else whether it was predicted positive."""
    answer: int = core.learn_one(X, sign, *arguments)
    return answer
