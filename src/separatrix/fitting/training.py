"""The checked training data of one fit, the rows of them that count, and the binary problems they are cut into.

two classes   one problem, positive for classes[1]
ovr           k problems, the k-th positive for class k
ovo           k (k-1) / 2 problems (i, j), i < j, positive for class i          (LIBSVM's order and signs)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.deferred import Deferred
from separatrix.fitting.inputs import remaining_classes
from separatrix.fitting.parameters import Settings
from separatrix.problem import Problem
from separatrix.problem.rows import row_blocks
from separatrix.problem.scaling import Scaling
from separatrix.proof.fingerprint import Fingerprint, fingerprint
from separatrix.types import Matrix, Vector

#: The sentence about data that are no longer those of the fit.
CHANGED = (
    "The training data were changed after the fit: {what} recomputed from them is {now!r}, at the fit it "
    "was {then!r}. What a model says of its data must be asked for before they are changed; fit again."
)


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Rows X (n, d), classes (k,), the class code of each row (n,) and its cost C_i (n,), zero if removed.

    Where the columns are scaled, X are the scaled rows, and ``given`` the rows as they came.
    """

    X: Matrix
    classes: NDArray[Any]
    codes: NDArray[np.intp]
    cost: Vector
    scaling: Scaling | None = None
    given: Matrix | None = None

    @cached_property
    def kept(self) -> NDArray[np.intp]:
        """The codes of the classes that have rows of cost above 0: at least two."""
        return remaining_classes(self.cost, self.classes, self.codes)

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """The rows of cost above 0."""
        return np.arange(len(self.cost)) if self.cost.min() > 0 else (self.cost > 0).nonzero()[0]

    @cached_property
    def rows_of_cost(self) -> Matrix:
        """X without the rows of cost 0; X itself, not a copy, where there are none."""
        return self.X if len(self.rows) == self.X.shape[0] else self.X[self.rows]

    @cached_property
    def fingerprint(self) -> Deferred[Fingerprint]:
        """The SHA-256 of X and y as they were given, shared by all certificates of the fit."""
        return Deferred(self._fingerprint)

    def _fingerprint(self) -> Fingerprint:
        if self.scaling is None or self.given is None:
            return fingerprint(self.X, self.classes[self.codes])
        for rows, block in row_blocks(self.given):
            if abs(self.scaling.apply(block) - self.X[rows]).max() > 0:
                raise ValueError(
                    CHANGED.format(what="a scaled row", now="another", then="that of the problem")
                )
        return replace(fingerprint(self.given, self.classes[self.codes]), scaling=self.scaling)

    def sides(self, positive: int, negative: int | None) -> tuple[list[Any], list[Any]]:
        """The names of the classes on the two sides; a negative of None means all the rest."""
        others = [code for code in range(len(self.classes)) if code != positive]
        return [self.name(positive)], [
            self.name(code) for code in (others if negative is None else [negative])
        ]

    def name(self, code: int) -> Any:
        """The name of a class as a plain Python value."""
        return self.classes[code : code + 1].tolist()[0]


@dataclass(frozen=True, eq=False)
class Task:
    """One binary problem: its name, and the codes of the classes on its two sides (None: all the rest)."""

    key: Any
    positive: int
    negative: int | None

    def names(self, data: TrainingData) -> tuple[Any, Any]:
        """The labels of the two sides; None for all the rest."""
        return data.name(self.positive), None if self.negative is None else data.name(self.negative)

    def problem(self, data: TrainingData, settings: Settings) -> tuple[Problem, NDArray[np.intp]]:
        """The problem and its training rows."""
        rows, X, codes, cost = data.rows, data.rows_of_cost, data.codes, data.cost
        if len(rows) < len(codes):
            codes, cost = codes[rows], cost[rows]
        if self.negative is not None and len(data.kept) > 2:
            pair = np.flatnonzero((codes == self.positive) | (codes == self.negative))
            rows, codes, cost, X = rows[pair], codes[pair], cost[pair], X[pair]
        y = 2.0 * (codes == self.positive) - 1.0
        kernel = settings.kernel
        if kernel is not None and kernel.name == "precomputed" and len(rows) < X.shape[1]:
            X = X[:, rows]
        return Problem(X, y, cost, settings.loss, settings.bias, kernel), rows


def tasks(data: TrainingData, multi_class: str) -> list[Task]:
    """The binary problems of a fit, in the order of the rows of coef_."""
    kept, name = data.kept.tolist(), data.name
    if len(kept) == 2:
        first, second = kept
        return [Task((name(first), name(second)) if multi_class == "ovo" else name(second), second, first)]
    if multi_class == "ovr":
        return [Task(name(code), code, None) for code in kept]
    pairs = [(i, j) for place, i in enumerate(kept) for j in kept[place + 1 :]]
    return [Task((name(i), name(j)), i, j) for i, j in pairs]
