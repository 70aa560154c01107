"""The store: a directory of plain .npy arrays and a JSON header, opened by mapping its files into memory.

    header.json     version, layout, shape, names, encoding, where the data came from; size and SHA-256 of each file
    X.npy           dense layout: (n, d), C order, float32 or float64
    data.npy, indices.npy, indptr.npy      csr layout: values, columns (int32 or int64), starts of rows (same type)
    y.npy           labels (n,), where there are any;   qid.npy likewise

Only the pages that are being read are in memory, and the system may drop them at any time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix import _core
from separatrix.checker.text import DataError
from separatrix.data.dataset import Dataset, Source, describe_size
from separatrix.data.libsvm_text import csr_from_parts
from separatrix.errors import with_hint

HEADER = "header.json"
VERSION = 1
ARRAYS = {"dense": ("X",), "csr": ("data", "indices", "indptr")}
_FLOATS = ("float32", "float64")
_LONGEST_HEADER = 1 << 30
_BLOCK = 1 << 18  # entries checked at a time: little memory compared with that of the store


def read_store(directory: str) -> Dataset:
    """Open a store. Its arrays are mapped, not read; the structure of a CSR store is checked block by block.

    Who opens one may be short of memory: from now on the whole process gives arrays of 256 KiB or more back to the
    system when they are freed. The C library has this setting for the process only (M_MMAP_THRESHOLD of glibc; other
    libraries are left as they are). Its own habit is to raise the threshold to 32 MiB as arrays are freed, and to keep
    holes of that size; what it saves so, fresh pages for each large array, is little compared with reading a store.
    """
    _core.return_freed_memory()
    folder = Path(directory)
    header = read_header(folder)
    arrays = {name: _open_array(folder, header, name) for name in _names(header)}
    rows, columns = header["rows"], header["columns"]
    if header["layout"] == "dense":
        X: Any = arrays["X"]
        if X.shape != (rows, columns) or X.dtype.name not in _FLOATS:
            raise DataError(
                f"{directory}: X.npy is {X.dtype} of shape {X.shape}; expected {(rows, columns)} floats."
            )
    else:
        _check_csr(directory, arrays, rows, columns)
        X = csr_from_parts(arrays["data"], arrays["indices"], arrays["indptr"], columns)
    for name in ("y", "qid"):
        if name in arrays and arrays[name].shape != (rows,):
            raise DataError(f"{directory}: {name}.npy has shape {arrays[name].shape}; expected ({rows},).")
    source = Source(directory, "store", *describe_size(X), header["source"].get("left_out", 0))
    return Dataset(X, arrays.get("y"), header["column_names"], header["encoding"], source, arrays.get("qid"))


def check_store(directory: str) -> None:
    """Compare every file of a store with the SHA-256 that its header gives; a difference is an error."""
    folder = Path(directory)
    for name, known in read_header(folder)["files"].items():
        if digest(folder / name) != known["sha256"]:
            raise DataError(f"{directory}: {name} is not what was written; its SHA-256 differs.")


def read_header(folder: Path) -> dict[str, Any]:
    """The header of a store, with the fields that readers rely on checked."""
    path = folder / HEADER
    if not path.is_file():
        raise with_hint(
            DataError,
            f"{folder} is a directory without {HEADER}, so it is not a store.",
            "`convert` writes one",
        )
    if path.stat().st_size > _LONGEST_HEADER:
        raise DataError(f"{path} is larger than a gigabyte.")
    try:
        header = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}.") from None
    if not isinstance(header, dict) or header.get("format") != "separatrix store":
        raise DataError(f"{path} is not the header of a store.")
    if header.get("version") != VERSION:
        raise DataError(
            f"{folder} is a store of version {header.get('version')!r}; this reads version {VERSION}."
        )
    sizes = (header.get("rows"), header.get("columns"))
    kinds = (("files", dict), ("source", dict), ("encoding", dict), ("column_names", list | None))
    if (
        header.get("layout") not in ARRAYS
        or not all(isinstance(size, int) and 0 <= size < 1 << 62 for size in sizes)
        or not all(isinstance(header.get(name), kind) for name, kind in kinds)
    ):
        raise DataError(f"{path} does not have the fields of a store's header.")
    return header


def _names(header: dict[str, Any]) -> Iterator[str]:
    yield from ARRAYS[header["layout"]]
    yield from (name for name in ("y", "qid") if f"{name}.npy" in header["files"])


def _open_array(folder: Path, header: dict[str, Any], name: str) -> NDArray[Any]:
    path = folder / f"{name}.npy"
    known = header["files"].get(path.name)
    if not path.is_file() or not isinstance(known, dict) or path.stat().st_size != known.get("bytes"):
        raise DataError(f"{folder}: {path.name} is not there, or does not have the size that {HEADER} gives.")
    try:
        # A map of no bytes is refused by the system.
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        if "mmap" not in str(error):
            raise DataError(f"{path} cannot be opened: {error}.") from None
        array = np.load(path, allow_pickle=False)
    if array.size and not array.flags.c_contiguous:
        raise DataError(f"{path} is not in C order.")
    plain: NDArray[Any] = array.view(np.ndarray)
    return plain


def _check_csr(directory: str, arrays: dict[str, NDArray[Any]], rows: int, columns: int) -> None:
    """Refuse what would make a reader of rows leave its arrays: starts, then columns, a block at a time."""
    values, places, starts = (arrays[name] for name in ARRAYS["csr"])
    sound = (
        all(array.ndim == 1 for array in (values, places, starts))
        and values.dtype.name in _FLOATS
        and places.dtype.name in ("int32", "int64")
        and starts.dtype == places.dtype
        and len(starts) == rows + 1
        and len(values) == len(places)
        and starts[0] == 0
        and starts[-1] == len(values)
    )
    if not sound:
        raise DataError(f"{directory}: data, indices and indptr do not fit together.")
    for begin in range(0, rows, _BLOCK):
        if np.any(np.diff(starts[begin : begin + _BLOCK + 1]) < 0):
            raise DataError(f"{directory}: indptr.npy falls after row {begin}; starts of rows never do.")
    for begin in range(0, len(places), _BLOCK):
        block = places[begin : begin + _BLOCK + 1]
        if block.min() < 0 or block.max() >= columns:
            raise DataError(f"{directory}: indices.npy names a column outside 0 to {columns - 1}.")
        # Columns rise within a row: wherever they do not, a row must begin.
        falls = np.flatnonzero(np.diff(block) <= 0) + begin + 1
        at = np.searchsorted(starts, falls)
        if np.any(starts[np.minimum(at, rows)] != falls):
            raise DataError(f"{directory}: the columns of a row in indices.npy are not sorted.")


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
