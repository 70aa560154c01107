"""Data files as arrays, and the options that say how to read them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from separatrix.cli.exits import Refused
from separatrix.cli.output import Line, counted, listed, wrapped

DataFile = Annotated[
    str,
    typer.Argument(metavar="DATA", help="LIBSVM text or CSV/TSV; also .gz, .bz2 or .xz.", show_default=False),
]
LabelColumn = Annotated[
    str | None,
    typer.Option("--label", help="CSV: the column of the labels, by name or number; else the last."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notes and no progress.")]


class Table:
    """Rows X (n, d), labels y (n,) and the names of the columns."""

    def __init__(self, X: Any, y: Any, source: str) -> None:
        self.X, self.y, self.source = X, y, source
        self.columns: list[str] | None = None
        self.encoding: dict[str, Any] | None = None

    def record(self) -> dict[str, Any]:
        """What the file holds, for the JSON object."""
        import numpy as np

        classes, counts = np.unique(self.y, return_counts=True)
        return {
            "file": self.source,
            "rows": self.X.shape[0],
            "columns": self.X.shape[1],
            "nonzeros": _nonzeros(self.X),
            "classes": dict(zip(classes.tolist(), counts.tolist(), strict=True)),
        }

    def lines(self) -> list[Line]:
        """What the file holds, in words."""
        import numpy as np

        n, d = self.X.shape
        classes, counts = np.unique(self.y, return_counts=True)
        each = [
            f"{count:,} of {label}" for label, count in zip(classes.tolist(), counts.tolist(), strict=True)
        ]
        share = _nonzeros(self.X) / max(1, n * d)
        full = "" if share > 0.995 else f", {share:.2g} of the entries nonzero"
        size = f"{counted(n, 'row')}, {counted(d, 'column')}{full}"
        return [("data", f"{self.source}: {size}"), *wrapped("classes", listed(each, 6))]


def _nonzeros(X: Any) -> int:
    """Entries of X that are not zero."""
    import numpy as np

    return int(np.count_nonzero(X.data if hasattr(X, "indptr") else X))


def read(path: str, label: str | None = None, n_features: int | None = None) -> Table:
    """The table in a file."""
    import numpy as np
    from scipy import sparse

    from separatrix.checker.text import Layout, read_table

    rows, labels = read_table(path, Layout(label_column=label, n_columns=n_features))
    if not rows.n_rows:
        raise Refused(f"{path} holds no rows.")
    X = sparse.csr_array(
        (np.array(rows.values), np.array(rows.columns), np.array(rows.starts)),
        shape=(rows.n_rows, rows.n_columns),
    )
    try:
        y: Any = np.array([float(text) for text in labels])
        y = y.astype(np.int64) if np.all(y == np.rint(y)) else y
    except ValueError:
        y = np.array(labels)
    return Table(X, y, path)
