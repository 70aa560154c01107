"""Labels of any array type as the texts a certificate uses (see `separatrix.checker.labels`)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.checker import data
from separatrix.checker.labels import number_text
from separatrix.checker.numbers import Rejected


@dataclass(frozen=True, eq=False)
class Labels:
    """Distinct label texts in order of first appearance, and each row's position among them (n,)."""

    kind: str  #: "number" or "text"
    classes: list[str]
    codes: NDArray[np.uint32]

    def plain(self) -> data.Labels:
        """The same for the checker."""
        return data.Labels(self.kind, self.classes, self.codes.tolist())


def read_labels(y: Any) -> Labels:
    """The labels of y, shape (n,): numbers, booleans or texts.

    >>> labels = read_labels(np.array([1.0, -1.0, 1.0]))
    >>> labels.kind, labels.classes, labels.codes.tolist()
    ('number', ['1', '-1'], [0, 1, 0])
    """
    if np.ma.isMaskedArray(y):
        raise Rejected("y is a masked array; a proof speaks of all labels.")
    # NumPy would make texts of numbers beside texts, and round integers beside floats.
    array = np.asarray(y) if hasattr(y, "dtype") else np.asarray(y, dtype=object)
    if array.dtype.kind not in "biufUSTO":
        raise ValueError(f"Labels must be numbers or texts; got {array.dtype}.")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"y must have one dimension; got shape {array.shape}.")
    if array.dtype == object:
        return _from_objects(array)
    values, codes = np.unique(array, return_inverse=True)
    codes = codes.reshape(-1)
    # np.unique sorts; the fingerprint wants the order of first appearance, which needs no rule for sorting.
    first = np.full(len(values), len(codes), dtype=np.intp)
    np.minimum.at(first, codes, np.arange(len(codes)))
    order = np.argsort(first)
    place = np.empty(len(values), dtype=np.uint32)
    place[order] = np.arange(len(values), dtype=np.uint32)
    items = values[order].tolist()
    kind = "text" if items and isinstance(items[0], str | bytes) else "number"
    return Labels(kind, [label_text(item) for item in items], place[codes])


def label_text(label: Any) -> str:
    """The text of one label.

    >>> label_text(np.int64(3)), label_text("setosa"), label_text(0.5)
    ('3', 'setosa', '0x1.0000000000000p-1')
    """
    item = label.item() if isinstance(label, np.generic) else label
    if isinstance(item, str):
        return item
    if isinstance(item, bytes):
        return item.decode("utf-8")
    if isinstance(item, Integral):
        return number_text(int(item))
    if isinstance(item, Real):
        number = float(item)
        if number == item or not math.isfinite(number):  # the latter is refused with a sentence of its own
            return number_text(number)
    raise ValueError(f"Labels must be numbers that float64 holds, or texts; got {label!r}.")


def _from_objects(array: NDArray[Any]) -> Labels:
    texts = [label_text(label) for label in array.tolist()]
    kinds = {"text" if isinstance(label, str | bytes) else "number" for label in array.tolist()}
    if len(kinds) > 1:
        raise ValueError("Labels must be all numbers or all texts; got both.")
    position: dict[str, int] = {}
    codes = np.array([position.setdefault(text, len(position)) for text in texts], dtype=np.uint32)
    return Labels(kinds.pop() if kinds else "number", list(position), codes)
