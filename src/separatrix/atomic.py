"""Files that appear whole or not at all, whenever the process is stopped and however full the disk is."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of ``path`` in one step at the end.

    It is written beside the old one, flushed to the disk, then renamed; after an error the old one is as it was. A link
    is followed; what is no file (a pipe, /dev/stdout) is written to as it is.
    """
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        with open(target, "wb") as stream:
            yield stream
        return
    handle, partial = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(partial, 0o666 & ~umask)  # a temporary file is private; a model need not be
        os.replace(partial, target)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Replace a file in one step."""
    with replacing(path) as file:
        file.write(content)


def sync_folder(folder: Path) -> None:
    """Make the name of a new file as durable as its content, where folders can be synchronised."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
