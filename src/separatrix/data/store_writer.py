"""Writing a store: whole or not at all.

Everything is written into a hidden directory in the same folder, which takes its name when all is on the disk.
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
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np
from scipy import sparse

from separatrix.checker.text import DataError
from separatrix.data.dataset import Dataset, Source
from separatrix.data.store import ARRAYS, HEADER, VERSION, digest
from separatrix.errors import with_hint

_BLOCK_BYTES = 1 << 24  # bytes of an array that are written at a time
_HEADER_BYTES = 128  # bytes before the values of a .npy file: room for any shape, and values aligned


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
    """Return a header that does not list its files yet."""
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
    """Yield a hidden directory next to the target, which takes its name if the block ends well, or else is removed."""
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


def npy_header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """The first 128 bytes of a .npy file (version 1.0) of C-ordered values.

    >>> len(npy_header(np.dtype(np.float32), (3, 2)))
    128
    """
    text = repr({"descr": dtype.str, "fortran_order": False, "shape": shape})
    body = text.encode("ascii").ljust(_HEADER_BYTES - 11) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(body).to_bytes(2, "little") + body


class NpyWriter:
    """Rows of ``columns`` values each (or single values) appended to a .npy file.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.npy"
    >>> with NpyWriter(path, np.float32) as out:
    ...     out.append(np.arange(3)); out.append(np.arange(2))
    >>> np.load(path)
    array([0., 1., 2., 0., 1.], dtype=float32)
    """

    def __init__(self, path: Path, dtype: Any, columns: int | None = None) -> None:
        self.path, self.dtype, self.columns = path, np.dtype(dtype), columns
        self.length = 0
        self._file: BinaryIO = path.open("wb")
        self._file.write(npy_header(self.dtype, self.shape))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what has been written."""
        return (self.length,) if self.columns is None else (self.length, self.columns)

    def append(self, values: Any) -> None:
        """Write values after the others."""
        block = np.ascontiguousarray(values, dtype=self.dtype)
        self._file.write(block.data.cast("B") if block.size else b"")
        self.length += len(block)

    def close(self) -> None:
        """Write the true shape into the header, and the file to the disk."""
        if not self._file.closed:
            self._file.seek(0)
            self._file.write(npy_header(self.dtype, self.shape))
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def __enter__(self) -> NpyWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._file.close()


def rewrite(path: Path, dtype: Any, plus: int = 0, block: int = 1 << 22) -> None:
    """Replace the values of a .npy file of one dimension by value + plus, as ``dtype``; a block at a time."""
    values = np.load(path, mmap_mode="r")
    new = path.with_suffix(".next")
    with NpyWriter(new, dtype) as out:
        for start in range(0, len(values), block):
            out.append(values[start : start + block].astype(out.dtype) + out.dtype.type(plus))
    new.replace(path)
