"""The loop around perceptron passes: limits, Ctrl-C, history. The solver's ``step`` does the work."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from separatrix.perceptron.state import LabelledRows, PassSolver
from separatrix.problem import Status
from separatrix.problem.mistakes import MistakeHistory, MistakeRecord
from separatrix.solvers.loop.deadline import OutOfTime, deadline
from separatrix.solvers.loop.interrupt import InterruptFlag

State = TypeVar("State")
#: Sees each record as it is made; a status ends the run with it.
OnRecord = Callable[[MistakeRecord], Status | None]


@dataclass(frozen=True)
class PassLimits:
    """When to stop: passes, seconds."""

    max_epochs: int
    max_time: float | None = None
    n_threads: int = 1


@dataclass(frozen=True, eq=False)
class PassRun(Generic[State]):
    """How a run ended, and the state it ended in. ``status`` is converged after a pass without a mistake."""

    state: State
    status: Status
    epochs: int
    history: MistakeHistory


def run_passes(
    solver: PassSolver[State],
    rows: LabelledRows,
    limits: PassLimits,
    counted: Callable[[State], int],
    on_record: OnRecord | None = None,
    state: State | None = None,
) -> PassRun[State]:
    """Pass after pass until one makes no mistake, or a limit ends the run.

    ``counted(state)`` is the number of updates so far; ``state`` continues an earlier run. A pass that the time limit
    cuts short leaves its updates in the state, and no record.
    """
    began = time.perf_counter()
    state = solver.init(rows, limits.n_threads) if state is None else state
    records: list[MistakeRecord] = []
    status: Status | None = None
    with InterruptFlag() as interrupt, deadline(limits.max_time):
        while status is None:
            try:
                mistakes = solver.step(rows, state)
            except OutOfTime:
                status = Status.MAX_TIME
                break
            epoch, elapsed = len(records) + 1, time.perf_counter() - began
            record = MistakeRecord(
                elapsed, epoch, epoch * rows.n_rows, mistakes, counted(state), float("nan")
            )
            records.append(record)
            asked = on_record(record) if on_record is not None else None
            if mistakes == 0:
                status = Status.CONVERGED
            elif interrupt.raised:
                status = Status.INTERRUPTED
            elif asked is not None:
                status = asked
            elif epoch >= limits.max_epochs:
                status = Status.MAX_ITER
            elif limits.max_time is not None and elapsed >= limits.max_time:
                status = Status.MAX_TIME
    return PassRun(state, status, len(records), MistakeHistory(records))
