"""When a run must end: its time is over, or somebody pressed Ctrl-C.

Ctrl-C is a flag: the running piece of work is finished, the best iterate is kept. A later Ctrl-C raises.

The loop looks at its limits between steps. A step that may take long by itself (a factorisation with many columns, a
pass over a file larger than memory) looks too, between pieces of its work, and gives up by raising `OutOfTime`: it
leaves the state as it was, or at some other point that can be proved.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from contextvars import ContextVar
from types import FrameType, TracebackType
from typing import Any

_outermost: InterruptFlag | None = None


class InterruptFlag:
    """While entered on the main thread, a signal sets ``raised`` instead of raising KeyboardInterrupt.

    ``signals`` are those watched, and ``patience`` the number of them that are taken as a request to end in order; the
    next one raises KeyboardInterrupt at once. On other threads, or where a signal does not have its usual handler (it
    was ignored, or a framework has taken it), nothing is changed. Within another flag ``with`` gives that one: whoever
    watches outside has the say.
    """

    def __init__(self, signals: tuple[int, ...] = (signal.SIGINT,), patience: int = 1) -> None:
        self.raised = False
        self.signals, self.patience = signals, patience
        self._count = 0
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> InterruptFlag:
        global _outermost
        if threading.current_thread() is not threading.main_thread():
            return self
        if _outermost is not None:
            return _outermost
        _outermost = self
        usual = (signal.default_int_handler, signal.SIG_DFL)
        for number in self.signals:
            if signal.getsignal(number) in usual:
                self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        global _outermost
        if _outermost is self:
            _outermost = None
        while self._previous:
            number, handler = self._previous.popitem()
            signal.signal(number, handler)

    def watches(self, number: int) -> bool:
        """True if this signal would raise the flag now."""
        return number in self._previous

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._count += 1
        if self._count > self.patience:
            raise KeyboardInterrupt
        self.raised = True


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
