"""The folder of one model: a lock against a second server, the log, the snapshot, and what was acknowledged last.

lock                    held by the server for as long as it runs; the system releases it if the server dies
log.sqlite3             the truth
snapshot.safetensors    the model at an entry of the log, so that a start need not replay everything
acknowledged            number and chain of the last acknowledged entry, to notice a log that was cut off
"""

from __future__ import annotations

import importlib
import os
import struct
from pathlib import Path
from typing import Any

from separatrix.errors import with_hint
from separatrix.serve.errors import FolderError
from separatrix.serve.log import Tail

_MARK = struct.Struct("<8sQ32s32s")  # magic, number, chain, check
_MAGIC = b"sx-ack-1"
_POSIX = os.name == "posix"
_system: Any = importlib.import_module("fcntl" if _POSIX else "msvcrt")


class Folder:
    """The files of one model."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.log = path / "log.sqlite3"
        self.snapshot = path / "snapshot.safetensors"
        self._acknowledged = path / "acknowledged"
        self._lock: int | None = None
        self._mark: int | None = None

    def lock(self) -> None:
        """Take the folder; a `FolderError` if another server has it."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise with_hint(
                FolderError,
                f"The folder {self.path} cannot be written: {(error.strerror or str(error)).lower()}.",
                "--data-dir names a folder that this user may write to",
            ) from None
        try:
            if _POSIX:
                _system.flock(descriptor, _system.LOCK_EX | _system.LOCK_NB)
            else:
                _system.locking(descriptor, _system.LK_NBLCK, 1)
        except OSError:
            os.close(descriptor)
            raise with_hint(
                FolderError,
                f"The folder {self.path} is in use by another server; one at a time writes a log.",
                "stop the other server, or give this one a --data-dir of its own",
            ) from None
        self._lock = descriptor

    def release(self) -> None:
        """Give the folder back."""
        for descriptor in (self._lock, self._mark):
            if descriptor is not None:
                os.close(descriptor)
        self._lock = self._mark = None

    def acknowledge(self, tail: Tail) -> None:
        """Write down the last acknowledged entry: a few bytes, overwritten in place.

        It outlives the process at once, and the machine as soon as the system writes it; it is never ahead of the log.
        """
        if self._mark is None:
            self._mark = os.open(self._acknowledged, os.O_RDWR | os.O_CREAT, 0o644)
        content = _MARK.pack(_MAGIC, tail.seq, tail.chain, _check(tail))
        os.lseek(self._mark, 0, os.SEEK_SET)
        os.write(self._mark, content)

    def acknowledged(self) -> tuple[int, bytes] | None:
        """Number and chain of the last acknowledged entry; None where nothing readable says so."""
        try:
            content = self._acknowledged.read_bytes()
        except OSError:
            return None
        if len(content) != _MARK.size:
            return None
        magic, seq, chain, check = _MARK.unpack(content)
        return (seq, chain) if magic == _MAGIC and check == _check(Tail(seq, 0, chain)) else None


def _check(tail: Tail) -> bytes:
    """The number spread over the chain, so that a torn write is noticed."""
    number = (tail.seq * 0x9E3779B97F4A7C15 % (1 << 64)).to_bytes(8, "little") * 4
    return bytes(a ^ b for a, b in zip(tail.chain, number, strict=True))
