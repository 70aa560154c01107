"""JSON: one object a line (JSON lines), or one array of objects. Keys are the names of the columns."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from separatrix.checker.text import DataError
from separatrix.data.compression import ByteSource
from separatrix.data.raw_table import MOST_COLUMNS, RawTable, check_size, column_of, read_all
from separatrix.errors import with_hint


def load_json(pa: Any, source: ByteSource) -> RawTable:
    """The table in a JSON file."""
    path = source.path
    try:
        text = read_all(source.pieces(), path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not JSON: byte {error.start + 1:,} is not UTF-8.") from None
    if text.lstrip()[:1] == "[":
        objects, numbers, word = _array(path, text), None, "row"
    else:
        objects, places = _lines(path, text)
        numbers, word = np.array(places, dtype=np.int64), "line"
    if not objects:
        raise DataError(f"{path} holds no rows.")
    cells: dict[str, list[Any]] = {}
    for at, each in enumerate(objects):
        for key, value in each.items():
            if isinstance(value, dict | list):
                where = f"{word} {at + 1 if numbers is None else int(numbers[at]):,}"
                what = "a list" if isinstance(value, list) else "an object"
                raise with_hint(
                    DataError,
                    f"{path}: {where}, {key!r} holds {what}; a cell is a number, a text, true, false or null.",
                    "write each of its parts under a separate key",
                )
            column = cells.get(key)
            if column is None:
                if len(cells) >= MOST_COLUMNS:
                    check_size(path, 1, len(cells) + 1)
                column = cells[key] = [None] * len(objects)
            column[at] = value
    check_size(path, len(objects), len(cells))
    table = pa.table({name: column_of(pa, column) for name, column in cells.items()})
    return RawTable(table, True, word, numbers=numbers)


def _array(path: str, text: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}.") from None
    for at, each in enumerate(found, 1):
        if not isinstance(each, dict):
            raise _no_object(path, f"element {at:,}")
    return list(found)


def _lines(path: str, text: str) -> tuple[list[dict[str, Any]], list[int]]:
    """The objects, and the line of each."""
    objects, places = [], []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise with_hint(
                DataError,
                f"{path}: line {number:,} is not JSON: {error}.",
                "JSON lines hold one whole object on each line; an array of objects is read as well",
            ) from None
        if not isinstance(found, dict):
            raise _no_object(path, f"line {number:,}")
        objects.append(found)
        places.append(number)
    return objects, places


def _no_object(path: str, where: str) -> DataError:
    return with_hint(
        DataError,
        f'{path}: {where} is no object; expected something like {{"age": 31, "label": "yes"}}.',
        "write one object a row, with the names of the columns as its keys",
    )
