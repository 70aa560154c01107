"""Bodies of requests by their type: JSON tensors, NDJSON (a row a line), Arrow IPC streams."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.serve.errors import RequestError
from separatrix.serve.tensors import Asked, as_rows, parse, read_request

JSON = "application/json"
NDJSON = "application/x-ndjson"
ARROW = "application/vnd.apache.arrow.stream"
OCTETS = "application/octet-stream"
_COMPRESSION = 3  # field of a RecordBatch in Arrow's Message.fbs


def read_body(body: bytes, content_type: str, header: str | None, max_rows: int) -> Asked:
    """The request in a body; a `RequestError` with a sentence for whatever is wrong with it."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind in ("", JSON) or (kind == OCTETS and header is not None):
        asked = read_request(body, header)
    elif kind in (NDJSON, "application/ndjson", "application/jsonl"):
        asked = _ndjson(body, max_rows)
    elif kind == ARROW:
        asked = _arrow(body, max_rows)
    else:
        raise RequestError(f"Bodies are {JSON}, {NDJSON} or {ARROW}; got {kind[:60]!r}.", 415)
    if asked.X is not None and len(asked.X) > max_rows:
        raise RequestError(f"A request has at most {max_rows:,} rows; got {len(asked.X):,}.", 413)
    if asked.labels is not None and asked.X is not None and len(asked.labels) != len(asked.X):
        raise RequestError(f"X has {len(asked.X)} rows and y has {len(asked.labels)} labels.")
    return asked


def _ndjson(body: bytes, max_rows: int) -> Asked:
    """Lines {"x": [...], "y": label}, all with a label or none."""
    lines = [line for line in body.split(b"\n") if line.strip()]
    if not lines:
        raise RequestError('The body has no lines; a line is {"x": [numbers], "y": label}.')
    if len(lines) > max_rows:
        raise RequestError(f"A request has at most {max_rows:,} rows; got {len(lines):,}.", 413)
    rows, labels = [], []
    for number, line in enumerate(lines, 1):
        value = parse(line)
        if not isinstance(value, dict) or not isinstance(value.get("x"), list):
            raise RequestError(f'Line {number} must be an object {{"x": [numbers], "y": label}}.')
        rows.append(value["x"])
        if "y" in value:
            labels.append(value["y"])
    if labels and len(labels) != len(rows):
        raise RequestError(f"{len(labels)} of {len(rows)} lines have a label; all must have one, or none.")
    try:
        X = np.array(rows)
    except (ValueError, OverflowError):
        raise RequestError(
            "The lines have rows of different lengths, or of things that are no numbers."
        ) from None
    if X.dtype.kind not in "iufb":
        raise RequestError("The lines hold things that are no numbers.")
    return Asked(as_rows(X), labels or None)


def _arrow(body: bytes, max_rows: int) -> Asked:
    """Record batches: the column y holds labels, the others are the columns of X in their order."""
    try:
        import pyarrow as pa
    except ImportError:
        raise RequestError(
            "Arrow needs pyarrow at the server: pip install 'separatrix[files]'.", 415
        ) from None
    try:
        _check_messages(pa, body)
        with pa.ipc.open_stream(body) as stream:
            batches, rows = [], 0
            for batch in stream:
                rows += batch.num_rows
                if rows > max_rows:
                    raise RequestError(f"A request has at most {max_rows:,} rows; got more.", 413)
                batch.validate(full=True)
                batches.append(batch)
            table = pa.Table.from_batches(batches, stream.schema)
        return _of_table(pa, table)
    except (pa.ArrowException, ValueError, OSError, TypeError, KeyError, IndexError, OverflowError) as error:
        if isinstance(error, RequestError):
            raise
        raise RequestError(f"The body is not an Arrow stream that can be read: {str(error)[:200]}.") from None


def _check_messages(pa: Any, body: bytes) -> None:
    """Refuse compressed batches: a small body could become any amount of memory."""
    reader = pa.ipc.MessageReader.open_stream(body)
    for message in reader:
        if message.type == "record batch" and _has_field(message.metadata.to_pybytes(), _COMPRESSION):
            raise RequestError("Arrow streams must not be compressed.", 415)


def _has_field(content: bytes, field: int) -> bool:
    """True if the table in the header of an Arrow message has a field, by the vtables of its flatbuffer."""

    def number(place: int, size: int) -> int:
        return int.from_bytes(content[place : place + size], "little")

    def offset(table: int, wanted: int) -> int:
        vtable = table - int.from_bytes(content[table : table + 4], "little", signed=True)
        place = 4 + 2 * wanted
        return number(vtable + place, 2) if place < number(vtable, 2) else 0

    root = number(0, 4)
    header = root + offset(root, 2)  # version, header_type, header
    return bool(offset(header + number(header, 4), field))


def _of_table(pa: Any, table: Any) -> Asked:
    if not table.num_rows:
        raise RequestError("The Arrow stream has no rows.")
    labels, columns = None, []
    for name, column in zip(table.column_names, table.columns, strict=True):
        if column.null_count:
            raise RequestError(f"The column {name[:40]!r} has missing values.")
        if name == "y":
            if not _plain(pa, column.type, labels=True):
                raise RequestError(
                    f"The labels are of type {str(column.type)[:60]}; numbers or texts are expected."
                )
            labels = column.to_pylist()
        elif pa.types.is_fixed_size_list(column.type) and len(table.column_names) <= 2:
            if not _plain(pa, column.type.value_type):
                raise RequestError(f"The column {name[:40]!r} must hold lists of numbers.")
            values = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
            return Asked(as_rows(values.reshape(table.num_rows, -1)), _other(pa, table, name))
        elif not _plain(pa, column.type):
            raise RequestError(
                f"The column {name[:40]!r} is of type {str(column.type)[:60]}; numbers are expected."
            )
        else:
            columns.append(column.to_numpy())
    if not columns:
        raise RequestError("The Arrow stream has no columns but y.")
    for values in columns:
        if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
            as_rows(values.reshape(-1, 1))
    return Asked(as_rows(np.column_stack([values.astype(np.float64) for values in columns])), labels)


def _other(pa: Any, table: Any, name: str) -> list[Any] | None:
    """The labels that go with a column of lists."""
    names = [other for other in table.column_names if other != name]
    if not names:
        return None
    column = table.column(names[0])
    if names != ["y"] or column.null_count or not _plain(pa, column.type, labels=True):
        raise RequestError(
            "Beside a column of lists there may be the labels, a column y of numbers or texts."
        )
    return list(column.to_pylist())


def _plain(pa: Any, kind: Any, labels: bool = False) -> bool:
    """True for numbers; for labels, texts and booleans too."""
    types = pa.types
    if labels and (types.is_string(kind) or types.is_large_string(kind) or types.is_boolean(kind)):
        return True
    return bool(types.is_integer(kind) or types.is_floating(kind))
