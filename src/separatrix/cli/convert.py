"""separatrix convert: a data file as a store (plain arrays that are read from disk), or as text for the checkers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from separatrix.cli.inputs import (
    DataFile,
    Force,
    Json,
    Quiet,
    Table,
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
    *,
    tables: TableOptions,
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
    known: dict[str, Any] = {}
    if like is not None:
        from separatrix.cli.files import columns_of, load_model

        known = columns_of(load_model(like, certificates=False))
    as_text = out.lower().endswith(_TEXTS)
    if as_text:
        from separatrix.cli.files import claim

        claim(Path(out), lambda path: False, force, "another name for OUT")
        kind, *sizes = _to_text(read(data, tables, quiet, **known), out, float32)
        size = Path(out).stat().st_size
    else:
        _claim_store(out, force)
        with waiting(f"converting {data}", quiet) as say:
            wanted = {**tables.of_tables(), **known, "on_progress": progress_of(data, say)}
            kind, *sizes = _to_store(data, out, float32, force, wanted)
        size = sum(file.stat().st_size for file in Path(out).iterdir())
    seconds = time.perf_counter() - began
    rows, columns, entries = sizes
    record = {"file": data, "format": kind, "rows": rows, "columns": columns}
    content = f"{counted(rows, 'row')}, {counted(columns, 'column')}, {entries:,} entries"
    lines: list[Line] = [
        ("data", f"{data}: {content}"),
        ("text" if as_text else "store", f"{out} ({size / 1e6:,.1f} MB)"),
        ("time", f"{seconds:.2f} s"),
    ]
    output.answer("convert", {"data": record, "store": out, "bytes": size, "seconds": seconds}, lines)
    return ExitCode.DONE


def _claim_store(out: str, force: bool) -> None:
    """Refuse a place where a store may not be made."""
    from separatrix.data.store import HEADER

    target = Path(out)
    if target.exists() and not (target / HEADER).exists():
        raise CommandError(
            f"{out} exists and is no store; it was left as it is.", "choose another name for OUT"
        )
    if target.exists() and not force:
        raise CommandError(f"The store {out} exists already.", "--force replaces it")


def _to_store(
    data: str, out: str, float32: bool, force: bool, wanted: dict[str, Any]
) -> tuple[str, int, int, int]:
    """Make a store; returns the format that was read, rows, columns and entries."""
    from separatrix.data.convert import convert as make_store

    source = make_store(data, out, overwrite=force, dtype="float32" if float32 else None, **wanted).source
    return source.format, source.rows, source.columns, source.nonzeros


def _to_text(table: Table, out: str, float32: bool) -> tuple[str, int, int, int]:
    """Write rows as text; returns the format that was read, rows, columns and entries."""
    import numpy as np

    from separatrix.data.dataset import describe_size
    from separatrix.data.export import export_rows

    X = table.X.astype(np.float32) if float32 else table.X
    export_rows(X, table.y, out)
    return table.format, *describe_size(X)
