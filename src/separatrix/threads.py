"""The threads of a fit: how many it may use, loops in Python that share them, and BLAS kept to one.

BLAS stays on one thread while a fit runs. Its own threads wait for each other and for their next task by spinning: a
product of two vectors wakes them for tens of milliseconds, and on a busy machine each call may last as long as the
scheduler pleases. Loops over blocks of rows use the fit's threads instead, here and in the compiled core. Only products
and factorizations that take long on one thread are given to BLAS whole, with `large_product`.

The number of BLAS threads belongs to the whole process, so overlapping fits in several Python threads share it: the
first to enter remembers what it found, and the last to leave restores it, under one lock.
"""

from __future__ import annotations

import _thread
import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token, copy_context
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from threadpoolctl import ThreadpoolController

# Multiplications that BLAS does on several threads: about 50 ms on one, beside which the 7 ms that a busy machine
# with a fixed time slice may let a thread wait are little.
_LARGE = 1e9

_lock = threading.Lock()
_asked: list[int] = []  # the limit of each fit that is running
_large = 0  # large products that are running
_limit: ContextVar[int | None] = ContextVar("threads of the fit", default=None)


@dataclass
class _Library:
    """A BLAS library: how its number of threads is asked and set, what it was before the first fit, and what it is."""

    ask: Callable[[], int]
    set: Callable[[int], object]
    before: int = 0
    now: int = 0


class fit_threads:  # noqa: N801  # read as a verb: with fit_threads(2)
    """While entered, loops of this thread use at most ``limit`` threads (at least one), and BLAS one.

    >>> with fit_threads(2), fit_threads(3):
    ...     thread_limit()
    2
    """

    _token: Token[int | None]

    def __init__(self, limit: int) -> None:
        self._limit = max(1, limit)

    def __enter__(self) -> None:
        outer = _limit.get()
        self._token = _limit.set(self._limit if outer is None else min(outer, self._limit))
        with _lock:
            if not _asked:
                for library in _libraries():
                    library.before = library.now = library.ask()
            _asked.append(self._limit)
            _apply()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _limit.reset(self._token)
        with _lock:
            _asked.remove(self._limit)
            _apply()


def thread_limit() -> int:
    """Threads that the fit running in this thread may use; 1 where none runs."""
    return _limit.get() or 1


@contextmanager
def large_product(multiplications: float) -> Iterator[None]:
    """While entered, BLAS uses as many threads as the running fits may, if there are enough multiplications."""
    global _large
    if multiplications < _LARGE or thread_limit() == 1:
        yield
        return
    with _lock:
        _large += 1
        _apply()
    try:
        yield
    finally:
        with _lock:
            _large -= 1
            _apply()


def run_blocks(work: Callable[[int], object], count: int) -> None:
    """Call work(0) to work(count - 1), on as many threads as the running fit may use.

    Each takes the next number as it comes to it. The caller waits only for calls that have begun: a thread that a busy
    machine does not let start costs nothing. The first exception is raised here.

    >>> squares = [0] * 4
    >>> run_blocks(lambda k: squares.__setitem__(k, k * k), 4)
    >>> squares
    [0, 1, 4, 9]
    """
    threads = min(thread_limit(), count)
    if threads <= 1:
        for k in range(count):
            work(k)
        return
    blocks = _Blocks(work, count)
    for _ in range(threads - 1):
        # Not threading.Thread, whose start waits until the thread runs.
        _thread.start_new_thread(copy_context().run, (blocks.help,))
    blocks.take()
    blocks.wait()


class _Blocks:
    """Numbers that several threads take one by one."""

    def __init__(self, work: Callable[[int], object], count: int) -> None:
        self._work, self._count = work, count
        self._next = self._running = 0
        self._changed = threading.Condition()
        self._error: BaseException | None = None

    def help(self) -> None:
        """Take numbers on another thread, which has no threads to share."""
        _limit.set(1)
        self.take()

    def take(self) -> None:
        """Take numbers until there are none."""
        while True:
            with self._changed:
                if self._next == self._count:
                    return
                k = self._next
                self._next += 1
                self._running += 1
            try:
                self._work(k)
            except BaseException as error:
                with self._changed:
                    self._error, self._next = self._error or error, self._count
            finally:
                with self._changed:
                    self._running -= 1
                    if self._running == 0:
                        self._changed.notify()

    def wait(self) -> None:
        """Wait for the calls that have begun; raise the first exception of any."""
        with self._changed:
            while self._running:
                self._changed.wait()
        if self._error is not None:
            raise self._error


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
    """Set every library to what it had, to one, or to the lowest limit asked for. Needs the lock."""
    for library in _libraries():
        wanted = library.before if not _asked else min([library.before, *_asked]) if _large else 1
        if library.now != wanted:
            library.now = wanted
            library.set(wanted)
