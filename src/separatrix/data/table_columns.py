"""One column of a table as columns of X, by the record of how that is done.

    number      one column, as it is; a missing cell becomes ``fill``
    category    one column of 0 and 1 for each text ("one hot"), in sorted order; an unseen text is all zeros
    words       one column for each word of free text, with its count in the row; unseen words are left out

The records are plain (JSON), so that a model file can keep them and a new file can be read the same way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.checker.text import DataError
from separatrix.data.number_text import parse_numbers
from separatrix.errors import with_hint

WORD = re.compile(r"\w\w+")


class Column:
    """A column under way: its place in the file, for sentences about it, and its cells (a pyarrow array)."""

    def __init__(
        self,
        path: str,
        name: str,
        cells: Any,
        place: Callable[[int], str] = lambda row: f"row {row + 1}",
        decimal: str = ".",
    ) -> None:
        self.path, self.name, self.cells, self.place, self.decimal = path, name, cells, place, decimal

    def missing_error(self, missing: NDArray[np.bool_], text: str | None = None) -> tuple[str, str]:
        """The sentence about the first missing cell, and the way on."""
        count = int(missing.sum())
        what = "is missing" if text is None else f"holds {text!r}, which is no finite number"
        number = "1 cell of this column is" if count == 1 else f"{count:,} cells of this column are"
        others = f" ({number})" if text is None else ""
        name = str(self.name)
        return (
            f"{self.path}: {self.place(int(np.argmax(missing)))}, column {name!r} {what}{others}.",
            f"--missing mean, median or zero fills such cells; --drop {quoted(name)} leaves the column out "
            "(in Python missing=, drop=)",
        )

    def refuse_missing(self, missing: NDArray[np.bool_]) -> None:
        """Raise a sentence that names the first missing cell."""
        if missing.any():
            sentence, _ = self.missing_error(missing)
            raise with_hint(
                DataError,
                sentence,
                "the data that were learnt from had none: fit with --missing mean, median or zero (in Python missing=)",
            )

    def fail(self, sentence: str) -> DataError:
        """An error about this column."""
        return DataError(f"{self.path}: column {self.name!r} {sentence}")


def quoted(name: str) -> str:
    """A name as a word of the shell.

    >>> quoted("age"), quoted("hours per week")
    ('age', "'hours per week'")
    """
    return name if re.fullmatch(r"[\w.:-]+", name) else "'" + name.replace("'", "'\\''") + "'"


def is_text(cells: Any) -> bool:
    """True if a column holds text."""
    import pyarrow as pa

    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def is_numeric(kind: Any) -> bool:
    """True if cells of this type are numbers or booleans."""
    import pyarrow as pa

    types = pa.types
    return bool(
        types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    )


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
    """The cells as numbers, NaN where they are missing or infinite; float32 stays float32."""
    import pyarrow as pa

    kind = column.cells.type
    if pa.types.is_null(kind):
        return np.full(len(column.cells), np.nan)
    if not is_numeric(kind):
        raise with_hint(
            column.fail,
            f"holds {kind} cells, not numbers or texts.",
            f"--drop {quoted(column.name)} leaves it out (in Python drop=)",
        )
    width = pa.float32() if pa.types.is_float32(kind) or pa.types.is_float16(kind) else pa.float64()
    values = as_array(column.cells.cast(width, safe=False))
    if pa.types.is_integer(kind) and np.nanmax(np.abs(values), initial=0.0) >= 2.0**53:
        for row, (cell, value) in enumerate(zip(column.cells.to_pylist(), values.tolist(), strict=True)):
            if cell is not None and cell != value:  # Python compares them as the numbers that they are
                raise with_hint(
                    column.fail,
                    f"holds {cell} in {column.place(row)}, an integer that float64 would round.",
                    f"--drop {quoted(column.name)} leaves the column out if it only names the rows; "
                    "or subtract what its numbers have in common",
                )
    if pa.types.is_floating(kind):
        infinite = np.isinf(values)
        if infinite.any():
            values = np.where(infinite, values.dtype.type(np.nan), values)
    return values


def numbers_of_texts(column: Column, sign: str | None = None) -> tuple[NDArray[np.float64], dict[str, bool]]:
    """Texts as numbers, NaN where they are none; and the texts that are none: True for those that mean "missing"."""
    cells = texts(column.cells)
    coded = cells.dictionary_encode()
    whole = coded.combine_chunks() if hasattr(coded, "combine_chunks") else coded
    different = whole.dictionary.to_pylist()
    found = parse_numbers(different, column.decimal, sign)
    table = np.array([*(found.values.get(text, np.nan) for text in different), np.nan])
    codes = np.array(np.from_dlpack(whole.indices.fill_null(len(different))))
    return table[codes], dict.fromkeys(found.empty, True) | dict.fromkeys(found.others, False)


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


def encode(column: Column, record: dict[str, Any]) -> tuple[Any, Counter[str]]:
    """Columns of X for the cells, by a record: an array (n,) for a number, else CSR; and what was left out, counted."""
    if record["kind"] == "number":
        return _encode_number(column, record)
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
    unseen = [] if known.all() else [cells[row] for row in np.flatnonzero(~known)]
    return block, Counter(str(cell) for cell in unseen)


def _encode_number(column: Column, record: dict[str, Any]) -> tuple[NDArray[Any], Counter[str]]:
    lost: Counter[str] = Counter()
    if is_text(column.cells):
        values: NDArray[Any]
        values, others = numbers_of_texts(column, record.get("sign", ""))
        not_numbers = [text for text, means_missing in others.items() if not means_missing]
        if not_numbers and (record["fill"] is None or len(not_numbers) > 0.25 * len(values)):
            cell = not_numbers[0]
            raise column.fail(
                f"holds texts here ({cell!r}) and held numbers in the data that were learnt from."
            )
        lost.update(not_numbers)
    else:
        values = numbers(column)
    absent = np.isnan(values)
    if record["fill"] is None:
        column.refuse_missing(absent)
        return values, lost
    return np.where(absent, values.dtype.type(record["fill"]), values), lost


def _count_words(cells: list[str | None], vocabulary: list[str]) -> tuple[sparse.csr_array, Counter[str]]:
    place = {word: number for number, word in enumerate(vocabulary)}
    columns: list[int] = []
    counts: list[float] = []
    starts, left_out = [0], Counter[str]()
    for cell in cells:
        found = Counter(WORD.findall((cell or "").lower()))
        known = sorted((place[word], count) for word, count in found.items() if word in place)
        if len(known) < len(found):
            left_out.update(word for word in found if word not in place)
        columns += [column for column, _ in known]
        counts += [float(count) for _, count in known]
        starts.append(len(columns))
    parts = (np.array(counts), np.array(columns, dtype=np.int32), np.array(starts))
    return sparse.csr_array(parts, shape=(len(cells), len(vocabulary))), left_out
