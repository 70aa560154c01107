"""A recording made small: a reply as its changes from the one before, a grid or a line as small whole numbers.

A path grows by a step and the points stay, so most of a reply is the same as before. Grids and lines are whole numbers
from the least value to the greatest, less what neighbours foretell: a risk is piecewise linear and a kernel's f is
smooth, so nearly all of what is left takes a byte and compresses well.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

SAME: dict[str, Any] = {}  #: nothing has changed
_LEVELS = 2**14 - 1  # a picture has fewer shades and fewer pixels on a side


def changes(before: Any, now: Any) -> dict[str, Any]:
    """The way from one value to another.

    The other value (v), or entries of an object (d) or of a list (i), or what comes behind a list (a). A grid,
    {"#": ...}, is one value.

    >>> changes({"path": [1, 2], "b": 0}, {"path": [1, 2, 3], "b": 0})
    {'d': {'path': {'a': [3]}}}
    """
    if isinstance(before, dict) and isinstance(now, dict):
        if set(before) != set(now) or "#" in now:
            return SAME if before == now else {"v": now}
        found = {name: changes(before[name], value) for name, value in now.items()}
        kept = {name: change for name, change in found.items() if change}
        return {"d": kept} if kept else SAME
    if isinstance(before, list) and isinstance(now, list) and before and len(now) >= len(before):
        found = {str(k): changes(*pair) for k, pair in enumerate(zip(before, now, strict=False))}
        kept = {place: change for place, change in found.items() if change}
        if len(now) == len(before) and 2 * len(kept) < len(now):
            return {"i": kept} if kept else SAME
        return {"v": now} if kept else {"a": now[len(before) :]}
    same = type(before) is type(now) and before == now  # 0 is False to Python, not to the page
    return SAME if same else {"v": now}


def write_grid(values: NDArray[np.float32]) -> tuple[list[float], bytes] | None:
    """The numbers to read it with (values, width of a row, least value, step) and the bytes; None if not finite."""
    if len(values) == 0 or not np.all(np.isfinite(values)):
        return None
    low, high = float(values.min()), float(values.max())
    step = (high - low) / _LEVELS or 1.0
    side = math.isqrt(len(values))
    width = side if side * side == len(values) else len(values)
    levels = np.rint((values.astype(np.float64) - low) / step).astype(np.int64).reshape(-1, width)
    # left + below - below left is what a plane through the three neighbours foretells.
    left = np.diff(np.diff(levels, axis=0, prepend=0), axis=1, prepend=0).ravel()
    return [len(values), width, low, step], _written(left)


def write_line(places: NDArray[np.float64]) -> tuple[list[float], bytes]:
    """A line that is drawn through places (m, k): a straight one goes on as it came.

    The numbers to read it with are m, k, then the least value of each column, then its step.
    """
    low = places.min(axis=0)
    step = (places.max(axis=0) - low) / _LEVELS
    step[step == 0] = 1.0
    levels = np.rint((places - low) / step).astype(np.int64)
    left = np.diff(levels, n=2, axis=0, prepend=np.zeros((2, places.shape[1]), dtype=np.int64))
    return [*places.shape, *low.tolist(), *step.tolist()], _written(left.T.ravel())


def _written(left: NDArray[np.int64]) -> bytes:
    """Whole numbers, 0 -1 1 -2 2 ... counted from 0 on, seven bits a byte, the eighth where another follows.

    >>> _written(np.array([-1, 150])).hex()
    '01ac02'
    """
    numbers = np.where(left < 0, -2 * left - 1, 2 * left)
    columns = [numbers >> shift for shift in (0, 7, 14)]
    there = np.column_stack([np.ones(len(numbers), dtype=bool), columns[1] > 0, columns[2] > 0])
    bits = np.column_stack(columns) & 0x7F
    bits[:, :2] |= np.where(there[:, 1:], 0x80, 0)
    return bytes(bits[there].astype(np.uint8))
