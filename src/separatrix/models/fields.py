"""The fields of a record read from a model file, each checked as it is taken: type, range, shape, dtype."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.errors import ModelFileError
from separatrix.models.tensors import Arrays, read_value, shown

_DTYPES: dict[str, tuple[type[np.generic], ...]] = {
    "real": (np.float64,),
    "row": (np.float64, np.float32),
    "count": (np.int64,),
    "byte": (np.uint8,),
}


class Fields:
    """A record of the document, and the tensors it refers to. Every refusal is a sentence that names the field.

    >>> Fields({"rows": 3}, "model", {}).count("rows")
    3
    """

    def __init__(self, record: Any, where: str, arrays: Arrays) -> None:
        if not isinstance(record, dict):
            raise ModelFileError(f"{where} must be a record in the model file; got {shown(record)}.")
        self._record, self.where, self._arrays = record, where, arrays

    def has(self, name: str) -> bool:
        """True if the field is there and not null."""
        return self._record.get(name) is not None

    def raw(self, name: str) -> Any:
        """The JSON value as it is."""
        if name not in self._record:
            raise ModelFileError(f"The model file lacks {self.where}.{name}.")
        return self._record[name]

    def value(self, name: str) -> Any:
        """A plain value of any kind."""
        return read_value(self.raw(name), self._arrays)

    def record(self, name: str) -> Fields:
        """A record within this one."""
        return Fields(self.raw(name), f"{self.where}.{name}", self._arrays)

    def records(self, name: str, most: int = 1 << 20) -> list[Fields]:
        """A list of records."""
        items = self.raw(name)
        if not isinstance(items, list) or len(items) > most:
            raise self.wrong(name, f"a list of at most {most} records", items)
        return [Fields(item, f"{self.where}.{name}[{i}]", self._arrays) for i, item in enumerate(items)]

    def text(self, name: str, allowed: Iterable[str] | None = None) -> str:
        """A text, one of those allowed."""
        value = self.raw(name)
        words = None if allowed is None else tuple(allowed)
        if not isinstance(value, str) or (words is not None and value not in words):
            raise self.wrong(name, "a text" if words is None else "one of " + ", ".join(words), value)
        return value

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self.raw(name)
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false", value)
        return value

    def count(self, name: str, least: int = 0, most: int = 2**62) -> int:
        """An integer of at least ``least``."""
        value = self.raw(name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self.wrong(name, f"an integer from {least} to {most}", value)
        return value

    def real(self, name: str, *, finite: bool = True) -> float:
        """A float."""
        value = self.value(name)
        if isinstance(value, bool) or not isinstance(value, float | int):
            raise self.wrong(name, "a number", value)
        if finite and not math.isfinite(value):
            raise self.wrong(name, "a finite number", value)
        return float(value)

    def array(
        self, name: str, shape: tuple[int | None, ...], kind: str = "real", *, finite: bool = True
    ) -> NDArray[Any]:
        """An array of that shape (None: any length): "real" float64, "row" float32 or float64, "count" int64."""
        value = self.value(name)
        fits = (
            isinstance(value, np.ndarray)
            and value.dtype in _DTYPES[kind]
            and value.ndim == len(shape)
            and all(want is None or want == size for want, size in zip(shape, value.shape, strict=True))
        )
        if not fits:
            got = f"{value.dtype} {value.shape}" if isinstance(value, np.ndarray) else value
            words = "x".join("any" if size is None else str(size) for size in shape)
            raise self.wrong(name, f"an array {words} of {_DTYPES[kind][0].__name__}", got)
        out: NDArray[Any] = value
        if finite and not np.all(np.isfinite(out)):
            raise self.wrong(name, "an array of finite numbers", "one with others")
        return out

    def indices(self, name: str, size: int | None, below: int) -> NDArray[np.intp]:
        """Integers (size,) from 0 to below - 1."""
        value = self.array(name, (size,), "count")
        if len(value) and not (value.min() >= 0 and value.max() < below):
            raise self.wrong(name, f"integers from 0 to {below - 1}", "others")
        return value.astype(np.intp)

    def matrix(self, name: str, rows: int, columns: int) -> Any:
        """Rows of data (rows, columns), dense or CSR, of finite numbers."""
        value = self.value(name)
        if not sparse.issparse(value):
            return self.array(name, (rows, columns), "row")
        csr: Any = value
        if csr.shape != (rows, columns) or not np.all(np.isfinite(csr.data)):
            raise self.wrong(name, f"a finite matrix of shape {(rows, columns)}", csr.shape)
        return csr

    def labels(self, name: str, least: int = 1) -> NDArray[Any]:
        """Class names (k,): sorted, distinct; integers, floats, booleans or texts."""
        value = self.value(name)
        if not isinstance(value, np.ndarray) or value.ndim != 1 or len(value) < least:
            raise self.wrong(name, f"an array of at least {least} class names", value)
        if value.dtype.kind == "f" and not np.all(np.isfinite(value)):
            raise self.wrong(name, "finite class names", "others")
        if not np.all(value[1:] > value[:-1]):
            raise self.wrong(name, "class names in increasing order", value[:3].tolist())
        return value

    def wrong(self, name: str, expected: str, got: Any) -> ModelFileError:
        """The refusal of a field."""
        return ModelFileError(f"{self.where}.{name} in the model file must be {expected}; got {shown(got)}.")
