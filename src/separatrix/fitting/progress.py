"""The progress line of ``verbose=True``: on stderr, because stdout belongs to data."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any, TextIO

from separatrix.problem import Record

_TERMINAL_PAUSE, _FILE_PAUSE = 0.1, 5.0  # seconds between two updates


class ProgressLine:
    """Keeps one line up to date on a terminal; elsewhere prints a line now and then. Safe across threads."""

    def __init__(self, tol: float, stream: TextIO | None = None) -> None:
        self.tol = tol
        self.stream = sys.stderr if stream is None else stream
        self._live = bool(getattr(self.stream, "isatty", lambda: False)())
        self._last, self._width = time.perf_counter(), 0
        self._lock = threading.Lock()

    def show(self, name: str, record: Record) -> None:
        """Show a record of the problem called ``name`` unless the last one was shown just now."""
        pause = _TERMINAL_PAUSE if self._live else _FILE_PAUSE
        with self._lock:
            if time.perf_counter() - self._last >= pause:
                self._write(_describe(name, record, self.tol), "\r" if self._live else "\n")

    def done(self, name: str, record: Record, status: str) -> None:
        """The last line of a problem stays."""
        with self._lock:
            self._write(f"{_describe(name, record, self.tol)}  {status}", "\n")

    def keep(self, key: Any, point: Any, final: bool) -> None:
        """A line has no use for points."""

    def _write(self, text: str, end: str) -> None:
        padding = " " * max(0, self._width - len(text)) if self._live else ""
        self.stream.write(text + padding + end)
        self.stream.flush()
        self._last, self._width = time.perf_counter(), len(text) if end == "\r" else 0


def _describe(name: str, record: Record, tol: float) -> str:
    return (
        f"SVC {name}: {record.solver} step {record.iteration}, gap {record.gap:.1e} (goal {tol:g}), "
        f"primal {record.primal:.6g}, {record.time:.2f} s"
    )
