"""Semismooth Newton for the squared hinge.

    min_z  1/2 z.R z + sum_i C_i max(0, 1 - m_i)^2,     m = A z,  z = (w, b)

The gradient R z - A^T alpha with alpha_i = 2 C_i max(0, 1 - m_i) is piecewise linear. On the piece of the
rows I with m_i < 1 its matrix is M = R + 2 A_I^T C_I A_I, so a Newton step lands on the minimiser as soon as
I is right, and with an exact line search I is found from anywhere in a few steps. The same alpha is dual feasible
(for a free bias: at the minimiser), so every iterate has a duality gap.

M changes only by the rows that enter or leave I. The whole step is tried first: one pass over the rows then gives the
new slacks, both objectives and the gradient. With many rows a weighted sample is solved first.
O. Mangasarian, Optim. Methods Softw. 17 (2002); S. Keerthi and D. DeCoste, JMLR 6 (2005).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from separatrix import _core
from separatrix.problem import Point, Problem
from separatrix.problem.problem import relative_gap
from separatrix.solvers.interior_point.fewer_rows import sample_rows
from separatrix.solvers.interior_point.normal_equations import back_substitute, scaled_cholesky
from separatrix.solvers.interior_point.signed_rows import SignedRows
from separatrix.solvers.interior_point.tuning import RowTuning
from separatrix.solvers.interior_point.tuning import Tuning as PathTuning
from separatrix.solvers.loop.protocol import FLOPS_PER_ENTRY, Progress, Verdict
from separatrix.solvers.loop.stall import Stall
from separatrix.types import Vector


@dataclass(frozen=True)
class Tuning:
    """Numbers of Newton's method."""

    rows: RowTuning = field(default_factory=RowTuning)
    #: Steps in which neither the gap nor the primal value falls by a tenth that are a stall: where classes are nearly
    #: separable the gap grows for some steps while the primal value falls.
    stall_steps: int = PathTuning.stall_steps
    #: Rows up to four times which all are solved at once. Without the sample: 14 % more time on 33,000 rows and more.
    few_rows: int = PathTuning.few_rows
    #: Times D / n: the part of the primal value that a step gains when a sample of n rows has no more to tell.
    sample_gain: float = 0.1
    #: Part of its first slope that a whole step may end with and need no line search.
    flat: float = 0.1
    #: Relative rounding of a primal value, by which a whole step may raise it.
    rounding: float = 1e-12


@dataclass
class _Iterate:
    """A point with its objectives. ``slack`` (n,) is 1 - A z, ``v`` (D,) is A^T alpha for its alpha."""

    z: Vector
    slack: Vector
    v: Vector
    primal: float
    dual: float


@dataclass
class _Rows:
    """The rows that are worked on, a sample or all, with the iterate and the matrix of the next step."""

    rows: SignedRows
    C: Vector
    at: _Iterate
    spare: Vector  # (n,), for the slacks of the next point
    M: NDArray[np.float64]  # lower triangle of R + 2 A_I^T C_I A_I
    active: NDArray[np.bool_]  # I
    work: float = 0.0


@dataclass
class _State:
    on: _Rows
    sampled: bool
    gap_stall: Stall
    primal_stall: Stall
    sample_exhausted: bool = False  # nothing more is to be learned from the sample
    work: float = 0.0  # of the sample, once all rows are worked on


@dataclass(frozen=True)
class Newton:
    """Squared hinge only. ``sample``: begin with a sample where there are many rows."""

    sample: bool = True
    seed: int = 0
    tuning: Tuning = Tuning()

    name: ClassVar[str] = "newton"
    releases_gil: ClassVar[bool] = False

    def init(self, problem: Problem, start: Point | None, n_threads: int) -> _State:
        """Begin at the proposed w, or at zero on a sample of the rows."""
        if not problem.loss.squared:
            raise ValueError(
                "solver='newton' needs loss='squared_hinge': the hinge has no second derivative."
            )
        n, D, tuning = problem.n_rows, problem.n_columns + (problem.bias != "none"), self.tuning
        z = np.zeros(D)
        stalls = Stall(tuning.stall_steps), Stall(tuning.stall_steps)
        if start is not None and start.w is not None:
            z[: problem.n_columns] = start.w
            z[problem.n_columns :] = start.b or 0.0
        elif self.sample and n > 4 * max(tuning.few_rows, 10 * D):
            chosen, weights = sample_rows(problem.y, max(tuning.few_rows, 10 * D, n // 10), self.seed)
            return _State(_begin(problem, z, tuning.rows, chosen, weights), True, *stalls)
        return _State(_begin(problem, z, tuning.rows), False, *stalls)

    def step(self, problem: Problem, state: _State, tol: float) -> Progress:
        """One Newton step with an exact line search, on the sample or on all rows."""
        with np.errstate(all="ignore"):
            moved = False
            if not state.sample_exhausted:
                moved = self._move(state)
            if state.sample_exhausted:  # how far its last step got is seen on all rows
                self._take_all_rows(problem, state)
                moved = self._move(state)
        on, at = state.on, state.on.at
        gap = abs(relative_gap(at.primal, at.dual))
        gap_fell = state.gap_stall.update(gap if moved else math.nan)
        state.primal_stall.update(at.primal if moved else math.nan)
        work = state.work + on.work
        if state.sampled:
            state.sample_exhausted = not gap_fell
            return Progress(float(np.sum(problem.C)), 0.0, work, "on a sample of the rows")
        return Progress(at.primal, at.dual, work)

    def terminate(self, problem: Problem, state: _State, tol: float) -> Verdict:
        """Check once the estimated gap is within tol; give up when it no longer falls."""
        if state.sampled:
            return Verdict.GO_ON
        if state.gap_stall.stalled and state.primal_stall.stalled:
            return Verdict.STALLED
        at = state.on.at
        return Verdict.CHECK if relative_gap(at.primal, at.dual) <= tol else Verdict.GO_ON

    def rejected(self, problem: Problem, state: _State, tol: float) -> None:
        """Go on: what a check finds is in the next gap, and no gap falls for ever."""

    def point(self, problem: Problem, state: _State) -> Point:
        """z and the alpha of its gradient, 2 C max(0, slack)."""
        d, at = problem.n_columns, state.on.at
        if state.sampled:
            alpha = np.zeros(problem.n_rows)
        else:
            alpha = np.maximum(at.slack, 0.0)
            alpha *= state.on.C
            alpha *= 2.0
        return Point(alpha=alpha, w=at.z[:d].copy(), b=0.0 if problem.bias == "none" else float(at.z[d]))

    def _take_all_rows(self, problem: Problem, state: _State) -> None:
        """Go on with all rows where the sample ended."""
        state.work = state.on.work
        state.on = _begin(problem, state.on.at.z, self.tuning.rows)
        state.sampled = state.sample_exhausted = False
        state.gap_stall.reset()
        state.primal_stall.reset()

    def _move(self, state: _State) -> bool:
        """One step; False, and nothing has changed, where none can be taken."""
        on, tuning = state.on, self.tuning
        rows, C, at = on.rows, on.C, on.at
        _update(on)
        gradient = rows.R * at.z - at.v
        try:
            factor, scale = scaled_cholesky(on.M.copy(order="F"))
        except np.linalg.LinAlgError:
            return False
        on.work += rows.D**3 / 3 / FLOPS_PER_ENTRY
        dz = -back_substitute(factor, scale, gradient)
        first = float(dz @ gradient)
        if not math.isfinite(first):
            return False
        if state.sampled and -0.5 * first <= tuning.sample_gain * rows.D / rows.n * at.primal:
            on.at, state.sample_exhausted = replace(at, z=at.z + dz), True
            return True
        new = _evaluate(on, at.z + dz, on.spare)
        last = float(dz @ (rows.R * new.z - new.v))
        # Near the end a step changes the primal value by less than rounding does, and only slopes tell.
        if not (abs(last) <= tuning.flat * abs(first) and new.primal <= at.primal * (1.0 + tuning.rounding)):
            linear, quadratic = float(dz @ (rows.R * at.z)), float(dz @ (rows.R * dz))
            t = _line_search(linear, quadratic, C, at.slack, new.slack, first)
            new = _evaluate(on, at.z + t * dz, on.spare)
        if not math.isfinite(new.primal):
            return False
        on.at, on.spare = new, at.slack
        return True


def _begin(
    problem: Problem,
    z: Vector,
    tuning: RowTuning,
    chosen: NDArray[np.intp] | None = None,
    weights: Vector | None = None,
) -> _Rows:
    """All rows, or the chosen ones with their weights, at z. Dense rows stay as they are: signs cost nothing below."""
    rows = SignedRows(problem, chosen, in_place=isinstance(problem.X, np.ndarray), tuning=tuning)
    C = problem.C if chosen is None or weights is None else problem.C[chosen] * weights
    M, active = np.diag(rows.R).copy(order="F"), np.zeros(rows.n, dtype=bool)
    nowhere = _Iterate(z, np.empty(rows.n), np.empty(0), math.inf, 0.0)
    on = _Rows(rows, C, nowhere, np.empty(rows.n), M, active)
    on.at = _evaluate(on, z, nowhere.slack)
    return on


def _evaluate(on: _Rows, z: Vector, slack: Vector) -> _Iterate:
    """z with its objectives; its slacks are written to the array given.

    The dual value is less a charge for what a free bias misses of its equation.
    """
    rows = on.rows
    loss, total, v = rows.squared_hinge(z, on.C, slack)
    on.work += rows.entries
    primal = 0.5 * float(z @ (rows.R * z)) + loss
    dual = total - loss - 0.5 * float(v @ (rows.R * v))
    if rows.free_bias:
        dual -= abs(float(v[-1])) * (1.0 + abs(float(z[-1])))
    return _Iterate(z, slack, v, primal, dual)


def _update(on: _Rows) -> None:
    """Bring M from the rows of ``active`` to those with slack, whichever way is shorter."""
    slack = on.at.slack > 0
    changed = np.count_nonzero(slack != on.active)
    if changed > np.count_nonzero(slack):
        on.M, on.active[:], changed = np.diag(on.rows.R).copy(order="F"), False, np.count_nonzero(slack)
    on.M = on.rows.move_normal_matrix(on.M, on.C, on.at.slack, on.active)
    on.work += changed * on.rows.D**2 / FLOPS_PER_ENTRY


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
