"""The choice of the label's column: the one that was asked for, or the one that leaves no doubt; else a refusal.

    1. the column that ``label`` names
    2. a column whose name says so: label or target
    3. the last column, unless another could be the label as well and is named like one: class, y, outcome, ...
    4. where the last column holds free text or identifiers: the only other column that could be the label

What looks like a quantity or an identifier is no label, unless ``categorical`` names it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.checker.text import DataError
from separatrix.data.description import few
from separatrix.data.examine import FEW, count_texts, is_free_text
from separatrix.data.number_text import parse_numbers
from separatrix.data.sniff import STRONG_NAMES, WEAK_NAMES
from separatrix.data.table_columns import Column, as_array, is_numeric, is_text, numbers, quoted, texts
from separatrix.errors import with_hint

MOST_CLASSES = 30  # different values from which on a column is no label unless that is said
_WAY = "name the column with --label (in Python label=)"


@dataclass(frozen=True)
class Doubt:
    """Return why a column is hardly a label: "quantity", "identifier", "text", "date", "constant", "cells"."""

    kind: str
    sentence: str


def doubt(column: Column, is_category: bool = False) -> Doubt | None:
    """The reason why a column is hardly a label, or None."""
    import pyarrow as pa

    cells, n = column.cells, len(column.cells)
    if is_text(cells) or (is_category and not pa.types.is_null(cells.type)):
        found = count_texts(texts(cells))
        found.pop(None, 0)
        return None if is_category else _doubt_texts(Counter(map(str, found.elements())), n)
    if pa.types.is_temporal(cells.type):
        return Doubt("date", "it holds dates or times")
    if not is_numeric(cells.type):
        return Doubt("cells", f"it holds {cells.type} cells")
    values = numbers(column)
    different = np.unique(values[~np.isnan(values)])
    k = len(different)
    fractions = bool(np.any(different != np.rint(different)))
    if k > MOST_CLASSES or (k > FEW and (fractions or 5 * k > n)) or (k >= 5 and 2 * k > n):
        return Doubt("quantity", f"it holds {k:,} different numbers in {n:,} rows, as a quantity does")
    return Doubt("constant", "it has one value only") if k < 2 else None


def _doubt_texts(found: Counter[str], n: int) -> Doubt | None:
    k = len(found)
    if is_free_text(found, n):
        return Doubt("text", f"it holds free text, {k:,} different ones in {n:,} rows")
    parsed = parse_numbers(found, ".")
    not_numbers = [*parsed.empty, *parsed.others]
    if parsed.values and not_numbers and sum(found[text] for text in not_numbers) < 0.25 * n:
        shown = few([repr(text) for text in not_numbers], 3)
        return Doubt("cells", f"its cells are numbers but for {shown}")
    if k > MOST_CLASSES or (k > FEW and 5 * k > n) or (k >= 5 and 2 * k > n):
        what = "a quantity" if len(parsed.values) > k / 2 else "an identifier or a name"
        kind = "quantity" if len(parsed.values) > k / 2 else "identifier"
        return Doubt(kind, f"it holds {k:,} different texts in {n:,} rows, as {what} does")
    return Doubt("constant", "it has one value only") if k < 2 else None


def choose_label(
    path: str,
    columns: Sequence[Column],
    candidates: Sequence[int],
    named: bool,
    wanted: int | None,
    agreed: set[int],
) -> tuple[int, str]:
    """The position of the label and why it was chosen; an error with the way on where that is in doubt.

    ``candidates`` are the columns that may be it, ``agreed`` those that are known to be categories.
    """
    if wanted is not None:
        problem = doubt(columns[wanted], wanted in agreed)
        if problem is not None and problem.kind != "constant":
            raise _refused(path, columns[wanted], problem)
        return wanted, "it was asked for"
    if not candidates:
        raise with_hint(DataError, f"{path} has no column left that could be the label.", _WAY)
    names = {at: columns[at].name.strip().lower() for at in candidates} if named else {}
    strong = [at for at in candidates if names.get(at) in STRONG_NAMES]
    weak = [at for at in candidates if names.get(at) in WEAK_NAMES]
    last = candidates[-1]
    if len(strong) > 1:
        raise _ambiguous(path, columns, strong)
    if strong:
        problem = doubt(columns[strong[0]], strong[0] in agreed)
        if problem is not None and problem.kind != "constant":
            raise _refused(path, columns[strong[0]], problem)
        return strong[0], "its name says so"
    problem = doubt(columns[last], last in agreed)
    able = [at for at in weak if at != last and doubt(columns[at], at in agreed) is None]
    if able:
        if problem is None or len(able) > 1:
            raise _ambiguous(path, columns, [*able, last] if last in weak else [last, *able])
        return able[0], f"its name says so, and the last column cannot be it ({problem.sentence})"
    if problem is None or problem.kind == "constant":
        return last, "it is the last column"
    if problem.kind in ("text", "identifier"):
        others = [at for at in candidates[:-1] if doubt(columns[at], at in agreed) is None]
        if len(others) == 1:
            return others[0], f"no other column could be it; of the last one, {problem.sentence}"
    raise _refused(path, columns[last], problem, "the last column")


def _refused(path: str, column: Column, problem: Doubt, what: str = "column") -> DataError:
    agree = ""
    if problem.kind in ("quantity", "identifier", "cells"):
        agree = f"; --categorical {quoted(column.name)} takes each of its values as a class"
    return with_hint(
        DataError,
        f"{path}: {what} {column.name!r} does not look like the label: {problem.sentence}.",
        f"name another column with --label (in Python label=){agree}",
    )


def _ambiguous(path: str, columns: Sequence[Column], places: Sequence[int]) -> DataError:
    names = [repr(columns[at].name) for at in dict.fromkeys(places)]
    return with_hint(
        DataError,
        f"{path}: {' or '.join(names)} may be the label.",
        f"say which one it is, as in --label {quoted(columns[places[-1]].name)} (in Python label=)",
    )


def labels(column: Column, kind: str | None = None) -> Any:
    """The labels: integers, numbers, booleans or texts; ``kind`` "text" makes texts of whatever they are."""
    import pyarrow as pa

    as_text = is_text(column.cells) or kind == "text"
    cells = texts(column.cells) if as_text else column.cells
    absent = as_array(cells.is_null())
    if absent.any():
        raise with_hint(
            column.fail,
            f"is the label, and {column.place(int(np.argmax(absent)))} has none ({int(absent.sum()):,} are missing).",
            "leave out the rows without a label, or name another column with --label",
        )
    if as_text:
        return np.array(cells.to_pylist())
    if not is_numeric(cells.type):
        raise column.fail(
            f"is the label, and holds {cells.type} cells; labels are numbers, booleans or texts."
        )
    if pa.types.is_decimal(cells.type):
        cells = cells.cast(pa.float64())
    return as_array(cells)
