"""Data files as arrays, and the options that say how to read them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from separatrix.cli.output import CommandError, Line, counted, listed, say, wrapped
from separatrix.cli.progress import waiting

DataFile = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="LIBSVM text, CSV, TSV, JSON lines, Excel, Parquet, Arrow, Feather, ARFF, npz, npy, IDX, or a store of "
        "separatrix convert; text also as .gz, .bz2, .xz or .zst; - is standard input.",
        show_default=False,
    ),
]
_MOST_WARNINGS = 10  # warnings about a table that a command prints; `separatrix look` prints all
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notes and no progress.")]
ProofFile = Annotated[
    str | None,
    typer.Option(
        "--certificate", "-o", help="Save the proof here; for many classes, in a folder of this name."
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that separatrix did not write.")]


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """The options of every command that reads tables, in the order in which --help shows them."""

    label: Annotated[
        str | None,
        typer.Option(
            help="Tables: the column of the labels, by name or number from 0. [default: one named label or target, "
            "else the last; refused where another could be meant]",
        ),
    ] = None
    columns: Annotated[
        list[str] | None, typer.Option(help="Tables: the columns to use, by name or number: a,b,c.")
    ] = None
    drop: Annotated[list[str] | None, typer.Option(help="Tables: the columns to leave out: a,b,c.")] = None
    categorical: Annotated[
        list[str] | None,
        typer.Option(help="Tables: columns whose values are names, even if they look like numbers."),
    ] = None
    missing: Annotated[
        str, typer.Option(help="Tables: refuse missing values, or fill in mean, median or zero.")
    ] = "refuse"
    delimiter: Annotated[
        str | None, typer.Option(help="Text tables: what separates two cells; space, tab. [default: guessed]")
    ] = None
    decimal: Annotated[
        str | None, typer.Option(help="Text tables: the decimal sign, . or a comma. [default: guessed]")
    ] = None
    text_encoding: Annotated[
        str | None, typer.Option("--encoding", help="Text tables: utf-8, latin-1, ... [default: guessed]")
    ] = None
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Text tables: whether the first line names the columns. [default: guessed]",
            show_default=False,
        ),
    ] = None
    sheet: Annotated[
        str | None, typer.Option(help="Excel: the sheet, by name or number from 0. [default: the only one]")
    ] = None
    format: Annotated[
        str | None, typer.Option(help="Format of DATA, such as libsvm or csv. [default: by name and content]")
    ] = None

    def of_tables(self) -> dict[str, Any]:
        """Return these options alone, by the names that `separatrix.read` and `convert` have for them."""
        return {each.name: getattr(self, each.name) for each in fields(TableOptions)}


def reads_tables(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options of `TableOptions`; it gets them as one keyword argument, ``tables``."""
    own = inspect.signature(command)
    hints = get_type_hints(command, include_extras=True)
    table_hints = get_type_hints(TableOptions, include_extras=True)
    names = [each.name for each in fields(TableOptions)]

    @functools.wraps(command)
    def run(**given: Any) -> int:
        tables = TableOptions(**{name: given.pop(name) for name in names if name in given})
        return command(**given, tables=tables)

    parameters: list[inspect.Parameter] = []
    for parameter in own.parameters.values():
        if parameter.name != "tables":
            parameters.append(parameter.replace(annotation=hints[parameter.name]))
            continue
        for each in fields(TableOptions):
            hint = table_hints[each.name]
            parameters.append(
                inspect.Parameter(each.name, parameter.kind, default=each.default, annotation=hint)
            )
    run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": int}
    return run


@dataclass(frozen=True, eq=False)
class Table:
    """Rows X (n, d), labels y (n,) or None, and how the file's columns became those of X."""

    X: Any
    y: Any
    file: str
    format: str
    columns: list[str] | None
    encoding: dict[str, Any] | None
    left_out: int = 0  #: entries and categories that an encoding had no place for
    description: Any = None  #: a `separatrix.data.description.TableDescription`, of tables
    numbers: Any = None  #: the number of each row in the file, where that is not simply 1, 2, ...
    identifiers: dict[str, list[Any]] = field(default_factory=dict)  #: cells of columns that name the rows

    @property
    def row_numbers(self) -> Any:
        """The number of each row (n,) in the file, as people count: lines of a text table, rows of a sheet."""
        import numpy as np

        return np.arange(1, self.X.shape[0] + 1) if self.numbers is None else self.numbers

    @property
    def row_word(self) -> str:
        """The word that goes with those numbers: "line" or "row"."""
        return "row" if self.description is None else str(self.description.row_word)

    def record(self) -> dict[str, Any]:
        """Return the contents of the file in numbers, for the JSON object."""
        n, d = self.X.shape
        found = {
            "file": self.file,
            "format": self.format,
            "rows": n,
            "columns": d,
            "nonzeros": _nonzeros(self.X),
            "classes": dict(_counts(self.y)),
        }
        return found | ({} if self.description is None else {"description": self.description.record()})

    def lines(self) -> list[Line]:
        """Return the contents of the file in words."""
        n, d = self.X.shape
        share = _nonzeros(self.X) / max(1, n * d)
        full = "" if share > 0.995 else f", {100 * share:.2g} % of the entries nonzero"
        size = f"{counted(n, 'row')}, {counted(d, 'column')}{full}"
        each = [f"{count:,} of {label}" for label, count in _counts(self.y)]
        found = [] if self.description is None else self.description.lines()
        described = [line for name, text in found for line in wrapped(name, text)]
        return [("data", f"{self.file}: {size}"), *described, *wrapped("classes", listed(each, 6))]


def read(path: str, tables: TableOptions, quiet: bool = False, **known: Any) -> Table:
    """Return the table in a file, with labels; ``known`` is as for `read_rows`."""
    table = read_rows(path, tables, quiet, **known)
    if table.y is None:
        raise CommandError(f"{path} holds no labels.", "name their column with --label")
    return table


def read_rows(
    path: str,
    tables: TableOptions,
    quiet: bool = False,
    *,
    n_columns: int | None = None,
    encoding: dict[str, Any] | None = None,
) -> Table:
    """Return the table in a file, without labels where it has none.

    ``n_columns`` or ``encoding`` is what a model or a certificate says of the columns, see `separatrix.read`.
    """
    from separatrix.data.read import read as read_file

    if path != "-" and not Path(path).is_dir():
        open(path, "rb").close()  # a missing or unreadable file raises OSError
    with waiting(f"reading {path}", quiet) as show:
        found = read_file(
            path,
            n_columns=n_columns,
            encoding=encoding,
            on_progress=progress_of(path, show),
            **tables.of_tables(),
        )
    if found.X.shape[0] == 0:
        raise CommandError(f"{path} holds no rows.")
    if found.description is not None and not quiet:
        _announce(found.description, name_label=encoding is None)
    source = found.source
    return Table(
        found.X,
        found.y,
        path,
        source.format,
        found.column_names,
        found.encoding,
        source.left_out,
        found.description,
        found.row_numbers,
        found.identifiers,
    )


def _announce(description: Any, name_label: bool) -> None:
    """Say on stderr what the label is and what looks wrong in the file, before the table is used."""
    if description.label is not None and name_label:
        say("note", f"The label is {description.label.name!r}: {description.label.why}.")
    for warning in description.warnings[:_MOST_WARNINGS]:
        say("note", warning)
    more = len(description.warnings) - _MOST_WARNINGS
    if more > 0:
        say(
            "note",
            f"There are {counted(more, 'more warning')}; separatrix look {description.file} shows them.",
        )


def kernel_matrix(table: Table) -> Table:
    """A file of kernel values as the matrix alone: LIBSVM's format for -t 4 numbers the rows in an index 0.

    label 0:i 1:K(x_i, x_1) 2:K(x_i, x_2) ...
    """
    import numpy as np

    if table.format != "libsvm" or not (table.encoding or {}).get("zero_based"):
        return table
    X = table.X.toarray() if hasattr(table.X, "indptr") else table.X
    return replace(table, X=np.ascontiguousarray(X[:, 1:]))


def class_weights(texts: list[str] | None, y: Any) -> dict[Any, float] | str | None:
    """Return the weights of the classes by their labels as they are in y; "balanced" if that is asked for."""
    if texts is None:
        return None
    if texts == ["balanced"]:
        return "balanced"
    import numpy as np

    labels = {_text(label): label for label in np.unique(y).tolist()}
    weights = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        if _text(name) not in labels:
            shown = ", ".join(map(str, list(labels.values())[:20]))
            raise CommandError(
                f"-w {text}: there is no class {name!r}; the classes are {shown}.", "write -w LABEL=WEIGHT"
            )
        try:
            weights[labels[_text(name)]] = float(number)
        except ValueError:
            raise CommandError(f"-w {text}: a weight must be a number; got {number!r}.") from None
    return weights


def _text(label: Any) -> str:
    """Return a label as text; 1, 1.0 and "+1" are the same."""
    try:
        return repr(float(label))
    except (TypeError, ValueError):
        return str(label)


def progress_of(path: str, say: Callable[[str], None]) -> Callable[[int, int | None], None]:
    """Return a function that shows how much of a file has been read."""

    def show(done: int, total: int | None) -> None:
        say(f"reading {path}: {done / 1e6:,.0f} MB" + (f" of {total / 1e6:,.0f}" if total else ""))

    return show


def _nonzeros(X: Any) -> int:
    """Entries of X that are not zero."""
    import numpy as np

    return int(np.count_nonzero(X.data if hasattr(X, "indptr") else X))


def _counts(y: Any) -> list[tuple[Any, int]]:
    """Each class with the number of its rows."""
    import numpy as np

    if y is None:
        return []
    classes, counts = np.unique(y, return_counts=True)
    return list(zip(classes.tolist(), counts.tolist(), strict=True))
