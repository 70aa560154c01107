"""The one loop: iteration, limits, interrupts, callbacks, history, and switching between solvers.

    while not done:   step -> record -> (check: prove the gap from the data) -> limits

The loop never believes a solver. Whenever one asks for a check, or a limit ends the run, `certify`
recomputes primal and dual from the data; the best primal point and the best dual point seen in any check
are kept, each on its own, and their gap is what is returned.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.problem import History, JointProblem, KernelProblem, Point, Problem, Record, Solution, Status
from separatrix.problem.problem import relative_gap
from separatrix.solvers.loop.deadline import OutOfTime, deadline, time_left
from separatrix.solvers.loop.interrupt import InterruptFlag
from separatrix.solvers.loop.pace import Pace
from separatrix.solvers.loop.protocol import Solver, Verdict
from separatrix.solvers.loop.threads import blas_threads

_FAILED_CHECKS = 20  # in a row without a better gap: the stage is left as stalled

#: Recomputes a proposal from the data: feasible alpha, best bias, primal, dual, gap.
Certify = Callable[[Any, Point], Solution]
#: Sees each record as it is made; returning True ends the run with what there is.
OnRecord = Callable[[Record], bool | None]


@dataclass(frozen=True)
class Stage:
    """A solver to run, why it was chosen, and how many seconds of work it may still be expected to cost.

    A stage other than the last is left when its gap, extrapolated, needs more than ``patience`` seconds to
    reach tol, or when it stalls; the next stage starts from the best point so far. It is not judged before it has
    run for ``trial`` seconds.
    """

    solver: Solver[Any, Any]
    reason: str
    patience: float = float("inf")
    trial: float = 0.0


@dataclass(frozen=True)
class Limits:
    """When to stop: relative gap, steps, seconds."""

    tol: float
    max_iter: int | None = None
    max_time: float | None = None
    n_threads: int = 1


class _Best:
    """The best primal point and the best dual point proved so far, each on its own.

    With a kernel both are the same alpha, and stay together: the pair with the smallest gap is kept.
    """

    def __init__(self, together: bool) -> None:
        self.together = together
        self.by_primal: Solution | None = None
        self.by_dual: Solution | None = None

    def add(self, checked: Solution) -> None:
        if self.together:
            if self.by_primal is None or checked.gap < self.gap:
                self.by_primal = self.by_dual = checked
            return
        if self.by_primal is None or checked.primal < self.by_primal.primal:
            self.by_primal = checked
        if self.by_dual is None or checked.dual > self.by_dual.dual:
            self.by_dual = checked

    @property
    def gap(self) -> float:
        if self.by_primal is None or self.by_dual is None:
            return float("inf")
        return relative_gap(self.by_primal.primal, self.by_dual.dual)

    def point(self) -> Point | None:
        if self.by_primal is None or self.by_dual is None:
            return None
        return Point(alpha=self.by_dual.alpha, w=self.by_primal.w, b=self.by_primal.b)


def run(
    stages: Sequence[Stage],
    problem: Problem | KernelProblem | JointProblem,
    limits: Limits,
    certify: Certify,
    start: Point | None = None,
    on_record: OnRecord | None = None,
    interrupt: InterruptFlag | None = None,
) -> Solution:
    """Run the stages in turn until the gap is proved to be at most tol, or a limit ends the run.

    Returns the best primal and dual points with their proved values; ``status`` says how it ended.
    The last record of the history is always proved. A caller who watches Ctrl-C hands over its flag.
    """
    return _Run(problem, limits, certify, on_record).drive(stages, start, interrupt)


class _Run:
    """The moving parts of one call of `run`."""

    def __init__(
        self,
        problem: Problem | KernelProblem | JointProblem,
        limits: Limits,
        certify: Certify,
        on_record: OnRecord | None,
    ) -> None:
        self.problem, self.limits, self.certify, self.on_record = problem, limits, certify, on_record
        self.began = time.perf_counter()
        self.iteration = 0
        self.records: list[Record] = []
        self.best = _Best(together=not isinstance(problem, Problem))
        self.stop_asked = False

    def drive(self, stages: Sequence[Stage], start: Point | None, flag: InterruptFlag | None) -> Solution:
        limits, watched = self.limits, InterruptFlag() if flag is None else nullcontext(flag)
        with watched as interrupt, blas_threads(limits.n_threads), deadline(limits.max_time):
            if time_left() == 0.0:
                return self._finish(self._out_of_time(stages[0].solver.name, start))
            for position, stage in enumerate(stages):
                status = self._stage(stage, self.best.point() or start, position + 1 < len(stages), interrupt)
                if status is not None:
                    return self._finish(status)
        return self._finish(Status.MAX_ITER)

    def _stage(
        self, stage: Stage, start: Point | None, another_follows: bool, interrupt: InterruptFlag
    ) -> Status | None:
        """Run one stage; None means that it ended without success and the next should take over."""
        solver, name = stage.solver, stage.solver.name
        try:
            state = solver.init(self.problem, start, self.limits.n_threads)
        except OutOfTime:
            return self._out_of_time(name, start)
        # Judged by this thread's own work, not by the clock: on a busy machine every solver is slow.
        began = time.thread_time()
        pace = Pace(0.0)
        note, failed_checks = stage.reason, 0
        while True:
            try:
                tol: tuple[Any, ...] = (self.limits.tol,) if hasattr(solver, "rejected") else ()
                progress = solver.step(self.problem, state, *tol)
            except OutOfTime:
                return self._out_of_time(name, solver.point(self.problem, state))
            self.iteration += 1
            self._record(progress.primal, progress.dual, name, note or progress.note, proved=False)
            note = ""
            worked = time.thread_time() - began
            pace.add(worked, self.records[-1].gap)
            verdict = solver.terminate(self.problem, state, self.limits.tol)
            ended = self._limit_reached(interrupt)
            judged = another_follows and worked >= stage.trial
            slow = judged and pace.remaining(self.limits.tol) > stage.patience
            if verdict is Verdict.GO_ON and ended is None and not slow:
                continue
            before = self.best.gap
            self.best.add(self.certify(self.problem, solver.point(self.problem, state)))
            # A solver whose own estimate is wrong would ask for checks for ever.
            failed_checks = failed_checks + 1 if self.best.gap > 0.9 * before else 0
            stalled = verdict is Verdict.STALLED or failed_checks >= _FAILED_CHECKS
            self._record_proved(name, "stalled" if stalled else "too slow" if slow else "")
            if self.best.gap <= self.limits.tol:
                return Status.CONVERGED
            ended = ended or self._limit_reached(interrupt)
            if ended is not None:
                return ended
            if stalled or slow:
                return None
            if hasattr(solver, "rejected"):
                solver.rejected(self.problem, state, self.limits.tol)

    def _out_of_time(self, name: str, point: Point | None) -> Status:
        """Prove what there is: the point of a step cut short; alpha = 0 where there was no time for any."""
        if point is not None:
            self.best.add(self.certify(self.problem, point))
        if self.best.gap > 1.0:  # zero is better than that
            problem = self.problem
            shape = (
                (problem.n_rows, problem.n_classes) if isinstance(problem, JointProblem) else problem.n_rows
            )
            self.best.add(self.certify(problem, Point(np.zeros(shape))))
        self._record_proved(name, "no time was left for a step" if self.iteration == 0 else "time was over")
        return Status.CONVERGED if self.best.gap <= self.limits.tol else Status.MAX_TIME

    def elapsed(self) -> float:
        """Seconds since the run began."""
        return time.perf_counter() - self.began

    def _limit_reached(self, interrupt: InterruptFlag) -> Status | None:
        limits = self.limits
        if interrupt.raised or self.stop_asked:
            return Status.INTERRUPTED
        if limits.max_iter is not None and self.iteration >= limits.max_iter:
            return Status.MAX_ITER
        if limits.max_time is not None and self.elapsed() >= limits.max_time:
            return Status.MAX_TIME
        return None

    def _record(self, primal: float, dual: float, solver: str, note: str, *, proved: bool) -> None:
        record = Record(
            self.elapsed(), self.iteration, primal, dual, relative_gap(primal, dual), solver, note, proved
        )
        self.records.append(record)
        if self.on_record is not None and self.on_record(record):
            self.stop_asked = True

    def _record_proved(self, solver: str, note: str) -> None:
        primal, dual = self.best.by_primal, self.best.by_dual
        assert primal is not None
        assert dual is not None
        self._record(primal.primal, dual.dual, solver, note, proved=True)

    def _finish(self, status: Status) -> Solution:
        primal, dual = self.best.by_primal, self.best.by_dual
        assert primal is not None, "every stage ends with a check"
        assert dual is not None
        return Solution(
            w=primal.w,
            b=primal.b,
            alpha=dual.alpha,
            primal=primal.primal,
            dual=dual.dual,
            gap=self.best.gap,
            status=status,
            n_iter=self.iteration,
            history=History(self.records),
            scores=primal.scores,
            interval=primal.interval,
        )
