"""The perceptron as rows come: one look at each row, classes may appear later.

    predict, then learn:   y f(x) <= 0   ->   w += s y x,  b += s y c^2

A batch of n rows is n single steps, bit for bit. While one class is known there is nothing to learn; a second class
makes it one plane (positive for the class met second); from the third on each class has a plane of its own,
the first two inheriting -w and w, which is what Kesler's updates, or one-vs-rest's, would have made them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.perceptron.planes import Planes
from separatrix.perceptron.state import Settings

_SIGNS = np.array([-1, 1], dtype=np.int8)


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
            positions, scores = self.groups[0].learn_two(X, _SIGNS.take(codes), self.settings, self.gain)
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
