"""The values of a row in the words of its file: a number, the category that it has, the words that it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.report.rows import column_range, dense_rows

#: Words of a text that are shown.
_WORDS = 8


@dataclass(frozen=True)
class Field:
    """A column of the file and the places of X that it became."""

    name: str
    kind: str  #: "number", "category" or "words"
    first: int
    parts: list[str]
    fill: str = ""  #: the value that a missing cell gets; empty: missing cells are refused

    @property
    def last(self) -> int:
        """The place after its last one."""
        return self.first + (1 if self.kind == "number" else len(self.parts))

    def text(self, values: NDArray[np.float64]) -> str:
        """The value of the field in a row (d,)."""
        here = values[self.first : self.last]
        if self.kind == "number":
            return plain(float(here[0]))
        found = [self.parts[j] for j in np.argsort(-here, kind="stable").tolist() if here[j] > 0]
        more = " ..." if len(found) > _WORDS else ""
        return ", ".join(found[:_WORDS]) + more if found else "none that was learnt"


@dataclass(frozen=True)
class FieldRead:
    """A column of the file in words."""

    name: str
    kind: str
    values: str
    fill: str  #: the value that a missing cell gets; empty: missing cells are refused


def fields_of(columns: list[str], encoding: dict[str, Any] | None) -> list[Field]:
    """Columns of the file; without an encoding of a table, or with another, those of X.

    >>> [field.name for field in fields_of(["age", "city=Bern", "city=Oslo"], {"format": "table", "columns": [
    ...     {"name": "age", "kind": "number"}, {"name": "city", "kind": "category", "categories": ["Bern", "Oslo"]}]})]
    ['age', 'city']
    """
    out, first = [], 0
    for record in (encoding or {}).get("columns") or []:
        if not isinstance(record, dict):
            break
        parts = record.get("categories") or record.get("words") or []
        kind = "words" if "words" in record else "category" if "categories" in record else "number"
        fill = record.get("fill")
        filled = "" if fill is None else plain(fill) if isinstance(fill, float) else str(fill)
        field = Field(str(record.get("name")), kind, first, [str(part) for part in parts], filled)
        out.append(field)
        first = field.last
    if first != len(columns):  # a record of another kind of file
        return [Field(name, "number", place, []) for place, name in enumerate(columns)]
    return out


def is_table(encoding: dict[str, Any] | None) -> bool:
    """Tell whether an encoding is that of a table with named columns."""
    return bool((encoding or {}).get("columns"))


def as_read(X: Any, fields: list[Field]) -> list[FieldRead]:
    """Each field with its range or its first values, as they are in these rows and in those that were learnt from."""
    low, high = column_range(X)
    out = []
    for field in fields:
        if field.kind == "number":
            said = f"{plain(float(low[field.first]))} to {plain(float(high[field.first]))}"
        else:
            more = ", ..." if len(field.parts) > _WORDS else ""
            said = f"{len(field.parts):,}: {', '.join(field.parts[:_WORDS])}{more}"
        out.append(FieldRead(field.name, field.kind, said, field.fill))
    return out


def plain(value: float) -> str:
    """A value of a cell: whole numbers with all their digits, others with six.

    >>> plain(1484705.0), plain(0.1234567), plain(1e300)
    ('1484705', '0.123457', '1e+300')
    """
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e15 else f"{value:.6g}"


def telling(fields: list[Field], effects: NDArray[np.float64], count: int) -> list[Field]:
    """At most ``count`` fields, in their order: those with the largest effects (d,)."""
    if len(fields) <= count:
        return fields
    sizes = np.array([np.abs(effects[field.first : field.last]).max(initial=0.0) for field in fields])
    return [fields[place] for place in np.sort(np.argsort(-sizes, kind="stable")[:count])]


def row_values(X: Any, rows: list[int], fields: list[Field]) -> list[list[tuple[str, str]]]:
    """For each of some rows, the fields with their values."""
    if not rows:
        return []
    return [[(field.name, field.text(values)) for field in fields] for values in dense_rows(X, rows)]
