"""Errors of the server: each is a sentence for whoever sent the request, with the status that goes with it."""

from __future__ import annotations

import sqlite3

from separatrix.errors import Hinted, with_hint


class RequestError(Hinted, ValueError):
    """A request cannot be answered; ``status`` is that of HTTP. Nothing was learnt of it."""

    def __init__(self, message: str, status: int = 400, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers or {}


class FolderError(Hinted, ValueError):
    """The folder of a model cannot be used: it is in use, damaged, or of another model."""


class StorageError(Hinted, OSError):
    """The log could not be written; what was not acknowledged is not learnt."""


def storage_error(error: sqlite3.Error | OSError) -> StorageError:
    """The sentence for a disk that is full, read-only or broken."""
    text = str(error)
    if "full" in text or "No space" in text or "File too large" in text:
        return with_hint(
            StorageError,
            f"The disk is full ({text}): the rows were not learnt, everything acknowledged before is kept.",
            "make room and send the request again with the same Idempotency-Key",
        )
    if "readonly" in text or "Read-only" in text or "Permission" in text or "unable to open" in text:
        return with_hint(
            StorageError,
            f"The log cannot be written ({text}): the rows were not learnt, everything acknowledged before is kept.",
            "make the folder writable and send the request again with the same Idempotency-Key",
        )
    return with_hint(
        StorageError,
        f"The log could not be written ({text}): the rows were not acknowledged.",
        "look at the disk, then send the request again with the same Idempotency-Key",
    )
