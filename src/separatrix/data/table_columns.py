"""One column of a table as columns of X, and the record of how that was done.

    number      one column, as it is; a missing cell becomes ``fill``
    category    one column of 0 and 1 for each text ("one hot"), in sorted order; an unseen text is all zeros
    words       one column for each word of free text, with its count in the row; unseen words are left out

The records are plain (JSON), so that a model file can keep them and a new file can be read the same way.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.checker.text import DataError
from separatrix.errors import with_hint

_WORD = re.compile(r"\w\w+")
_FEW = 100  # fewer different texts than this are always categories


class Column:
    """A column under way: its place in the file, for sentences about it, and its cells (a pyarrow array)."""

    def __init__(self, path: str, name: str, cells: Any) -> None:
        self.path, self.name, self.cells = path, name, cells

    def refuse_missing(self, missing: NDArray[np.bool_]) -> None:
        """Raise a sentence that names the first missing cell."""
        if missing.any():
            row = int(np.argmax(missing)) + 1
            raise with_hint(
                DataError,
                f"{self.path}: row {row}, column {self.name!r} is missing ({int(missing.sum())} cells of this "
                "column are).",
                "missing='mean', 'median' or 'zero' fills them; columns= leaves columns out",
            )

    def fail(self, sentence: str) -> DataError:
        """An error about this column."""
        return DataError(f"{self.path}: column {self.name!r} {sentence}")


def is_text(cells: Any) -> bool:
    """True if a column holds text."""
    import pyarrow as pa

    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def texts(cells: Any) -> Any:
    """The cells as trimmed texts; what is empty after trimming, or "?", is null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(cells.cast(pa.string()))
    return pc.if_else(pc.match_substring_regex(trimmed, r"\A\??\z"), pa.NULL.cast(pa.string()), trimmed)


def as_array(cells: Any) -> NDArray[Any]:
    """Cells of numbers or booleans as an array of their own type; NaN where a float is missing.

    pyarrow's `to_numpy` would import pandas, which takes longer than to read and fit a small file.
    """
    import pyarrow as pa

    if pa.types.is_boolean(cells.type):
        return as_array(cells.cast(pa.uint8())).astype(bool)
    if cells.null_count:
        cells = cells.fill_null(pa.scalar(float("nan"), cells.type))
    whole = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    return np.array(np.from_dlpack(whole))


def numbers(column: Column) -> NDArray[Any]:
    """The cells as numbers, NaN where they are missing; float32 stays float32."""
    import pyarrow as pa

    kind = column.cells.type
    if pa.types.is_null(kind):
        return np.full(len(column.cells), np.nan)
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        width = pa.float32() if pa.types.is_float32(kind) or pa.types.is_float16(kind) else pa.float64()
        values = as_array(column.cells.cast(width, safe=False))
        infinite = np.isinf(values)
        if infinite.any():
            raise column.fail(f"is infinite in row {int(np.argmax(infinite)) + 1}; numbers must be finite.")
        if pa.types.is_integer(kind) and np.nanmax(np.abs(values), initial=0.0) >= 2.0**53:
            for row, (cell, value) in enumerate(
                zip(column.cells.to_pylist(), values.tolist(), strict=True), 1
            ):
                if cell is not None and cell != value:  # Python compares them as the numbers that they are
                    raise with_hint(
                        column.fail,
                        f"holds {cell} in row {row}, an integer that float64 would round.",
                        "leave the column out "
                        "if it only names the rows, or subtract what its numbers have in common",
                    )
        return values
    raise with_hint(column.fail, f"holds {kind} cells, not numbers or texts.", "leave it out with columns=")


def describe(column: Column, missing: str) -> dict[str, Any]:
    """The record of how this column is encoded, from its cells."""
    if not is_text(column.cells):
        values = numbers(column)
        absent = np.isnan(values)
        fill = None
        if missing == "refuse":
            column.refuse_missing(absent)
        elif missing == "zero" or absent.all():
            fill = 0.0
        else:
            fill = float(
                np.mean(values[~absent], dtype=np.float64)
                if missing == "mean"
                else np.median(values[~absent])
            )
        return {"name": column.name, "kind": "number", "fill": fill}
    cells = texts(column.cells)
    found = Counter(cells.to_pylist())
    if found.pop(None, 0) and missing == "refuse":
        column.refuse_missing(as_array(cells.is_null()))
    if is_free_text(found, len(cells)):
        words = sorted({word for text in found for word in _WORD.findall(text.lower())})
        return {"name": column.name, "kind": "words", "words": words}
    if len(found) > _FEW and 2 * len(found) > len(cells):
        raise with_hint(
            column.fail,
            f"holds {len(found)} different texts in {len(cells)} rows: a name or a key, not a category.",
            "leave it out with columns=",
        )
    usual = None if missing == "refuse" or not found else max(sorted(found), key=found.__getitem__)
    return {"name": column.name, "kind": "category", "categories": sorted(found), "fill": usual}


def is_free_text(found: Counter[Any], n_rows: int) -> bool:
    """True if texts are sentences: mostly different, and of several words."""
    if len(found) <= _FEW or 2 * len(found) <= n_rows:
        return False
    some = [text for text, _ in zip(found, range(1000), strict=False)]
    return sum(len(_WORD.findall(text)) for text in some) >= 3 * len(some)


def width(record: dict[str, Any]) -> int:
    """Number of columns of X that a record stands for."""
    return {
        "number": 1,
        "category": len(record.get("categories", ())),
        "words": len(record.get("words", ())),
    }[record["kind"]]


def names(record: dict[str, Any]) -> list[str]:
    """The names of those columns.

    >>> names({"name": "city", "kind": "category", "categories": ["Bern", "Oslo"]})
    ['city=Bern', 'city=Oslo']
    """
    if record["kind"] == "number":
        return [record["name"]]
    parts = record["categories"] if record["kind"] == "category" else record["words"]
    sign = "=" if record["kind"] == "category" else ":"
    return [f"{record['name']}{sign}{part}" for part in parts]


def encode(column: Column, record: dict[str, Any]) -> tuple[Any, int]:
    """Columns of X for the cells, by a record: an array (n,) for a number, else CSR; and what was left out."""
    if record["kind"] == "number":
        if is_text(column.cells):
            raise column.fail("holds texts here and held numbers in the data that were learnt from.")
        values = numbers(column)
        absent = np.isnan(values)
        if record["fill"] is None:
            column.refuse_missing(absent)
            return values, 0
        return np.where(absent, values.dtype.type(record["fill"]), values), 0
    cells = texts(column.cells).to_pylist()
    if record["kind"] == "words":
        return _count_words(cells, record["words"])
    place = {category: number for number, category in enumerate(record["categories"])}
    if record["fill"] is None:
        column.refuse_missing(np.array([cell is None for cell in cells]))
    codes = np.array(
        [place.get(record["fill"] if cell is None else cell, -1) for cell in cells], dtype=np.int32
    )
    known = codes >= 0
    starts = np.concatenate([[0], np.cumsum(known)])
    block = sparse.csr_array((np.ones(int(starts[-1])), codes[known], starts), shape=(len(cells), len(place)))
    return block, int(np.count_nonzero(~known))


def _count_words(cells: list[str | None], vocabulary: list[str]) -> tuple[sparse.csr_array, int]:
    place = {word: number for number, word in enumerate(vocabulary)}
    columns: list[int] = []
    counts: list[float] = []
    starts, left_out = [0], 0
    for cell in cells:
        found = Counter(_WORD.findall((cell or "").lower()))
        known = sorted((place[word], count) for word, count in found.items() if word in place)
        left_out += len(found) - len(known)
        columns += [column for column, _ in known]
        counts += [float(count) for _, count in known]
        starts.append(len(columns))
    parts = (np.array(counts), np.array(columns, dtype=np.int32), np.array(starts))
    return sparse.csr_array(parts, shape=(len(cells), len(vocabulary))), left_out
