"""Block SMO for the kernel SVM, finished in float64.

    max_alpha  sum_i dual_term(alpha_i) - 1/2 (alpha y).F      with  F = K (alpha y)
    s.t.       0 <= alpha_i <= upper_i,  sum_i alpha_i y_i = 0 if the bias is free

A round of the compiled core improves the dual on the rows that violate the optimality conditions most
(cpp/smo/block_smo.hpp). Kernel values are float32 at first, whatever the data: they decide where
to go. Where F must be known better than that, it is computed anew in float64 (`sums`); rounds on top of it
correct what is left, as iterative refinement does for linear systems. If that no longer helps, kernel values become
float64.

Kernels that the core does not know are asked for their rows between the rounds; so is the problem itself where it
keeps the whole of K.

Fan, Chen, Lin, Working set selection using second order information for training SVM, JMLR 6 (2005).
Osuna, Freund, Girosi, An improved training algorithm for support vector machines, NNSP 1997.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from separatrix import _core
from separatrix.problem import KernelSpace, Point, Problem
from separatrix.solvers.loop.deadline import time_left
from separatrix.solvers.loop.protocol import Progress, Verdict
from separatrix.solvers.loop.stall import Stall
from separatrix.solvers.smo.kernel_scores import core_formula, core_points
from separatrix.solvers.smo.state import NegativeCurvature, State, feasible
from separatrix.solvers.smo.sums import renew, rounding_of_gap
from separatrix.solvers.smo.tuning import Tuning


@dataclass(frozen=True)
class BlockSmo:
    """Settings: memory for kernel rows, rows in a round (None: by shape), whether rows at a bound are left out, and
    whether kernel values are float64 from the beginning, which pays where all of them are few.

    A kernel that is not positive semidefinite ends the run (``STALLED``, with ``state.negative_curvature``) unless
    ``stop_on_negative_curvature`` is False: then the rounds go on to a stationary point, as LIBSVM does.

    >>> import numpy as np
    >>> from separatrix.problem import HINGE
    >>> from separatrix.problem.kernels import Rbf
    >>> X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 1.0, -1.0, -1.0])
    >>> problem = Problem(X, y, np.full(4, 10.0), HINGE, "free", Rbf(1.0))
    >>> solver = BlockSmo()
    >>> state = solver.init(problem, None, n_threads=1)
    >>> for _ in range(2):
    ...     progress = solver.step(problem, state, tol=1e-6)
    ...     verdict = solver.terminate(problem, state, tol=1e-6)
    >>> verdict.value, solver.point(problem, state).alpha.round(3)
    ('check', array([2.503, 2.503, 2.503, 2.503]))
    """

    cache_mb: float = 500.0
    working_set: int | None = None
    shrink: bool = True
    wide: bool = False
    stop_on_negative_curvature: bool = True
    tuning: Tuning = field(default_factory=Tuning)

    name: ClassVar[str] = "block-smo"
    releases_gil: ClassVar[bool] = False

    def init(self, problem: Problem, start: Point | None, n_threads: int) -> State:
        """Begin at alpha = 0, or at ``start`` clipped to its bounds and balanced."""
        space = problem.space
        assert isinstance(space, KernelSpace), "block SMO is for kernels"
        formula = core_formula(space.kernel) if space.matrix is None else None
        points = core_points(problem.X) if formula is not None else None
        n, wide = problem.n_rows, self.wide or formula is None
        engine = self._engine(problem, formula, points, wide, n_threads)
        state = State(
            engine,
            formula,
            points,
            n_threads,
            wide,
            np.zeros(n),
            np.zeros(n),
            self.tuning,
            Stall(self.tuning.renewals, 0.5),
        )
        if start is not None:
            alpha = feasible(problem, start.alpha)
            if alpha.any():
                renew(problem, state, alpha)
        return state

    def step(self, problem: Problem, state: State, tol: float) -> Progress:
        """A few rounds, none once the gap seems reached."""
        state.tol, state.ready = tol, False
        n = problem.n_rows
        rounds = max(
            1, min(self.tuning.step_rounds, self.tuning.step_values // (n * self._rows_in_a_round(n)))
        )
        if state.points is not None:
            state.report = state.engine.run(state.target, rounds, time_left())
        else:
            self._supplied_rounds(problem, state, rounds)
        if state.report.negative_first >= 0:
            self._check_curvature(problem, state)
        elif state.report.reached or state.report.stalled:
            self._conclude(problem, state)
        return Progress(state.report.primal, state.report.dual, state.work(n, self._rows_in_a_round(n)))

    def terminate(self, problem: Problem, state: State, tol: float) -> Verdict:
        """CHECK when the gap is within tol as far as the solver can tell; STALLED when nothing moves any more."""
        if state.stalled:
            return Verdict.STALLED
        return Verdict.CHECK if state.ready else Verdict.GO_ON

    def rejected(self, problem: Problem, state: State, tol: float) -> None:
        """Compute F anew before the next check, and aim lower."""
        state.ready, state.refine = False, True
        state.safety *= 0.5

    def point(self, problem: Problem, state: State) -> Point:
        """The current alpha and bias; w is not built."""
        return Point(state.current_alpha, None, state.report.bias)

    def _rows_in_a_round(self, n: int) -> int:
        return self.working_set or self.tuning.working_set(n)

    def _engine(
        self,
        problem: Problem,
        formula: _core.KernelFormula | None,
        points: _core.KernelPoints | None,
        wide: bool,
        n_threads: int,
    ) -> _core.BlockSmo:
        return _core.block_smo(
            points,
            formula or _core.KernelFormula("linear"),
            problem.y,
            problem.C,
            wide=wide,
            squared=problem.loss.squared,
            bias=problem.bias,
            working_set=self._rows_in_a_round(problem.n_rows),
            cache_mb=self.cache_mb,
            shrink=self.shrink and points is not None,
            stop_on_negative=self.stop_on_negative_curvature,
            n_threads=n_threads,
        )

    def _supplied_rounds(self, problem: Problem, state: State, rounds: int) -> None:
        """Rounds for which the kernel object computes the rows of K."""
        for _ in range(rounds):
            missing = state.engine.select()
            if len(missing):
                state.engine.supply(
                    np.ascontiguousarray(problem.space.gram(missing.astype(np.intp), slice(None)))
                )
            state.report = state.engine.advance(state.target)
            if state.report.reached or state.report.stalled or time_left() == 0.0:
                break

    def _conclude(self, problem: Problem, state: State) -> None:
        """The gap seems reached, or no pair is left to improve: is F to be trusted?"""
        exact = state.wide and (self.wide or state.points is None)
        unsure = state.refine or state.report.stalled or problem.n_rows <= self.tuning.few_rows
        if not exact and (unsure or rounding_of_gap(problem, state) > state.slack):
            renew(problem, state, state.current_alpha)
            state.report = state.engine.run(state.target, 0, 0.0)
            state.refine = False
            if not state.report.reached:
                self._distrust(problem, state)
                return
        state.ready = state.report.reached
        state.stalled = not state.report.reached and state.report.stalled

    def _distrust(self, problem: Problem, state: State) -> None:
        """F was not what it seemed. If renewing it no longer helps, kernel values are computed in float64."""
        gap = state.report.primal - state.report.dual
        if state.renewals.update(gap if state.report.dual > 0 else np.inf):
            return
        if not state.wide:
            self._widen(problem, state)
        else:
            state.stalled = state.renewals.stalled

    def _widen(self, problem: Problem, state: State) -> None:
        alpha = state.current_alpha
        if state.report.dual < 0:  # float32 led away from the solution: zero is a better start
            alpha[:] = 0.0
        state.wide, state.spent = True, state.work(problem.n_rows, self._rows_in_a_round(problem.n_rows))
        state.renewals.reset()
        state.engine = self._engine(problem, state.formula, state.points, True, state.n_threads)
        renew(problem, state, alpha)

    def _check_curvature(self, problem: Problem, state: State) -> None:
        """The engine met negative curvature: a fact about K, or rounding."""
        i, j = state.report.negative_first, state.report.negative_second
        rows = np.array([i] if j < 0 else [i, j])
        K = problem.space.gram(rows, rows)
        value = float(K[0, 0]) if j < 0 else float(K[0, 0] + K[1, 1] - K[0, 1] - K[1, 0])
        if value < -self.tuning.curved * float(np.abs(np.diag(K)).sum()):
            state.negative_curvature = NegativeCurvature((i, i if j < 0 else j), value)
            state.stalled = self.stop_on_negative_curvature
        elif not state.wide:
            self._widen(problem, state)
            return
        state.engine.tolerate_negative()
