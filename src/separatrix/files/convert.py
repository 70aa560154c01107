"""`convert`: a data file of any format to a store, whole or not at all.

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
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from separatrix.checker.text import DataError
from separatrix.files.compression import ByteSource, Progress
from separatrix.files.dataset import Dataset, Source
from separatrix.files.formats import guess_format
from separatrix.files.libsvm_text import TextRows, TextSettings, buffers
from separatrix.files.npy_stream import NpyWriter, rewrite
from separatrix.files.read import read
from separatrix.files.store import ARRAYS, HEADER, VERSION, digest, read_store

_BLOCK_BYTES = 1 << 24


def convert(
    source: str | os.PathLike[str],
    directory: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    dtype: Any = None,
    n_threads: int | None = None,
    on_progress: Progress | None = None,
    **options: Any,
) -> Dataset:
    """Write the rows of a file as a store, and open it.

    LIBSVM text is converted as it is read, in bounded memory; other formats are read first. ``options`` are those
    of `separatrix.read`. An existing store is replaced only if ``overwrite`` says so.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "data.svm").write_text("+1 1:0.5 3:2\\n-1 2:1\\n")
    >>> convert(folder / "data.svm", folder / "store").X.toarray().tolist()
    [[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]]
    """
    path, target = os.fspath(source), Path(os.path.abspath(directory))
    if path != "-" and not Path(path).exists():
        raise DataError(f"There is no file {path}.")
    target.parent.mkdir(parents=True, exist_ok=True)
    with _workplace(target) as folder:
        if target.exists() and not overwrite:
            raise DataError(f"{target} exists already. Hint: overwrite=True replaces it.")
        if _is_text(path, options):
            header = _convert_text(path, folder, dtype, n_threads, on_progress, options)
        else:
            data = read(path, dtype=dtype, n_threads=n_threads, on_progress=on_progress, **options)
            header = _write_arrays(data, folder)
        _write_header(folder, header)
        _take_the_name(folder, target)
    return read_store(str(target))


def _is_text(path: str, options: dict[str, Any]) -> bool:
    if options.get("format") is not None or path == "-":
        return options.get("format") == "libsvm"
    if Path(path).is_dir():
        return False
    with ByteSource(path) as source:
        return guess_format(path, source.head) == "libsvm"


def _convert_text(
    path: str,
    folder: Path,
    dtype: Any,
    n_threads: int | None,
    on_progress: Progress | None,
    options: dict[str, Any],
) -> dict[str, Any]:
    known = options.get("encoding") or {}
    value = np.dtype(np.float64 if dtype is None else dtype)
    settings = TextSettings(
        zero_based=known.get("zero_based", options.get("zero_based", "auto")),
        n_columns=known.get("n_columns", options.get("n_columns")),
        drop_beyond=bool(known),
        single=value == np.float32,
        n_threads=n_threads or os.cpu_count() or 1,
    )
    rows = TextRows(path, settings)
    with (
        ByteSource(path, on_progress) as source,
        NpyWriter(folder / "data.npy", value) as data,
        _Columns(folder / "indices.npy") as indices,
        NpyWriter(folder / "indptr.npy", np.int64) as indptr,
        NpyWriter(folder / "codes.npy", np.uint32) as codes,
        NpyWriter(folder / "qid.npy", np.int64) as queries,
    ):
        indptr.append([0])

        def write() -> None:
            values, columns, ends, labels, asked = rows.reader.take()
            indptr.append(ends + data.length)
            for out, part in ((data, values), (codes, labels), (queries, asked)):
                out.append(part)
            indices.append(columns)

        for text in buffers(source):
            rows.feed(text)
            write()
        rows.finish()
        write()
    _settle_types(folder, rows, data.length)
    if codes.length:
        names = rows.labels(np.arange(len(rows.reader.labels())))
        _write_labels(folder, names)
    (folder / "codes.npy").unlink()
    if not queries.length:
        (folder / "qid.npy").unlink()
    described = Source(
        path, "libsvm", int(rows.reader.rows), rows.n_columns, data.length, int(rows.reader.dropped)
    )
    encoding = {"format": "libsvm", "zero_based": rows.starts_at_zero, "n_columns": rows.n_columns}
    return _header("csr", described, None, encoding)


class _Columns(NpyWriter):
    """Columns as int32 until one of them needs int64; then the file is written anew."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, np.int32)

    def append(self, values: Any) -> None:
        if values.dtype == np.int64 and self.dtype == np.int32:
            self.close()
            rewrite(self.path, np.int64)
            self.dtype = np.dtype(np.int64)
            self._file = self.path.open("r+b")
            self._file.seek(0, os.SEEK_END)
        super().append(values)


def _settle_types(folder: Path, rows: TextRows, entries: int) -> None:
    """One type for columns and starts, and columns from 0, in files of possibly other types."""
    indices = folder / "indices.npy"
    found = np.load(indices, mmap_mode="r" if entries else None).dtype
    wanted = np.dtype(np.int64 if entries > np.iinfo(np.int32).max else found)
    if rows.off_by_one or wanted != found:
        rewrite(indices, wanted, plus=int(rows.off_by_one))
    if wanted != np.int64:
        rewrite(folder / "indptr.npy", wanted)


def _write_labels(folder: Path, names: Any) -> None:
    codes = np.load(folder / "codes.npy", mmap_mode="r")
    with NpyWriter(folder / "y.npy", names.dtype) as out:
        for start in range(0, len(codes), 1 << 20):
            out.append(names[codes[start : start + (1 << 20)]])


def _write_arrays(data: Dataset, folder: Path) -> dict[str, Any]:
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
    return _header("csr" if is_sparse else "dense", data.source, data.column_names, data.encoding)


def _header(layout: str, source: Source, names: list[str] | None, encoding: dict[str, Any]) -> dict[str, Any]:
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


def _write_header(folder: Path, header: dict[str, Any]) -> None:
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
def _workplace(target: Path) -> Iterator[Path]:
    """A new hidden directory beside the target, for one run at a time; gone afterwards unless renamed."""
    lock = target.with_name(f".{target.name}.lock")
    handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The run before may have removed the very file that was waited for.
        if not lock.exists() or not os.path.samestat(os.fstat(handle), lock.stat()):
            raise BlockingIOError
        _clear_leftovers(target)
        folder = target.with_name(f".{target.name}.partial-{os.getpid()}")
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            lock.unlink()
    except BlockingIOError:
        raise DataError(f"Another conversion to {target} is under way.") from None
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
    for leftover in (old, *target.parent.glob(f".{target.name}.partial-*")):
        shutil.rmtree(leftover, ignore_errors=True)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
