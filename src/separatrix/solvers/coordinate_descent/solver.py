"""Dual coordinate descent for the soft-margin linear SVM, made to reach high accuracy.

    max_alpha  sum_i dual_term(alpha_i) - 1/2 ||w||^2 [- 1/2 s^2 if the bias is augmented]
    s.t.       0 <= alpha_i <= upper_i,  s = 0 if the bias is free
    with       w = sum_i alpha_i y_i x_i,  s = sum_i alpha_i y_i

An epoch of the compiled core visits every active row once: alpha_i moves to the best value with all others fixed, and
w follows. Rows that sit firmly at a bound become inactive (shrinking); their gap is measured now and then, and they
return where it matters. Once passes have proved many, the active rows are copied, and every second epoch the dual is
maximised exactly over the span of the last few moves.

A bias is a multiplier b. A constant feature would couple all rows and slow the descent down, so b stays
nearly fixed within an epoch, b = centre + kappa s with a small kappa, and the centre moves between epochs: the
method of multipliers on s = 0 (free) or on s = b (augmented, whose penalty is 1/2 b^2).

The answer is a function of the problem, the start, the seed and the numbers of `Tuning`. No clock is read but that of a
time limit, and a descent runs on one thread, so that n_threads changes no digit.

Hsieh et al., A dual coordinate descent method for large-scale linear SVM, ICML 2008, Algorithm 3.
Bertsekas, Constrained Optimization and Lagrange Multiplier Methods, 1982, chapter 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from separatrix import _core
from separatrix.problem import Point, Problem, is_mapped
from separatrix.solvers.compiled import compiled_rows
from separatrix.solvers.coordinate_descent.tuning import Tuning
from separatrix.solvers.loop.deadline import OutOfTime, time_left
from separatrix.solvers.loop.protocol import Progress, Verdict
from separatrix.solvers.loop.stall import Stall
from separatrix.types import Matrix, Vector

_ROUNDING = 1e-13  # of the primal value: a smaller rise of the dual may be rounding


@dataclass
class State:
    """The compiled descent and what its last epoch has shown."""

    descent: _core.Descent
    penalty: float  # kappa of the method of multipliers; 0 without a bias
    scale: float  # mean squared norm of the rows; 0 without a bias
    stall: Stall
    primal: float = math.inf  # estimates, before the updates of the last epoch
    dual: float = 0.0
    least_primal: float = math.inf  # since rows last became active again
    risen_dual: float = -math.inf  # the dual when it had last risen by a part that matters
    complete: bool = False  # the estimate covers every row
    visits: float = 0.0  # to each row, on average, since all were last visited
    check_factor: float = 1.0  # times tol: the estimate that is worth a proof
    work: float = 0.0  # entries of rows read

    @property
    def gap(self) -> float:
        """Relative gap as the last epoch estimates it."""
        return (self.primal - self.dual) / self.primal if 0 < self.primal < math.inf else math.inf


@dataclass(frozen=True)
class CoordinateDescent:
    """Settings: the seed of the visiting order and the numbers of `Tuning`.

    >>> import numpy as np
    >>> from separatrix.problem import HINGE
    >>> X, y = np.array([[2.0], [-1.0]]), np.array([1.0, -1.0])
    >>> problem = Problem(X, y, np.ones(2), HINGE, "none")
    >>> solver = CoordinateDescent()
    >>> state = solver.init(problem, None, n_threads=1)
    >>> progress = solver.step(problem, state, tol=1e-9)
    >>> solver.point(problem, state).alpha.round(6)
    array([0., 1.])
    """

    seed: int = 0
    tuning: Tuning = field(default_factory=Tuning)

    name: ClassVar[str] = "coordinate-descent"
    releases_gil: ClassVar[bool] = True

    def init(self, problem: Problem, start: Point | None, n_threads: int) -> State:
        """Begin at alpha = 0, or at ``start`` clipped to its bounds. Of the threads offered one is used."""
        mapped, run_length = is_mapped(problem.X), _run_length(problem.X, self.tuning)
        tuning = replace(self.tuning, copy=self.tuning.copy and not mapped, run_length=run_length)
        # At least large enough that a one-sided alpha = C would move the bias by about 1.
        scale = 0.0 if problem.bias == "none" else _mean_squared_norm(problem.X)
        penalty = 0.0 if problem.bias == "none" else max(tuning.penalty * scale, 1 / float(problem.C.sum()))
        descent = compiled_rows(problem.X).descent(
            problem.y,
            problem.C,
            tuning=tuning,
            squared=problem.loss.squared,
            kappa=penalty / (1 + penalty) if problem.bias == "augmented" else penalty,
            seed=self.seed,
            mapped=mapped,
        )
        if start is not None:
            descent.set_alpha(np.nan_to_num(start.alpha, nan=0.0))
            if problem.bias != "none" and start.b is not None:
                descent.set_centre(start.b / (1 + penalty) if problem.bias == "augmented" else start.b)
        return State(descent, penalty, scale, Stall(tuning.patience))

    def step(self, problem: Problem, state: State, tol: float) -> Progress:
        """A few epochs: until the gap seems to be within tol, or many entries of rows have been read."""
        enough = state.work + self.tuning.entries_per_step
        for _ in range(self.tuning.epochs_per_step):
            self._epoch(problem, state)
            last_digits = tol < self.tuning.last_digits and self._seems_reached(state, tol)
            if last_digits or state.visits > self.tuning.inactive_visits:
                self._add_inactive_gap(state, tol)
            self._note_progress(state, tol)
            if self._seems_reached(state, tol) or state.stall.stalled or state.work > enough:
                break
        return Progress(state.primal, state.dual, state.work)

    def terminate(self, problem: Problem, state: State, tol: float) -> Verdict:
        """CHECK when an epoch's own estimate of the gap is within tol; STALLED when it has long not fallen."""
        if self._seems_reached(state, tol):
            return Verdict.CHECK
        return Verdict.STALLED if state.stall.stalled else Verdict.GO_ON

    def rejected(self, problem: Problem, state: State, tol: float) -> None:
        """Measure the inactive rows; if that was done, the estimate is wrong: sum w anew, ask later next time."""
        if state.complete:
            state.check_factor *= self.tuning.check_factor
            state.descent.resum()
        else:
            self._add_inactive_gap(state, tol)

    def point(self, problem: Problem, state: State) -> Point:
        """The current alpha, made to balance if the bias is free; w and b as the descent has them."""
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

    def _seems_reached(self, state: State, tol: float) -> bool:
        return state.gap <= state.check_factor * tol

    def _epoch(self, problem: Problem, state: State) -> None:
        """One pass, the values it implies, and the next centre of the bias."""
        report = state.descent.epoch(time_left())
        if not report.whole:  # alpha and w are good, but the gap was not measured
            raise OutOfTime
        s, b, gap = report.residual, report.bias, report.gap
        state.dual, state.work = report.dual, report.work
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
        state.primal = state.dual + gap
        state.complete = report.active == problem.n_rows
        state.visits = 0.0 if state.complete else state.visits + report.active / problem.n_rows

    def _note_progress(self, state: State, tol: float) -> None:
        """Tell the stall detector. A primal that stands still for long is no stall while the dual still rises.

        A relative gap of tol belongs to a dual within about tol^2 of its best: that much is a rise.
        """
        state.least_primal = min(state.least_primal, state.primal)
        state.stall.update(max(0.0, state.least_primal - state.dual))
        if state.dual > state.risen_dual + max(tol * abs(tol), _ROUNDING) * state.primal:
            state.risen_dual = state.dual
            state.stall.reset()

    def _add_inactive_gap(self, state: State, tol: float) -> None:
        """Add the gap of the inactive rows to the estimate; where it matters, they become active again."""
        if state.complete:
            return
        threshold = self.tuning.inactive_share * max(tol, state.gap) * state.primal
        gap = state.descent.inactive_gap(threshold, time_left())
        if gap == math.inf:
            raise OutOfTime
        state.primal += gap
        state.complete, state.visits = True, 0.0
        if gap > threshold:  # what was estimated without them tells nothing of progress
            state.least_primal = math.inf
            state.stall.reset()


def _mean_squared_norm(X: Matrix) -> float:
    values = X.ravel() if isinstance(X, np.ndarray) else X.data
    return float(np.dot(values, values)) / int(X.shape[0])


def _run_length(X: Matrix, tuning: Tuning) -> int:
    """The rows in a run, by where they come from: the cache, memory, or a mapped file."""
    n, total = int(X.shape[0]), X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes
    if is_mapped(X):  # fewer where that would leave little to choose the order of
        return int(max(tuning.run_length, min(tuning.mapped_run * n // max(1, total), n // 64)))
    return tuning.run_length if total <= tuning.cached_bytes else tuning.long_run


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
