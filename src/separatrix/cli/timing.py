"""A limit of wall-clock time around work that has none of its own."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class TimeUp(Exception):
    """The time allowed was over before the work was done."""


def can_limit() -> bool:
    """Whether this process can be given an alarm: on the main thread of a POSIX system."""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextmanager
def at_most(seconds: float | None) -> Iterator[None]:
    """Raise `TimeUp` in the work inside once it has taken that long; None, or no alarm here, means no limit.

    The alarm is heard between two steps of Python, so a long compiled step is finished first.

    >>> with at_most(5.0):
    ...     sum(range(10))
    45
    """
    if seconds is None or not can_limit():
        yield
        return

    def ring(number: int, frame: Any) -> None:
        raise TimeUp

    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(1e-3, seconds))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, previous)


class Stopwatch:
    """Seconds since it was made, and since it was last asked."""

    def __init__(self) -> None:
        self.began = self.last = time.perf_counter()

    def lap(self) -> float:
        """Seconds since the last lap."""
        now = time.perf_counter()
        elapsed, self.last = now - self.last, now
        return elapsed

    @property
    def total(self) -> float:
        """Seconds since the beginning."""
        return time.perf_counter() - self.began
