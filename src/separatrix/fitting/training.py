"""The checked training data of one fit, the binary problems they are cut into, and the certificates made from them.

two classes   one problem, positive for classes[1]
ovr           k problems, the k-th positive for class k
ovo           k (k-1) / 2 problems (i, j), i < j, positive for class i          (LIBSVM's order and signs)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.parameters import Settings
from separatrix.problem import Problem, Solution, row_blocks
from separatrix.problem.kernels import Kernel
from separatrix.problem.scaling import Scaling
from separatrix.proof.certificate import Certificate
from separatrix.proof.fingerprint import Fingerprint, fingerprint
from separatrix.proof.optimal import CLAIM_SLACK, optimal
from separatrix.proof.sums import Rejected
from separatrix.proof.value_bounds import bounds
from separatrix.threads import fit_threads
from separatrix.types import Index, Matrix, Vector

#: The sentence about data that are no longer those of the fit.
CHANGED = (
    "The training data were changed after the fit: {what} recomputed from them is {now!r}, at the fit it "
    "was {then!r}. What a model says of its data must be asked for before they are changed; fit again."
)

# Relative difference up to which two values of the same data are the same: BLAS adds in any order.
_CLOSE = 1e-9
# With a kernel, where a bound on the rounding costs as much as the proof, values within this part are not doubted.
_CLOSE_KERNEL = 1e-6


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
        """The codes of the classes that have a row of cost above 0; fewer than two is an error."""
        if self.cost.min() > 0:
            return np.arange(len(self.classes))
        kept = np.flatnonzero(np.bincount(self.codes[self.cost > 0], minlength=len(self.classes)))
        if len(kept) < 2:
            left = f"only class {self.name(kept[0])!r} has" if len(kept) else "no class has"
            raise ValueError(
                f"Once rows of weight zero are removed, {left} rows left; a separating surface needs rows of at "
                "least two classes with a weight above zero."
            )
        return kept

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """The rows of cost above 0."""
        return np.arange(len(self.cost)) if self.cost.min() > 0 else (self.cost > 0).nonzero()[0]

    @cached_property
    def rows_of_cost(self) -> Matrix:
        """X without the rows of cost 0; X itself, not a copy, where there are none."""
        return self.X if len(self.rows) == self.X.shape[0] else self.X[self.rows]

    def taking_part(self, kernel: Kernel | None) -> Matrix:
        """The rows of cost above 0; of a matrix of kernel values, their columns alone."""
        X = self.rows_of_cost
        precomputed = kernel is not None and kernel.name == "precomputed"
        return X[:, self.rows] if precomputed and len(self.rows) < X.shape[1] else X

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """The SHA-256 of X and y as they were given, shared by all certificates of the fit."""
        if self.scaling is None or self.given is None:
            return fingerprint(self.X, self.classes[self.codes])
        for rows, block in row_blocks(self.given):
            if abs(self.scaling.apply(block) - self.X[rows]).max() > 0:
                raise ValueError(
                    CHANGED.format(what="a scaled row", now="another", then="that of the problem")
                )
        return replace(fingerprint(self.given, self.classes[self.codes]), scaling=self.scaling)

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

    def sides(self, data: TrainingData) -> tuple[list[Any], list[Any]]:
        """The labels of all classes on each of the two sides."""
        negative = (
            {self.negative} if self.negative is not None else {*range(len(data.classes))} - {self.positive}
        )
        return [data.name(self.positive)], list(map(data.name, sorted(negative)))

    def problem(self, data: TrainingData, settings: Settings) -> tuple[Problem, NDArray[np.intp]]:
        """The problem and its training rows."""
        rows, codes, cost = data.rows, data.codes, data.cost
        if len(rows) < len(codes):
            codes, cost = codes[rows], cost[rows]
        y, X = 2.0 * (codes == self.positive) - 1.0, data.taking_part(settings.kernel)
        problem = Problem(X, y, cost, settings.loss, settings.bias, settings.kernel)
        if self.negative is None or len(data.kept) == 2:
            return problem, rows
        pair = np.flatnonzero((codes == self.positive) | (codes == self.negative))
        return problem.take(pair), rows[pair]


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


def prove(
    task: Task,
    data: TrainingData,
    problem: Problem,
    rows: Index,
    solution: Solution,
    coef: Vector | None = None,
) -> Certificate:
    """The `optimal` certificate of a solution; raises a sentence if the data were changed after the fit.

    With a kernel, coef (m,) is the primal point where it is not alpha y.
    """
    certificate = optimal(problem, solution, data.fingerprint, *task.sides(data), rows, coef)
    near = _CLOSE if problem.kernel is None else _CLOSE_KERNEL
    near *= max(abs(solution.dual), abs(solution.primal))
    for what, then in (("primal", solution.primal), ("dual", solution.dual)):
        now = float.fromhex(certificate.proof[what])
        if not abs(now - then) <= near and not abs(now - then) <= near + _rounding(problem, solution, coef):
            raise ValueError(CHANGED.format(what=f"the {what} value", now=now, then=then))
    return certificate


def prove_task(task: Task, data: TrainingData, settings: Settings, solution: Solution) -> Certificate:
    """The certificate of one of the problems of a fit, with as many threads as the fit was given."""
    problem, rows = task.problem(data, settings)
    with fit_threads(settings.n_threads):
        return prove(task, data, problem, rows, solution)


def _rounding(problem: Problem, solution: Solution, coef: Vector | None) -> float:
    """A bound on the rounding in the values of the fit and in those claimed; infinity beyond the range of floats.

    Where the bounds are a claim's, values are off by at most five times their errors: four in the claim, one at the
    fit. Twice the difference between four times the errors and one is six times.
    """
    point = solution.w if problem.kernel is None else coef
    try:
        one, four = (
            bounds(problem, point, solution.b, solution.alpha, slack=slack) for slack in (1.0, CLAIM_SLACK)
        )
    except Rejected:
        return math.inf
    known = 2.0 * float(four[0] - one[0] + one[1] - four[1])
    signed = solution.alpha * problem.y
    F = problem.space.products(problem.space.combine(signed))
    return known + 2.0**-50 * float(solution.alpha @ np.abs(F) + problem.C[np.isfinite(problem.C)].sum())


def check_dual(problem: Problem, alpha: Vector, then: float, primal: float) -> None:
    """Raise a sentence if the dual value recomputed from the training data is not that of the fit; without a kernel."""
    now = problem.dual(alpha)
    if abs(now - then) <= _CLOSE * max(abs(then), abs(primal)):
        return
    # v = sum_i alpha_i y_i x_i may be a small difference of large sums, which BLAS adds up in another order
    # with another number of threads: 1/2 ||v||^2 is then known only to this.
    v, size = problem.weighted_sum(alpha), np.zeros(problem.n_columns)
    for rows, block in row_blocks(problem.X):
        size += abs(block).T @ alpha[rows]
    error = 4 * np.finfo(float).eps * problem.n_rows * size
    if not abs(now - then) <= float(error @ (np.abs(v) + error)):
        raise ValueError(CHANGED.format(what="the dual value", now=now, then=then))
