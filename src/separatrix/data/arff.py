"""ARFF, the text format of Weka: a header that names and types the columns, then rows as CSV or by their nonzeros.

@relation weather
@attribute temperature numeric
@attribute play {yes, no}
@data
21.5, yes
{0 19.0, 1 no}        % the same, sparse
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from separatrix.checker.text import DataError
from separatrix.data.compression import ByteSource
from separatrix.data.raw_table import (
    RawTable,
    check_size,
    column_of,
    integers_where_whole,
    read_all,
    unique_names,
)
from separatrix.data.sniff import text_encoding
from separatrix.errors import with_hint

_ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\S+)\s+(.+)", re.IGNORECASE)
_TOKEN = re.compile(r"\s*('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^,\t]*?)\s*(,|\t|$)")
_NUMERIC = ("numeric", "real", "integer")


def load_arff(pa: Any, source: ByteSource) -> RawTable:
    """The table in an ARFF file."""
    path = source.path
    data = read_all(source.pieces(), path)
    encoding, _ = text_encoding(memoryview(data))
    lines = data.decode(encoding, "replace").splitlines()
    attributes, start = _header(path, lines)
    names, said = unique_names([name for name, _ in attributes])
    rows: list[list[str | None]] = []
    numbers: list[int] = []
    for number, line in enumerate(lines[start:], start + 1):
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        row = _sparse(text, attributes) if text.startswith("{") else _cells(text)
        if row is None or len(row) != len(names):
            raise DataError(
                f"{path}: line {number:,} does not hold {len(names):,} cells as the header says: {text[:60]!r}."
            )
        rows.append(row)
        numbers.append(number)
    if not rows:
        raise DataError(f"{path} holds no rows.")
    check_size(path, len(rows), len(names))
    columns = {}
    for (_, kind), name, cells in zip(attributes, names, zip(*rows, strict=True), strict=True):
        if isinstance(kind, str) and kind in _NUMERIC:
            columns[name] = column_of(pa, integers_where_whole([_number(cell) for cell in cells]))
        else:
            columns[name] = pa.array(cells, pa.string())
    return RawTable(pa.table(columns), True, "line", numbers=np.array(numbers, dtype=np.int64), warnings=said)


def _header(path: str, lines: list[str]) -> tuple[list[tuple[str, str | list[str]]], int]:
    """The name of each column with its type or its values, and the line after @data."""
    attributes: list[tuple[str, str | list[str]]] = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        word = text.split(None, 1)[0].lower() if text else ""
        if word == "@data":
            if not attributes:
                raise DataError(f"{path}: there is no @attribute before @data.")
            return attributes, number
        if word != "@attribute":
            continue
        match = _ATTRIBUTE.match(text)
        kind = match[2].strip() if match else ""
        if match and kind.startswith("{") and "}" in kind:
            values = [each or "" for each in _cells(kind[1 : kind.rindex("}")])]
            attributes.append((_bare(match[1]), values))
        elif match and kind.split()[0].lower() in (*_NUMERIC, "string", "date"):
            attributes.append((_bare(match[1]), kind.split()[0].lower()))
        else:
            raise with_hint(
                DataError,
                f"{path}: line {number:,} is no attribute that can be read: {text[:60]!r}.",
                "types are numeric, real, integer, string, date and {value, value, ...}",
            )
    raise DataError(f"{path} has no line @data.")


def _cells(text: str) -> list[str | None]:
    """The cells of one line; None where they are missing.

    >>> _cells("1, 'a, b', ?")
    ['1', 'a, b', None]
    """
    out: list[str | None] = []
    place = 0
    while True:
        match = _TOKEN.match(text, place)
        if match is None:
            return []
        out.append(None if match[1] in ("?", "") else _bare(match[1]))
        place = match.end()
        if not match[2]:
            return out


def _sparse(text: str, attributes: list[tuple[str, str | list[str]]]) -> list[str | None] | None:
    """A line of its nonzero entries: what is left out is 0, or the first of the values that a column may have."""
    row: list[str | None] = [kind[0] if isinstance(kind, list) else "0" for _, kind in attributes]
    inner = text[1 : text.rindex("}")] if "}" in text else ""
    for entry in _cells(inner) if inner.strip() else []:
        place, _, value = (entry or "").strip().partition(" ")
        if not place.isdecimal() or int(place) >= len(row):
            return None
        row[int(place)] = None if value.strip() == "?" else _bare(value.strip())
    return row


def _bare(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text


def _number(cell: str | None) -> Any:
    """A number, or the text where it is none: then the column is one of texts."""
    if cell is None:
        return None
    try:
        return float(cell)
    except ValueError:
        return cell
