"""BLAS threads during a fit: limited to what was asked for, restored afterwards.

The number of BLAS threads belongs to the whole process, so overlapping fits in several Python threads share
it: the first to enter remembers what it found, each entry may only lower the limit, the last to leave
restores it. The count and the limit are kept under one lock.
"""

from __future__ import annotations

import functools
import threading
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_asked: list[int] = []  # the limit of each fit that is running
_found: list[_Found] = []


@dataclass
class _Found:
    """A BLAS library with its own number of threads before the first fit, and the number it has now."""

    library: Any
    before: int
    now: int


class blas_threads:  # noqa: N801  # read as a verb: with blas_threads(2)
    """While entered, BLAS uses at most ``limit`` threads (at least one).

    >>> with blas_threads(1):
    ...     pass
    """

    def __init__(self, limit: int) -> None:
        self._limit = max(1, limit)

    def __enter__(self) -> None:
        with _lock:
            if not _asked:
                for library in _libraries():
                    before = library.get_num_threads()
                    _found.append(_Found(library, before, before))
            _asked.append(self._limit)
            _apply()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with _lock:
            _asked.remove(self._limit)
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
    for found in _found:
        wanted = min([found.before, *_asked])
        if found.now != wanted:
            found.now = wanted
            _set(found.library, wanted)


def _set(library: Any, n_threads: int) -> None:
    """Set the number, whichever thread asks: threadpoolctl 3.7 and later heed one thread only, the first that asked.

    Fits in several threads take turns here, under one lock, so that rule is not needed; and it must not outlive
    a fit, or the caller's own limits from other threads would be ignored.
    """
    clear = getattr(library, "clear_controlling_thread", None)
    if clear is None:
        library.set_num_threads(n_threads)
        return
    clear(force=True)
    library.set_num_threads(n_threads)
    clear(force=True)
