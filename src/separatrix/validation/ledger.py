"""The ledger of looks at held-out data: every answer is recorded before it is given.

A ledger is a header, which fixes the rules (data, confidence, budget), and entries, one for each look. In a file
it is JSON lines, only ever appended to. Each line carries the SHA-256 of the line before it and of itself, so a
changed, removed or inserted line is noticed. A line is flushed to the disk before the answer is returned, under a
lock on the file: several processes may share one ledger, and kill -9 loses no look that was answered. What one
file cannot show is that its last lines were cut off, or that it was replaced whole; a process that has seen
them notices, a new one cannot.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from separatrix.atomic import sync_folder
from separatrix.errors import with_hint

Entry = dict[str, Any]
#: Gets the entries so far, returns the entries to add.
NewEntries = Callable[[list[Entry]], list[Entry]]

#: Bytes beyond which a file is no ledger of looks.
_MOST_BYTES = 64 << 20
_KEYS = ("before", "hash")
_POSIX = os.name == "posix"
_system: Any = importlib.import_module("fcntl" if _POSIX else "msvcrt")


class LedgerError(ValueError):
    """A ledger file is damaged, was changed, or belongs to other data or other rules."""


class Ledger(Protocol):
    """The interface of a ledger that a hold-out uses."""

    def open(self, header: Entry) -> None:
        """Begin with this header, or check that it is the one there."""
        ...

    def entries(self) -> list[Entry]:
        """All entries so far, oldest first."""
        ...

    def record(self, answer: NewEntries) -> list[Entry]:
        """Add the entries that ``answer`` makes from the entries so far; nobody else adds any meanwhile."""
        ...


#: A ledger as a caller gives it: an object, the path of a file, or None for one in memory.
AnyLedger = Ledger | str | os.PathLike[str] | None


class MemoryLedger:
    """A ledger that ends with the process; safe with several threads.

    >>> ledger = MemoryLedger()
    >>> ledger.open({"n": 3})
    >>> ledger.record(lambda entries: [{"look": len(entries) + 1}])
    [{'look': 1}]
    """

    def __init__(self) -> None:
        self._header: Entry | None = None
        self._entries: list[Entry] = []
        self._lock = threading.Lock()

    def open(self, header: Entry) -> None:
        """Begin, or check that the rules are the same."""
        if self._header is not None:
            _compare(self._header, header, "This ledger")
        self._header = dict(header)

    def entries(self) -> list[Entry]:
        """All entries so far."""
        return list(self._entries)

    def record(self, answer: NewEntries) -> list[Entry]:
        """Add the entries that ``answer`` makes from those so far."""
        with self._lock:
            added = answer(self._entries)
            self._entries.extend(added)
        return added


class FileLedger:
    """A ledger in a file of JSON lines, shared by processes and kept over restarts."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._lines: list[Entry] = []  # lines read and checked, header first
        self._read = 0  # bytes of the file that they take

    def open(self, header: Entry) -> None:
        """Write the header of a new file, or check the one there and every line after it."""
        with self._locked() as file:
            if self._lines:
                _compare(_content(self._lines[0]), header, f"The ledger {self.path}")
            else:
                self._append(file, [header])

    def entries(self) -> list[Entry]:
        """All entries so far, those of other processes included."""
        with self._locked():
            return [_content(line) for line in self._lines[1:]]

    def record(self, answer: NewEntries) -> list[Entry]:
        """Add the entries that ``answer`` makes from those so far; they are on the disk before this returns."""
        with self._locked() as file:
            if not self._lines:
                raise LedgerError(f"The ledger {self.path} has lost its header; it was emptied or replaced.")
            added = answer([_content(line) for line in self._lines[1:]])
            self._append(file, added)
        return added

    @contextmanager
    def _locked(self) -> Iterator[Any]:
        """The file, open and locked, with every line of it read and checked."""
        with self._lock:
            new = not self.path.exists()
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
            with os.fdopen(descriptor, "r+b") as file, _exclusive(file):
                if new:
                    sync_folder(self.path.parent)
                self._catch_up(file)
                yield file

    def _catch_up(self, file: Any) -> None:
        size = os.fstat(file.fileno()).st_size
        if size > _MOST_BYTES:
            raise LedgerError(f"{self.path} has {size} bytes; a ledger has at most {_MOST_BYTES}.")
        if size < self._read:
            raise LedgerError(f"The ledger {self.path} became shorter: looks were removed from it.")
        file.seek(self._read)
        *whole, torn = file.read().split(b"\n")
        for text in whole:
            self._lines.append(self._checked(text))
            self._read += len(text) + 1
        if torn:
            # A process died while it wrote this line, before it could give the answer away.
            file.truncate(self._read)

    def _checked(self, text: bytes) -> Entry:
        where = f"Line {len(self._lines) + 1} of the ledger {self.path}"
        try:
            line = json.loads(text)
        except ValueError:
            raise LedgerError(f"{where} is not JSON.") from None
        if not isinstance(line, dict) or not all(isinstance(line.get(key), str) for key in _KEYS):
            raise LedgerError(f"{where} is not a line of a ledger: it has no hash.")
        before = self._lines[-1]["hash"] if self._lines else ""
        if line["before"] != before or line["hash"] != _digest(_content(line), before):
            raise LedgerError(f"{where} was changed, or lines before it were removed or added.")
        return line

    def _append(self, file: Any, contents: list[Entry]) -> None:
        lines, before = [], self._lines[-1]["hash"] if self._lines else ""
        for content in contents:
            lines.append({**content, "before": before, "hash": _digest(content, before)})
            before = lines[-1]["hash"]
        text = b"".join(json.dumps(line, sort_keys=True).encode() + b"\n" for line in lines)
        file.seek(self._read)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
        self._lines += lines
        self._read += len(text)


def open_ledger(ledger: AnyLedger, header: Entry) -> Ledger:
    """Open a ledger, a path as a `FileLedger` or None as a `MemoryLedger`, with the rules in a header."""
    if ledger is None or isinstance(ledger, str | os.PathLike):
        ledger = MemoryLedger() if ledger is None else FileLedger(ledger)
    ledger.open({"version": 1, **header})
    return ledger


@contextmanager
def _exclusive(file: Any) -> Iterator[None]:
    """Hold an exclusive lock on an open file against other processes; the system releases it if the holder dies."""
    _lock(file, hold=True)
    try:
        yield
    finally:
        _lock(file, hold=False)


def _lock(file: Any, *, hold: bool) -> None:
    if _POSIX:
        _system.flock(file.fileno(), _system.LOCK_EX if hold else _system.LOCK_UN)
        return
    # Windows locks ranges of bytes: one byte far behind the end stands for the whole file.
    place = file.tell()
    file.seek(1 << 40)
    _system.locking(file.fileno(), _system.LK_LOCK if hold else _system.LK_UNLCK, 1)
    file.seek(place)


def _content(line: Entry) -> Entry:
    return {key: value for key, value in line.items() if key not in _KEYS}


def _digest(content: Entry, before: str) -> str:
    text = json.dumps(content, sort_keys=True, allow_nan=False)
    return hashlib.sha256((before + "\n" + text).encode()).hexdigest()


def _compare(old: Entry, new: Entry, what: str) -> None:
    for key in sorted({*old, *new}):
        if old.get(key) != new.get(key):
            raise with_hint(
                LedgerError,
                f"{what} was begun with {key} = {old.get(key)!r}, now {new.get(key)!r} was asked for. Data and rules "
                "are fixed at the first look.",
                "a new ledger is for new data only",
            )
