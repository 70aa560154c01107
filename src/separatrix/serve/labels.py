"""Class names as they travel: four kinds, one of which a model has, and the tensors and texts they become."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.serve.errors import RequestError

_WHOLE = 2**53  # beyond, float64 does not hold every integer
MAX_NAME = 1000  #: characters of a class name
#: Kinds by the letter of NumPy's types, with their names in the inference protocol.
DATATYPES = {"i": "INT64", "f": "FP64", "b": "BOOL", "U": "BYTES"}
_WORDS = {"i": "integers", "f": "numbers", "b": "true or false", "U": "texts"}


def kind_of(classes: NDArray[Any]) -> str | None:
    """The kind of a model's class names: i (integers), f (floats), b (booleans), U (texts); None for others."""
    kind = "i" if classes.dtype.kind == "u" else classes.dtype.kind
    return kind if kind in DATATYPES else None


def check_names(values: Sequence[Any], kind: str) -> list[Any]:
    """Labels of a request as class names of this kind; a sentence for the first that cannot be one.

    >>> check_names([1, 2.0], "i"), check_names([1, -1], "f")
    ([1, 2], [1.0, -1.0])
    """
    if kind == "i" and set(map(type, values)) == {int} and -_WHOLE < min(values) <= max(values) < _WHOLE:
        return list(values)  # as almost always
    out = []
    for place, value in enumerate(values):
        name = _name(value, kind)
        if name is None:
            shown = repr(value)[:60]
            raise RequestError(
                f"Label {place} is {shown}; the classes of this model are {_WORDS[kind]}"
                + (f" of at most {MAX_NAME} characters." if kind == "U" else ".")
            )
        out.append(name)
    return out


def _name(value: Any, kind: str) -> Any:
    """The class name, or None where the value is none of this kind."""
    type_ = type(value)
    if kind == "U":
        return value if type_ is str and 0 < len(value) <= MAX_NAME and "\0" not in value else None
    if kind == "b":
        return value if type_ is bool else None
    if type_ is float:
        if not math.isfinite(value) or value != math.floor(value) or abs(value) >= _WHOLE:
            return None
        return int(value) if kind == "i" else value
    if type_ is not int or not -_WHOLE < value < _WHOLE:
        return None
    return value if kind == "i" else float(value)


def as_array(names: Sequence[Any], kind: str) -> NDArray[Any]:
    """The labels as the library takes them."""
    if kind == "U":
        return np.array(names, dtype=np.str_)
    return np.array(names, dtype={"i": np.int64, "f": np.float64, "b": np.bool_}[kind])
