"""Tables of typed columns: text, JSON, Excel, ARFF, Parquet, Arrow. `encode_table` makes rows of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from separatrix.checker.text import DataError
from separatrix.data.arff import load_arff
from separatrix.data.compression import ByteSource
from separatrix.data.delimited import load_delimited
from separatrix.data.excel import load_excel
from separatrix.data.json_lines import load_json
from separatrix.data.raw_table import RawTable, TableSettings, check_size, own_buffer, read_all, unique_names
from separatrix.errors import with_hint

TABLES = ("csv", "tsv", "jsonl", "excel", "arff", "parquet", "arrow")


def load_table(source: ByteSource, kind: str, settings: TableSettings) -> RawTable:
    """The table in a file of any of these formats."""
    pa = _pyarrow()
    if kind in ("csv", "tsv"):
        raw = load_delimited(pa, source, kind, settings)
    elif kind == "jsonl":
        raw = load_json(pa, source)
    elif kind == "excel":
        raw = load_excel(pa, source, settings)
    elif kind == "arff":
        raw = load_arff(pa, source)
    else:
        raw = _load_typed(pa, source, kind)
    if raw.table.num_columns == 0 or raw.table.num_rows == 0:
        raise DataError(f"{source.path} holds no rows.")
    return raw


def _load_typed(pa: Any, source: ByteSource, kind: str) -> RawTable:
    from pyarrow import feather, parquet

    where: Any = source.path
    if source.compression or source.path == "-":
        where = pa.BufferReader(own_buffer(pa, read_all(source.pieces(), source.path)))
    try:
        if kind == "parquet":
            with parquet.ParquetFile(where) as file:
                check_size(source.path, file.metadata.num_rows, file.metadata.num_columns)
                table = file.read()
        else:
            table = feather.read_table(where)
    except (pa.ArrowException, OSError) as error:
        text = " ".join(str(error).split())[:300]
        raise DataError(f"{source.path} cannot be read as {kind}: {text}") from None
    names, said = unique_names(table.column_names)
    return RawTable(table.rename_columns(names), True, warnings=said)


def position(wanted: str | int, names: Sequence[str], path: str) -> int:
    """The position of a column given by name, or by number from 0 (negative from the end).

    >>> position("b", ["a", "b"], "x"), position(-1, ["a", "b"], "x"), position("0", ["a", "b"], "x")
    (1, 1, 0)
    """
    if isinstance(wanted, str) and wanted in names:
        return list(names).index(wanted)
    try:
        number = int(wanted)
    except ValueError:
        near = [name for name in names if name.strip().lower() == str(wanted).strip().lower()]
        shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
        raise with_hint(
            DataError,
            f"{path} has no column {wanted!r}; its columns are {shown}.",
            f"did you mean {near[0]!r}" if near else "columns go by name, or by number from 0",
        ) from None
    if not -len(names) <= number < len(names):
        raise DataError(f"{path} has {len(names)} columns; there is no column {number}.")
    return number % len(names)


def positions(wanted: Sequence[str | int] | str | int | None, names: Sequence[str], path: str) -> list[int]:
    """The positions of several columns; a text may name several, separated by commas.

    >>> positions(["a,c"], ["a", "b", "c"], "x")
    [0, 2]
    """
    if wanted is None:
        return []
    each = [wanted] if isinstance(wanted, str | int) else list(wanted)
    parts: list[str | int] = []
    for one in each:
        if isinstance(one, str) and one not in names and "," in one:
            parts += [part.strip() for part in one.split(",") if part.strip()]
        else:
            parts.append(one)
    return list(dict.fromkeys(position(part, names, path) for part in parts))


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.compute  # its functions on columns
    except ImportError:
        raise with_hint(
            DataError,
            "Tables are read with pyarrow, which is not installed.",
            "pip install 'separatrix[files]'",
        ) from None
    return pyarrow
