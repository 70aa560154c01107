"""Excel and OpenDocument sheets, read with python-calamine: the values of cells, never their formulas or macros."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from separatrix.checker.text import DataError
from separatrix.data.compression import ByteSource
from separatrix.data.description import Setting, few
from separatrix.data.raw_table import (
    RawTable,
    TableSettings,
    check_size,
    column_of,
    integers_where_whole,
    read_all,
    unique_names,
)
from separatrix.data.sniff import header_of
from separatrix.errors import with_hint
from separatrix.memory import available_memory

_MOST_BYTES = 1 << 31
_PIECE = 1 << 20


def load_excel(pa: Any, source: ByteSource, settings: TableSettings) -> RawTable:
    """The table in a sheet."""
    path = source.path
    try:
        import python_calamine
    except ImportError:
        raise with_hint(
            DataError,
            f"{path} is an Excel file, which is read with python-calamine.",
            "pip install 'separatrix[excel]', or save the sheet as CSV",
        ) from None
    data = read_all(source.pieces(), path)
    _check_bytes(path, data)
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        name, how = _sheet(path, book, settings)
        sheet = book.get_sheet_by_name(name)
        rows = sheet.to_python(skip_empty_area=True)
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{path} cannot be read as an Excel file: {error}.") from None
    if not rows:
        raise DataError(f"{path}: sheet {name!r} holds no rows.")
    top = int(sheet.start[0]) + 1 if sheet.start else 1
    check_size(path, len(rows), len(rows[0]))
    sample = [["" if cell is None else str(cell) for cell in row] for row in rows[:100]]
    header = header_of(sample) if settings.header is None else settings.header
    if settings.header is None and settings.encoding is not None:
        header = bool(settings.encoding["named"])
    names = [f"column {at}" for at in range(len(rows[0]))]
    said: list[str] = []
    if header:
        names, said = unique_names([_name(cell) for cell in rows[0]])
        rows, top = rows[1:], top + 1
    columns = [integers_where_whole([_cell(cell) for cell in column]) for column in zip(*rows, strict=True)]
    if not columns:
        raise DataError(f"{path}: sheet {name!r} holds no rows below its header.")
    table = pa.table(dict(zip(names, (column_of(pa, column) for column in columns), strict=True)))
    sniffed = [Setting("sheet", name, how)] + ([] if header else [Setting("header", "none", "guessed")])
    return RawTable(
        table, header, "row", first=top, text={"sheet": settings.sheet}, sniffed=sniffed, warnings=said
    )


def _sheet(path: str, book: Any, settings: TableSettings) -> tuple[str, str]:
    """The name of the sheet, and how it was found: asked for, or the only one that holds anything."""
    names, wanted = list(book.sheet_names), settings.sheet
    if wanted is None:
        wanted = settings.known("sheet")
    if wanted is not None:
        if wanted in names:
            return str(wanted), "given"
        if str(wanted).isdecimal() and int(wanted) < len(names):
            return names[int(wanted)], "given"
        raise with_hint(
            DataError,
            f"{path} has no sheet {wanted!r}.",
            f"its sheets are {few([repr(name) for name in names], 20)}",
        )
    filled = [name for name in names if book.get_sheet_by_name(name).height > 0]
    if len(filled) > 1:
        raise with_hint(
            DataError,
            f"{path} has {len(filled)} sheets with cells: {few([repr(name) for name in filled], 20)}.",
            f"say which one with --sheet {filled[0]!r} (in Python sheet=)",
        )
    if not filled:
        raise DataError(f"{path} holds no cells.")
    return filled[0], "the only one with cells"


def _check_bytes(path: str, data: bytes) -> None:
    """Refuse a file whose parts are larger than memory when they are decompressed, whatever it says of their size."""
    most = min(_MOST_BYTES, available_memory() / 8)
    if not data.startswith(b"PK"):
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            size = 0
            for part in parts.infolist():
                with parts.open(part) as content:
                    while piece := content.read(_PIECE):
                        size += len(piece)
                        if size > most:
                            raise DataError(
                                f"{path} holds more than {most / 1e6:,.0f} MB when it is decompressed."
                            )
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise DataError(f"{path} cannot be read as an Excel file: {error}.") from None


def _name(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def _cell(cell: Any) -> Any:
    return None if cell == "" else cell
