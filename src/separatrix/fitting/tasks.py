"""Many classes as binary problems: one against the rest, or each pair.

two classes   one problem, positive for classes[1]
ovr           k problems, the k-th positive for class k
ovo           k (k-1) / 2 problems (i, j), i < j, positive for class i          (LIBSVM's order and signs)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.parameters import Settings
from separatrix.fitting.proofs import prove
from separatrix.fitting.training import TrainingData
from separatrix.problem import Problem, Solution
from separatrix.proof.certificate import Certificate
from separatrix.threads import fit_threads


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

    def prove(self, data: TrainingData, settings: Settings, solution: Solution) -> Certificate:
        """The certificate of a solution, with as many threads as the fit was given."""
        problem, rows = self.problem(data, settings)
        with fit_threads(settings.n_threads):
            return prove(data, problem, rows, solution, self.positive, self.negative)


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
