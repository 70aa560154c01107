"""When a run must end, as a long step sees it: its time is over, or somebody pressed Ctrl-C.

The loop looks at its limits between steps. A step that may take long by itself (a factorisation with many columns, a
pass over a file larger than memory) looks too, between pieces of its work, and gives up by raising `OutOfTime`: it
leaves the state as it was, or at some other point that can be proved.
"""

from __future__ import annotations

import math
import time
from contextvars import ContextVar
from types import TracebackType

from separatrix.solvers.loop.interrupt import InterruptFlag

_END: ContextVar[float] = ContextVar("end of the run", default=math.inf)
_INTERRUPT: ContextVar[InterruptFlag | None] = ContextVar("interrupt of the run", default=None)


class OutOfTime(Exception):  # nothing is wrong: the loop ends the run with what there is
    """The deadline passed, or Ctrl-C was pressed, within a step."""


class deadline:  # noqa: N801  # read as a verb: with deadline(2.0)
    """Within the block time is over after this many seconds (None sets no limit), and once ``interrupt`` is raised.

    >>> with deadline(0.0):
    ...     time_left()
    0.0
    >>> time_left()
    inf
    """

    def __init__(self, seconds: float | None, interrupt: InterruptFlag | None = None) -> None:
        self._seconds, self._interrupt = seconds, interrupt

    def __enter__(self) -> None:
        self._token = _END.set(math.inf if self._seconds is None else time.perf_counter() + self._seconds)
        self._outer = _INTERRUPT.set(self._interrupt)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _END.reset(self._token)
        _INTERRUPT.reset(self._outer)


def time_left() -> float:
    """Seconds that the run still has, at least 0; infinite where nobody set a limit, and 0 after Ctrl-C."""
    interrupt = _INTERRUPT.get()
    if interrupt is not None and interrupt.raised:
        return 0.0
    return max(0.0, _END.get() - time.perf_counter())


def look_at_the_clock() -> None:
    """Raise `OutOfTime` if time is over."""
    if time_left() == 0.0:
        raise OutOfTime
