"""Files of arrays: NumPy's .npz (X and y, or SciPy's sparse form) and .npy, and IDX images with their labels."""

from __future__ import annotations

import io
import math
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.checker.text import DataError
from separatrix.data.compression import ByteSource
from separatrix.data.dataset import Dataset, Source, describe_size
from separatrix.data.raw_table import read_all
from separatrix.memory import require_memory

_IDX_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def read_npz(source: ByteSource, dtype: Any) -> Dataset:
    """X (dense, or SciPy's data, indices, indptr, shape) and, where it is there, y. Nothing is unpickled."""
    content = read_all(source.pieces(), source.path)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as parts:
            size = sum(part.file_size for part in parts.infolist())
        require_memory(2 * size, f"{source.path}, decompressed,")
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise DataError(f"{source.path} cannot be read as npz: {error}.") from None
    if "X" in arrays or "x" in arrays:
        X = arrays.get("X", arrays.get("x"))
    elif {"data", "indices", "indptr", "shape"} <= arrays.keys():
        X = _csr(arrays, source.path)
    else:
        raise DataError(
            f"{source.path} holds {', '.join(arrays) or 'nothing'}; expected X, or data, indices, indptr, shape."
        )
    return _dataset(X, arrays.get("y"), source, "npz", dtype)


def read_npy(source: ByteSource, dtype: Any, label: str | int | None) -> Dataset:
    """One array (n, d). The column of the labels, where there is one, goes by its number; it is not part of X."""
    try:
        array = np.load(io.BytesIO(read_all(source.pieces(), source.path)), allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise DataError(f"{source.path} cannot be read as npy: {error}.") from None
    if array.ndim != 2 or label is None:
        return _dataset(array, None, source, "npy", dtype)
    at = str(label)
    if not at.lstrip("-").isdecimal() or not -array.shape[1] <= int(at) < array.shape[1]:
        raise DataError(
            f"{source.path} has columns 0 to {array.shape[1] - 1} without names; got label {label!r}."
        )
    y = array[:, int(at)]
    y = y.astype(np.int64) if y.dtype.kind == "f" and np.all(y == np.rint(y)) else y
    return _dataset(np.delete(array, int(at), axis=1), y, source, "npy", dtype)


def _csr(arrays: dict[str, Any], path: str) -> sparse.csr_array:
    kind = arrays.get("format")
    if kind is not None and kind.item() not in (b"csr", "csr"):
        raise DataError(f"{path} holds a sparse matrix of format {kind.item()!r}; expected 'csr'.")
    try:
        X = sparse.csr_array(
            (arrays["data"], arrays["indices"], arrays["indptr"]), shape=tuple(arrays["shape"])
        )
        X.check_format(full_check=True)
        X.sum_duplicates()
    except (ValueError, TypeError, IndexError) as error:
        raise DataError(f"{path} does not hold a sparse matrix: {error}.") from None
    return X


def read_idx(source: ByteSource, dtype: Any) -> Dataset:
    """Images (n, height, width) as rows of pixels, with the labels of their file in the same folder, if it is there."""
    images = idx_array(source)
    if images.ndim < 2:
        raise DataError(f"{source.path} holds one number a row: labels, not images. Give the file of images.")
    beside = labels_beside(source.path)
    y = None
    if beside is not None:
        with ByteSource(beside) as labels:
            y = idx_array(labels)
        if y.ndim != 1 or len(y) != len(images):
            raise DataError(f"{beside} holds {y.shape[0]} labels; {source.path} holds {len(images)} images.")
        y = y.astype(np.int64)
    return _dataset(images.reshape(len(images), -1), y, source, "idx", dtype)


def idx_array(source: ByteSource) -> NDArray[Any]:
    """The array of an IDX file: two zeros, a type, the number of dimensions, each as uint32, the values."""
    stream = source.stream()
    head = stream.read(4)
    if len(head) < 4 or head[:2] != b"\0\0" or head[2] not in _IDX_TYPES or not 1 <= head[3] <= 4:
        raise DataError(f"{source.path} is not an IDX file: it begins with {head!r}.")
    sizes = stream.read(4 * head[3])
    if len(sizes) < 4 * head[3]:
        raise DataError(f"{source.path} ends in its header.")
    shape = struct.unpack(f">{head[3]}I", sizes)
    kind = np.dtype(_IDX_TYPES[head[2]])
    expected = math.prod(shape) * kind.itemsize
    body = stream.read(expected + 1) if expected < 1 << 40 else b""
    if len(body) != expected:
        raise DataError(f"{source.path} should hold {expected} bytes after its header; it does not.")
    return np.frombuffer(body, dtype=kind).reshape(shape)


def labels_beside(path: str) -> str | None:
    """The file of labels that belongs to a file of images, by its name.

    >>> labels_beside("nowhere/train-images-idx3-ubyte") is None
    True
    """
    name = Path(path).name
    if "images" not in name:
        return None
    for wanted in (
        name.replace("images", "labels").replace("idx3", "idx1"),
        name.replace("images", "labels"),
    ):
        for candidate in (wanted, wanted.removesuffix(".gz"), wanted + ".gz"):
            beside = Path(path).with_name(candidate)
            if beside.is_file():
                return str(beside)
    return None


def _dataset(X: Any, y: Any, source: ByteSource, kind: str, dtype: Any) -> Dataset:
    if X.ndim != 2 or X.dtype.kind not in "buif":
        raise DataError(f"{source.path}: X must be a table of numbers; it is {X.dtype} of shape {X.shape}.")
    if y is not None and (y.ndim != 1 or len(y) != X.shape[0]):
        raise DataError(
            f"{source.path}: y must be one label for each of {X.shape[0]} rows; its shape is {y.shape}."
        )
    if dtype is None:
        dtype = np.float32 if X.dtype.itemsize <= 2 or X.dtype == np.float32 else np.float64
    X = X.astype(dtype, copy=False)
    encoding = {"format": "array", "n_columns": int(X.shape[1])}
    return Dataset(X, y, None, encoding, Source(source.path, kind, *describe_size(X)))
