"""F = K (alpha y) in float64, and how far the F of the rounds is off.

The rounds add up F from kernel values of limited precision. Each row's share of the gap,

    hinge            (C_i - alpha_i) s_i where s_i = 1 - y_i (F_i + b) > 0,  -alpha_i s_i elsewhere
    squared hinge    C_i (s_i - alpha_i / (2 C_i))^2 where s_i > 0,          alpha_i^2 / (4 C_i) - alpha_i s_i elsewhere

changes with F_i; the sum of the changes over a sample of the rows that have a share estimates that over all of them. A
row whose alpha is zero and whose margin is larger than one has none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from separatrix import _core
from separatrix.problem import Problem
from separatrix.solvers.smo.state import State
from separatrix.types import Vector


def renew(problem: Problem, state: State, alpha: Vector) -> None:
    """Continue from ``alpha`` with F = K (alpha y) in float64, changed by the alphas that changed if they are fewer."""
    signed = alpha * problem.y
    change = signed - state.alpha * problem.y
    if np.count_nonzero(change) > np.count_nonzero(signed):
        state.F[:], change = 0.0, signed
    sources = np.flatnonzero(change)
    if state.points is None:
        state.F += problem.space.combine(change)
    elif len(sources):
        state.F += sums_in_float64(state, np.arange(problem.n_rows), sources, change[sources])
    state.alpha = alpha
    state.engine.set_point(alpha, state.F)


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


def rounding_of_gap(problem: Problem, state: State) -> float:
    """The estimated sum over all rows of |change of the row's share of the gap| between the F believed in and F in
    float64; 0 where the core does not know the kernel."""
    if state.points is None:
        return 0.0
    alpha, believed = state.current_alpha, np.empty(problem.n_rows)
    state.engine.get_sums(believed)
    b = state.report.bias
    counted = np.flatnonzero((alpha > 0) | (problem.y * (believed + b) < 1))
    support = np.flatnonzero(alpha)
    if not len(support):
        return 0.0
    rows = counted[:: max(1, len(counted) // state.tuning.sample)]
    F = sums_in_float64(state, rows, support, (alpha * problem.y)[support])
    change = _shares(problem, rows, alpha, F + b) - _shares(problem, rows, alpha, believed[rows] + b)
    return float(np.abs(change).sum()) * len(counted) / len(rows)


def _shares(problem: Problem, rows: NDArray[np.intp], alpha: Vector, scores: Vector) -> Vector:
    """Each row's share of the gap, shape (m,)."""
    a, C = alpha[rows], problem.C[rows]
    s = 1.0 - problem.y[rows] * scores
    if problem.loss.squared:
        return np.where(s > 0, C * (s - a / (2 * C)) ** 2, a * a / (4 * C) - a * s)
    return np.where(s > 0, (C - a) * s, -a * s)
