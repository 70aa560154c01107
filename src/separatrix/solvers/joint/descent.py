"""Dual coordinate descent for the joint multi-class SVM: one row's k multipliers at a time.

    max_A  sum_i A_{i, y_i} - 1/2 ||A^T X||^2     s.t.   sum_m A_im = 0,   A_im <= C_i [m = y_i]

One step is one pass over the active rows in random order. With a free bias the column sums of A must vanish: the
method of multipliers adds a penalty on them and moves the bias after each pass. A kernel is taken by the factor of its
matrix, K = L L^T, whose rows stand for those of X.
S. S. Keerthi et al., A sequential dual method for large scale multi-class linear SVMs, KDD 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from separatrix import _core
from separatrix.problem import JointPoint, JointProblem
from separatrix.solvers.compiled import compiled_rows
from separatrix.solvers.factored import factor
from separatrix.solvers.loop.deadline import OutOfTime, time_left
from separatrix.solvers.loop.protocol import Progress, Verdict
from separatrix.types import Vector


@dataclass(frozen=True)
class Tuning:
    """Numbers of joint descent."""

    #: Passes over the active rows before one over all: the gap is known only after such a pass. With 0: 1.16, with 4:
    #: 1.02, with 16: .97 (`python -m benchmarks.ablation joint`).
    partial_passes: int = 8
    #: Part of the passes so far, at least, that come between a failed check and the next. Without: .95, but checks of a
    #: gap that falls slowly fail until the run is given up (tests/svm/test_crammer_singer.py, the warm start).
    check_pause: float = 0.25


@dataclass(eq=False)
class _State:
    descent: _core.JointDescent
    shape: tuple[int, int]
    entries: int  #: of the rows
    loss: float = np.inf  #: of the last pass over all rows
    half_norm: float = 0.0
    own: float = 0.0  #: sum of A_{i, y_i}
    whole: bool = False  #: whether the last pass saw all rows
    partial: int = 0  #: passes since then
    violation: float = np.inf
    work: float = 0.0  #: entries visited, once for each class
    passes: int = 0
    ask_after: int = 0  #: passes before a check is asked for again


def factored_rows(problem: JointProblem) -> Any:
    """X itself, or the rows of L with L L^T = K where there is a kernel."""
    if problem.kernel is None:
        return problem.X
    everything = np.arange(problem.n_rows)
    return factor(problem.space.gram(everything, everything))


@dataclass(frozen=True)
class JointDescent:
    """Coordinate descent by rows; ``seed`` orders them."""

    seed: int = 0
    tuning: Tuning = Tuning()

    name: ClassVar[str] = "coordinate-descent"
    releases_gil: ClassVar[bool] = True

    def init(self, problem: JointProblem, start: JointPoint | None, n_threads: int) -> _State:
        """A = 0, or where an earlier run ended; all rows active."""
        rows: Any = factored_rows(problem)
        tau = {"none": 0.0, "augmented": 1.0, "free": _mean_square(rows)}[problem.bias]
        codes = np.ascontiguousarray(problem.codes, dtype=np.int64)
        descent = _core.joint_descent(
            compiled_rows(rows), codes, problem.C, problem.n_classes, tau, self.seed
        )
        is_sparse = bool(sparse.issparse(rows))
        entries = int(rows.nnz if is_sparse else rows.size)
        state = _State(descent, (problem.n_rows, problem.n_classes), entries)
        if start is not None:
            offset = np.zeros(problem.n_classes)
            if problem.bias == "free" and start.b is not None:
                offset = np.ascontiguousarray(start.b)
            descent.start(np.ascontiguousarray(start.A), offset)
        return state

    def step(self, problem: JointProblem, state: _State, tol: float) -> Progress:
        """One pass; the values are those seen on the way. `OutOfTime` within it leaves a point that can be proved."""
        state.passes += 1
        if state.partial >= self.tuning.partial_passes:
            state.descent.restore()
        loss, state.violation, visited, in_time = state.descent.run(time_left())
        if not in_time:
            raise OutOfTime
        state.whole = visited == problem.n_rows
        state.work += state.entries * problem.n_classes * (visited / problem.n_rows)
        state.partial = 0 if state.whole else state.partial + 1
        if state.whole:
            alpha = self._alpha(state)
            state.loss, state.own = loss, float(alpha[problem.own].sum())
            state.half_norm = float(state.descent.half_norm)
            if problem.bias == "augmented":
                state.half_norm += 0.5 * float(np.sum(alpha.sum(axis=0) ** 2))
        if problem.bias == "free":
            state.descent.move_offset()
        return Progress(state.half_norm + state.loss, state.own - state.half_norm, state.work)

    def terminate(self, problem: JointProblem, state: _State, tol: float) -> Verdict:
        """Ask for a check when the values of a whole pass are close."""
        if not state.whole:
            return Verdict.GO_ON
        if self._gap(state) <= tol and state.passes > state.ask_after:
            return Verdict.CHECK
        return Verdict.STALLED if state.violation == 0.0 else Verdict.GO_ON

    def rejected(self, problem: JointProblem, state: _State, tol: float) -> None:
        """Ask again after a quarter more passes."""
        pause = int(self.tuning.check_pause * state.passes)
        state.ask_after = state.passes + max(self.tuning.partial_passes, pause)

    def point(self, problem: JointProblem, state: _State) -> JointPoint:
        """A and b as they are; W follows from A."""
        b = np.empty(problem.n_classes)
        state.descent.copy_bias(b)
        return JointPoint(self._alpha(state), None, b)

    def _alpha(self, state: _State) -> Vector:
        alpha = np.empty(state.shape)
        state.descent.copy_alpha(alpha)
        return alpha

    def _gap(self, state: _State) -> float:
        primal = state.half_norm + state.loss
        return (primal - (state.own - state.half_norm)) / primal if primal > 0 else 0.0


def _mean_square(rows: Any) -> float:
    is_sparse = bool(sparse.issparse(rows))
    total = float(np.vdot(rows.data, rows.data) if is_sparse else np.vdot(rows, rows))
    return float(max(total / max(1, rows.shape[0]), 1e-300))
