"""The kind of a column (number, category, free text, identifier, date, constant) and the faults in its cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.checker.text import DataError
from separatrix.data.description import ColumnDescription, Kind, Refusal, SuspiciousCell, few
from separatrix.data.number_text import NumberTexts, parse_number, parse_numbers
from separatrix.data.raw_table import RawTable
from separatrix.data.sniff import INFINITE
from separatrix.data.table_columns import (
    WORD,
    Column,
    as_array,
    is_numeric,
    is_text,
    numbers,
    numbers_of_texts,
    quoted,
    texts,
)
from separatrix.errors import sentence_and_hint

FEW = 10  # different values that a table may have in any column without further questions
_MOSTLY = 0.75  # share of numbers from which the other cells of a column are suspected, not the numbers
_MANY = 50  # categories from which on it is said how many columns they make
_CELLS = 3  # suspicious cells of a column that are named
_ID_NAMES = re.compile(
    r"(?i:id|.+[_ .-]id|index|idx|row[ _]?(name|number|id|nr)?|unnamed: ?\d+|uuid|guid|nr|no\.?|serial.*)|.*[a-z]I[dD]"
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?([ T].*)?|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})( .*)?|"
    rf"\d{{1,2}}[ .-]*{_MONTH}[ .,-]*\d{{2,4}}( .*)?|{_MONTH}[ .]*\d{{1,2}}[ ,]+\d{{4}}( .*)?|"
    r"\d{1,2}:\d{2}(:\d{2})?(\.\d+)?( ?[ap]m)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Wishes:
    """Options of the caller that concern one column."""

    missing: str = "refuse"
    categorical: bool = False
    chosen: bool = False  #: named by ``columns``: it is used, or the whole table refused


@dataclass
class Examined:
    """A column that was examined. ``record`` says how it is encoded; None if it is left out of X."""

    description: ColumnDescription
    record: dict[str, Any] | None = None
    block: NDArray[Any] | None = None  #: the encoded numbers, where they had to be computed already
    suspicious: list[SuspiciousCell] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)


def examine(column: Column, position: int, raw: RawTable, wishes: Wishes) -> Examined:
    """Look at a column of a table that nothing is known of."""
    import pyarrow as pa

    kind = column.cells.type
    blank = ColumnDescription(column.name, "left out", None, 0, "", "", 0, position)
    if pa.types.is_null(kind):
        note = "every cell is missing"
        said = [f"Column {column.name!r} is left out: {note}."]
        return Examined(replace(blank, missing=len(column.cells), note=note), warnings=said)
    if wishes.categorical or is_text(column.cells):
        return _examine_texts(column, raw, wishes, blank)
    if pa.types.is_temporal(kind):
        return _left_out(column, blank, wishes, "date", "dates or times are neither numbers nor categories")
    if not is_numeric(kind):
        hint = f"--drop {quoted(column.name)} leaves it out (in Python drop=)"
        sentence = f"{column.path}: column {column.name!r} holds {kind} cells, not numbers or texts."
        return Examined(replace(blank, note=f"{kind} cells"), refusals=[Refusal(sentence, hint)])
    try:
        values = numbers(column)
    except DataError as error:
        sentence, found = sentence_and_hint(error)
        return Examined(replace(blank, note="integers too large"), refusals=[Refusal(sentence, found or "")])
    integral = bool(pa.types.is_integer(kind))
    nameless = raw.named and column.name == f"column {position}"  # as the index that pandas writes
    if (
        integral
        and not wishes.chosen
        and (nameless or _ID_NAMES.fullmatch(column.name))
        and _all_different(values)
    ):
        return _left_out(column, blank, wishes, "identifier", "every row has a number of its own")
    out = _number(column, values, blank, wishes, "")
    if pa.types.is_floating(kind) and np.count_nonzero(np.isnan(values)) > column.cells.null_count:
        infinite = np.isinf(as_array(column.cells))
        if infinite.any():
            _suspect(out, column, raw, infinite, lambda row: str(column.cells[row]), "not finite")
            if out.refusals and np.argmax(infinite) == np.argmax(np.isnan(values)):
                cell = str(column.cells[int(np.argmax(infinite))])
                out.refusals = [Refusal(*column.missing_error(infinite, cell))]
            elif not out.refusals:
                count = int(infinite.sum())
                out.warnings.append(
                    f"Column {column.name!r} holds {count:,} infinite numbers, taken as missing."
                )
    if integral:
        _warn_of_counters(out, column, values)
    elif np.nanmax(np.abs(values), initial=0.0) >= 2.0**53 and np.all(
        np.isnan(values) | (values == np.rint(values))
    ):
        out.warnings.append(
            f"Column {column.name!r} holds whole numbers of more than 15 digits, which are rounded; "
            f"--drop {quoted(column.name)} leaves it out if they only name the rows."
        )
    return out


def _all_different(values: NDArray[Any]) -> bool:
    some = values[:1000]  # most columns are decided by these
    if len(values) < FEW or len(np.unique(some)) < len(some):
        return False
    return len(np.unique(values)) == len(values)


def _warn_of_counters(out: Examined, column: Column, values: NDArray[Any]) -> None:
    drop = f"--drop {quoted(column.name)} leaves it out"
    if len(values) and values.min() >= 19000101 and values.max() <= 21001231:
        month, day = values // 100 % 100, values % 100
        if np.all((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)):
            out.warnings.append(
                f"Column {column.name!r} looks like dates written as numbers (20260131); {drop}."
            )
    elif len(values) >= FEW and values[1] == values[0] + 1 and np.all(np.diff(values) == 1):
        out.warnings.append(f"Column {column.name!r} counts the rows, as an identifier does; {drop}.")
    elif len(values) >= _MANY and values.max() - values.min() > len(values) and _all_different(values):
        out.warnings.append(
            f"Column {column.name!r} has another whole number in every row; if it names the rows, {drop}."
        )


def _number(
    column: Column, values: NDArray[Any], blank: ColumnDescription, wishes: Wishes, sign: str
) -> Examined:
    """A column of numbers; NaN are its missing cells."""
    absent = np.isnan(values)
    count = int(np.count_nonzero(absent))
    there = values[~absent] if count else values
    if not len(there):
        return Examined(replace(blank, missing=count, note="no cell holds a number"))
    low, high = float(there.min()), float(there.max())
    kind: Kind = "constant" if low == high and not count else "number"
    note = f"always {low:g}" if low == high else f"from {low:g} to {high:g}"
    note += f", {sign} taken off" if sign else ""
    fill, done = None, ""
    if wishes.missing != "refuse":
        fill = (
            0.0
            if wishes.missing == "zero"
            else float(np.mean(there, dtype=np.float64) if wishes.missing == "mean" else np.median(there))
        )
        done = (
            f"filled with {'' if wishes.missing == 'zero' else 'the '}{wishes.missing}: {fill:g}"
            if count
            else ""
        )
    described = replace(blank, kind=kind, missing=count, done=done, note=note, width=1)
    record = {"name": column.name, "kind": "number", "fill": fill} | ({"sign": sign} if sign else {})
    out = Examined(described, record, values)
    if count and fill is None:
        out.description = replace(described, done="refused")
        out.refusals.append(Refusal(*column.missing_error(absent)))
    elif count:
        assert fill is not None
        out.block = np.where(absent, values.dtype.type(fill), values)
    return out


def _examine_texts(column: Column, raw: RawTable, wishes: Wishes, blank: ColumnDescription) -> Examined:
    cells = texts(column.cells)
    found = count_texts(cells)
    absent = found.pop(None, 0)
    texts_found: Counter[str] = Counter({str(text): count for text, count in found.items()})
    blank = replace(blank, missing=absent, values=len(texts_found))
    if not texts_found:
        note = "every cell is missing"
        return Examined(replace(blank, note=note), warnings=[f"Column {column.name!r} is left out: {note}."])
    if not wishes.categorical:
        out = _examine_written_numbers(column, raw, wishes, blank, texts_found)
        if out is not None:
            return out
        if _are_dates(texts_found):
            return _left_out(
                column, blank, wishes, "date", "dates or times are neither numbers nor categories"
            )
        filled, different = len(cells) - absent, len(texts_found)
        if is_free_text(texts_found, filled):
            return _words(column, blank, texts_found)
        if different >= FEW and 2 * different > filled:
            reason = f"{different:,} different texts in {filled:,} rows: a name or a key, not a category"
            return _left_out(column, blank, wishes, "identifier", reason)
    return _category(column, cells, blank, texts_found, wishes)


def count_texts(cells: Any) -> Counter[str | None]:
    """The different texts of a column, each with its number; None for missing cells."""
    import pyarrow.compute as pc

    counted = pc.value_counts(cells)
    return Counter(
        dict(zip(counted.field("values").to_pylist(), counted.field("counts").to_pylist(), strict=True))
    )


def _examine_written_numbers(
    column: Column, raw: RawTable, wishes: Wishes, blank: ColumnDescription, found: Counter[str]
) -> Examined | None:
    """A column of texts that are numbers, all or most of them; None where they are not."""
    parsed = parse_numbers(found, column.decimal)
    right = sum(found[text] for text in parsed.values)
    wrong = sum(found[text] for text in parsed.others)
    if not right or right < _MOSTLY * (right + wrong):
        return _other_decimal(column, blank, parsed, found)
    values, others = numbers_of_texts(column, parsed.sign)
    out = _number(column, values, replace(blank, values=None), wishes, parsed.sign)
    if others:
        strange = dict(others)
        cells = texts(column.cells).to_pylist()
        mask = np.array([cell in strange for cell in cells])
        why = (
            "not finite"
            if all(text.lower() in INFINITE for text in strange)
            else "no number, unlike the others"
        )
        _suspect(out, column, raw, mask, lambda row: str(cells[row]), why)
        if out.refusals:
            sentence, hint = column.missing_error(mask, cells[int(np.argmax(mask))])
            hint = hint.replace(
                "; --drop", f"; --categorical {quoted(column.name)} takes all values as names; --drop"
            )
            out.refusals = [Refusal(sentence, hint)]
        else:
            number = int(mask.sum())
            shown = few([repr(text) for text in strange], 3)
            out.warnings.append(
                f"Column {column.name!r} holds numbers, and {shown} in {number:,} cell{'s' if number > 1 else ''}, "
                "taken as missing."
            )
    return out


def _other_decimal(
    column: Column, blank: ColumnDescription, parsed: NumberTexts, found: Counter[str]
) -> Examined | None:
    """A refusal where most texts would be numbers with the other decimal sign."""
    other = "," if column.decimal == "." else "."
    right = sum(found[text] for text in parsed.others if parse_number(text, other) is not None)
    if right < _MOSTLY * (sum(found.values()) - sum(found[text] for text in parsed.values)) or not right:
        return None
    example = next(text for text in parsed.others if parse_number(text, other) is not None)
    what = f"column {column.name!r} holds {example!r}"
    sentence = f"{column.path}: {what}, which is no number with the decimal sign {column.decimal!r}."
    hint = f"--decimal {other!r} reads it as one; --categorical {quoted(column.name)} as a name"
    return Examined(
        replace(blank, note="numbers with another decimal sign"), refusals=[Refusal(sentence, hint)]
    )


def _suspect(
    out: Examined, column: Column, raw: RawTable, mask: NDArray[np.bool_], text: Any, why: str
) -> None:
    for row in np.flatnonzero(mask)[:_CELLS].tolist():
        out.suspicious.append(SuspiciousCell(raw.number_of(row), column.name, text(row)[:60], why))


def _are_dates(found: Counter[str]) -> bool:
    some = [text for text, _ in zip(found, range(200), strict=False)]
    return sum(_DATE.fullmatch(text) is not None for text in some) >= 0.9 * len(some)


def is_free_text(found: Iterable[str], n_rows: int) -> bool:
    """True if texts are sentences: mostly different, and of several words."""
    different = list(found)
    if len(different) < FEW or 2 * len(different) <= n_rows:
        return False
    some = different[:1000]
    return sum(len(WORD.findall(text)) for text in some) >= 3 * len(some)


def _words(column: Column, blank: ColumnDescription, found: Counter[str]) -> Examined:
    words = sorted({word for text in found for word in WORD.findall(text.lower())})
    note = f"free text, the counts of its {len(words):,} different words"
    described = replace(blank, kind="text", note=note, width=len(words))
    if blank.missing:
        described = replace(described, done="as texts without words")
    return Examined(described, {"name": column.name, "kind": "words", "words": words})


def _left_out(column: Column, blank: ColumnDescription, wishes: Wishes, kind: Kind, reason: str) -> Examined:
    out = Examined(replace(blank, kind=kind, note=reason))
    drop = f"--drop {quoted(column.name)}"
    if wishes.chosen:
        hint = f"{drop} leaves it out; --categorical {quoted(column.name)} makes a column of each value"
        sentence = f"{column.path}: column {column.name!r} cannot be used: {reason}."
        out.refusals.append(Refusal(sentence, f"{hint} (in Python drop=, categorical=)"))
    else:
        article = "an" if kind == "identifier" else "a"
        out.warnings.append(
            f"Column {column.name!r} is left out as {article} {kind} ({reason}); {drop} leaves it out without a word, "
            f"--categorical {quoted(column.name)} makes a column of each value."
        )
    return out


def _category(
    column: Column, cells: Any, blank: ColumnDescription, found: Counter[str], wishes: Wishes
) -> Examined:
    categories = sorted(found)
    kind: Kind = "constant" if len(categories) == 1 and not blank.missing else "category"
    described = replace(
        blank,
        kind=kind,
        note=", ".join(categories[:4]) + (", ..." if len(categories) > 4 else ""),
        width=len(categories),
    )
    fill = None if wishes.missing == "refuse" else max(categories, key=found.__getitem__)
    out = Examined(described)
    out.record = {"name": column.name, "kind": "category", "categories": categories, "fill": fill}
    if blank.missing and fill is None:
        out.description = replace(described, done="refused")
        out.refusals.append(Refusal(*column.missing_error(as_array(cells.is_null()))))
    elif blank.missing:
        out.description = replace(described, done=f"filled with the most frequent: {fill}")
    out.warnings += alike(column.name, categories)
    if not wishes.categorical:
        right = sum(found[text] for text in categories if parse_number(text, column.decimal) is not None)
        if 2 * right > sum(found.values()):
            share = 100 * right / sum(found.values())
            out.warnings.append(
                f"Column {column.name!r} is taken as a category, though {share:.0f} % of its cells are numbers."
            )
        if len(categories) > _MANY and len(cells) < 10 * len(categories):
            out.warnings.append(
                f"Column {column.name!r} becomes {len(categories):,} columns, one for each value; "
                f"--drop {quoted(column.name)} leaves it out."
            )
    return out


def alike(name: str, categories: list[str]) -> list[str]:
    """A sentence about values that differ in capitals and blanks only.

    >>> alike("city", ["Bern", "bern ", "Oslo"])
    ["Column 'city': 'Bern' and 'bern ' differ in capitals or blanks only, and count as two values."]
    """
    seen: dict[str, str] = {}
    for text in categories[:10_000]:
        plain = " ".join(text.casefold().split())
        if plain in seen:
            return [
                f"Column {name!r}: {seen[plain]!r} and {text!r} differ in capitals or blanks only, and count as two "
                "values."
            ]
        seen[plain] = text
    return []
