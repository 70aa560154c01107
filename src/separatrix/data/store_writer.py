"""Writing a store: whole or not at all.

Everything is written into a hidden directory beside the wanted one, which takes its name when all is on the disk.
One run at a time holds a lock, so the next run to the same place may remove what a killed one has left.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from glob import escape
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from separatrix.checker.text import DataError
from separatrix.data.dataset import Dataset, Source
from separatrix.data.npy_stream import NpyWriter
from separatrix.data.store import ARRAYS, HEADER, VERSION, digest
from separatrix.errors import with_hint

_BLOCK_BYTES = 1 << 24


def write_arrays(data: Dataset, folder: Path) -> dict[str, Any]:
    """Write the arrays of a data set, a block at a time; its header, for `write_header`."""
    X: Any = data.X
    is_sparse = bool(sparse.issparse(X))
    parts: dict[str, Any] = {name: getattr(X, name) for name in ARRAYS["csr"]} if is_sparse else {"X": X}
    parts |= {name: part for name, part in (("y", data.y), ("qid", data.qid)) if part is not None}
    for name, part in parts.items():
        if part.dtype == object:
            part = np.array(part.tolist())
        with NpyWriter(folder / f"{name}.npy", part.dtype, part.shape[1] if part.ndim == 2 else None) as out:
            height = max(1, _BLOCK_BYTES // max(1, part[:1].nbytes))
            for start in range(0, len(part), height):
                out.append(part[start : start + height])
    return store_header("csr" if is_sparse else "dense", data.source, data.column_names, data.encoding)


def store_header(
    layout: str, source: Source, names: list[str] | None, encoding: dict[str, Any]
) -> dict[str, Any]:
    """A header without the files it speaks of."""
    return {
        "format": "separatrix store",
        "version": VERSION,
        "layout": layout,
        "rows": source.rows,
        "columns": source.columns,
        "nonzeros": source.nonzeros,
        "column_names": names,
        "encoding": encoding,
        "source": {**asdict(source), "path": Path(source.path).name},
    }


def write_header(folder: Path, header: dict[str, Any]) -> None:
    """The last file of a store: its header, with the size and SHA-256 of every other file."""
    wanted = [f"{name}.npy" for name in (*ARRAYS[header["layout"]], "y", "qid")]
    files = {name: folder / name for name in wanted if (folder / name).is_file()}
    header["files"] = {
        name: {"bytes": path.stat().st_size, "sha256": digest(path)} for name, path in files.items()
    }
    with (folder / HEADER).open("w", encoding="utf-8") as out:
        json.dump(header, out, indent=1)
        out.flush()
        os.fsync(out.fileno())


@contextmanager
def new_store(target: Path, overwrite: bool = False) -> Iterator[Path]:
    """A hidden directory beside the target, which takes its name if the block ends well and is removed if not."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with _locked(target):
        _clear_leftovers(target)
        if target.exists() and not overwrite:
            raise with_hint(DataError, f"{target} exists already.", "overwrite=True replaces it")
        folder = target.with_name(f".{target.name}.partial-{os.getpid()}")
        folder.mkdir()
        try:
            yield folder
            _take_the_name(folder, target)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(target: Path) -> Iterator[None]:
    """One process at a time; the system takes the lock from one that is killed."""
    lock = target.with_name(f".{target.name}.lock")
    handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DataError(f"Another conversion to {target} is under way.") from None
        # The run before may have removed this very file after it was opened here.
        if not lock.exists() or not os.path.samestat(os.fstat(handle), lock.stat()):
            raise DataError(f"Another conversion to {target} has just ended.")
        try:
            yield
        finally:
            lock.unlink()
    finally:
        os.close(handle)


def _take_the_name(folder: Path, target: Path) -> None:
    _sync(folder)
    if target.exists():
        old = target.with_name(f".{target.name}.old")
        target.rename(old)
        folder.rename(target)
        shutil.rmtree(old)
    else:
        folder.rename(target)
    _sync(target.parent)


def _clear_leftovers(target: Path) -> None:
    """Remove what killed runs left; bring back a store that was being replaced when its run was killed."""
    old = target.with_name(f".{target.name}.old")
    if old.exists() and not target.exists():
        old.rename(target)
    for leftover in (old, *target.parent.glob(f".{escape(target.name)}.partial-*")):
        shutil.rmtree(leftover, ignore_errors=True)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
