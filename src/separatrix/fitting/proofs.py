"""The certificate of a fitted binary problem, built from the training data when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.training import TrainingData
from separatrix.problem import Problem, Solution, row_blocks
from separatrix.proof.certificate import Certificate
from separatrix.proof.optimal import optimal
from separatrix.separability import Separability
from separatrix.types import Vector

_CLOSE = 1e-9  # relative: the sums are the same up to the order in which BLAS adds
CHANGED = (
    "The training data were changed after the fit: {what} recomputed from them is {now!r}, at the fit it "
    "was {then!r}. What a model says of its data must be asked for before they are changed; fit again."
)


def check_primal(problem: Problem, w: Vector, b: float, then: float) -> None:
    """Raise a sentence if the primal value recomputed from the training data is not that of the fit."""
    now = problem.primal(w, b)
    if not abs(now - then) <= _CLOSE * abs(then):
        raise ValueError(CHANGED.format(what="the primal value", now=now, then=then))


def check_dual(problem: Problem, alpha: Vector, then: float, primal: float) -> None:
    """Raise a sentence if the dual value recomputed from the training data is not that of the fit."""
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


def prove_margin(problem: Problem, solution: Solution, decide: Callable[[], Separability]) -> Certificate:
    """The `separating` certificate of a hard margin, once the data are found unchanged."""
    check_dual(problem, solution.alpha, solution.dual, solution.primal)
    return decide().certificate


def prove(
    data: TrainingData,
    problem: Problem,
    rows: NDArray[np.intp],
    solution: Solution,
    positive: int,
    negative: int | None,
) -> Certificate:
    """The `optimal` certificate of a solution, once the data are found unchanged."""
    check_primal(problem, solution.w, solution.b, solution.primal)
    check_dual(problem, solution.alpha, solution.dual, solution.primal)
    others = (
        [code for code in range(len(data.classes)) if code != positive] if negative is None else [negative]
    )
    everything = len(rows) == data.X.shape[0]
    return optimal(
        problem,
        solution,
        data.fingerprint.get(),
        [data.name(positive)],
        [data.name(code) for code in others],
        None if everything else rows,
    )
