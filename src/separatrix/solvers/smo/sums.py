"""F = K (alpha y) in float64, on all rows or on those that matter.

A row whose alpha is zero and whose margin is larger than one adds nothing to the gap, whatever its F is exactly. Where
it is known how far the F of the rounds may be off, such rows keep it, and the sums are computed for the others alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from separatrix import _core
from separatrix.problem import Problem
from separatrix.solvers.smo.state import State
from separatrix.types import Vector

_MOST = 0.7  # a larger share of the rows is not worth a choice
_BEYOND = 4.0  # times the largest error that a sample of rows showed: what any row's may be


def rows_that_matter(problem: Problem, state: State, error: float) -> NDArray[np.bool_]:
    """Rows (n,) that are in the gap, or may be if their F is off by ``error`` times a few."""
    believed = np.empty(problem.n_rows)
    state.engine.get_sums(believed)
    margins = problem.y * (believed + state.report.bias)
    matter: NDArray[np.bool_] = (state.current_alpha > 0) | (margins < 1.0 + _BEYOND * error)
    return matter


def renew(problem: Problem, state: State, alpha: Vector, matter: NDArray[np.bool_] | None = None) -> None:
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


def _add_sums(problem: Problem, state: State, rows: NDArray[np.bool_], coefficients: Vector) -> None:
    """F += K c, on some rows."""
    sources = np.flatnonzero(coefficients)
    if not len(sources) or not rows.any():
        return
    if state.points is None:
        state.F[rows] += problem.space.combine(coefficients)[rows]
        return
    state.F[rows] += sums_in_float64(state, np.flatnonzero(rows), sources, coefficients[sources])


def sums_in_float64(
    state: State, targets: NDArray[np.intp], sources: NDArray[np.intp], coefficients: Vector
) -> Vector:
    """sum_j k(x_i, x_j) c_j, shape (m,), for the rows i in targets (m,) and j in sources (k,), where the core knows the
    kernel."""
    assert state.formula is not None
    assert state.points is not None
    sums = np.zeros((len(targets), 1))
    _core.kernel_scores(
        state.formula,
        state.points,
        state.points,
        coefficients.reshape(-1, 1),
        sums,
        wide=True,
        n_threads=state.n_threads,
        target_rows=targets.astype(np.int32),
        source_rows=sources.astype(np.int32),
    )
    return sums[:, 0]
