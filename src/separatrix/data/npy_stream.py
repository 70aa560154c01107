"""A .npy file written from its beginning to its end, whose length is known only when it is closed."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np

_HEADER = 128  # bytes before the values: room for any shape, and values aligned


def npy_header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """The first 128 bytes of a .npy file (version 1.0) of C-ordered values.

    >>> len(npy_header(np.dtype(np.float32), (3, 2)))
    128
    """
    text = repr({"descr": dtype.str, "fortran_order": False, "shape": shape})
    body = text.encode("ascii").ljust(_HEADER - 11) + b"\n"
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
    beside = path.with_suffix(".next")
    with NpyWriter(beside, dtype) as out:
        for start in range(0, len(values), block):
            out.append(values[start : start + block].astype(out.dtype) + out.dtype.type(plus))
    beside.replace(path)
