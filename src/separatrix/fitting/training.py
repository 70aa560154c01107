"""The checked training data of one fit, and the rows of them that count."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.deferred import Deferred
from separatrix.fitting.inputs import remaining_classes
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
