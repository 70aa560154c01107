"""Progress of a long fit on stderr: a bar with the gap on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from separatrix.cli.output import is_lively
from separatrix.fitting.observer import KeptPoint, Observer, Part

if TYPE_CHECKING:
    from separatrix.problem import Record, Status

_LINE_PAUSE = 5.0  # seconds between two lines in a log file
_BAR_PAUSE = 0.1  # seconds between two looks at a record on a terminal


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
            if time.perf_counter() - self._last < _LINE_PAUSE:
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
