"""A table as rows and labels: which column is the label, and the others as columns of X."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.checker.text import DataError
from separatrix.data.compression import ByteSource
from separatrix.data.dataset import Dataset, Source, describe_size, is_dense
from separatrix.data.table_columns import Column, as_array, describe, encode, is_text, names, texts, width
from separatrix.data.tables import TableSettings, find_label, load_table, position


def read_table(source: ByteSource, kind: str, settings: TableSettings) -> Dataset:
    """All rows of a table."""
    header = settings.header
    if header is None and settings.encoding is not None and not settings.encoding["named"]:
        header = False
    table, named = load_table(source, kind, header)
    if table.num_columns == 0 or table.num_rows == 0:
        raise DataError(f"{source.path} holds no rows.")
    X, y, encoding, left_out = encode_table(table, named, source.path, settings)
    column_names = [name for record in encoding["columns"] for name in names(record)]
    described = Source(source.path, kind, *describe_size(X), left_out)
    return Dataset(X, y, column_names, encoding, described)


def encode_table(
    table: Any, named: bool, path: str, settings: TableSettings
) -> tuple[Any, NDArray[Any] | None, dict[str, Any], int]:
    """X, y, the encoding, and how many cells or words it had no place for."""
    encoding = settings.encoding
    names = table.column_names  # a new list each time that it is asked for
    label: int | None
    if encoding is None:
        label = _label_place(table, named, path, settings.label)
        chosen = _chosen(table, path, label, settings)
        records = [
            {
                **describe(Column(path, names[at], table.column(at)), settings.missing),
                "position": at,
            }
            for at in chosen
        ]
        encoding = {
            "format": "table",
            "named": named,
            "label": {"name": names[label], "position": label},
            "columns": records,
        }
    else:
        label, chosen = _places(table, named, path, encoding, settings.label)
        records = encoding["columns"]
    columns = [Column(path, names[at], table.column(at)) for at in chosen]
    blocks, left_out = [], 0
    for column, record in zip(columns, records, strict=True):
        block, lost = encode(column, record)
        blocks.append(block)
        left_out += lost
    X = _join(blocks, [width(record) for record in records], table.num_rows, settings.dtype)
    y = None if label is None else labels(Column(path, names[label], table.column(label)))
    return X, y, encoding, left_out


def _label_place(table: Any, named: bool, path: str, wanted: str | int | None) -> int:
    if wanted is not None:
        return position(wanted, table.column_names, path)
    found = find_label(table.column_names) if named else None
    if found is not None:
        return found
    # The last, unless it is free text: then the label is before it.
    last = int(table.num_columns) - 1
    if last > 0 and is_text(table.column(last)):
        record = describe_quietly(Column(path, table.column_names[last], table.column(last)))
        if record is None or record["kind"] == "words":
            return 0
    return last


def describe_quietly(column: Column) -> dict[str, Any] | None:
    """The record of a column that may be the label; None where it could not be encoded."""
    try:
        return describe(column, "zero")
    except DataError:
        return None


def _chosen(table: Any, path: str, label: int, settings: TableSettings) -> list[int]:
    dropped = {position(wanted, table.column_names, path) for wanted in settings.drop or ()} | {label}
    if settings.columns is None:
        return [at for at in range(table.num_columns) if at not in dropped]
    return [position(wanted, table.column_names, path) for wanted in settings.columns]


def _places(
    table: Any, named: bool, path: str, encoding: dict[str, Any], wanted: str | int | None
) -> tuple[int | None, list[int]]:
    """Places of the label (if it is there) and of the columns of an encoding in this table."""
    records, label = encoding["columns"], encoding["label"]
    if named and encoding["named"]:
        place = {
            name: at for at, name in reversed(list(enumerate(table.column_names)))
        }  # the first of a name
        missing = [record["name"] for record in records if record["name"] not in place]
        if missing:
            raise DataError(f"{path} has no column {missing[0]!r}; the data that were learnt from had one.")
        chosen = [place[record["name"]] for record in records]
        name = label["name"] if wanted is None else wanted
        if wanted is None and name not in table.column_names:
            return None, chosen
        return position(name, table.column_names, path), chosen
    places = [record["position"] for record in records]
    if table.num_columns > max([*places, label["position"]]):
        return (label["position"] if wanted is None else position(wanted, table.column_names, path)), places
    # Without the label, the columns after it are one place further left.
    places = [at - (at > label["position"]) for at in places]
    if table.num_columns <= max(places, default=0):
        raise DataError(f"{path} has {table.num_columns} columns; the data that were learnt from had more.")
    return None, places


def labels(column: Column) -> NDArray[Any]:
    """The labels: integers, numbers, booleans or texts."""
    import pyarrow as pa

    cells = texts(column.cells) if is_text(column.cells) else column.cells
    absent = as_array(cells.is_null())
    if absent.any():
        raise column.fail(f"is the label, and row {int(np.argmax(absent)) + 1} has none.")
    if is_text(column.cells):
        return np.array(cells.to_pylist())
    kind = cells.type
    if not (pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise column.fail(f"is the label, and holds {kind} cells; labels are numbers, booleans or texts.")
    return as_array(cells)


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
        parts: list[Any] = [
            block if sparse.issparse(block) else sparse.csr_array(block[:, None]) for block in blocks
        ]
        X = sparse.csr_array(sparse.hstack(parts, format="csr").astype(dtype))
        X.sort_indices()
        return X
    dense = np.empty((n_rows, total), dtype=dtype)
    start = 0
    for block, size in zip(blocks, widths, strict=True):
        dense[:, start : start + size] = block[:, None] if isinstance(block, np.ndarray) else block.toarray()
        start += size
    return dense
