"""A command at work: its progress on stderr, its limit of time, and its end at Ctrl-C or SIGTERM.

Progress is a bar with the gap on a terminal, and a line every few seconds elsewhere.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from separatrix.cli.output import is_lively, say
from separatrix.fitting.observer import KeptPoint, Observer, Part

if TYPE_CHECKING:
    from separatrix.problem import Record, Status
    from separatrix.solvers.loop.deadline import InterruptFlag

LINE_PAUSE = 5.0  #: seconds between two lines of progress where stderr is not a terminal
_BAR_PAUSE = 0.1  # seconds between two changes of the bar on a terminal
#: Signals that count as one request to end: people press Ctrl-C again when nothing seems to happen.
_SAME_REQUEST = 2


def share_done(gap: float, first: float, tol: float) -> float:
    """Return the share of the way from the first gap to tol that is done, on a logarithmic scale; from 0 to 1.

    >>> share_done(1e-2, 1.0, 1e-4), share_done(1e-5, 1.0, 1e-4)
    (0.5, 1.0)
    """
    if not (0 < gap < math.inf and 0 < tol < first):
        return 1.0 if gap <= tol else 0.0
    return min(1.0, max(0.0, math.log(first / gap) / math.log(first / tol)))


class GapLines(Observer):
    """A line every few seconds: for log files and pipes."""

    def __init__(self, tol: float) -> None:
        self.tol = tol
        self._last = time.perf_counter()
        self._lock = threading.Lock()

    def step(self, part: Part, record: Record, point: Callable[[], KeptPoint]) -> None:
        """A line, unless there was one just now."""
        with self._lock:
            if time.perf_counter() - self._last < LINE_PAUSE:
                return
            self._last = time.perf_counter()
            print(
                f"{describe(part.name, record, self.tol)}, {record.time:.0f} s", file=sys.stderr, flush=True
            )


class GapBar(Observer):
    """One bar for the problem at work: the gap on its way to tol."""

    def __init__(self, progress: Any, tol: float) -> None:
        self.progress, self.tol = progress, tol
        self._task = progress.add_task("fit", total=1.0)
        self._first: dict[str, float] = {}
        self._finished = 0
        self._last = 0.0
        self._lock = threading.Lock()

    def step(self, part: Part, record: Record, point: Callable[[], KeptPoint]) -> None:
        """Move the bar, unless it was moved just now."""
        name = part.name
        with self._lock:
            if math.isfinite(record.gap):
                self._first.setdefault(name, max(record.gap, 1.0))
            if time.perf_counter() - self._last < _BAR_PAUSE:
                return
            self._last = time.perf_counter()
            share = share_done(record.gap, self._first.get(name, 1.0), self.tol)
            self.progress.update(self._task, completed=share, description=describe(name, record, self.tol))

    def end(self, part: Part, record: Record, status: Status, point: Callable[[], KeptPoint]) -> None:
        """One problem less."""
        with self._lock:
            self._finished += 1
            text = f"{self._finished} done" if part.name else str(status)
            self.progress.update(self._task, completed=1.0, description=text)


def describe(name: str, record: Record, tol: float) -> str:
    """A record in a few words."""
    where = f"{name} " if name else ""
    return f"{where}{record.solver} step {record.iteration}, gap {record.gap:.1e} of {tol:g} wanted"


@contextmanager
def shown(tol: float, quiet: bool) -> Iterator[list[Observer]]:
    """The observers that show progress: a bar, lines, or none if quiet."""
    if quiet:
        yield []
        return
    if not is_lively(sys.stderr):
        yield [GapLines(tol)]
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield [GapBar(progress, tol)]


@contextmanager
def waiting(text: str, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Something is at work whose end is not known; on a terminal a spinner says so. Yields what changes its text."""
    if quiet or not is_lively(sys.stderr):
        yield lambda text: None
        return
    from rich.console import Console

    with Console(stderr=True).status(text) as status:
        yield status.update


class TimeUp(Exception):
    """The time allowed was over before the work was done."""


@contextmanager
def at_most(seconds: float | None) -> Iterator[None]:
    """Raise `TimeUp` in the work inside once it has taken that long; None means no limit.

    There is no limit either outside the main thread or where the system has no timer (POSIX has). Python answers the
    timer between two of its steps, so a long compiled step is finished first.

    >>> with at_most(5.0):
    ...     sum(range(10))
    45
    """
    on_main_thread = threading.current_thread() is threading.main_thread()
    if seconds is None or not (on_main_thread and hasattr(signal, "setitimer")):
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


@contextmanager
def ending_in_order() -> Iterator[InterruptFlag]:
    """While entered, a Ctrl-C or SIGTERM asks the fit to end, the second changes nothing, the third gives up.

    The signal is answered on stderr by a thread that Python wakes when it arrives, so that the answer does not wait for
    the compiled code that the main thread may be in. The fit sees the flag between two pieces of work.
    """
    from separatrix.solvers.loop.deadline import InterruptFlag

    with InterruptFlag((signal.SIGINT, signal.SIGTERM), _SAME_REQUEST) as flag:
        if threading.current_thread() is not threading.main_thread():
            yield flag
            return
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        previous = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        listener = threading.Thread(target=_listen, args=(reading, flag), daemon=True)
        listener.start()
        try:
            yield flag
        finally:
            signal.set_wakeup_fd(previous)
            os.close(writing)  # ends the listener
            listener.join()
            os.close(reading)


def _listen(reading: int, flag: InterruptFlag) -> None:
    """Answer each signal whose number arrives on the pipe, and raise the flag."""
    arrived = 0
    while number := os.read(reading, 1):
        if not flag.watches(number[0]):
            continue
        arrived += 1
        flag.raised = True
        if arrived == 1:
            name = "Ctrl-C" if number[0] == signal.SIGINT else "SIGTERM"
            say("note", f"{name} was heard: the fit ends here, and the best model so far is being saved.")
        elif arrived == _SAME_REQUEST:
            say("note", "Still saving; the next one gives up at once, without it.")
