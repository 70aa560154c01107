"""Numbers on their way to the page: exactly, and never a NaN, which JSON does not have."""

from __future__ import annotations

import base64
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def number(value: Any) -> float | None:
    """A finite number, or None.

    >>> number(np.float64(0.5)), number(float("inf"))
    (0.5, None)
    """
    if value is None or not math.isfinite(value):
        return None
    return float(value)


def numbers(values: Any) -> list[Any]:
    """An array as nested lists; entries that are not finite become None.

    >>> numbers(np.array([[1.0, np.nan]]))
    [[1.0, None]]
    """
    array = np.asarray(values, dtype=np.float64)
    if np.all(np.isfinite(array)):
        return list(array.tolist())
    return list(np.where(np.isfinite(array), array, np.array(None)).tolist())


class Packed(str):
    """A grid as text; a recording finds the numbers in ``values`` and writes them its own way."""

    __slots__ = ("values",)

    values: NDArray[np.float32]


def packed(grid: NDArray[np.float64]) -> Packed:
    """A grid for a picture: float32, little-endian, base64."""
    values = np.ascontiguousarray(grid, dtype="<f4")
    text = Packed(base64.b64encode(values.tobytes()).decode("ascii"))
    text.values = values.ravel()
    return text
