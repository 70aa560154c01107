"""Dual coordinate descent for the soft-margin linear SVM, made to reach high accuracy.

    max_alpha  sum_i dual_term(alpha_i) - 1/2 ||w||^2 [- 1/2 s^2 if the bias is augmented]
    s.t.       0 <= alpha_i <= upper_i,  s = 0 if the bias is free
    with       w = sum_i alpha_i y_i x_i,  s = sum_i alpha_i y_i

An epoch of the compiled core visits every active row once: alpha_i moves to the best value with all others
fixed, and w follows. Rows that sit firmly at a bound are left out (shrinking), and all are looked at now and then: one
that was left out by mistake, found when the gap is already small, undoes most of the work. Every few epochs, as
often as it pays, the dual is maximised exactly over the span of the last few moves. w is float32 while the gap is
large, then float64; float64 data are read as float32 until their last digits matter.

An epoch measures each row's share of the gap before the row moves; after it the gap may be a tenth less or twice as
much. A proof costs two passes over all rows, so that the active ones are looked at before it is asked for.

A bias is a multiplier b. A constant feature would couple all rows and slow the descent down, so b is held
nearly fixed within an epoch, b = centre + kappa s with a small kappa, and the centre moves between epochs: the
method of multipliers on s = 0 (free) or on s = b (augmented, whose penalty is 1/2 b^2).

Hsieh et al., A dual coordinate descent method for large-scale linear SVM, ICML 2008, Algorithm 3.
Bertsekas, Constrained Optimization and Lagrange Multiplier Methods, 1982, chapter 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from separatrix import _core
from separatrix.problem import Point, Problem, is_mapped
from separatrix.solvers.compiled import compiled_rows
from separatrix.solvers.loop.deadline import OutOfTime, time_left
from separatrix.solvers.loop.protocol import Progress, Verdict
from separatrix.types import Matrix, Vector

_STEP_EPOCHS, _STEP_ENTRIES = 8, 5e7  # a step ends at whichever comes first
_MAPPED_MOVES = 2  # kept by the acceleration, each with a number for every row: memory may be short
_MAPPED_RUN = 1 << 20  # bytes of a mapped file read in a run: it may have to come from the disk
_PENALTY = 0.03  # kappa relative to the mean squared norm of the rows
_DOUBLE_BELOW = 5e-3  # relative gap below which w is kept in float64: rounding stalls float32 soon after
_FLOAT_SUFFICES = 5e-4  # unless this is all that is asked for
_EXACT_BELOW = 3e-7  # relative gap below which float64 data are read as such
_LEAST_SIGHT = 0.05  # times tol: a predicted gap so small is always worth a look at what it is
_UNSURE = 1.2  # times the predicted gap where no look is taken
_VISITS_PER_LOOK = 16  # to each row, on average, before those left out are looked at
_FALL_PER_LOOK = 0.1  # of the gap
_MATTERS = 0.3, 0.01  # of tol, and of the gap: what rows left out may have of it
_IDLE = 20  # epochs without a better gap after which all rows are visited: a moving bias may need them
_RISES = 0.01, 1e-10  # of tol, and of the primal value: a dual that rises by that has not stalled
_PATIENCE, _PATIENT_WORK = 300, 3e8  # epochs, or entries visited, without a better gap that count as a stall


@dataclass
class State:
    """The compiled descent, what it last reported, and what the next steps aim at."""

    descent: _core.Descent
    penalty: float  # kappa of the method of multipliers; 0 without a bias
    patience: int  # epochs without a better gap that count as a stall
    scale: float  # mean squared norm of the rows; 0 without a bias
    tol: float = 0.0
    work: float = 0.0  # entries visited
    safety: float = 1.0  # how far below tol the estimate must be; smaller after each failed check
    primal: float = np.inf
    dual: float = 0.0
    beside: float = 0.0  # the part of the gap that the bias has
    epochs: int = 0
    complete: bool = True  # the last epoch visited every row
    visits: float = 0.0  # to each row, on average, since all were last looked at
    looked: float = np.inf  # the gap at that time
    decay: float = 1.0  # the last epoch's gap relative to the one before
    decay_before: float = 1.0  # the same, an epoch earlier
    seen: float = (
        np.inf
    )  # relative gap after the last epoch, as looked at or predicted; infinite where it is far from tol
    sight: float = (
        1.1  # times tol: a predicted gap that is worth a look at what it is; smaller after looks in vain
    )
    care: float = 0.97  # how far below tol it must be; smaller after each failed check
    best: float = np.inf  # least relative gap so far, and when
    best_at: int = 0
    risen: float = -np.inf  # the dual when it had last risen by a visible part of the gap or of tol, and when
    risen_at: int = 0

    @property
    def seems_reached(self) -> bool:
        """Whether the last epoch visited every row and estimates a gap within tol."""
        return self.complete and self.gap <= self.safety * self.tol

    @property
    def seems_likely(self) -> bool:
        """Whether the gap after the last epoch must be within tol."""
        return self.seen <= self.care * self.tol

    @property
    def predicted(self) -> float:
        """The gap after the last epoch, which measured it before its updates, from the decay so far.

        Epochs with an accelerated step and those without take turns, so that the last one alone may promise too much.
        """
        pace = max(self.decay, math.sqrt(self.decay * self.decay_before))
        return float(self.gap * min(1.0, max(0.1, pace)) ** 0.8)

    @property
    def passes_left(self) -> float:
        """How many more epochs bring the gap to tol if it falls as in the last one; infinity where nothing tells."""
        if not (self.tol > 0 and 0 < self.decay < 1 and self.gap > self.tol):
            return np.inf
        return math.log(self.gap / self.tol) / -math.log(self.decay)

    @property
    def gap(self) -> float:
        """Relative gap as the last epoch estimates it."""
        return (self.primal - self.dual) / self.primal if 0 < self.primal < np.inf else np.inf


@dataclass(frozen=True)
class CoordinateDescent:
    """Settings: the seed of the visiting order, whether rows at a bound are left out, rows visited in a run.

    ``chunk`` rows that lie together in memory are visited one after the other, two where all stay in the cache; the
    chunks come in random order.
    ``memory`` moves span the subspace of the exact step; 0 leaves plain coordinate descent.

    >>> import numpy as np
    >>> from separatrix.problem import HINGE
    >>> X, y = np.array([[2.0], [-1.0]]), np.array([1.0, -1.0])
    >>> problem = Problem(X, y, np.ones(2), HINGE, "none")
    >>> solver = CoordinateDescent()
    >>> state = solver.init(problem, None, n_threads=1)
    >>> for _ in range(5):
    ...     progress = solver.step(problem, state, tol=1e-6)
    >>> solver.point(problem, state).alpha.round(6)
    array([0., 1.])
    """

    seed: int = 0
    shrink: bool = True
    chunk: int = 8
    memory: int = 5

    name: ClassVar[str] = "coordinate-descent"
    releases_gil: ClassVar[bool] = True
    ends_inside_bounds: ClassVar[bool] = False

    def init(self, problem: Problem, start: Point | None, n_threads: int) -> State:
        """Begin at alpha = 0, or at ``start`` clipped to its bounds."""
        rows, mapped = compiled_rows(problem.X), is_mapped(problem.X)
        # At least large enough that a one-sided alpha = C would move the bias by about 1.
        scale = 0.0 if problem.bias == "none" else _mean_squared_norm(problem.X)
        penalty = 0.0 if problem.bias == "none" else max(_PENALTY * scale, 1 / float(problem.C.sum()))
        patience = max(_PATIENCE, int(min(10 * _PATIENCE, _PATIENT_WORK / max(1, problem.X.size))))
        descent = rows.descent(
            problem.y,
            problem.C,
            squared=problem.loss.squared,
            shrink=self.shrink,
            kappa=penalty / (1 + penalty) if problem.bias == "augmented" else penalty,
            seed=self.seed,
            n_threads=n_threads,
            chunk=max(self.chunk, _mapped_chunk(problem.X)) if mapped else self.chunk,
            memory=min(self.memory, _MAPPED_MOVES) if mapped else self.memory,
            in_place=mapped,
            mapped=mapped,
        )
        if start is not None:
            descent.set_alpha(np.nan_to_num(start.alpha, nan=0.0))
            if problem.bias != "none" and start.b is not None:
                descent.set_centre(start.b / (1 + penalty) if problem.bias == "augmented" else start.b)
        return State(descent, penalty, patience, scale)

    def step(self, problem: Problem, state: State, tol: float) -> Progress:
        """A few epochs: until the gap seems reached, or many entries have been visited."""
        first, began, state.tol = state.epochs == 0, state.work, tol
        for _ in range(1 if first else _STEP_EPOCHS):
            self._epoch(problem, state)
            self._look(problem, state)
            if state.seems_reached or state.seems_likely or state.work - began > _STEP_ENTRIES:
                break
        return Progress(state.primal, state.dual, state.work)

    def terminate(self, problem: Problem, state: State, tol: float) -> Verdict:
        """CHECK when an epoch's own estimate of the gap is within tol; STALLED when it has long not fallen.

        Nor may the dual have risen: a run that goes on from another may begin with a gap that is hard to beat.
        """
        if state.seems_reached or state.seems_likely:
            return Verdict.CHECK
        idle = state.epochs - max(state.best_at, state.risen_at)
        return Verdict.STALLED if idle > state.patience else Verdict.GO_ON

    def rejected(self, problem: Problem, state: State, tol: float) -> None:
        """Ask later next time; look at what the estimate left out."""
        state.care *= 0.5
        if state.seems_reached:  # an estimate, not a prediction, was wrong: perhaps w has drifted
            state.safety *= 0.7
            state.descent.resum()
        elif not state.complete:
            self._look_aside(problem, state)

    def point(self, problem: Problem, state: State) -> Point:
        """The current alpha, made to balance if the bias is free; w and b as the descent keeps them."""
        alpha = np.empty(problem.n_rows)
        state.descent.get_alpha(alpha)
        if problem.bias == "none":
            return Point(alpha)
        if problem.bias == "augmented":
            return Point(alpha, b=state.descent.bias())
        # Balancing moves w along with alpha, and every row on the margin would pay for that in the primal.
        w = np.empty(problem.n_columns)
        state.descent.get_w(w)
        return Point(_balanced(problem, alpha), w, state.descent.bias())

    def _epoch(self, problem: Problem, state: State) -> None:
        """One pass, the values it implies, the next centre of the bias, and the precision of the next pass."""
        report = state.descent.epoch(time_left(), state.passes_left)
        if not report.whole:  # alpha and w are good, but the gap was not measured
            raise OutOfTime
        s, b = report.residual, report.bias
        before, gap = state.gap, report.gap
        state.dual, state.epochs = report.dual, report.epochs
        if problem.bias == "augmented":
            gap += 0.5 * (b - s) ** 2
            state.dual -= 0.5 * s * s
            state.descent.set_centre(b / (1 + state.penalty))
        elif problem.bias == "free":
            # Balancing costs b s to first order if rows on the margin can take it, about |s| more if they cannot;
            # to second order it moves w by s times a mean of rows.
            state.dual -= b * s
            gap += 0.5 * state.scale * s * s + (abs(s) if report.room <= abs(s) else 0.0)
            state.descent.set_centre(b)
        state.primal, state.beside = state.dual + gap, gap - report.gap
        state.decay, state.decay_before = state.gap / before if 0 < before < np.inf else 1.0, state.decay
        state.complete = report.active == problem.n_rows
        state.visits += report.active / problem.n_rows
        entries = problem.X.size if isinstance(problem.X, np.ndarray) else problem.X.nnz
        state.work += entries * (report.active / problem.n_rows)
        if state.complete:
            state.visits, state.looked = 0.0, state.gap
        if state.gap < 0.9 * state.best:
            state.best, state.best_at = state.gap, state.epochs
        enough = max(_RISES[0] * state.tol, _RISES[1]) * state.primal
        if state.dual > state.risen + min(0.1 * (state.primal - state.dual), enough):
            state.risen, state.risen_at = state.dual, state.epochs
        waited = state.epochs - state.best_at
        double_below = _DOUBLE_BELOW if 0 < state.tol < _FLOAT_SUFFICES else _FLOAT_SUFFICES
        if state.gap < _EXACT_BELOW or waited > state.patience // 2:
            state.descent.refine(2)
        elif state.gap < double_below or waited > _PATIENCE // 10:
            state.descent.refine(1)

    def _look(self, problem: Problem, state: State) -> None:
        """What the gap is after an epoch, where it may be within tol; now and then, what rows left out have of it."""
        state.seen = np.inf
        near = state.predicted <= state.sight * state.tol
        tall = problem.n_rows > problem.n_columns  # nearly all rows are left out, early
        if state.complete or is_mapped(problem.X):
            state.seen = _UNSURE * state.predicted
        elif near:
            state.seen = (state.descent.look() + state.beside) / state.primal
            if not state.seems_likely:
                state.sight = max(_LEAST_SIGHT, state.sight * min(0.95, max(0.3, state.tol / state.seen)))
            elif tall:
                state.seen += self._look_aside(problem, state)
        if state.complete:
            return
        fallen = tall and state.gap < _FALL_PER_LOOK * state.looked
        if (state.epochs - state.best_at) % _IDLE == _IDLE - 1:
            state.descent.unshrink()  # word counts with a large C and the squared hinge stall without
        elif not near and (fallen or state.visits > _VISITS_PER_LOOK):
            self._look_aside(problem, state)

    def _look_aside(self, problem: Problem, state: State) -> float:
        """The relative gap of the rows left out; where it matters, they are visited again.

        Of a mapped file all are, whatever they have of it: a look at them would take as long.
        """
        state.visits, state.looked = 0.0, state.gap
        if is_mapped(problem.X):
            state.descent.unshrink()
            state.best = np.inf
            return 0.0
        enough = max(_MATTERS[0] * state.tol, _MATTERS[1] * state.gap)
        gap = state.descent.look_aside(enough * state.primal) / state.primal
        if gap > enough:
            state.best = np.inf  # the gap without them tells nothing
        return gap


def _mean_squared_norm(X: Matrix) -> float:
    values = X.ravel() if isinstance(X, np.ndarray) else X.data
    return float(np.dot(values, values)) / int(X.shape[0])


def _mapped_chunk(X: Matrix) -> int:
    """The rows in a run of a mapped file; fewer where that would leave little to choose the order of."""
    total = X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes
    return int(min(_MAPPED_RUN * X.shape[0] // max(1, total), X.shape[0] // 64))


def _balanced(problem: Problem, alpha: Vector) -> Vector:
    """alpha with sum_i alpha_i y_i = 0, changed a little on every row strictly inside its bounds.

    There the gradient of the Lagrangian vanishes, so that the dual changes to second order only.
    """
    excess = float(alpha @ problem.y)
    shrinking = problem.y * excess > 0
    room = np.where(shrinking, alpha, np.minimum(problem.upper, 2 * alpha) - alpha)
    room[alpha >= problem.upper] = 0.0
    total = float(room.sum())
    if total <= abs(excess):
        return alpha
    balanced: Vector = alpha - problem.y * np.sign(excess) * room * (abs(excess) / total)
    return balanced
