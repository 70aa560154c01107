"""The labels of a batch of partial_fit, and the codes of the classes in the order in which they were met."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.inputs import check_labels


def plain_labels(y: Any, n_rows: int) -> list[Any] | NDArray[Any]:
    """The labels of a batch, checked; one row's label needs no array."""
    if n_rows == 1 and type(y) in (list, tuple, np.ndarray) and len(y) == 1:
        label = y[0]
        if type(label) in (int, str, bool, np.int64, np.int32, np.int8, np.str_, np.bool_):
            return [label.item() if isinstance(label, np.generic) else label]
    labels = np.asarray(y)
    if labels.ndim == 1 and len(labels) == n_rows:
        if labels.dtype.kind in "iubU" and not isinstance(y, list | tuple):
            return labels
        if (
            labels.dtype.kind == "f"
        ):  # one class in a batch is no error here, so there is one more to compare with
            names, codes = check_labels(np.append(labels, np.floor(np.max(labels)) + 1.0), n_rows + 1)
            return np.asarray(names[codes[:n_rows]])
        if all(isinstance(label, str) for label in y):
            return labels.astype(str)
        if labels.dtype.kind in "iub":
            return labels
    names, codes = check_labels(y, n_rows)
    return np.asarray(names[codes])


def first_rows(labels: list[Any] | NDArray[Any], known: dict[Any, int]) -> list[int]:
    """The rows at which classes that are not known appear for the first time."""
    if isinstance(labels, list):
        return [] if labels[0] in known else [0]
    names, firsts = _distinct(labels)
    return sorted(first for name, first in zip(names, firsts, strict=True) if name not in known)


def _distinct(labels: NDArray[Any]) -> tuple[list[Any], list[int]]:
    """The distinct labels and the first row of each."""
    names, firsts = np.unique(labels, return_index=True)
    return names.tolist(), firsts.tolist()


def codes_of(known: dict[Any, int], labels: list[Any] | NDArray[Any]) -> NDArray[np.int32] | None:
    """The code of each label; None if some label is not known."""
    if isinstance(labels, list) or len(known) > 8:
        values = labels if isinstance(labels, list) else labels.tolist()
        found = [known.get(value, -1) for value in values]
        return np.array(found, dtype=np.int32) if min(found) >= 0 else None
    if len(known) == 2:
        first, second = known
        here = labels == second
        if np.count_nonzero(here) + np.count_nonzero(labels == first) != len(labels):
            return None
        return np.asarray(here, dtype=np.int32)
    codes = np.zeros(len(labels), dtype=np.int32)
    matched = 0
    for name, code in known.items():
        here = labels == name
        matched += int(np.count_nonzero(here))
        if code:
            codes[here] = code
    return codes if matched == len(labels) else None
