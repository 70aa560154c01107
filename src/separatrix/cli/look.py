"""separatrix look: the label and the columns that would be read from a table, without learning from it."""

from __future__ import annotations

import time
from pathlib import Path

from separatrix.cli.inputs import DataFile, Json, Quiet, TableOptions, progress_of, read_rows, reads_tables
from separatrix.cli.output import ExitCode, Line, Output, counted, wrapped
from separatrix.cli.progress import waiting


@reads_tables
def look(
    data: DataFile,
    *,
    tables: TableOptions,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Show what would be made of a file: the label and why, the kind of each column, what is missing or suspicious.

    Nothing is learnt and nothing is written. What separatrix fit would refuse is listed, with the way on.

    \b
    Examples:
      separatrix look data.csv
      separatrix look data.csv --label species --drop width
      separatrix look data.csv --json
    """
    output, began = Output(as_json, quiet), time.perf_counter()
    record, lines = _described(data, tables, quiet)
    lines.append(("time", f"{time.perf_counter() - began:.2f} s"))
    output.answer("look", record, lines)
    return ExitCode.DONE


def _described(data: str, tables: TableOptions, quiet: bool) -> tuple[dict[str, object], list[Line]]:
    """The description of a table; of a file without columns, what is in it."""
    from separatrix.data.compression import ByteSource
    from separatrix.data.formats import guess_format
    from separatrix.data.read import describe
    from separatrix.data.tables import TABLES

    kind = tables.format
    if kind is None and data != "-" and not Path(data).is_dir():
        open(data, "rb").close()  # a missing or unreadable file raises OSError
        with ByteSource(data) as source:
            kind = guess_format(data, source.head)
    if data != "-" and kind not in TABLES:
        table = read_rows(data, tables, quiet)
        return {"data": table.record(), "refusals": []}, table.lines()
    with waiting(f"reading {data}", quiet) as show:
        found = describe(data, on_progress=progress_of(data, show), **tables.of_tables())
    size = (
        f"{counted(found.rows, 'row')}, {counted(len(found.columns) + (found.label is not None), 'column')}"
    )
    lines: list[Line] = [("data", f"{data}: {found.format}, {size}")]
    for name, text in found.whole():
        lines += wrapped(name, text)
    if found.label is not None:
        classes = [f"{count:,} of {label}" for label, count in found.label.classes[:6]]
        lines += wrapped("classes", ", ".join(classes) + (", ..." if len(found.label.classes) > 6 else ""))
    return {"data": {"file": data, "format": found.format, "rows": found.rows}, **found.record()}, lines
