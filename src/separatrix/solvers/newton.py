"""Semismooth Newton for the squared hinge.

    min_z  1/2 z.R z + sum_i C_i max(0, 1 - m_i)^2,     m = A z,  z = (w, b)

The gradient R z - A^T alpha with alpha_i = 2 C_i max(0, 1 - m_i) is piecewise linear. On the piece of the
rows I with m_i < 1 its matrix is M = R + 2 A_I^T C_I A_I, so a Newton step lands on the minimiser as soon as
I is right, and with an exact line search I is found from anywhere in a few steps. The same alpha is dual feasible
(for a free bias: at the minimiser), so every iterate has a duality gap.

M changes only by the rows that enter or leave I. The whole step is tried first: one pass over the rows then gives the
new slacks, both objectives and the gradient. With many rows a weighted sample is solved first, and its M, corrected
by what each step shows of the curvature, is kept for all rows as long as it leaves a small part of the gap.
O. Mangasarian, Optim. Methods Softw. 17 (2002); S. Keerthi and D. DeCoste, JMLR 6 (2005); for the correction (BFGS)
J. Nocedal and S. Wright, Numerical Optimization (2006), chapter 6.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from separatrix import _core
from separatrix.problem import Point, Problem
from separatrix.problem.problem import relative_gap
from separatrix.solvers.interior_point.normal_equations import back_substitute, scaled_cholesky
from separatrix.solvers.interior_point.sampling import sample_rows
from separatrix.solvers.interior_point.signed_rows import SignedRows
from separatrix.solvers.loop.protocol import Progress, Verdict
from separatrix.types import Vector

_PATIENCE = 6  # steps without a better gap or primal value before giving up
_FEW_ROWS = 3000  # solved whole: a sample would save nothing
_TOLD = 0.1  # times D / n: the part of the primal value that a step gains when a sample of n rows has told all it knows
_WORTH_BORROWING = 0.1  # part of the gap that a step with the matrix of a sample may leave
_ROUNDING = 1e-12  # relative, of a primal value
_FLAT = 0.1  # part of its first slope that a whole step may end with and need no line search


@dataclass
class _Iterate:
    """A point with its objectives. ``slack`` (n,) is 1 - A z, ``v`` (D,) is A^T alpha for its alpha."""

    z: Vector
    slack: Vector
    v: Vector
    primal: float
    dual: float


@dataclass
class _State:
    rows: SignedRows
    C: Vector
    sampled: bool
    at: _Iterate
    spare: Vector  # (n,), for the slacks of the next point
    M: NDArray[np.float64]  # lower triangle of R + 2 A_I^T C_I A_I
    active: NDArray[np.bool_]  # I
    told: bool = False  # nothing more is to be learned from the sample
    borrowed: bool = False  # M is the sample's, corrected by the steps since
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
            return _begin(_rows(problem, chosen), problem.C[chosen] * weights, z, sampled=True)
        return _begin(_rows(problem), problem.C, z, sampled=False)

    def step(self, problem: Problem, state: _State) -> Progress:
        """One Newton step with an exact line search, on the sample or on all rows."""
        with np.errstate(all="ignore"):
            if state.told:
                _update(state)
                whole = _begin(_rows(problem), problem.C, state.at.z, sampled=False)
                whole.M, whole.borrowed = state.M, True
                state.__dict__.update(whole.__dict__)
            before, least = abs(relative_gap(state.at.primal, state.at.dual)), state.at.primal
            moved = _move(state)
        if state.told:  # by a step that was not looked at
            return self.step(problem, state)
        primal, dual = state.at.primal, state.at.dual
        gap = abs(relative_gap(primal, dual))
        if state.borrowed and not (moved and gap <= _WORTH_BORROWING * before):
            state.borrowed, state.M = False, np.diag(state.rows.R).copy(order="F")
        # Where classes are nearly separable the gap grows for some steps while the primal value falls.
        falling = not state.sampled and primal < 0.95 * least
        if moved and (gap < 0.9 * state.best_gap or falling):
            state.best_gap, state.idle = min(gap, state.best_gap), 0
        else:
            state.idle += 1
            state.told = state.sampled
        if state.sampled:
            primal, dual = float(np.sum(problem.C)), 0.0
        state.primal, state.dual = primal, dual
        return Progress(primal, dual, "on a sample of the rows" if state.sampled else "")

    def terminate(self, problem: Problem, state: _State, tol: float) -> Verdict:
        """Check once the estimated gap is within tol; give up when it no longer falls."""
        if state.sampled:
            return Verdict.GO_ON
        if state.idle >= _PATIENCE:
            return Verdict.STALLED
        return Verdict.CHECK if relative_gap(state.primal, state.dual) <= tol else Verdict.GO_ON

    def point(self, problem: Problem, state: _State) -> Point:
        """z and the alpha of its gradient, 2 C max(0, slack)."""
        d, z = problem.n_columns, state.at.z
        if state.sampled:
            alpha = np.zeros(problem.n_rows)
        else:
            alpha = np.maximum(state.at.slack, 0.0)
            alpha *= state.C
            alpha *= 2.0
        return Point(alpha=alpha, w=z[:d].copy(), b=0.0 if problem.bias == "none" else float(z[d]))


def _rows(problem: Problem, chosen: NDArray[np.intp] | None = None) -> SignedRows:
    """Dense rows as they are: the signs that a copy would have cost nothing in the passes below."""
    return SignedRows(problem, chosen, in_place=isinstance(problem.X, np.ndarray))


def _begin(rows: SignedRows, C: Vector, z: Vector, *, sampled: bool) -> _State:
    M, active = np.diag(rows.R).copy(order="F"), np.zeros(rows.n, dtype=bool)
    return _State(rows, C, sampled, _look(rows, C, z, np.empty(rows.n)), np.empty(rows.n), M, active)


def _look(rows: SignedRows, C: Vector, z: Vector, slack: Vector) -> _Iterate:
    """What there is to know about z; its slacks are written to the array given.

    The dual value is less a charge for what a free bias misses of its equation.
    """
    loss, total, v = rows.squared_hinge(z, C, slack)
    primal = 0.5 * float(z @ (rows.R * z)) + loss
    dual = total - loss - 0.5 * float(v @ (rows.R * v))
    if rows.free_bias:
        dual -= abs(float(v[-1])) * (1.0 + abs(float(z[-1])))
    return _Iterate(z, slack, v, primal, dual)


def _move(state: _State) -> bool:
    """One step; False, and nothing has changed, where none can be taken."""
    rows, C, at = state.rows, state.C, state.at
    if not state.borrowed:
        _update(state)
    gradient = rows.R * at.z - at.v
    try:
        factor, scale = scaled_cholesky(state.M.copy(order="F"))
    except np.linalg.LinAlgError:
        return False
    dz = -back_substitute(factor, scale, gradient)
    first = float(dz @ gradient)
    if not math.isfinite(first):
        return False
    if state.sampled and -0.5 * first <= _TOLD * rows.D / rows.n * at.primal:
        state.at, state.told = replace(at, z=at.z + dz), True  # how far this got is seen on all rows
        return True
    new = _look(rows, C, at.z + dz, state.spare)
    last = float(dz @ (rows.R * new.z - new.v))
    # Near the end a step changes the primal value by less than rounding does, and only slopes tell.
    if not (abs(last) <= _FLAT * abs(first) and new.primal <= at.primal * (1.0 + _ROUNDING)):
        t = _line_search(
            float(dz @ (rows.R * at.z)), float(dz @ (rows.R * dz)), C, at.slack, new.slack, first
        )
        new = _look(rows, C, at.z + t * dz, state.spare)
    if not math.isfinite(new.primal):
        return False
    if state.borrowed:
        _correct(state.M, new.z - at.z, rows.R * new.z - new.v - gradient, gradient, first)
    state.at, state.spare = new, at.slack
    return True


def _correct(M: NDArray[np.float64], s: Vector, y: Vector, gradient: Vector, first: float) -> None:
    """BFGS: M + y y^T / y.s - (M s) (M s)^T / s.M s, where the step s along dz has changed the gradient by y.

    M dz = -gradient, so that the last term is gradient gradient^T / first, first = dz.gradient.
    """
    if y @ s > 0.0 > first:
        M += np.outer(y, y / (y @ s)) + np.outer(gradient, gradient / first)


def _update(state: _State) -> None:
    """Bring M from the rows of state.active to those with slack, whichever way is shorter."""
    on = state.at.slack > 0
    if np.count_nonzero(on != state.active) > np.count_nonzero(on):
        state.M, state.active[:] = np.diag(state.rows.R).copy(order="F"), False
    state.M = state.rows.move_normal_matrix(state.M, state.C, state.at.slack, state.active)


def _line_search(
    linear: float, quadratic: float, C: Vector, before: Vector, after: Vector, first: float
) -> float:
    """The minimiser t > 0 of 1/2 (z + t dz).R (z + t dz) + sum_i C_i max(0, s_i)^2, s = before + t (after - before).

    Its derivative, ``first`` at 0, is increasing and piecewise linear: Newton in one dimension, kept inside a bracket.
    """
    low, high, t = 0.0, math.inf, 1.0
    for _ in range(30):
        slope, curvature = _core.squared_hinge_slope(C, before, after, t)
        slope, curvature = slope + linear + t * quadratic, curvature + quadratic
        if not math.isfinite(slope) or abs(slope) <= 1e-3 * abs(first):
            break
        if slope > 0:
            high = t
        else:
            low = t
        t = t - slope / curvature if curvature > 0 else (low + high) / 2.0
        if not low < t < high:
            t = 2.0 * low if math.isinf(high) else (low + high) / 2.0
    return t
