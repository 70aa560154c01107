"""The certificate of a fitted binary problem, built from the training data when it is first asked for."""

from __future__ import annotations

import math

import numpy as np

from separatrix.fitting.parameters import Settings
from separatrix.fitting.training import CHANGED, Task, TrainingData
from separatrix.problem import Problem, Solution, row_blocks
from separatrix.proof.certificate import Certificate
from separatrix.proof.optimal import CLAIM_SLACK, optimal
from separatrix.proof.outward import Rejected
from separatrix.proof.value_bounds import bounds
from separatrix.threads import fit_threads
from separatrix.types import Index, Vector

# Relative difference up to which two values of the same data are the same: BLAS adds in any order.
_CLOSE = 1e-9
# With a kernel, where a bound on the rounding costs as much as the proof, values within this part are not doubted.
_CLOSE_KERNEL = 1e-6


def prove(
    data: TrainingData,
    problem: Problem,
    rows: Index,
    solution: Solution,
    positive: int,
    negative: int | None,
    coef: Vector | None = None,
) -> Certificate:
    """The `optimal` certificate of a solution; raises a sentence if the data were changed after the fit.

    With a kernel, coef (m,) is the primal point where it is not alpha y.
    """
    sides = data.sides(positive, negative)
    certificate = optimal(problem, solution, data.fingerprint.get(), *sides, rows, coef)
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
        return prove(data, problem, rows, solution, task.positive, task.negative)


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
