"""y as classes and codes: which label each row has, as an index into the sorted classes."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from separatrix.errors import with_hint


def check_labels(y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The sorted classes (k,) and the code 0..k-1 of each row (n,).

    >>> check_labels(["b", "a", "b"], 3)
    (array(['a', 'b'], dtype='<U1'), array([1, 0, 1]))
    """
    labels = _one_dimensional(y)
    if len(labels) != n_rows:
        raise ValueError(
            f"X has {n_rows} rows but y has {len(labels)} labels; each row needs exactly one label "
            "(inconsistent numbers of samples)."
        )
    pair = _two_numbers(labels)
    if pair is not None:
        return pair
    if labels.dtype.kind == "O":
        labels = _uniform(labels)
    if labels.dtype.kind == "c":
        raise ValueError("Complex data not supported: y holds complex numbers; labels name classes.")
    if labels.dtype.kind == "f":
        _check_whole(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only ({classes[0]!r}); a separating surface needs at least two classes."
        )
    return classes, codes.reshape(-1)


def _two_numbers(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]] | None:
    """Classes and codes where y holds just two whole numbers, which need no sorting; None where it does not."""
    if labels.dtype.kind not in "iubf" or len(labels) == 0:
        return None
    low, high = labels.min(), labels.max()
    if low == high or not all(math.isfinite(end) and end == math.floor(end) for end in (low, high)):
        return None
    is_high = labels == high
    if not (is_high | (labels == low)).all():
        return None
    return np.array([low, high], dtype=labels.dtype), is_high.astype(np.intp)


def _one_dimensional(y: Any) -> NDArray[Any]:
    if y is None:
        raise ValueError("SVC requires y to be passed, but the target y is None.")
    if sparse.issparse(y):
        raise ValueError("y must be one label for each row, dense; got a sparse matrix.")
    if isinstance(y, list | tuple):
        # np.asarray would turn [1, "a"] into strings without a word.
        kinds = {"str" if isinstance(label, str) else "other" for label in y}
        labels = np.array(y, dtype=object) if len(kinds) > 1 else np.asarray(y)
    else:
        labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
            "(n_samples,), for example using ravel().",
            DataConversionWarning,
            stacklevel=4,
        )
        labels = labels.ravel()
    if labels.ndim != 1:
        raise ValueError(
            f"y should be a 1d array, one label for each row; got an array of shape {labels.shape} instead."
        )
    return labels


def _uniform(labels: NDArray[Any]) -> NDArray[Any]:
    """Labels of dtype object, as strings or numbers if they are one or the other throughout."""
    is_text = np.fromiter((isinstance(label, str) for label in labels), bool, len(labels))
    if is_text.all():
        return labels
    for row, label in enumerate(labels):
        if _is_missing(label):
            raise ValueError(f"Input y contains NaN: the label of row {row} is missing ({label!r}).")
    if is_text.any():
        text, other = int(np.argmax(is_text)), int(np.argmin(is_text))
        raise with_hint(
            TypeError,
            f"y mixes strings and other labels: row {text} is {labels[text]!r} and row {other} is "
            f"{labels[other]!r}. Labels must be of one type.",
            "y = [str(label) for label in y]",
        )
    numbers = np.array(labels.tolist())
    if numbers.ndim != 1 or numbers.dtype.kind not in "biufc":
        raise ValueError(
            f"Unknown label type: y holds {type(labels[0]).__name__} objects such as {labels[0]!r}; "
            "labels must be integers, strings or booleans."
        )
    return numbers


def _is_missing(label: Any) -> bool:
    return (
        label is None or type(label).__name__ in ("NAType", "NaTType") or label is not label or label != label
    )


def _check_whole(labels: NDArray[Any]) -> None:
    bad = ~np.isfinite(labels)
    if bad.any():
        row = int(np.argmax(bad))
        what = "NaN" if np.isnan(labels[row]) else "infinity"
        raise ValueError(f"Input y contains {what}: the label of row {row} is {labels[row]}.")
    bad = labels != np.floor(labels)
    if bad.any():
        row = int(np.argmax(bad))
        raise with_hint(
            ValueError,
            f"Unknown label type: continuous. Row {row} of y is {labels[row]}, which names no class; labels "
            "must be integers, strings or booleans.",
            "bin a continuous target into classes first",
        )
