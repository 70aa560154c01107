"""The values of a row in the words of its file: a number, the category that it has, the words that it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.report.rows import dense_rows

#: Words of a text that are shown.
_WORDS = 8


@dataclass(frozen=True)
class Field:
    """A column of the file and the places of X that it became."""

    name: str
    kind: str  #: "number", "category" or "words"
    first: int
    parts: list[str]

    @property
    def last(self) -> int:
        """The place after its last one."""
        return self.first + (1 if self.kind == "number" else len(self.parts))

    def text(self, values: NDArray[np.float64]) -> str:
        """The value of the field in a row (d,)."""
        here = values[self.first : self.last]
        if self.kind == "number":
            return f"{here[0]:.6g}"
        found = [self.parts[j] for j in np.argsort(-here, kind="stable").tolist() if here[j] > 0]
        more = " ..." if len(found) > _WORDS else ""
        return ", ".join(found[:_WORDS]) + more if found else "none that was learnt"


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
        field = Field(str(record.get("name")), kind, first, [str(part) for part in parts])
        out.append(field)
        first = field.last
    if first != len(columns):  # a record of another kind of file
        return [Field(name, "number", place, []) for place, name in enumerate(columns)]
    return out


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
