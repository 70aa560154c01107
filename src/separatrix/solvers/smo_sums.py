"""F = K (alpha y) in float64, on all rows or on those that matter.

A row whose alpha is zero and whose margin is larger than one adds nothing to the gap, whatever its F is exactly. Where
it is known how far the F of the rounds may be off, such rows keep it, and the sums are computed for the others alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from separatrix import _core
from separatrix.problem.kernel_problem import KernelProblem
from separatrix.problem.losses import Vector
from separatrix.solvers.kernel_scores import core_points
from separatrix.solvers.smo_state import State

_MOST = 0.7  # a larger share of the rows is not worth a copy of them
_BEYOND = 4.0  # times the largest error that a sample of rows showed: what any row's may be


def rows_that_matter(problem: KernelProblem, state: State, error: float) -> NDArray[np.bool_]:
    """Rows (n,) that are in the gap, or may be if their F is off by ``error`` times a few."""
    believed = np.empty(problem.n_rows)
    state.engine.get_sums(believed)
    margins = problem.y * (believed + state.report.bias)
    matter: NDArray[np.bool_] = (state.current_alpha > 0) | (margins < 1.0 + _BEYOND * error)
    return matter


def renew(
    problem: KernelProblem, state: State, alpha: Vector, matter: NDArray[np.bool_] | None = None
) -> None:
    """Continue from ``alpha`` with F = K (alpha y) in float64, of the rows that ``matter`` if these are given (the
    engine must be at ``alpha`` then); from the alphas that changed since the last time, if they are fewer."""
    if matter is None or matter.mean() > _MOST:
        matter = np.ones(problem.n_rows, dtype=bool)
    signed = alpha * problem.y
    change = signed - state.alpha * problem.y
    known = state.exact & matter
    if np.count_nonzero(change) > np.count_nonzero(signed):
        known[:] = False
    unknown = matter & ~known
    if not matter.all():
        believed = np.empty(problem.n_rows)
        state.engine.get_sums(believed)
        state.F[~matter] = believed[~matter]
    state.F[unknown] = 0.0
    for rows, coefficients in ((known, change), (unknown, signed)):
        _add_sums(problem, state, rows, coefficients)
    state.alpha, state.exact = alpha, matter
    state.engine.set_point(alpha, state.F)


def _add_sums(problem: KernelProblem, state: State, rows: NDArray[np.bool_], coefficients: Vector) -> None:
    """F += K c, on some rows."""
    sources = np.flatnonzero(coefficients)
    if not len(sources) or not rows.any():
        return
    if state.formula is None or state.points is None:
        state.F[rows] += problem.scores(coefficients)[rows]
        return
    every = bool(rows.all())
    targets = state.points if every else core_points(problem.X[np.flatnonzero(rows)])
    F = np.zeros((np.count_nonzero(rows), 1))
    coef = coefficients[sources].reshape(-1, 1)
    _core.kernel_scores(
        state.formula, targets, core_points(problem.X[sources]), coef, F, wide=True, n_threads=state.n_threads
    )
    state.F[rows] += F[:, 0]
