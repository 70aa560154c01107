"""`convert`: a data file of any format to a store."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from separatrix.checker.text import DataError
from separatrix.data.compression import ByteSource, Progress
from separatrix.data.dataset import Dataset, Source
from separatrix.data.formats import guess_format
from separatrix.data.libsvm_text import TextRows, TextSettings, buffers
from separatrix.data.read import read
from separatrix.data.store import read_store
from separatrix.data.store_writer import (
    NpyWriter,
    new_store,
    rewrite,
    store_header,
    write_arrays,
    write_header,
)


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
    with new_store(target, overwrite) as folder:
        if _is_text(path, options):
            header = _convert_text(path, folder, dtype, n_threads, on_progress, options)
        else:
            data = read(path, dtype=dtype, n_threads=n_threads, on_progress=on_progress, **options)
            header = write_arrays(data, folder)
        write_header(folder, header)
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
    return store_header("csr", described, None, encoding)


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
