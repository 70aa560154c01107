"""Semismooth Newton for the squared hinge.

    min_z  1/2 z.R z + sum_i C_i max(0, 1 - m_i)^2,     m = A z,  z = (w, b)

The gradient R z - A^T alpha with alpha_i = 2 C_i max(0, 1 - m_i) is piecewise linear. On the piece of the
rows I with m_i < 1 its matrix is M = R + 2 A_I^T C_I A_I, so a Newton step lands on the minimiser as soon as
I is right, and with an exact line search I is found from anywhere in a few steps. The same alpha is dual feasible
(for a free bias: at the minimiser), so every iterate has a duality gap.

M changes only by the rows that enter or leave I. With many rows a weighted sample is solved first.
O. Mangasarian, Optim. Methods Softw. 17 (2002); S. Keerthi and D. DeCoste, JMLR 6 (2005).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import Point, Problem
from separatrix.problem.losses import SQUARED_HINGE, Vector
from separatrix.problem.problem import relative_gap
from separatrix.solvers.normal_equations import back_substitute, scaled_cholesky
from separatrix.solvers.protocol import Progress, Verdict
from separatrix.solvers.sampling import sample_rows
from separatrix.solvers.signed_rows import SignedRows

_PATIENCE = 6  # steps without a better gap before giving up
_FEW_ROWS = 3000  # solved whole: a sample would save nothing
_SAMPLE_GAP = 1e-2  # relative gap at which a sample has told what it knows


@dataclass
class _State:
    rows: SignedRows
    C: Vector
    sampled: bool
    z: Vector
    margins: Vector  # A z
    alpha: Vector  # 2 C max(0, 1 - margins)
    v: Vector  # A^T alpha
    M: NDArray[np.float64]  # lower triangle of R + 2 A_I^T C_I A_I
    active: NDArray[np.bool_]  # I
    primal: float = math.inf
    dual: float = 0.0
    best_gap: float = math.inf
    idle: int = 0


@dataclass(frozen=True)
class Newton:
    """Squared hinge only. ``screen``: begin with a sample when there are many rows."""

    screen: bool = True
    seed: int = 0
    name: str = "newton"

    def init(self, problem: Problem, start: Point | None, n_threads: int) -> _State:
        """Begin at the proposed w, or at zero on a sample of the rows."""
        if not problem.loss.squared:
            raise ValueError(
                "solver='newton' needs loss='squared_hinge': the hinge has no second derivative."
            )
        n, D = problem.n_rows, problem.n_columns + (problem.bias != "none")
        z = np.zeros(D)
        if start is not None and start.w is not None:
            z[: problem.n_columns] = start.w
            z[problem.n_columns :] = start.b or 0.0
        elif self.screen and n > 4 * max(_FEW_ROWS, 10 * D):
            chosen, weights = sample_rows(problem.y, max(_FEW_ROWS, 10 * D, n // 10), self.seed)
            return self._begin(SignedRows(problem, chosen), problem.C[chosen] * weights, z, sampled=True)
        return self._begin(SignedRows(problem), problem.C, z, sampled=False)

    def _begin(self, rows: SignedRows, C: Vector, z: Vector, *, sampled: bool) -> _State:
        M = np.zeros((rows.D, rows.D), order="F")
        M[np.diag_indices(rows.D)] = rows.R
        margins = rows.margins(z) if np.any(z) else np.zeros(rows.n)
        alpha = 2.0 * C * np.maximum(0.0, 1.0 - margins)
        return _State(rows, C, sampled, z, margins, alpha, rows.pull(alpha), M, np.zeros(rows.n, dtype=bool))

    def step(self, problem: Problem, state: _State) -> Progress:
        """One Newton step with an exact line search, on the sample or on all rows."""
        if state.sampled and state.best_gap <= _SAMPLE_GAP:
            whole = self._begin(SignedRows(problem), problem.C, state.z, sampled=False)
            state.__dict__.update(whole.__dict__)
        with np.errstate(all="ignore"):
            moved = self._move(state)
            primal, dual = _values(state)
        gap = abs(relative_gap(primal, dual))
        if moved and gap < 0.9 * state.best_gap:
            state.best_gap, state.idle = gap, 0
        else:
            state.idle += 1
            if state.sampled:
                state.idle, state.best_gap = 0, 0.0
        if state.sampled:
            primal, dual = float(np.sum(problem.C)), 0.0
        state.primal, state.dual = primal, dual
        return Progress(primal, dual, "on a sample of the rows" if state.sampled else "")

    def _move(self, state: _State) -> bool:
        rows, z, C = state.rows, state.z, state.C
        slack = 1.0 - state.margins
        _update(state, slack > 0)
        gradient = rows.R * z - state.v
        try:
            factor, scale = scaled_cholesky(state.M.copy(order="F"))
        except np.linalg.LinAlgError:
            return False
        dz = -back_substitute(factor, scale, gradient)
        if not np.all(np.isfinite(dz)):
            return False
        Adz = rows.margins(dz)
        t = _line_search(float(dz @ (rows.R * z)), float(dz @ (rows.R * dz)), C, slack, Adz)
        if not t > 0.0:
            return False
        state.z = z + t * dz
        state.margins = state.margins + t * Adz
        return True

    def terminate(self, problem: Problem, state: _State, tol: float) -> Verdict:
        """Check once the estimated gap is within tol; give up when it no longer falls."""
        if state.sampled:
            return Verdict.GO_ON
        if state.idle >= _PATIENCE:
            return Verdict.STALLED
        return Verdict.CHECK if relative_gap(state.primal, state.dual) <= tol else Verdict.GO_ON

    def point(self, problem: Problem, state: _State) -> Point:
        """z and the alpha of its gradient."""
        d = problem.n_columns
        b = 0.0 if problem.bias == "none" else float(state.z[d])
        alpha = np.zeros(problem.n_rows) if state.sampled else state.alpha.copy()
        return Point(alpha=alpha, w=state.z[:d].copy(), b=b)


def _update(state: _State, active: NDArray[np.bool_]) -> None:
    """Bring M from the rows of state.active to those of ``active``, whichever way is shorter."""
    entering, leaving = np.flatnonzero(active & ~state.active), np.flatnonzero(state.active & ~active)
    rows, C = state.rows, state.C
    if len(entering) + len(leaving) > np.count_nonzero(active):
        state.M[:] = 0.0
        state.M[np.diag_indices(rows.D)] = rows.R
        entering, leaving = np.flatnonzero(active), leaving[:0]
    state.M = rows.add_products(entering, 2.0 * C[entering], 1.0, state.M)
    state.M = rows.add_products(leaving, 2.0 * C[leaving], -1.0, state.M)
    state.active = active


def _line_search(linear: float, quadratic: float, C: Vector, slack: Vector, Adz: Vector) -> float:
    """The minimiser t > 0 of 1/2 (z + t dz).R (z + t dz) + sum_i C_i max(0, slack_i - t Adz_i)^2.

    Its derivative is increasing and piecewise linear: Newton in one dimension, kept inside a bracket.
    """
    low, high, t = 0.0, math.inf, 1.0
    pull = 2.0 * C * Adz
    bend = pull * Adz
    # the derivative at 0 sets the scale of what counts as zero
    first = abs(linear - float(pull @ np.maximum(slack, 0.0)))
    for _ in range(30):
        left = slack - t * Adz
        on = left > 0
        np.maximum(left, 0.0, out=left)
        slope = linear + t * quadratic - float(pull @ left)
        if not math.isfinite(slope) or abs(slope) <= 1e-3 * first:
            break
        curvature = quadratic + float(bend @ on)
        if slope > 0:
            high = t
        else:
            low = t
        t = t - slope / curvature if curvature > 0 else (low + high) / 2.0
        if not low < t < high:
            t = 2.0 * low if math.isinf(high) else (low + high) / 2.0
    return t


def _values(state: _State) -> tuple[float, float]:
    """Primal at z and dual at its alpha, less a charge for what a free bias misses of its equation."""
    rows, z, C = state.rows, state.z, state.C
    slack = np.maximum(0.0, 1.0 - state.margins)
    state.alpha = 2.0 * C * slack
    primal = 0.5 * float(z @ (rows.R * z)) + 0.5 * float(state.alpha @ slack)
    state.v = v = rows.pull(state.alpha)
    dual = float(np.sum(SQUARED_HINGE.dual_terms(state.alpha, C))) - 0.5 * float(v @ (rows.R * v))
    missed = float(np.sum(np.abs(v[rows.R == 0.0])))
    return primal, dual - missed * (1.0 + abs(float(z[-1])))
