"""Rows of X for the exact checks: one plain view over whatever holds them.

A row is ``(columns, values)``: values are floats, columns their places, or None where every column is given.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Protocol, TypeAlias

Row: TypeAlias = tuple[Sequence[int] | None, Sequence[float]]


class Rows(Protocol):
    """What an exact check needs of the data."""

    @property
    def n_rows(self) -> int:
        """n."""
        ...

    @property
    def n_columns(self) -> int:
        """d."""
        ...

    def rows(self) -> Iterator[Row]:
        """Every row in order; all values are finite."""
        ...

    def smallest(self) -> float:
        """The smallest magnitude among the nonzero values; 1.0 if there is none."""
        ...


class StoredRows:
    """Rows in compressed form, in the standard library's arrays.

    >>> table = StoredRows(n_columns=3)
    >>> table.append([0, 2], [1.0, -0.5])
    >>> [(list(columns), list(values)) for columns, values in table.rows()]
    [([0, 2], [1.0, -0.5])]
    """

    def __init__(self, n_columns: int) -> None:
        self.n_columns = n_columns
        self.starts = array("q", [0])
        self.columns = array("q")
        self.values = array("d")

    @property
    def n_rows(self) -> int:
        """n."""
        return len(self.starts) - 1

    def append(self, columns: Sequence[int], values: Sequence[float]) -> None:
        """Add a row by its entries, columns increasing."""
        self.columns.extend(columns)
        self.values.extend(values)
        self.starts.append(len(self.values))

    def rows(self) -> Iterator[Row]:
        """Every row in order."""
        columns, values, begin = self.columns, self.values, 0
        for end in self.starts[1:]:
            yield columns[begin:end].tolist(), values[begin:end].tolist()
            begin = end

    def smallest(self) -> float:
        """The smallest magnitude among the nonzero values; 1.0 if there is none."""
        return min(filter(None, map(abs, self.values)), default=1.0)
