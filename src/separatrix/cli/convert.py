"""separatrix convert: a data file as a store (plain arrays that are read from disk), or as text for the checkers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from separatrix.cli.inputs import (
    TABLE_DEFAULTS,
    DataFile,
    Force,
    Json,
    Quiet,
    Reading,
    TableOptions,
    progress_of,
    read,
    reads_tables,
)
from separatrix.cli.output import CommandError, ExitCode, Line, Output, counted
from separatrix.cli.progress import waiting

_TEXTS = (".svm", ".libsvm", ".svmlight", ".txt", ".csv", ".svm.gz", ".libsvm.gz", ".txt.gz", ".csv.gz")


@reads_tables
def convert(
    data: DataFile,
    out: Annotated[
        str,
        typer.Argument(
            metavar="OUT", help="The store, a folder to make; or a text, .svm or .csv.", show_default=False
        ),
    ],
    float32: Annotated[
        bool, typer.Option("--float32", help="Round every value to single precision.")
    ] = False,
    like: Annotated[
        str | None,
        typer.Option(help="A model: the rows as it sees them, categories and missing cells as in its fit."),
    ] = None,
    tables: TableOptions = TABLE_DEFAULTS,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Make a store of a data file: for data larger than memory, and for reading the same file often.

    Every command takes a store wherever it takes a file. An interrupted conversion leaves nothing behind.
    OUT.svm or OUT.csv is text: the rows as numbers, exactly, for checkers that cannot read a table with texts.

    \b
    Examples:
      separatrix convert data.svm data.store
      separatrix fit data.store
      separatrix convert data.csv table.store --label species --float32
      separatrix convert data.csv rows.svm --label species
      separatrix convert new.svm new-rows.svm --like data.model.safetensors
    """
    output, began = Output(as_json, quiet), time.perf_counter()
    reading = tables.settings(quiet)
    if like is not None:
        from separatrix.cli.files import load_model

        reading = reading.like(load_model(like, certificates=False))
    if out.lower().endswith(_TEXTS):
        record, content = _to_text(data, out, reading, float32, force)
        size = Path(out).stat().st_size
    else:
        record, content = _to_store(data, out, reading, float32, force)
        size = sum(file.stat().st_size for file in Path(out).iterdir())
    seconds = time.perf_counter() - began
    lines: list[Line] = [
        ("data", f"{data}: {content}"),
        ("text" if out.lower().endswith(_TEXTS) else "store", f"{out} ({size / 1e6:,.1f} MB)"),
        ("time", f"{seconds:.2f} s"),
    ]
    output.answer("convert", {"data": record, "store": out, "bytes": size, "seconds": seconds}, lines)
    return ExitCode.DONE


def _to_store(
    data: str, out: str, reading: Reading, float32: bool, force: bool
) -> tuple[dict[str, Any], str]:
    """Make a store; what was read, as a record and in words."""
    from separatrix.data.convert import convert as make_store
    from separatrix.data.store import HEADER

    target = Path(out)
    if target.exists() and not (target / HEADER).exists():
        raise CommandError(
            f"{out} exists and is no store; it was left as it is.", "choose another name for STORE"
        )
    if target.exists() and not force:
        raise CommandError(f"The store {out} exists already.", "--force replaces it")
    with waiting(f"converting {data}", reading.quiet) as say:
        found = make_store(
            data,
            target,
            overwrite=force,
            dtype="float32" if float32 else None,
            encoding=reading.encoding,
            n_columns=reading.n_columns,
            on_progress=progress_of(data, say),
            **reading.options(),
        )
    source = found.source
    sizes = {"file": data, "format": source.format, "rows": source.rows, "columns": source.columns}
    return sizes, _words(source.rows, source.columns, source.nonzeros)


def _to_text(data: str, out: str, reading: Reading, float32: bool, force: bool) -> tuple[dict[str, Any], str]:
    """Write rows as text; what was read, as a record and in words."""
    import numpy as np

    from separatrix.cli.files import claim
    from separatrix.data.dataset import describe_size
    from separatrix.data.export import export_rows

    claim(Path(out), lambda path: False, force, "another name for OUT")
    table = read(data, reading)
    X = table.X.astype(np.float32) if float32 else table.X
    export_rows(X, table.y, out)
    rows, columns, entries = describe_size(X)
    return {"file": data, "format": table.format, "rows": rows, "columns": columns}, _words(
        rows, columns, entries
    )


def _words(rows: int, columns: int, entries: int) -> str:
    return f"{counted(rows, 'row')}, {counted(columns, 'column')}, {entries:,} entries"
