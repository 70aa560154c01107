"""How far the gap that block SMO believes in is off, from a sample of rows.

The rounds add up F = K (alpha y) from kernel values of limited precision. Each row's share of the gap,

    hinge            (C_i - alpha_i) s_i where s_i = 1 - y_i (F_i + b) > 0,  -alpha_i s_i elsewhere
    squared hinge    C_i (s_i - alpha_i / (2 C_i))^2 where s_i > 0,          alpha_i^2 / (4 C_i) - alpha_i s_i elsewhere

changes with F_i; the sum of the changes over some of the rows that matter tells that over all of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import Problem
from separatrix.solvers.smo.state import State
from separatrix.solvers.smo.sums import sums_in_float64
from separatrix.types import Vector

_SAMPLE = 128  # rows: a hundredth of the work of all sums where there are more than ten thousand


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
    rows = counted[:: max(1, len(counted) // _SAMPLE)]
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
