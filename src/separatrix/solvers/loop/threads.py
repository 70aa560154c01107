"""BLAS threads during a fit: limited to what was asked for, restored afterwards.

The number of BLAS threads belongs to the whole process, so overlapping fits in several Python threads share
it: the first to enter remembers what it found, each entry may only lower the limit, the last to leave
restores it. The count and the limit are kept under one lock.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_asked: list[int] = []  # the limit of each fit that is running


@dataclass
class _Library:
    """A BLAS library: how its number of threads is asked and set, what it was before the first fit, and what it is."""

    ask: Callable[[], int]
    set: Callable[[int], object]
    before: int = 0
    now: int = 0


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
                    library.before = library.now = library.ask()
            _asked.append(self._limit)
            _apply()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with _lock:
            _asked.remove(self._limit)
            _apply()


def thread_limit() -> int:
    """The threads that the fits running now may use each: what the least of them was given; 1 where none runs."""
    with _lock:
        return min(_asked, default=1)


@functools.cache
def _libraries() -> list[_Library]:
    """The BLAS libraries of this process: NumPy's and SciPy's, loaded by the time anything is solved."""
    return [_library(found) for found in ThreadpoolController().select(user_api="blas").lib_controllers]


def _library(found: Any) -> _Library:
    """The library as threadpoolctl found it; by OpenBLAS's own functions where it has one pool for the process.

    There threadpoolctl 3.7 and later heed one thread only, the first that asked. Fits in several threads take turns
    here, under one lock, so that rule is not needed.
    """
    if found.internal_api == "openblas" and found.threading_layer != "openmp":
        for name in getattr(found, "check_symbols", ()):
            if hasattr(found.dynlib, name):
                setter = name.replace("get_num_threads", "set_num_threads")
                return _Library(getattr(found.dynlib, name), getattr(found.dynlib, setter))
    return _Library(found.get_num_threads, found.set_num_threads)


def _apply() -> None:
    """Set every library to the smaller of what it had and the lowest limit asked for. Needs the lock."""
    for library in _libraries():
        wanted = min([library.before, *_asked])
        if library.now != wanted:
            library.now = wanted
            library.set(wanted)
