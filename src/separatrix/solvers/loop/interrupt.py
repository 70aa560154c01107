"""Ctrl-C as a flag: the running step is finished, the best iterate is kept. A second Ctrl-C raises."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class InterruptFlag:
    """While entered on the main thread, SIGINT sets ``raised`` instead of raising KeyboardInterrupt.

    On other threads, or where SIGINT is not Python's own handler (it was ignored, or a framework has taken
    it), nothing is changed.
    """

    def __init__(self) -> None:
        self.raised = False
        self._previous: Any = None

    def __enter__(self) -> InterruptFlag:
        on_main_thread = threading.current_thread() is threading.main_thread()
        if on_main_thread and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._previous = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)
            self._previous = None

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.raised:
            raise KeyboardInterrupt
        self.raised = True
