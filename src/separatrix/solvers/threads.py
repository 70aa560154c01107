"""BLAS threads during a fit: limited to what was asked for, restored afterwards.

The number of BLAS threads belongs to the whole process, so overlapping fits in several Python threads share
it: the first to enter remembers what it found, each entry may only lower the limit, the last to leave
restores it. The count and the limit are kept under one lock.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_asked: list[int] = []  # the limit of each fit that is running
_found: list[tuple[Any, int]] = []  # each BLAS library with its own number of threads before the first fit


@contextmanager
def blas_threads(limit: int) -> Iterator[None]:
    """While entered, BLAS uses at most ``limit`` threads (at least one).

    >>> with blas_threads(1):
    ...     pass
    """
    limit = max(1, limit)
    with _lock:
        if not _asked:
            _found[:] = [(library, library.get_num_threads()) for library in _libraries()]
        lower = not _asked or limit < min(_asked)
        _asked.append(limit)
        if lower:
            _apply()
    try:
        yield
    finally:
        with _lock:
            _asked.remove(limit)
            if not _asked or limit < min(_asked):
                _apply()
            if not _asked:
                _found.clear()


def thread_limit() -> int:
    """The threads that the fits running now may use each: what the least of them was given; 1 where none runs."""
    with _lock:
        return min(_asked, default=1)


@functools.cache
def _libraries() -> list[Any]:
    """The BLAS libraries of this process: NumPy's and SciPy's, loaded by the time anything is solved."""
    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


def _apply() -> None:
    """Set every library to the smaller of what it had and the lowest limit asked for. Needs the lock."""
    for library, before in _found:
        wanted = min([before, *_asked])
        if library.get_num_threads() != wanted:
            _release(library)
            library.set_num_threads(wanted)
            _release(library)


def _release(library: Any) -> None:
    """Let any thread set the limit: threadpoolctl 3.7 and later heed one thread only, the first that asked.

    Fits in several threads take turns here, under one lock, so that rule is not needed; and it must not outlive
    a fit, or the caller's own limits from other threads would be ignored.
    """
    clear = getattr(library, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)
