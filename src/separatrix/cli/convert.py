"""separatrix convert: a data file as a store, a folder of plain arrays that is read from disk as it is needed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from separatrix.cli.inputs import (
    TABLE_DEFAULTS,
    DataFile,
    Force,
    Json,
    Quiet,
    TableOptions,
    progress_of,
    reads_tables,
)
from separatrix.cli.output import CommandError, ExitCode, Output, counted
from separatrix.cli.progress import waiting


@reads_tables
def convert(
    data: DataFile,
    store: Annotated[str, typer.Argument(metavar="STORE", help="The folder to make.", show_default=False)],
    float32: Annotated[
        bool, typer.Option("--float32", help="Round every value to single precision.")
    ] = False,
    tables: TableOptions = TABLE_DEFAULTS,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Make a store of a data file: for data larger than memory, and for reading the same file often.

    Every command takes a store wherever it takes a file. An interrupted conversion leaves nothing behind.

    \b
    Examples:
      separatrix convert data.svm data.store
      separatrix fit data.store
      separatrix convert data.csv table.store --label species --float32
    """
    from separatrix.data.convert import convert as make_store
    from separatrix.data.store import HEADER

    output, began, target = Output(as_json, quiet), time.perf_counter(), Path(store)
    if target.exists() and not (target / HEADER).exists():
        raise CommandError(
            f"{store} exists and is no store; it was left as it is.", "choose another name for STORE"
        )
    if target.exists() and not force:
        raise CommandError(f"The store {store} exists already.", "--force replaces it")
    reading = tables.settings(quiet)
    with waiting(f"converting {data}", quiet) as say:
        found = make_store(
            data,
            target,
            overwrite=force,
            dtype="float32" if float32 else None,
            on_progress=progress_of(data, say),
            **reading.options(),
        )
    seconds = time.perf_counter() - began
    source = found.source
    size = sum(file.stat().st_size for file in target.iterdir())
    record = {
        "data": {"file": data, "format": source.format, "rows": source.rows, "columns": source.columns},
        "store": store,
        "bytes": size,
        "seconds": seconds,
    }
    content = (
        f"{counted(source.rows, 'row')}, {counted(source.columns, 'column')}, {source.nonzeros:,} entries"
    )
    lines = [
        ("data", f"{data}: {content}"),
        ("store", f"{store} ({size / 1e6:,.1f} MB)"),
        ("time", f"{seconds:.2f} s"),
    ]
    output.answer("convert", record, lines)
    return ExitCode.DONE
