"""Ctrl-C as a flag: the running piece of work is finished, the best iterate is kept. A later Ctrl-C raises."""

from __future__ import annotations

import signal
import threading
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
