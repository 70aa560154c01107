"""A table as labels and columns to learn from: by its cells alone, or by the columns of a table read before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.checker.text import DataError
from separatrix.data.compression import ByteSource
from separatrix.data.description import (
    ColumnDescription,
    Kind,
    LabelDescription,
    Refusal,
    TableDescription,
    few,
)
from separatrix.data.examine import Examined, Wishes, alike, examine
from separatrix.data.label_choice import choose_label, labels
from separatrix.data.raw_table import RawTable, TableSettings
from separatrix.data.table_columns import Column, width
from separatrix.data.tables import load_table, position, positions
from separatrix.errors import sentence_and_hint, with_hint

_KINDS: dict[str, Kind] = {"number": "number", "category": "category", "words": "text"}


@dataclass
class Understood:
    """A table with its label, its columns and their encoding."""

    raw: RawTable
    description: TableDescription
    columns: list[Column]  #: every column of the file
    encoding: dict[str, Any]
    places: list[int]  #: of the columns that are encoded
    label: int | None
    y: Any
    blocks: dict[int, Any]


def understand(source: ByteSource, kind: str, settings: TableSettings) -> Understood:
    """Load a table and examine all of its columns that are wanted."""
    raw = load_table(source, kind, settings)
    all_names = raw.table.column_names  # a new list each time that it is asked for

    def place(row: int) -> str:
        return f"{raw.row_word} {raw.number_of(row):,}"

    columns = [
        Column(source.path, name, cells, place, raw.decimal)
        for name, cells in zip(all_names, raw.table.columns, strict=True)
    ]
    understood = _known(source, kind, raw, columns, settings) if settings.encoding else None
    return understood or _new(source, kind, raw, columns, settings)


def _new(
    source: ByteSource, kind: str, raw: RawTable, columns: list[Column], settings: TableSettings
) -> Understood:
    """A table that nothing is known of."""
    path, all_names = source.path, [column.name for column in columns]
    dropped = set(positions(settings.drop, all_names, path))
    chosen = positions(settings.columns, all_names, path)
    categories = set(positions(settings.categorical, all_names, path))
    wanted = None if settings.label is None else position(settings.label, all_names, path)
    refusals: list[Refusal] = []
    warnings = list(raw.warnings)
    label, why = None, ""
    try:
        candidates = [at for at in range(len(columns)) if at not in dropped and at not in chosen]
        label, why = choose_label(path, columns, candidates, raw.named, wanted, categories)
    except DataError as error:
        refusals.append(_refusal(error))
    y, described_label = None, None
    if label is not None:
        try:
            y = labels(columns[label], "text" if label in categories else None)
            classes, counts = np.unique(y, return_counts=True)
            pairs = list(zip(classes.tolist(), counts.tolist(), strict=True))
            described_label = LabelDescription(columns[label].name, why, pairs, label)
            if len(classes) == 1:
                warnings.append(f"The label {columns[label].name!r} has one value only, {pairs[0][0]!r}.")
            if classes.dtype.kind == "U":
                warnings += alike(columns[label].name, classes.tolist())
        except DataError as error:
            refusals.append(_refusal(error))
    use = chosen or [at for at in range(len(columns)) if at not in dropped]
    examined: dict[int, Examined] = {}
    for at in use:
        if at != label and at not in dropped:
            wishes = Wishes(settings.missing, at in categories, bool(chosen))
            examined[at] = examine(columns[at], at, raw, wishes)
    described = [
        examined[at].description
        if at in examined
        else ColumnDescription(all_names[at], "left out", None, 0, "", "as asked", 0, at)
        for at in range(len(columns))
        if at != label
    ]
    for each in examined.values():
        warnings += each.warnings
        refusals += each.refusals
    used = [at for at, each in examined.items() if each.record is not None]
    if not used and not refusals:
        left = [f"{each.name!r} ({each.kind}: {each.note})" for each in described]
        refusals.append(
            Refusal(
                f"{path} has no column left to learn from; there was {few(left)}.",
                "--categorical COLUMN makes a column of each of its values",
            )
        )
    description = TableDescription(
        path,
        kind,
        raw.table.num_rows,
        raw.row_word,
        described_label,
        described,
        [cell for each in examined.values() for cell in each.suspicious],
        raw.sniffed,
        warnings,
        refusals,
    )
    encoding = {
        "format": "table",
        "named": raw.named,
        "label": None
        if label is None
        else {
            "name": all_names[label],
            "position": label,
            "type": "number" if y is not None and y.dtype.kind != "U" else "text",
        },
        "columns": [{**(examined[at].record or {}), "position": at} for at in used],
        "identifiers": [
            {"name": all_names[at], "position": at}
            for at, each in examined.items()
            if each.description.kind == "identifier"
        ],
        "text": raw.text,
    }
    blocks = {at: examined[at].block for at in used if examined[at].block is not None}
    return Understood(raw, description, columns, encoding, used, label, y, blocks)


def _refusal(error: DataError) -> Refusal:
    sentence, hint = sentence_and_hint(error)
    return Refusal(sentence, hint or "")


def _known(
    source: ByteSource, kind: str, raw: RawTable, columns: list[Column], settings: TableSettings
) -> Understood:
    """A table whose columns mean what those of another one meant."""
    encoding = settings.encoding or {}
    label, places = _places(columns, raw.named, source.path, encoding, settings.label)
    y, described_label, warnings = None, None, list(raw.warnings)
    if label is not None and columns[label].cells.null_count:
        count = columns[label].cells.null_count
        warnings.append(
            f"The label {columns[label].name!r} is missing in {count:,} of {raw.table.num_rows:,} rows; none is used."
        )
    elif label is not None:
        y = labels(columns[label], (encoding["label"] or {}).get("type"))
        classes, counts = np.unique(y, return_counts=True)
        pairs = list(zip(classes.tolist(), counts.tolist(), strict=True))
        why = "as in the data that were learnt from" if settings.label is None else "it was asked for"
        described_label = LabelDescription(columns[label].name, why, pairs, label)
    described = [
        ColumnDescription(
            record["name"],
            _KINDS[record["kind"]],
            len(record["categories"]) if record["kind"] == "category" else None,
            columns[at].cells.null_count,
            "",
            "as in the data that were learnt from",
            width(record),
            at,
        )
        for at, record in zip(places, encoding["columns"], strict=True)
    ]
    description = TableDescription(
        source.path,
        kind,
        raw.table.num_rows,
        raw.row_word,
        described_label,
        described,
        sniffed=raw.sniffed,
        warnings=warnings,
    )
    return Understood(raw, description, columns, encoding, places, label, y, {})


def _places(
    columns: list[Column], named: bool, path: str, encoding: dict[str, Any], wanted: str | int | None
) -> tuple[int | None, list[int]]:
    """Places of the label (if it is there) and of the columns of an encoding in this table."""
    records, label = encoding["columns"], encoding["label"] or {"name": None, "position": len(columns)}
    all_names = [column.name for column in columns]
    if named and encoding["named"]:
        place = {name: at for at, name in reversed(list(enumerate(all_names)))}  # the first of a name
        missing = [record["name"] for record in records if record["name"] not in place]
        if missing:
            raise with_hint(
                DataError,
                f"{path} has no column {missing[0]!r}; the data that were learnt from had one.",
                f"its columns are {few(all_names, 20)}",
            )
        chosen = [place[record["name"]] for record in records]
        name = label["name"] if wanted is None else wanted
        if wanted is None and name not in place:
            return None, chosen
        return position(name, all_names, path), chosen
    places = [record["position"] for record in records]
    if len(columns) > max([*places, label["position"]]):
        return (label["position"] if wanted is None else position(wanted, all_names, path)), places
    # Without the label, the columns after it are one place further left.
    places = [at - (at > label["position"]) for at in places]
    if len(columns) <= max(places, default=0):
        raise DataError(f"{path} has {len(columns)} columns; the data that were learnt from had more.")
    return None, places
