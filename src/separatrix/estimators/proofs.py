"""The certificate of a fitted binary problem, built from the training data when it is first asked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from separatrix.estimators.training import TrainingData
from separatrix.problem import Problem, Solution
from separatrix.proof.certificate import Certificate, optimal

_CHANGED = (
    "The training data were changed after the fit: {what} recomputed from them is {now!r}, at the fit it "
    "was {then!r}. What a model says of its data must be asked for before they are changed; fit again."
)


def check_value(what: str, now: float, then: float, scale: float) -> None:
    """Raise a sentence if a value recomputed from the training data is not that of the fit."""
    # Summation runs in the same order, but BLAS may split it differently with another number of threads.
    if not abs(now - then) <= 1e-9 * max(abs(then), scale):
        raise ValueError(_CHANGED.format(what=what, now=now, then=then))


def prove(
    data: TrainingData,
    problem: Problem,
    rows: NDArray[np.intp],
    solution: Solution,
    positive: int,
    negative: int | None,
) -> Certificate:
    """The `optimal` certificate of a solution, once the data are found unchanged."""
    primal = problem.primal(solution.w, solution.b)
    check_value("the primal value", primal, solution.primal, 0.0)
    check_value("the dual value", problem.dual(solution.alpha), solution.dual, primal)
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
