"""What partial_fit keeps between two calls, the short way for single rows, and the attributes it shows."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.predicting import raw_scores
from separatrix.perceptron.kernel_online import KernelOnline
from separatrix.perceptron.online import OnlinePerceptron
from separatrix.perceptron.planes import learn_one
from separatrix.problem.mistakes import MistakeRecord

_MOST_RECORDS = 4096
FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


class Online:
    """What partial_fit keeps beside the planes: names of the classes, the parameters it began with, the history.

    ``order`` sorts the classes: planes are numbered in the order in which classes were met.
    """

    def __init__(self, model: OnlinePerceptron | KernelOnline, parameters: tuple[Any, ...]) -> None:
        self.model = model
        self.parameters = parameters
        self.codes: dict[Any, int] = {}
        self.names: list[Any] = []
        self.order = np.empty(0, dtype=np.intp)
        self.labels: NDArray[Any] = np.empty(0)
        self.mistakes = 0
        self.began = time.perf_counter()
        self.records: list[tuple[float, int, int, int, float]] = []
        self.stride = self.since = 1

    @property
    def dropped(self) -> int:
        """Support vectors forgotten for the budget."""
        ledger = self.model.ledger if isinstance(self.model, KernelOnline) else None
        return 0 if ledger is None else ledger.dropped

    def add_class(self, name: Any) -> None:
        """Name a class that was not known."""
        self.codes[name] = len(self.names)
        self.names.append(name)
        self.model.add_class()
        self.sort()

    def sort(self) -> None:
        """Work out the order of the classes by name."""
        self.labels = np.array(self.names)
        self.order = np.argsort(self.labels, kind="stable")

    def note(self, mistakes: int) -> None:
        """Add a record; long histories are thinned, every second record at a time."""
        self.mistakes += mistakes
        self.since -= 1
        if self.since > 0:
            return
        self.since = self.stride
        model = self.model
        self.records.append(
            (time.perf_counter() - self.began, model.seen, self.mistakes, model.updates, model.bound())
        )
        if len(self.records) > _MOST_RECORDS:
            self.records = self.records[::2]
            self.stride *= 2

    def history(self) -> list[MistakeRecord]:
        """The records; ``mistakes`` of each is counted since the one before."""
        out, before = [], 0
        for when, rows, mistakes, updates, bound in self.records:
            out.append(MistakeRecord(when, 0, rows, mistakes - before, updates, bound))
            before = mistakes
        return out

    def planes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The planes that predict, in the order of the sorted classes."""
        model = self.model
        assert isinstance(model, OnlinePerceptron)
        k = len(self.names)
        if k < 2:
            return np.zeros((1, model.n_columns)), np.zeros(1)
        outputs = [planes.output(model.settings.extra) for planes in model.groups]
        W = outputs[0][0] if len(outputs) == 1 else np.vstack([W for W, _ in outputs])
        b = outputs[0][1] if len(outputs) == 1 else np.concatenate([b for _, b in outputs])
        if k == 2:
            return (W, b) if self.order[0] == 0 else (-W, -b)
        return W[self.order], b[self.order]

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Scores of new rows, in the order of the sorted classes."""
        if isinstance(self.model, KernelOnline):
            scores = self.model.scores(X)
            if len(self.names) <= 2:
                return scores if len(self.names) < 2 or self.order[0] == 0 else -scores
            return scores[:, self.order]
        return raw_scores(X, *self.planes())


class FastLane:
    """One dense row of a known class, two classes, plain output: straight to the compiled step.

    ``step`` returns False, having changed nothing, whenever a row needs the long way.
    """

    def __init__(self, estimator: Any, online: Online, arguments: tuple[Any, ...]) -> None:
        self.estimator, self.online, self.model, self.arguments = estimator, online, online.model, arguments
        self.shape = (1, estimator.n_features_in_)
        self.signs = {name: 2 * code - 1 for name, code in online.codes.items()}
        self.tally = arguments[5]
        assert isinstance(online.model, OnlinePerceptron)
        self.planes = online.model.groups[0]
        self.mirrored = bool(online.order[0] != 0)

    def shared(self) -> bool:
        """Whether coef_ and intercept_ are the very arrays that are learnt in place."""
        assert isinstance(self.model, OnlinePerceptron)
        return self.planes is self.model.groups[0] and not self.mirrored

    def step(self, X: Any, y: Any) -> bool:
        """Learn the row if it is as simple as that."""
        if type(X) is not np.ndarray or X.shape != self.shape or len(y) != 1 or not X.flags.c_contiguous:
            return False
        try:
            sign = self.signs.get(y[0])
        except (KeyError, TypeError):  # a data frame's column, an unhashable label
            return False
        if sign is None or X.dtype not in FLOATS:
            return False
        positive = learn_one(X, sign, self.arguments)
        if positive < 0:
            return False
        self.model.seen += 1
        self.online.note(int((sign > 0) != positive))
        estimator = self.estimator
        estimator.n_updates_ = int(self.tally[1])
        if self.mirrored:
            estimator.coef_, estimator.intercept_ = self.online.planes()
        return True


def refresh(estimator: Any, online: Online) -> None:
    """The attributes that partial_fit keeps up to date."""
    model, plain = online.model, online.model.settings.extra is None
    estimator.n_updates_ = model.updates
    fast = estimator._fast
    same = fast is not None and fast.online is online and fast.shared()
    if same:
        return  # coef_ and intercept_ are the arrays that were learnt in place
    estimator.classes_ = online.labels[online.order]
    estimator._fast = None
    if isinstance(model, OnlinePerceptron):
        estimator.coef_, estimator.intercept_ = online.planes()
        arguments = model.one_by_one()
        if arguments is not None and plain:
            estimator._fast = FastLane(estimator, online, arguments)
