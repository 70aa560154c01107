"""Data files as arrays, and the options that say how to read them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from separatrix.cli.output import CommandError, Line, counted, listed, wrapped
from separatrix.cli.progress import waiting

DataFile = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="LIBSVM text, CSV, TSV, Parquet, Arrow, npz, IDX, or a store of separatrix convert; "
        "text also as .gz, .bz2, .xz or .zst.",
        show_default=False,
    ),
]
LabelColumn = Annotated[
    str | None,
    typer.Option("--label", help="Tables: the column of the labels, by name or number. [default: the last]"),
]
Format = Annotated[str | None, typer.Option("--format", help="Of DATA. [default: by name and content]")]
Missing = Annotated[
    str, typer.Option("--missing", help="Tables: refuse missing values, or fill in mean, median or zero.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notes and no progress.")]
ProofFile = Annotated[
    str | None,
    typer.Option(
        "--certificate", "-o", help="Save the proof here; for many classes, in a folder of this name."
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that separatrix did not write.")]


@dataclass(frozen=True)
class Reading:
    """Settings for reading a file: its format and label column, and what is known from a model or a certificate."""

    label: str | None = None
    format: str | None = None
    missing: str = "refuse"
    n_columns: int | None = None
    encoding: dict[str, Any] | None = None
    quiet: bool = False

    def options(self) -> dict[str, Any]:
        """Return the options that `separatrix.read` and `convert` both take."""
        return {"format": self.format, "label": _column(self.label), "missing": self.missing}

    def like(self, model: Any) -> Reading:
        """The same, in the columns that a fitted model knows."""
        encoding = getattr(model, "data_encoding_", None)
        return replace(
            self, n_columns=int(model.n_features_in_) if encoding is None else None, encoding=encoding
        )


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

    def record(self) -> dict[str, Any]:
        """Return the contents of the file in numbers, for the JSON object."""
        n, d = self.X.shape
        return {
            "file": self.file,
            "format": self.format,
            "rows": n,
            "columns": d,
            "nonzeros": _nonzeros(self.X),
            "classes": dict(_counts(self.y)),
        }

    def lines(self) -> list[Line]:
        """Return the contents of the file in words."""
        n, d = self.X.shape
        share = _nonzeros(self.X) / max(1, n * d)
        full = "" if share > 0.995 else f", {100 * share:.2g} % of the entries nonzero"
        size = f"{counted(n, 'row')}, {counted(d, 'column')}{full}"
        each = [f"{count:,} of {label}" for label, count in _counts(self.y)]
        return [("data", f"{self.file}: {size}"), *wrapped("classes", listed(each, 6))]


def read(path: str, reading: Reading) -> Table:
    """The table in a file, with labels."""
    table = read_rows(path, reading)
    if table.y is None:
        raise CommandError(f"{path} holds no labels.", "name their column with --label")
    return table


def read_rows(path: str, reading: Reading) -> Table:
    """The table in a file; without labels where it has none."""
    from separatrix.data.read import read as read_file

    if path != "-" and not Path(path).is_dir():
        open(path, "rb").close()  # a missing or unreadable file is an error of its own
    with waiting(f"reading {path}", reading.quiet) as say:
        found = read_file(
            path,
            n_columns=reading.n_columns,
            encoding=reading.encoding,
            on_progress=progress_of(path, say),
            **reading.options(),
        )
    if found.X.shape[0] == 0:
        raise CommandError(f"{path} holds no rows.")
    source = found.source
    return Table(found.X, found.y, path, source.format, found.column_names, found.encoding, source.left_out)


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


def _column(text: str | None) -> str | int | None:
    """A column by its name, or by its number if it is one."""
    if text is not None and text.lstrip("-").isdecimal():
        return int(text)
    return text


def progress_of(path: str, say: Callable[[str], None]) -> Callable[[int, int | None], None]:
    """Tells how much of a file has been read."""

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
