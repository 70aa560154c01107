"""Interior point for the soft-margin linear SVM, on as few rows as the answer needs.

    min_{w, b}  1/2 ||w||^2 [+ 1/2 b^2 if the bias is augmented] + sum_i C_i loss(y_i (w.x_i + b))

With the hinge most rows end with alpha_i = 0 (margin above 1) or alpha_i = C_i (margin below 1), and few
between. So, when there are many rows:

    1. equal rows are merged (`fewer_rows`), and a weighted random sample is solved loosely;
    2. the rows that are far from margin 1 are fixed at 0 or C_i, and the others (the band) are solved for;
    3. all rows are read: where a fixed row has crossed margin 1, a new band around it is chosen, and again.

Each step is one predictor-corrector iteration on the current rows (`central_path`). The band changes until
no fixed row is on the wrong side by more than the tolerance allows, and grows at the latest to all rows: the
answer is that of the whole problem, and its gap is taken over all rows. A proposal is the exact corner (`crossover`)
where that can be found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import Point, Problem, scores, weighted_sum
from separatrix.problem.problem import relative_gap
from separatrix.solvers.interior_point.central_path import CentralPath
from separatrix.solvers.interior_point.crossover import crossover, evaluate, undecided
from separatrix.solvers.interior_point.fewer_rows import Merged, margin_spread, merge_duplicates, sample_rows
from separatrix.solvers.interior_point.normal_equations import GramSide, PrimalSide, smaller_side
from separatrix.solvers.interior_point.signed_rows import SignedRows
from separatrix.solvers.interior_point.tuning import Tuning
from separatrix.solvers.loop.deadline import time_left
from separatrix.solvers.loop.protocol import Progress, Verdict
from separatrix.solvers.loop.stall import Stall
from separatrix.types import Vector

Rows = NDArray[np.intp]


@dataclass
class _State:
    path: CentralPath
    rows: Rows | None  # the rows of the path; None means all
    sampled: bool  # whether the path's rows stand for all others
    fixed: Vector  # alpha of every row; those of the path's rows are overwritten
    margins: Vector  # A z of all rows at the best z
    stall: Stall  # of primal - dual on the path's rows
    fixed_dual: float = 0.0
    n_rounds: int = 0
    z: Vector = field(default_factory=lambda: np.zeros(0))  # the best primal point seen on all rows
    primal: float = math.inf
    dual: float = 0.0
    alpha: Vector | None = None  # of the best dual value, once the path has all rows
    broken: bool = False  # whether rounding ended the last step
    note: str = ""
    read_all_at: float = 0.0  # relative gap of the path's rows at which all rows are read
    work: float = 0.0  # in entries visited
    merged: Merged | None = None  # the problem actually solved, if rows were merged
    proposal: Point | None = None


@dataclass(frozen=True)
class InteriorPoint:
    """``side``: "auto", "primal" (columns squared) or "gram" (rows squared). ``screen``: work on few rows."""

    side: str = "auto"
    screen: bool = True
    seed: int = 0
    tuning: Tuning = field(default_factory=Tuning)

    releases_gil: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """As in ``SVC(solver=...)``."""
        return "gram" if self.side == "gram" else "interior-point"

    def init(self, problem: Problem, start: Point | None, n_threads: int) -> _State:
        """Begin with a sample, or with all rows if they are few; at the proposed w if there is one."""
        merged = None
        if self.tuning.merge and self.screen and self.side == "auto":
            merged = merge_duplicates(problem)
        state = self._begin(merged.problem if merged else problem, start)
        state.merged = merged
        return state

    def _begin(self, problem: Problem, start: Point | None) -> _State:
        n, D, tuning = problem.n_rows, problem.n_columns + (problem.bias != "none"), self.tuning
        z, stall = np.zeros(D), Stall(tuning.stall_steps)
        if start is not None and start.w is not None:
            z[: problem.n_columns] = start.w
            if problem.bias != "none":
                z[-1] = start.b or 0.0
        # The size that balances the work on the sample against that on the band it leads to.
        count = max(tuning.few_rows // 2, int((4.0 * n * math.sqrt(D)) ** (2 / 3)))
        few = n <= max(tuning.few_rows, count)
        if few or not self.screen or problem.loss.squared or self.side == "gram":
            path = self._path(problem, None, problem.C, np.zeros(D), z, np.ones(n))
            return _State(path, None, False, np.zeros(n), np.zeros(0), stall, z=z)
        rows, weights = sample_rows(problem.y, count, self.seed)
        path = self._path(problem, rows, problem.C[rows] * weights, np.zeros(D), z, np.ones(len(rows)))
        state = _State(path, rows, True, np.zeros(n), np.zeros(n), stall, z=np.zeros(D))
        state.primal, state.read_all_at = float(np.sum(problem.C)), tuning.loose_sample
        return state

    def _path(
        self, problem: Problem, rows: Rows | None, C: Vector, h: Vector, z: Vector, width: Vector
    ) -> CentralPath:
        sides = {"auto": smaller_side, "primal": PrimalSide, "gram": GramSide}
        algebra = sides[self.side](SignedRows(problem, rows, tuning=self.tuning.rows))
        return CentralPath.start(algebra, problem.loss, C, h, z, width, self.tuning)

    def step(self, problem: Problem, state: _State, tol: float) -> Progress:
        """One iteration on the current rows; all rows are read when these are solved well enough."""
        problem = state.merged.problem if state.merged else problem
        with np.errstate(all="ignore"):
            state.work += state.path.algebra.work
            state.broken = not state.path.advance()
            state.proposal = None
            primal, dual = state.path.primal(), state.path.dual()
        if state.rows is None:
            if primal < state.primal or not math.isfinite(state.primal):
                state.primal, state.z = primal, state.path.z
            if dual > state.dual or state.alpha is None:
                state.dual, state.alpha = dual, state.path.alpha.copy()
        elif not state.sampled:
            state.dual = dual + state.fixed_dual
        scale = abs(primal + state.fixed_dual)
        gap = (primal - dual) / scale if scale > 0 else 0.0
        state.stall.update(primal - dual)
        if state.rows is not None:
            # A fixed row counts as if it were still on its side of margin 1. No point has a value below zero: where one
            # seems to, fixed rows have crossed by far.
            hopeless = not state.sampled and primal + state.fixed_dual < 0.0
            stuck = state.broken or state.stall.stalled or hopeless
            if stuck or gap <= max(state.read_all_at, 0.5 * tol):
                self._next_round(problem, state, gap * scale, stuck)
        note, state.note = state.note, ""
        return Progress(state.primal, state.dual, state.work, note)

    def _read_all(self, problem: Problem, state: _State) -> Vector:
        """Margins of all rows at the path's z. The best primal point moves towards it as far as that pays."""
        z, d = state.path.z, problem.n_columns
        new = scores(problem.X, z[:d])
        if problem.bias != "none":
            new += z[-1]
        new *= problem.y
        old, R = state.margins, state.path.algebra.rows.R
        best, best_value = 0.0, state.primal
        for t in (1.0, 0.5, 0.25, 0.125, 0.0625):
            point = state.z + t * (z - state.z)
            value = 0.5 * float(point @ (R * point))
            value += float(problem.C @ problem.loss.values(old + t * (new - old)))
            if value < best_value:
                best, best_value = t, value
            elif best > 0:
                break
        if best > 0:
            state.z = state.z + best * (z - state.z)
            state.margins = old + best * (new - old)
            state.primal = best_value
        return new

    def _next_round(self, problem: Problem, state: _State, gap: float, stuck: bool) -> None:
        """Go on with the path's rows, solved to ``gap``, unless they are ``stuck``; else choose a better band."""
        old = state.margins
        new = self._read_all(problem, state)
        n, D = problem.n_rows, len(state.z)
        if state.sampled:
            share = min(1.0, self.tuning.band_share * math.sqrt(D / len(state.path.C)))
            spread = margin_spread(problem, state.path.algebra.variances())
            order = np.abs(state.margins - 1.0) / spread
            reach = float(np.partition(order, min(n - 1, int(share * n)))[min(n - 1, int(share * n))])
            self._new_band(problem, state, reach * spread, np.zeros(n, dtype=bool))
            return
        off = 1.0 - new
        off[state.fixed > 0] *= -1.0
        off[state.rows] = 0.0
        np.maximum(off, 0.0, out=off)
        loss_of_crossed = float(problem.C @ off)  # what fixed rows on the wrong side add to the primal value
        if loss_of_crossed <= max(gap, 0.0) or loss_of_crossed <= 1e-14 * state.primal:
            state.read_all_at = 0.3 * loss_of_crossed / state.primal
            if stuck:  # these rows can be solved no further, and no other row has crossed
                self._all_rows(problem, state, np.ones(n))
            return
        crossed = off > 0
        moved = np.abs(new - old)
        mean = float(np.mean(moved))
        moved += mean
        moved *= min(1.0, 2.0 * float(np.mean(off[crossed])) / mean)
        self._new_band(problem, state, moved, crossed)

    def _new_band(self, problem: Problem, state: _State, reach: Vector, also: NDArray[np.bool_]) -> None:
        """Solve next for the rows within ``reach`` of margin 1, and those of ``also``; fix the others."""
        n, D, margins = problem.n_rows, len(state.z), state.margins
        state.n_rounds += 1
        state.read_all_at, state.broken = self.tuning.loose_band, False
        state.stall.reset()
        t = np.abs(margins - 1.0)
        least = min(n - 1, D << state.n_rounds)
        if np.count_nonzero(t <= reach) < least:
            order = t / reach
            reach = reach * float(np.partition(order, least)[least])
        rows = np.flatnonzero((t <= reach) | also)
        # The path first: it may find that time is over, and then the state must be as it was.
        if len(rows) >= n // 2:
            self._all_rows(problem, state, reach)
            return
        fixed = np.where(margins < 1.0, problem.C, 0.0)
        fixed[rows] = 0.0
        yc = problem.y * fixed
        h = weighted_sum(problem.X, yc)
        if problem.bias != "none":
            h = np.append(h, np.sum(yc))
        state.path = self._path(problem, rows, problem.C[rows], h, state.z, reach[rows])
        state.fixed, state.fixed_dual, state.rows = fixed, float(np.sum(fixed)), rows
        state.sampled, state.note = False, f"band of {len(rows)} rows"

    def _all_rows(self, problem: Problem, state: _State, width: Vector) -> None:
        """Go on with every row, from the best point so far."""
        state.path = self._path(problem, None, problem.C, np.zeros(len(state.z)), state.z, width)
        state.rows, state.fixed_dual, state.fixed = None, 0.0, np.zeros(problem.n_rows)
        state.sampled, state.note = False, "all rows"
        state.stall.reset()
        state.broken = False

    def terminate(self, problem: Problem, state: _State, tol: float) -> Verdict:
        """Check once the estimated gap is within tol; give up when it no longer falls."""
        if state.rows is None and (state.broken or state.stall.stalled):
            return Verdict.STALLED
        return Verdict.CHECK if relative_gap(state.primal, state.dual) <= tol else Verdict.GO_ON

    def rejected(self, problem: Problem, state: _State, tol: float) -> None:
        """Go on: the next steps may bring the gap further down, and if rounding keeps it they are a stall."""

    def path_point(self, problem: Problem, state: _State) -> Point:
        """The present point of the central path, for an animation; `point` where the path has only some of the rows."""
        path = state.path
        if state.rows is not None or state.merged is not None:
            return self.point(problem, state)
        b = 0.0 if problem.bias == "none" else float(path.z[-1])
        return Point(path.alpha.copy(), path.z[: problem.n_columns].copy(), b)

    def point(self, problem: Problem, state: _State) -> Point:
        """The iterate with its rows at their bounds where that does not widen the gap."""
        if state.proposal is None:
            if state.merged is None:
                state.proposal = self._finish(problem, state)
            else:
                point = self._finish(state.merged.problem, state)
                state.proposal = replace(point, alpha=state.merged.split(point.alpha))
        return state.proposal

    def _finish(self, problem: Problem, state: _State) -> Point:
        path = state.path
        plain = self._assemble(problem, state, path.alpha if state.alpha is None else state.alpha, state.z)
        if problem.loss.squared:
            return self._point(problem, plain.alpha, evaluate(problem, state.z)[0])
        if state.sampled or time_left() == 0.0:
            return plain
        free = undecided(path)
        alpha = np.where(free | (path.s < path.xi), path.C, 0.0)
        rows = np.flatnonzero(free)
        if 0 < len(rows) <= self.tuning.free_per_column * len(state.z):
            bounds = self._assemble(problem, state, alpha, state.z).alpha
            chosen = rows if state.rows is None else state.rows[rows]
            corner = crossover(problem, bounds, state.z, chosen, tuning=self.tuning)
            if corner is not None and corner.gap <= max(0.0, state.primal - state.dual):
                z = corner.z if corner.primal <= state.primal else state.z
                return self._point(problem, corner.alpha, z)
        return plain

    def _assemble(self, problem: Problem, state: _State, alpha: Vector, z: Vector) -> Point:
        whole = state.fixed.copy()
        if state.rows is None:
            whole[:] = alpha
        elif not state.sampled:
            whole[state.rows] = alpha
        return self._point(problem, whole, z)

    def _point(self, problem: Problem, alpha: Vector, z: Vector) -> Point:
        d = problem.n_columns
        return Point(alpha=alpha, w=z[:d].copy(), b=0.0 if problem.bias == "none" else float(z[-1]))
