"""A table as it is in its file: columns of pyarrow, their names, the number of each row, what was guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.checker.text import DataError
from separatrix.data.description import Setting, few
from separatrix.data.sniff import NULLS
from separatrix.errors import with_hint
from separatrix.memory import available_memory

MOST_COLUMNS = 1_000_000
MOST_CELLS = 1 << 34


@dataclass(frozen=True)
class TableSettings:
    """Options for a table; see `separatrix.read`."""

    label: str | int | None = None
    columns: Sequence[str | int] | None = None
    drop: Sequence[str | int] | None = None
    categorical: Sequence[str | int] | None = None
    missing: str = "refuse"
    header: bool | None = None
    delimiter: str | None = None
    decimal: str | None = None
    text_encoding: str | None = None
    sheet: str | int | None = None
    encoding: dict[str, Any] | None = None
    dtype: Any = None

    def known(self, name: str) -> Any:
        """Something about the text that the file had which was learnt from; None where nothing is known."""
        return ((self.encoding or {}).get("text") or {}).get(name)


@dataclass
class RawTable:
    """Columns of pyarrow under unique names.

    ``numbers`` are those of the rows in the file; None means that they count on from ``first``.
    """

    table: Any
    named: bool  #: whether the names come from the file
    row_word: str = "row"
    first: int = 1
    numbers: NDArray[np.int64] | None = None
    decimal: str = "."
    text: dict[str, Any] = field(default_factory=dict)  #: what another file is read with in the same way
    sniffed: list[Setting] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def number_of(self, row: int) -> int:
        """The number of a row (from 0) in the file."""
        return self.first + row if self.numbers is None else int(self.numbers[row])

    def row_numbers(self) -> NDArray[np.int64]:
        """The numbers of all rows."""
        if self.numbers is not None:
            return self.numbers
        return np.arange(self.first, self.first + self.table.num_rows, dtype=np.int64)


def unique_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names without two alike or an empty one, and sentences about those that were changed.

    >>> unique_names(["a", "", "a"])[0]
    ['a', 'column 1', 'a.1']
    """
    taken, out, twice, empty = set(names), [], [], []
    used: set[str] = set()
    for at, name in enumerate(names):
        new = name
        if not name:
            new = f"column {at}"
            empty.append(new)
        number = 0
        while new in used or (new != name and new in taken):
            number += 1
            new = f"{name or f'column {at}'}.{number}"
        if number and name:
            twice.append(name)
        used.add(new)
        out.append(new)
    said = []
    if twice:
        shown = few(sorted(set(twice)))
        said.append(
            f"Several columns have the same name ({shown}): all but the first are numbered, as in {twice[0]}.1."
        )
    if empty:
        said.append(f"Columns without a name are called by their number from 0: {few(empty)}.")
    return out, said


def check_size(path: str, rows: int, columns: int) -> None:
    """Refuse a table that is too large for this machine, before it is built."""
    if columns > MOST_COLUMNS:
        raise DataError(f"{path} has {columns:,} columns; a table may have {MOST_COLUMNS:,}.")
    if rows * columns > min(MOST_CELLS, available_memory() / 8):
        raise with_hint(
            DataError,
            f"{path} has {rows:,} rows of {columns:,} cells, more than there is memory for.",
            "read it in parts, or as LIBSVM text with separatrix convert",
        )


def read_all(pieces: Any, path: str) -> bytes:
    """All bytes of a source, as long as they fit: what is decompressed may be any number of times larger."""
    most = available_memory() / 3
    parts, size = [], 0
    for piece in pieces:
        parts.append(piece)
        size += len(piece)
        if size > most:
            raise with_hint(
                DataError,
                f"{path} holds more than {size / 1e6:,.0f} MB, for which there is no memory.",
                "read it in parts",
            )
    return b"".join(parts)


def own_buffer(pa: Any, text: memoryview | bytes) -> Any:
    """The text in memory of pyarrow's own: its threads may free that without Python."""
    buffer = pa.allocate_buffer(len(text))
    np.frombuffer(buffer, dtype=np.uint8)[:] = np.frombuffer(text, dtype=np.uint8)
    return buffer


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
        if kinds == {int} and all(cell is None or -(1 << 63) <= cell < 1 << 63 for cell in cells):
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
