"""A fit that is asked to end: Ctrl-C and SIGTERM are answered at once, and what there is is saved.

The answer is given by a thread of its own, which Python wakes when the signal arrives, so that it does not wait for the
compiled code that the main thread may be in. The fit hears of it through `InterruptFlag` between two pieces of work.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from separatrix.cli.output import say
from separatrix.solvers.loop.deadline import InterruptFlag

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
#: Signals that are taken as the same request: people press Ctrl-C again when nothing seems to happen.
_PATIENCE = 2


@contextmanager
def ending_in_order() -> Iterator[InterruptFlag]:
    """While entered, a Ctrl-C or SIGTERM asks the fit to end, the second changes nothing, the third gives up."""
    with InterruptFlag(_SIGNALS, _PATIENCE) as flag, _announced(flag):
        yield flag


@contextmanager
def _announced(flag: InterruptFlag) -> Iterator[None]:
    """Say on stderr that a signal was heard, the moment it arrives."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    previous = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    listener = threading.Thread(target=_listen, args=(reading, flag), daemon=True)
    listener.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(previous)
        os.close(writing)  # ends the listener
        listener.join()
        os.close(reading)


def _listen(reading: int, flag: InterruptFlag) -> None:
    heard = 0
    while number := os.read(reading, 1):
        if not flag.watches(number[0]):
            continue
        heard += 1
        flag.raised = True
        if heard == 1:
            name = "Ctrl-C" if number[0] == signal.SIGINT else "SIGTERM"
            say("note", f"{name} was heard: the fit ends here, and what there is is being saved.")
        elif heard == _PATIENCE:
            say("note", "Still saving; the next one gives up at once, without it.")


def advice_after(warning: Any, checkpoint: str | None) -> str:
    """Return how to go on after a fit that did not reach its gap, in the words of the command line."""
    if warning.status == "interrupted":
        if checkpoint is not None:
            return f"The same command goes on from the checkpoint {checkpoint}."
        return "With --checkpoint FILE an interrupted fit can go on later."
    if warning.status in ("max_time", "max_iter"):
        option = f"--{warning.status.replace('_', '-')}"
        return f"Raise {option}, or accept the gap with a larger --tol."
    return "Scale the columns, lower C with -c, or accept the gap with a larger --tol."
