"""An exclusive lock on an open file, held against other processes; the system releases it if the holder dies."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_NAME = "fcntl" if os.name == "posix" else "msvcrt"
_system: Any = importlib.import_module(_NAME)  # one of the two exists on each system


@contextmanager
def exclusive(file: Any) -> Iterator[None]:
    """Wait for the lock on the file, hold it, release it."""
    _lock(file, hold=True)
    try:
        yield
    finally:
        _lock(file, hold=False)


def _lock(file: Any, *, hold: bool) -> None:
    if _NAME == "fcntl":
        _system.flock(file.fileno(), _system.LOCK_EX if hold else _system.LOCK_UN)
        return
    # Windows locks ranges of bytes: one byte far behind the end stands for the whole file.
    place = file.tell()
    file.seek(1 << 40)
    _system.locking(file.fileno(), _system.LK_LOCK if hold else _system.LK_UNLCK, 1)
    file.seek(place)
