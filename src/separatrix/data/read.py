"""`read`: a data file of any supported format as a `Dataset`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from separatrix.checker.text import DataError
from separatrix.data.arrays import read_idx, read_npy, read_npz
from separatrix.data.compression import ByteSource, Progress
from separatrix.data.dataset import Dataset
from separatrix.data.description import TableDescription
from separatrix.data.encode_table import describe_table, read_table
from separatrix.data.formats import FORMATS, guess_format
from separatrix.data.libsvm_text import TextSettings, ZeroBased, read_libsvm
from separatrix.data.raw_table import TableSettings
from separatrix.data.store import read_store
from separatrix.data.tables import TABLES
from separatrix.errors import ParameterError


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    label: str | int | None = None,
    columns: Sequence[str | int] | None = None,
    drop: Sequence[str | int] | None = None,
    categorical: Sequence[str | int] | None = None,
    n_columns: int | None = None,
    zero_based: ZeroBased = "auto",
    missing: str = "refuse",
    header: bool | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    text_encoding: str | None = None,
    sheet: str | int | None = None,
    encoding: dict[str, Any] | None = None,
    dtype: Any = None,
    n_threads: int | None = None,
    on_progress: Progress | None = None,
) -> Dataset:
    """Read labelled rows from a file.

    LIBSVM text and tables become a dense array if more than a third of their entries are filled, else CSR.

    Parameters
    ----------
    path : the file; "-" is standard input; a directory is a store written by `convert`.
    format : "libsvm", "csv", "tsv", "jsonl", "excel", "arff", "parquet", "arrow" (Feather too), "npz", "npy", "idx" or
        "store"; found by name and content if None.
    label : the label column of a table, by name or number (from 0, negative from the end). If None: a column named
        label or target, else the last; an error where another one could be meant, or where the column looks like a
        quantity or an identifier. In LIBSVM text the label comes first; a .npy array has none unless it is named.
    columns : the columns of a table to use, by name or number; all but the label if None.
    drop : the columns of a table to leave out, by name or number.
    categorical : columns whose values are names, even if they look like numbers, dates or identifiers.
    n_columns : the number of columns of LIBSVM text, which does not tell it; a larger index is an error.
    zero_based : whether indices of LIBSVM text start at 0; "auto" means they do if one of them is 0.
    missing : what to do with missing cells of a table: "refuse" (an error that names row and column), "mean",
        "median", "zero" (numbers) with the most frequent text for texts.
    header : whether the first record of a text table or a sheet names the columns; guessed from the text if None.
    delimiter, decimal, text_encoding : of a text table: what separates two cells ("tab" and "space" are words), the
        decimal sign, and the encoding of its letters ("latin-1"); guessed from the text if None.
    sheet : the sheet of an Excel file, by name or number; the only one with cells if None.
    encoding : `Dataset.encoding` of another file: columns, categories and fill values are those of that file.
    dtype : float32 or float64, the type of X; if None, float64, and what the file has where it has a type.
    n_threads : threads that parse; all processors if None.
    on_progress : called with the bytes used so far and their total (None where it is not known).

    `Dataset.description` says what was made of a table: the label and why, the kind of each column, missing and
    suspicious cells, what was guessed.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "data.svm"
    >>> _ = path.write_text("+1 1:0.5 3:2 # a comment\\n-1 2:1e-3\\n")
    >>> data = read(path)
    >>> data.X.tolist(), data.y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 0.001, 0.0]], [1, -1])
    """
    name = os.fspath(path)
    _check(format, missing, dtype, n_columns)
    if name != "-" and not Path(name).exists():
        raise DataError(f"There is no file {name}.")
    if name != "-" and Path(name).is_dir():
        return _same_width(read_store(name), (encoding or {}).get("n_columns", n_columns))
    with ByteSource(name, on_progress) as source:
        kind = format or guess_format(name, source.head)
        if kind == "libsvm":
            _no_table(name, kind, columns, drop, categorical, sheet, label)
            known = _known(encoding, "libsvm", name)
            settings = TextSettings(
                zero_based=known.get("zero_based", zero_based),
                n_columns=known.get("n_columns", n_columns),
                drop_beyond=encoding is not None,
                single=dtype is not None and np.dtype(dtype) == np.float32,
                n_threads=n_threads or os.cpu_count() or 1,
            )
            return read_libsvm(source, settings)
        if kind in TABLES:
            _known(encoding, "table", name)
            if encoding is not None and (columns or drop or categorical):
                raise ParameterError(
                    "columns, drop and categorical were chosen when the model was fitted; an encoding has them."
                )
            wanted = TableSettings(
                label,
                columns,
                drop,
                categorical,
                missing,
                header,
                delimiter,
                decimal,
                text_encoding,
                sheet,
                encoding,
                dtype,
            )
            return read_table(source, kind, wanted)
        _no_table(name, kind, columns, drop, categorical, sheet, None if kind == "npy" else label)
        width = _known(encoding, "array", name).get("n_columns", n_columns)
        if kind == "npy":
            return _same_width(read_npy(source, dtype, label), width)
        return _same_width((read_npz if kind == "npz" else read_idx)(source, dtype), width)


def describe(path: str | os.PathLike[str], *, format: str | None = None, **options: Any) -> TableDescription:
    """Describe a table without learning from it, whatever may stand in the way of that.

    ``options`` are those of `read` that concern tables. A file that is no table has no columns to describe.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "data.csv"
    >>> _ = path.write_text("age,city,label\\n31,Bern,yes\\n,Oslo,no\\n")
    >>> found = describe(path)
    >>> [(column.name, column.kind) for column in found.columns], found.refusals[0].sentence[-59:]
    ([('age', 'number'), ('city', 'category')], "line 3, column 'age' is missing (1 cell of this column is).")
    """
    name = os.fspath(path)
    _check(format, options.get("missing", "refuse"), None, None)
    if name != "-" and not Path(name).is_file():
        raise DataError(f"There is no file {name}.")
    with ByteSource(name, options.pop("on_progress", None)) as source:
        kind = format or guess_format(name, source.head)
        if kind not in TABLES:
            raise DataError(f"{name} is a file of {kind} data, not a table: it has no columns to describe.")
        return describe_table(source, kind, TableSettings(**options))


def _no_table(path: str, kind: str, *options: Any) -> None:
    """Refuse options that only tables know, rather than pass over them in silence."""
    if any(option is not None for option in options):
        raise ParameterError(
            f"{path} is read as {kind}, which has no named columns: label, columns, drop, categorical and sheet "
            "(--label, --columns, ...) are for tables; format (--format) says that it is one."
        )


def _same_width(data: Dataset, width: int | None) -> Dataset:
    if width is not None and data.X.shape[1] != width:
        raise DataError(f"{data.source.path} has {data.X.shape[1]} columns; expected {width}.")
    return data


def _check(format: str | None, missing: str, dtype: Any, n_columns: int | None) -> None:
    if format is not None and format not in FORMATS:
        raise ParameterError(f"format must be one of {', '.join(FORMATS)}, or None; got {format!r}.")
    if missing not in ("refuse", "mean", "median", "zero"):
        raise ParameterError(f"missing must be 'refuse', 'mean', 'median' or 'zero'; got {missing!r}.")
    if dtype is not None and np.dtype(dtype) not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ParameterError(f"dtype must be float32, float64 or None; got {dtype!r}.")
    if n_columns is not None and not 0 <= n_columns < 1 << 59:
        raise ParameterError(f"n_columns must be from 0 to 2^59; got {n_columns}.")


def _known(encoding: dict[str, Any] | None, kind: str, path: str) -> dict[str, Any]:
    """The encoding of another file: of the same kind, or of columns that have only numbers there too."""
    if encoding is None:
        return {}
    given = encoding.get("format")
    if given != kind and not {given, kind} <= {"libsvm", "array"}:
        raise DataError(f"{path} holds {kind} data; the encoding is of {given} data.")
    return encoding
