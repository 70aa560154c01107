"""Encoded rows as text that every checker reads: LIBSVM, or CSV where a label is no single word."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

import numpy as np

from separatrix.atomic import replacing
from separatrix.checker.text import DataError
from separatrix.errors import with_hint

LIBSVM = (".svm", ".libsvm", ".svmlight", ".txt")
CSV = (".csv",)
_WORD = re.compile(r"[^\s#:]+")
_AT_ONCE = 1 << 12  # rows that are made text at a time


def export_rows(X: Any, y: Any, path: str) -> None:
    """Write rows and labels so that they read back exactly; the name says as what: .svm or .csv, also with .gz.

    Numbers are written with the digits that tell them from every other number of their type, so the fingerprint of
    what is read back is that of X and y.
    """
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    packed = bool(suffixes) and suffixes[-1] == ".gz"
    kind = (suffixes[:-1] if packed else suffixes)[-1:] or [""]
    if kind[0] not in LIBSVM + CSV:
        raise with_hint(
            DataError, f"Rows are written as .svm or .csv, also with .gz; got {path}.", "name it data.svm"
        )
    texts = [str(label) for label in np.asarray(y).tolist()]
    if kind[0] in LIBSVM:
        wrong = next((text for text in texts if not _WORD.fullmatch(text)), None)
        if wrong is not None:
            raise with_hint(
                DataError, f"The label {wrong!r} cannot be written as LIBSVM text.", "name the file .csv"
            )
    pieces = _libsvm(X, texts) if kind[0] in LIBSVM else _csv(X, texts)
    with replacing(path) as file:
        if not packed:
            file.writelines(piece.encode("utf-8") for piece in pieces)
            return
        with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as out:
            for piece in pieces:
                out.write(piece.encode("utf-8"))


def _libsvm(X: Any, labels: list[str]) -> Iterator[str]:
    for start in range(0, X.shape[0], _AT_ONCE):
        lines = []
        for label, row in zip(labels[start:], _entries(X[start : start + _AT_ONCE]), strict=False):
            lines.append(" ".join([label, *(f"{column + 1}:{_digits(value)}" for column, value in row)]))
        yield "\n".join(lines) + "\n"


def _entries(part: Any) -> Iterator[list[tuple[int, float]]]:
    """The entries of each row that are not zero, by column."""
    if hasattr(part, "indptr"):
        values, columns = part.data.tolist(), part.indices.tolist()
        for begin, end in zip(part.indptr[:-1].tolist(), part.indptr[1:].tolist(), strict=True):
            row = zip(columns[begin:end], values[begin:end], strict=True)
            yield [(column, value) for column, value in row if value]
        return
    for row in part.tolist():
        yield [(column, value) for column, value in enumerate(row) if value]


def _csv(X: Any, labels: list[str]) -> Iterator[str]:
    yield ",".join([*(f"x{column}" for column in range(X.shape[1])), "label"]) + "\n"
    for start in range(0, X.shape[0], _AT_ONCE):
        part = X[start : start + _AT_ONCE]
        part = part.toarray() if hasattr(part, "indptr") else part
        out = io.StringIO()
        for label, row in zip(labels[start:], part.tolist(), strict=False):
            text = '"' + label.replace('"', '""') + '"'
            out.write(",".join([*(_digits(value) for value in row), text]) + "\n")
        yield out.getvalue()


def _digits(value: float) -> str:
    """The shortest decimal number that reads back as this one.

    >>> _digits(3.0), _digits(0.1), _digits(1e22)
    ('3', '0.1', '1e+22')
    """
    return str(int(value)) if value.is_integer() and abs(value) < 2.0**53 else repr(value)
