"""Cells of Python objects (from JSON, Excel, ARFF) as typed columns of pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from separatrix.data.sniff import NULLS

_LARGEST = 1 << 63


def column_of(pa: Any, cells: Sequence[Any]) -> Any:
    """One column: numbers, booleans or texts; whatever is mixed becomes texts, and so do dates.

    >>> import pyarrow
    >>> [str(column_of(pyarrow, cells).type) for cells in ([1, 2.5, None], [1, 2], [True, None], ["a", 1])]
    ['double', 'int64', 'bool', 'string']
    """
    kinds = {type(cell) for cell in cells} - {type(None)}
    if not kinds:
        return pa.nulls(len(cells))
    if kinds == {bool}:
        return pa.array(cells, pa.bool_())
    if kinds <= {int, float}:
        if kinds == {int} and all(cell is None or -_LARGEST <= cell < _LARGEST for cell in cells):
            return pa.array(cells, pa.int64())
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    return pa.array([_text(cell) for cell in cells], pa.string())


def _text(cell: Any) -> str | None:
    if cell is None:
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    text = str(cell)
    return None if text.strip() in NULLS else text


def integers_where_whole(cells: Sequence[Any]) -> Sequence[Any]:
    """Cells of a program that knows no integers: floats without a fraction as integers, if all floats are such.

    >>> integers_where_whole([1.0, None, 3.0]), integers_where_whole([1.0, 2.5])
    ([1, None, 3], [1.0, 2.5])
    """
    if any(isinstance(cell, float) and not cell.is_integer() for cell in cells):
        return cells
    return [int(cell) if isinstance(cell, float) else cell for cell in cells]
