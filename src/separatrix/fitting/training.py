"""The checked training data of one fit, and the rows of them that count."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.deferred import Deferred
from separatrix.fitting.inputs import remaining_classes
from separatrix.proof.fingerprint import Fingerprint, fingerprint
from separatrix.types import Matrix, Vector


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Rows X (n, d), classes (k,), the class code of each row (n,) and its cost C_i (n,), zero if removed."""

    X: Matrix
    classes: NDArray[Any]
    codes: NDArray[np.intp]
    cost: Vector

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
        return Deferred(lambda: fingerprint(self.X, self.classes[self.codes]))

    def sides(self, positive: int, negative: int | None) -> tuple[list[Any], list[Any]]:
        """The names of the classes on the two sides; a negative of None means all the rest."""
        others = [code for code in range(len(self.classes)) if code != positive]
        return [self.name(positive)], [
            self.name(code) for code in (others if negative is None else [negative])
        ]

    def name(self, code: int) -> Any:
        """The name of a class as a plain Python value."""
        return self.classes[code : code + 1].tolist()[0]
