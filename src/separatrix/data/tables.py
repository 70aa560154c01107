"""Tables of typed columns: CSV and TSV text, Parquet, Arrow. pyarrow reads them; `encode_table` makes rows."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from separatrix.checker.text import DataError
from separatrix.data.compression import ByteSource

_MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"]  # cells of text that hold nothing


@dataclass(frozen=True)
class TableSettings:
    """Options for a table; see `separatrix.read`."""

    label: str | int | None = None
    columns: Sequence[str | int] | None = None
    drop: Sequence[str | int] | None = None
    categorical: Sequence[str | int] | None = None
    missing: str = "refuse"
    header: bool | None = None
    delimiter: str | None = None
    decimal: str | None = None
    text_encoding: str | None = None
    sheet: str | int | None = None
    encoding: dict[str, Any] | None = None
    dtype: Any = None


def load_table(source: ByteSource, kind: str, header: bool | None) -> tuple[Any, bool]:
    """A pyarrow table, and whether its column names come from the file."""
    pa = _pyarrow()
    try:
        if kind in ("csv", "tsv"):
            return _load_text(pa, source, kind, header)
        file = source.stream() if source.compression or source.path == "-" else None
        where = pa.BufferReader(file.read()) if file is not None else source.path
        if kind == "parquet":
            from pyarrow import parquet

            return parquet.read_table(where), True
        from pyarrow import feather

        return feather.read_table(where), True
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise DataError(f"{source.path} cannot be read as {kind}: {_one_line(error)}") from None


def _load_text(pa: Any, source: ByteSource, kind: str, header: bool | None) -> tuple[Any, bool]:
    from pyarrow import csv as arrow_csv

    comma = "\t" if kind == "tsv" else ","
    has_header = looks_like_header(source.head, comma) if header is None else header
    try:
        table = arrow_csv.read_csv(
            source.stream(),
            read_options=arrow_csv.ReadOptions(autogenerate_column_names=not has_header),
            # Tab-separated text has no quotes: a quotation mark is a character like any other.
            parse_options=arrow_csv.ParseOptions(
                delimiter=comma, quote_char='"' if comma == "," else False, newlines_in_values=comma == ","
            ),
            convert_options=arrow_csv.ConvertOptions(null_values=_MISSING, strings_can_be_null=True),
        )
    except pa.ArrowInvalid as error:
        raise DataError(f"{source.path} cannot be read as {kind}: {_one_line(error)}") from None
    if has_header:
        return table.rename_columns([name.strip() for name in table.column_names]), True
    return table.rename_columns([f"column {number}" for number in range(table.num_columns)]), False


def looks_like_header(head: bytes, comma: str) -> bool:
    """True if the first record names the columns: nothing in it is a number, and something in the next is.

    >>> looks_like_header(b"age,city\\n31,Bern\\n", ","), looks_like_header(b"31,Bern\\n", ",")
    (True, False)
    """
    text = head.decode("utf-8-sig", "replace").splitlines()
    records = [record for record in csv.reader(text[:4], delimiter=comma) if record][:2]
    if not records or any(map(_is_number, records[0])):
        return False
    return len(records) == 1 or any(map(_is_number, records[1])) or _names_a_label(records[0])


def _names_a_label(record: Sequence[str]) -> bool:
    return find_label([field.strip() for field in record]) is not None


def find_label(names: Sequence[str]) -> int | None:
    """The position of a column whose name says that it is the label.

    >>> find_label(["age", "Class"]), find_label(["a", "b"])
    (1, None)
    """
    lower = [name.lower() for name in names]
    return next((lower.index(name) for name in ("label", "class", "target", "y") if name in lower), None)


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
        raise DataError(
            f"{path} has no column {wanted!r}; its columns are {', '.join(names[:20])}."
        ) from None
    if not -len(names) <= number < len(names):
        raise DataError(f"{path} has {len(names)} columns; there is no column {number}.")
    return number % len(names)


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 300 else text[:300] + " ..."


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.compute  # its functions on columns
    except ImportError:
        raise DataError(
            "CSV, TSV, Parquet and Arrow files are read with pyarrow: pip install 'separatrix[files]'."
        ) from None
    return pyarrow
