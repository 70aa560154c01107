"""F = K (alpha y) in float64, on all rows or on those that matter, and how far the F of the rounds is off.

The rounds add up F from kernel values of limited precision. Each row's share of the gap,

    hinge            (C_i - alpha_i) s_i where s_i = 1 - y_i (F_i + b) > 0,  -alpha_i s_i elsewhere
    squared hinge    C_i (s_i - alpha_i / (2 C_i))^2 where s_i > 0,          alpha_i^2 / (4 C_i) - alpha_i s_i elsewhere

changes with F_i; the sum of the changes over a sample of the rows that matter estimates that over all of them. A row
whose alpha is zero and whose margin is larger than one adds nothing to the gap, whatever its F is exactly: such rows
may keep the F of the rounds, and the sums are computed for the others alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from separatrix import _core
from separatrix.problem import Problem
from separatrix.solvers.smo.state import State
from separatrix.types import Vector


def rows_that_matter(problem: Problem, state: State, error: float) -> NDArray[np.bool_]:
    """Rows (n,) that are in the gap, or may be if their F is off by ``error`` times a few."""
    believed = np.empty(problem.n_rows)
    state.engine.get_sums(believed)
    margins = problem.y * (believed + state.report.bias)
    matter: NDArray[np.bool_] = (state.current_alpha > 0) | (margins < 1.0 + state.tuning.beyond * error)
    return matter


def renew(problem: Problem, state: State, alpha: Vector, matter: NDArray[np.bool_] | None = None) -> None:
    """Continue from ``alpha`` with F = K (alpha y) in float64, of the rows that ``matter`` if these are given (the
    engine must be at ``alpha`` then); from the alphas that changed since the last time, if they are fewer."""
    if matter is None or matter.mean() > state.tuning.most_rows:
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


def rounding_of_gap(problem: Problem, state: State) -> tuple[float, float]:
    """The estimated sum over all rows of |change of the row's share of the gap| between the F believed in and F in
    float64, and the largest difference between the two in the sample; 0 where the core does not know the kernel."""
    if state.points is None:
        return 0.0, 0.0
    alpha, believed = state.current_alpha, np.empty(problem.n_rows)
    state.engine.get_sums(believed)
    b = state.report.bias
    counted = np.flatnonzero((alpha > 0) | (problem.y * (believed + b) < 1))
    support = np.flatnonzero(alpha)
    if not len(support):
        return 0.0, 0.0
    rows = counted[:: max(1, len(counted) // state.tuning.sample)]
    F = sums_in_float64(state, rows, support, (alpha * problem.y)[support])
    change = _shares(problem, rows, alpha, F + b) - _shares(problem, rows, alpha, believed[rows] + b)
    error = float(np.abs(F - believed[rows]).max())
    return float(np.abs(change).sum()) * len(counted) / len(rows), error


def _shares(problem: Problem, rows: NDArray[np.intp], alpha: Vector, scores: Vector) -> Vector:
    """Each row's share of the gap, shape (m,)."""
    a, C = alpha[rows], problem.C[rows]
    s = 1.0 - problem.y[rows] * scores
    if problem.loss.squared:
        return np.where(s > 0, C * (s - a / (2 * C)) ** 2, a * a / (4 * C) - a * s)
    return np.where(s > 0, (C - a) * s, -a * s)
