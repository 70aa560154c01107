"""Observers of a fit: called when a problem begins, after each step, and when it ends; they may ask it to stop.

Progress lines, checkpoints and scikit-learn's callbacks are observers. An observer never changes an answer: it can
only end a fit early, and the proof at the end does not depend on it. This module loads nothing heavy, for the
command line.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from separatrix.problem import Record, Status
    from separatrix.types import Index, Vector

_TERMINAL_PAUSE, _FILE_PAUSE = 0.1, 5.0  # seconds between two updates of a progress line


@dataclass(frozen=True)
class Part:
    """One of the problems that a fit solves."""

    key: Any = None  #: its name in ``problems_``; None for a joint problem of all classes
    index: int = 0
    count: int = 1  #: problems of the fit
    parallel: bool = False  #: True where they are solved several at a time

    @property
    def name(self) -> str:
        """The key in words; empty where the fit has one problem only."""
        return "" if self.count == 1 else repr(self.key)


@dataclass(frozen=True, eq=False)
class KeptPoint:
    """Iterate of one problem, from which a later fit may start; arrays run over its m rows."""

    rows: Index  #: (m,) training rows that take part
    coef: Vector  #: (d,); (k, d) in a joint problem; empty with a kernel
    intercept: float | Vector  #: (k,) in a joint problem of k classes
    cost: Vector  #: (m,) C_i
    alpha: Vector  #: (m,); (m, k) in a joint problem
    steps: int = 0  #: of the solvers so far
    done: bool = False  #: True if this is the answer, whose gap was proved


class Observer:
    """Sees a fit. Methods may be called from several threads at once, one for each problem.

    ``point()`` is a copy of the iterate; it costs a pass over the rows.

    With ``piece_steps`` each problem is solved in pieces of so many steps, and every piece begins with nothing but the
    point at which the last one ended. A process that starts from such a point takes the same way to the same digits.
    """

    piece_steps: int | None = None

    def begin(self, part: Part) -> None:
        """A problem is taken up."""

    def begin_step(self, part: Part) -> None:
        """A step of a solver begins."""

    def step(self, part: Part, record: Record, point: Callable[[], KeptPoint]) -> bool | None:
        """A step, or a check of the gap (``record.proved``), is done; True asks the problem to end with what it has."""

    def piece(self, part: Part, point: KeptPoint) -> None:
        """A piece ended at this point, and the next one begins with it."""

    def end(self, part: Part, record: Record, status: Status, point: Callable[[], KeptPoint]) -> None:
        """A problem is solved; the record is its last."""


class Several(Observer):
    """Several observers as one."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self.observers = observers
        self.piece_steps = min((each.piece_steps for each in observers if each.piece_steps), default=None)

    def begin(self, part: Part) -> None:
        """To each."""
        for observer in self.observers:
            observer.begin(part)

    def begin_step(self, part: Part) -> None:
        """To each."""
        for observer in self.observers:
            observer.begin_step(part)

    def step(self, part: Part, record: Record, point: Callable[[], KeptPoint]) -> bool:
        """To each; True if one of them asks to stop."""
        asked = [observer.step(part, record, point) for observer in self.observers]
        return any(asked)

    def piece(self, part: Part, point: KeptPoint) -> None:
        """To each."""
        for observer in self.observers:
            observer.piece(part, point)

    def end(self, part: Part, record: Record, status: Status, point: Callable[[], KeptPoint]) -> None:
        """To each."""
        for observer in self.observers:
            observer.end(part, record, status, point)


class ProgressLine(Observer):
    """The line of ``verbose=True``, on stderr: kept up to date on a terminal, printed now and then elsewhere."""

    def __init__(self, tol: float, stream: TextIO | None = None) -> None:
        self.tol = tol
        self.stream = sys.stderr if stream is None else stream
        self._live = bool(getattr(self.stream, "isatty", lambda: False)())
        self._last, self._width = time.perf_counter(), 0
        self._lock = threading.Lock()

    def step(self, part: Part, record: Record, point: Callable[[], KeptPoint]) -> None:
        """Show the record unless the last one was shown just now."""
        pause = _TERMINAL_PAUSE if self._live else _FILE_PAUSE
        with self._lock:
            if time.perf_counter() - self._last >= pause:
                self._write(self._describe(part, record), "\r" if self._live else "\n")

    def end(self, part: Part, record: Record, status: Status, point: Callable[[], KeptPoint]) -> None:
        """The last line of a problem stays."""
        with self._lock:
            self._write(f"{self._describe(part, record)}  {status}", "\n")

    def _write(self, text: str, end: str) -> None:
        padding = " " * max(0, self._width - len(text)) if self._live else ""
        self.stream.write(text + padding + end)
        self.stream.flush()
        self._last, self._width = time.perf_counter(), len(text) if end == "\r" else 0

    def _describe(self, part: Part, record: Record) -> str:
        return (
            f"SVC {part.name}: {record.solver} step {record.iteration}, gap {record.gap:.1e} (goal {self.tol:g}), "
            f"primal {record.primal:.6g}, {record.time:.2f} s"
        )
