"""The one loop: iteration, limits, interrupts, callbacks, history, and switching between solvers.

    while not done:   step -> record -> (check: prove the gap from the data) -> limits

The loop never believes a solver. Whenever one asks for a check, or a limit ends the run, `certify`
recomputes primal and dual from the data; the best primal point and the best dual point seen in any check
are kept, each on its own, and their gap is what is returned.

Clocks are read for ``max_time`` and for the time column of the history alone. Which solver runs, and for how long, is
decided by counted work: the answer is a function of the data, the settings and the seed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from separatrix._core import Team
from separatrix.problem import (
    History,
    JointPoint,
    JointProblem,
    JointSolution,
    Point,
    Problem,
    Record,
    Solution,
    Status,
)
from separatrix.problem.problem import relative_gap
from separatrix.solvers.loop.deadline import InterruptFlag, OutOfTime, deadline, time_left
from separatrix.solvers.loop.protocol import Solver, Verdict
from separatrix.solvers.loop.stall import Stall
from separatrix.threads import fit_threads

#: The record of an answer: `Solution`, or `JointSolution` for a `JointProblem`.
Answer = TypeVar("Answer", bound=Solution | JointSolution)
#: Recomputes a proposal from the data: feasible alpha, best bias, primal, dual, gap.
Certify = Callable[[Any, Any], Answer]
#: Sees each record as it is made, with a function that gives the point; returning True ends the run with what there is.
OnRecord = Callable[[Record, Callable[[], Any]], bool | None]


@dataclass(frozen=True)
class Tuning:
    """Numbers of the loop."""

    #: Checks in a row without a gap a tenth smaller, after which a solver is left: its estimates are wrong. Without it
    #: a solver that believes in a gap of zero is asked for ever (tests/solvers/test_loop_checks.py).
    failed_checks: int = 20
    #: Steps believed to be within tol after which a run that aims lower is ended: small problems take fewer than that,
    #: and where rounding keeps the aim out of reach a fit of milliseconds does not become one of seconds.
    steps_beyond_tol: int = 100
    #: Steps before the fall of a gap is extrapolated.
    first_forecast: int = 8
    #: Times the work so far that a forecast reaches: a gap may stand still for a while, and a first glance is no reason
    #: to go over to a solver that takes a thousand times as long (tests/solvers/test_loop.py, a short halt).
    reach: float = 100.0


_TUNING = Tuning()


@dataclass(frozen=True)
class Stage:
    """A solver to run, why it was chosen, and how much work it may still be expected to need.

    A stage other than the last is left when its gap, extrapolated, needs more than ``patience`` entries visited to
    reach tol, or when it stalls; the next stage starts from the best point so far.
    """

    solver: Solver[Any, Any]
    reason: str
    patience: float = math.inf


@dataclass(frozen=True)
class Limits:
    """When to stop: relative gap, steps, seconds.

    ``tol`` is the promise: a gap proved to be within it has converged. ``aim`` below tol is what solvers are asked for
    while it costs next to nothing: a run that was long believed to be within tol is checked and ends.
    """

    tol: float
    max_iter: int | None = None
    max_time: float | None = None
    n_threads: int = 1
    aim: float | None = None


class _Best:
    """The best primal point and the best dual point proved so far, each on its own.

    With a kernel both are the same alpha, and stay together, as those of joint problems do: the pair with the smallest
    gap is kept.
    """

    def __init__(self, together: bool) -> None:
        self.together = together
        self.by_primal: Any = None
        self.by_dual: Any = None

    def add(self, checked: Any) -> None:
        better = self.by_dual is None or (
            checked.gap < self.gap if self.together else checked.dual > self.by_dual.dual
        )
        if self.by_primal is None or (better if self.together else checked.primal < self.by_primal.primal):
            self.by_primal = checked
        if better:
            self.by_dual = checked

    @property
    def gap(self) -> float:
        if self.by_primal is None or self.by_dual is None:
            return math.inf
        return relative_gap(self.by_primal.primal, self.by_dual.dual)

    def answer(self) -> Any:
        """Both points as one record."""
        if self.together:
            return self.by_primal
        return replace(self.by_primal, alpha=self.by_dual.alpha, dual=self.by_dual.dual, gap=self.gap)

    def point(self) -> Point | JointPoint | None:
        return None if self.by_primal is None else self.answer().point


def run(
    stages: Sequence[Stage],
    problem: Problem | JointProblem,
    limits: Limits,
    certify: Certify[Answer],
    start: Point | JointPoint | None = None,
    on_record: OnRecord | None = None,
    interrupt: InterruptFlag | None = None,
    tuning: Tuning = _TUNING,
    before_step: Callable[[], None] | None = None,
) -> Answer:
    """Run the stages in turn until the gap is proved to be at most tol, or a limit ends the run.

    Returns the best primal and dual points with their proved values; ``status`` says how it ended.
    The last record of the history is always proved. A caller who watches Ctrl-C hands over its flag. ``before_step``
    is called before each step.
    """
    answer: Answer = _Run(problem, limits, certify, on_record, tuning, before_step).drive(
        stages, start, interrupt
    )
    return answer


class _Run:
    """The moving parts of one call of `run`."""

    def __init__(
        self,
        problem: Problem | JointProblem,
        limits: Limits,
        certify: Certify[Any],
        on_record: OnRecord | None,
        tuning: Tuning,
        before_step: Callable[[], None] | None,
    ) -> None:
        self.problem, self.limits, self.certify, self.on_record = problem, limits, certify, on_record
        self.tuning, self.before_step = tuning, before_step
        self.aim = limits.tol if limits.aim is None else min(limits.aim, limits.tol)
        self.aims_lower = self.aim < limits.tol
        self.believed = 0  # steps whose own estimate of the gap was within tol
        self.began = time.perf_counter()
        self.iteration = 0
        self.records: list[Record] = []
        self.best = _Best(together=isinstance(problem, JointProblem) or problem.kernel is not None)
        self.stop_asked = False

    def drive(self, stages: Sequence[Stage], start: Any, flag: InterruptFlag | None) -> Any:
        limits, watched = self.limits, InterruptFlag() if flag is None else nullcontext(flag)
        threads = fit_threads(limits.n_threads), Team(limits.n_threads)
        with watched as interrupt, threads[0], threads[1], deadline(limits.max_time, interrupt):
            if time_left() == 0.0:
                return self._finish(self._out_of_time(stages[0].solver, start, interrupt))
            for position, stage in enumerate(stages):
                status = self._stage(stage, self.best.point() or start, position + 1 < len(stages), interrupt)
                if status is not None:
                    return self._finish(status)
        return self._finish(Status.MAX_ITER)

    def _stage(
        self, stage: Stage, start: Any, another_follows: bool, interrupt: InterruptFlag
    ) -> Status | None:
        """Run one stage; None means that it ended without success and the next should take over."""
        solver, problem, limits, note = stage.solver, self.problem, self.limits, stage.reason
        try:
            state = solver.init(problem, start, limits.n_threads)
        except OutOfTime:
            return self._out_of_time(solver, start, interrupt)
        forecast, checks = _Forecast(self.tuning), Stall(self.tuning.failed_checks)

        def point() -> Any:
            return solver.point(problem, state)

        while True:
            if self.before_step is not None:
                self.before_step()
            try:
                progress = solver.step(problem, state, self.aim)
            except OutOfTime:
                return self._out_of_time(solver, point(), interrupt)
            self.iteration += 1
            self._record(progress.primal, progress.dual, solver.name, note or progress.note, point)
            note = ""
            gap = self.records[-1].gap
            forecast.add(progress.work, gap)
            self.believed += gap <= limits.tol
            enough = self.aims_lower and self.believed > self.tuning.steps_beyond_tol
            verdict = solver.terminate(problem, state, self.aim)
            ended = self._limit_reached(interrupt)
            slow = another_follows and forecast.work_left(self.aim) > stage.patience
            if verdict is Verdict.GO_ON and ended is None and not (slow or enough):
                continue
            self.best.add(self.certify(problem, point()))
            checks.update(self.best.gap)
            stalled = verdict is Verdict.STALLED or checks.stalled
            self._record_proved(solver.name, "stalled" if stalled else "too slow" if slow else "")
            if self.best.gap <= limits.tol:
                return Status.CONVERGED
            ended = ended or self._limit_reached(interrupt)
            if ended is not None:
                return ended
            if stalled or slow:
                return None
            if enough:  # believed for long, and wrong: go on for tol itself
                self.aim, self.believed = limits.tol, 0
            solver.rejected(problem, state, self.aim)

    def _out_of_time(self, solver: Solver[Any, Any], point: Any, interrupt: InterruptFlag) -> Status:
        """Prove what there is: the point of a step cut short; alpha = 0 where there was no time for any."""
        if point is not None:
            self.best.add(self.certify(self.problem, point))
        if self.best.gap > 1.0:  # zero is better than that
            self.best.add(self.certify(self.problem, self.problem.zero))
        note = "no time was left for a step" if self.iteration == 0 else "time was over"
        self._record_proved(solver.name, "interrupted" if interrupt.raised else note)
        if self.best.gap <= self.limits.tol:
            return Status.CONVERGED
        return Status.INTERRUPTED if interrupt.raised else Status.MAX_TIME

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

    def _record(
        self,
        primal: float,
        dual: float,
        solver: str,
        note: str,
        point: Callable[[], Any],
        *,
        proved: bool = False,
    ) -> None:
        record = Record(
            self.elapsed(), self.iteration, primal, dual, relative_gap(primal, dual), solver, note, proved
        )
        self.records.append(record)
        if self.on_record is not None and self.on_record(record, point):
            self.stop_asked = True

    def _record_proved(self, solver: str, note: str) -> None:
        primal, dual = self.best.by_primal, self.best.by_dual
        assert primal is not None
        assert dual is not None
        self._record(primal.primal, dual.dual, solver, note, self.best.point, proved=True)

    def _finish(self, status: Status) -> Any:
        assert self.best.by_primal is not None, "every stage ends with a check"
        answer = self.best.answer()
        return replace(answer, status=status, n_iter=self.iteration, history=History(self.records))


class _Forecast:
    """Extrapolates log(gap) against work from the later half of a run.

    >>> forecast = _Forecast(Tuning())
    >>> for k in range(1, 11):
    ...     forecast.add(float(k), 10.0 ** -k)
    >>> round(forecast.work_left(1e-12), 6)
    2.0
    """

    def __init__(self, tuning: Tuning) -> None:
        self._tuning = tuning
        self._work, self._logs = [0.0], [0.0]

    def add(self, work: float, gap: float) -> None:
        """Note the gap after a step; the best one so far counts."""
        log = math.log(gap) if gap > 0 and math.isfinite(gap) else self._logs[-1]
        self._work.append(work)
        self._logs.append(min(self._logs[-1], log))

    def work_left(self, tol: float) -> float:
        """Work until the gap is expected to reach tol; 0 while too little is known to say."""
        if len(self._work) <= self._tuning.first_forecast:
            return 0.0
        middle = len(self._work) // 2
        fallen = self._logs[middle] - self._logs[-1]
        wanted = self._logs[-1] - math.log(tol) if tol > 0 else math.inf
        if wanted <= 0:
            return 0.0
        reach = self._tuning.reach * self._work[-1]
        if fallen <= 0:
            return reach
        return min(reach, wanted * (self._work[-1] - self._work[middle]) / fallen)
