"""A table as rows and labels: which column is the label, and the others as columns of X."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from separatrix.checker.text import DataError
from separatrix.data.compression import ByteSource
from separatrix.data.dataset import Dataset, Source, describe_size, is_dense
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
from separatrix.data.table_columns import Column, encode, names, width
from separatrix.data.tables import load_table, position, positions
from separatrix.errors import sentence_and_hint, with_hint
from separatrix.memory import require_memory

_KINDS: dict[str, Kind] = {"number": "number", "category": "category", "words": "text"}


def read_table(source: ByteSource, kind: str, settings: TableSettings) -> Dataset:
    """All rows of a table; an error where its description has a refusal."""
    return _encoded(_understand(source, kind, settings), settings)


def describe_table(source: ByteSource, kind: str, settings: TableSettings) -> TableDescription:
    """The description of a table alone, whatever may stand in the way of learning from it."""
    return _understand(source, kind, settings).description


@dataclass
class _Understood:
    """A table and what was made of it."""

    raw: RawTable
    description: TableDescription
    columns: list[Column]  #: every column of the file
    encoding: dict[str, Any]
    places: list[int]  #: of the columns that are encoded
    label: int | None
    y: Any
    blocks: dict[int, Any]


def _understand(source: ByteSource, kind: str, settings: TableSettings) -> _Understood:
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
) -> _Understood:
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
    looked: dict[int, Examined] = {}
    for at in use:
        if at != label and at not in dropped:
            wishes = Wishes(settings.missing, at in categories, bool(chosen))
            looked[at] = examine(columns[at], at, raw, wishes)
    described = [
        looked[at].description
        if at in looked
        else ColumnDescription(all_names[at], "left out", None, 0, "", "as asked", 0, at)
        for at in range(len(columns))
        if at != label
    ]
    for each in looked.values():
        warnings += each.warnings
        refusals += each.refusals
    used = [at for at, each in looked.items() if each.record is not None]
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
        [cell for each in looked.values() for cell in each.suspicious],
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
        "columns": [{**(looked[at].record or {}), "position": at} for at in used],
        "identifiers": [
            {"name": all_names[at], "position": at}
            for at, each in looked.items()
            if each.description.kind == "identifier"
        ],
        "text": raw.text,
    }
    blocks = {at: looked[at].block for at in used if looked[at].block is not None}
    return _Understood(raw, description, columns, encoding, used, label, y, blocks)


def _refusal(error: DataError) -> Refusal:
    sentence, hint = sentence_and_hint(error)
    return Refusal(sentence, hint or "")


def _known(
    source: ByteSource, kind: str, raw: RawTable, columns: list[Column], settings: TableSettings
) -> _Understood:
    """A table whose columns mean what those of another one meant."""
    encoding = settings.encoding or {}
    label, places = _places(columns, raw.named, source.path, encoding, settings.label)
    y, described_label = None, None
    if label is not None:
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
        warnings=list(raw.warnings),
    )
    return _Understood(raw, description, columns, encoding, places, label, y, {})


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


def _encoded(found: _Understood, settings: TableSettings) -> Dataset:
    """Rows, labels and all that is known of them."""
    description, raw = found.description, found.raw
    for refusal in description.refusals:
        raise (
            with_hint(DataError, refusal.sentence, refusal.hint)
            if refusal.hint
            else DataError(refusal.sentence)
        )
    records = found.encoding["columns"]
    widths = [width(record) for record in records]
    blocks, left_out = [], 0
    for at, record in zip(found.places, records, strict=True):
        if at in found.blocks:
            blocks.append(found.blocks.pop(at))
            continue
        block, lost = encode(found.columns[at], record)
        blocks.append(block)
        left_out += sum(lost.values())
        if lost:
            description.warnings.append(_about_unseen(record, lost))
    X = _join(blocks, widths, raw.table.num_rows, settings.dtype)
    column_names = [name for record in records for name in names(record)]
    described = Source(description.file, description.format, *describe_size(X), left_out)
    return Dataset(
        X,
        found.y,
        column_names,
        found.encoding,
        described,
        description=description,
        row_numbers=raw.row_numbers(),
        identifiers=_identifiers(found),
    )


def _about_unseen(record: dict[str, Any], lost: Counter[str]) -> str:
    what = {"category": "values", "words": "words", "number": "texts among its numbers"}[record["kind"]]
    count, shown = sum(lost.values()), few([repr(text) for text, _ in lost.most_common(4)], 3)
    return f"Column {record['name']!r} has {what} that the model does not know, in {count:,} places: {shown}."


def _identifiers(found: _Understood) -> dict[str, list[Any]]:
    """The cells of the columns that name the rows, where this file has them."""
    out: dict[str, list[Any]] = {}
    for each in found.encoding.get("identifiers", ()):
        at = each["position"]
        if found.raw.named and found.encoding["named"]:
            at = next(
                (place for place, one in enumerate(found.columns) if one.name == each["name"]),
                len(found.columns),
            )
        if at < len(found.columns):
            out[each["name"]] = found.columns[at].cells.to_pylist()
    return out


def _join(blocks: list[Any], widths: list[int], n_rows: int, dtype: Any) -> Any:
    """The blocks side by side: CSR where at most a third of the cells is filled, else dense."""
    total = sum(widths)
    if dtype is None:
        kinds = {block.dtype for block in blocks if not sparse.issparse(block)}
        dtype = np.float32 if kinds == {np.dtype(np.float32)} else np.float64
    filled = sum(
        block.nnz if not isinstance(block, np.ndarray) else np.count_nonzero(block) for block in blocks
    )
    if not is_dense(int(filled), n_rows, total):
        parts: list[Any] = []
        for is_sparse, group in itertools.groupby(blocks, sparse.issparse):
            several = list(group)
            parts += several if is_sparse else [sparse.csr_array(np.column_stack(several))]
        X = sparse.csr_array(sparse.hstack(parts, format="csr").astype(dtype))
        X.sort_indices()
        return X
    require_memory(n_rows * total * np.dtype(dtype).itemsize, "The rows of this table")
    dense = np.empty((n_rows, total), dtype=dtype)
    start = 0
    for block, size in zip(blocks, widths, strict=True):
        dense[:, start : start + size] = block[:, None] if isinstance(block, np.ndarray) else block.toarray()
        start += size
    return dense
