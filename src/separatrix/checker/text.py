"""Readers of labelled data in text: LIBSVM and CSV, plain or compressed (.gz, .bz2, .xz)."""

from __future__ import annotations

import bz2
import csv
import gzip
import lzma
import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, TextIO

from separatrix.checker.rows import StoredRows

_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_CSV_SEPARATORS = {".csv": ",", ".tsv": "\t"}


class DataError(ValueError):
    """A data file that cannot be read; the sentence says where and why."""


@dataclass(frozen=True)
class Layout:
    """How to read a data file.

    format is "auto" (by the name), "libsvm" or "csv"; label_column is the name of a CSV column, its number
    from 0 (negative from the end), or None for the last. n_columns fixes the width of LIBSVM data, whose
    text does not tell it. single means that every value is rounded to single precision.
    """

    format: str = "auto"
    label_column: str | None = None
    delimiter: str | None = None
    zero_based: bool | None = None
    n_columns: int | None = None
    single: bool = False


def read_table(path: str, layout: Layout) -> tuple[StoredRows, list[str]]:
    """The rows of a file, and the label of each as it is written."""
    kind = layout.format
    if kind == "auto":
        kind = "csv" if _suffix(path) in _CSV_SEPARATORS else "libsvm"
    try:
        with _open(path) as stream:
            table, labels = (_read_csv if kind == "csv" else _read_libsvm)(stream, path, layout)
    except (UnicodeDecodeError, EOFError, lzma.LZMAError, gzip.BadGzipFile, csv.Error) as error:
        raise DataError(f"{path} cannot be read: {error}.") from None
    if layout.single:
        table.values = array("d", array("f", table.values))
    if not all(map(math.isfinite, table.values)):
        raise DataError(f"{path} holds numbers that are not finite.")
    return table, labels


def _suffix(path: str) -> str:
    """The suffix that tells the format, beneath one that tells the compression."""
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    while suffixes and suffixes[-1] in _OPENERS:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _open(path: str) -> TextIO:
    opener = _OPENERS.get(PurePath(path).suffix.lower(), open)
    stream: TextIO = opener(path, "rt", encoding="utf-8-sig", newline="")
    return stream


def _read_libsvm(stream: TextIO, path: str, layout: Layout) -> tuple[StoredRows, list[str]]:
    table, labels = StoredRows(0), []
    zero_seen, widest = False, -1
    for number, line in enumerate(stream, 1):
        words = line.partition("#")[0].replace(":", " ").split()
        if not words:
            continue
        if len(words) > 1 and words[1] == "qid":
            del words[1:3]
        try:
            columns, values = list(map(int, words[1::2])), list(map(float, words[2::2]))
        except ValueError as error:
            raise DataError(f"{path}, line {number}: expected index:value pairs ({error}).") from None
        if len(columns) != len(values):
            raise DataError(f"{path}, line {number}: an index has no value.")
        if columns:
            if columns[0] < 0 or any(map(int.__ge__, columns, columns[1:])):
                columns, values = _sorted(columns, values, f"{path}, line {number}")
            zero_seen, widest = zero_seen or columns[0] == 0, max(widest, columns[-1])
        labels.append(words[0])
        table.append(columns, values)
    zero_based = layout.zero_based if layout.zero_based is not None else zero_seen
    if zero_seen and not zero_based:
        raise DataError(f"{path} has an index 0, but its indices were said to start at 1.")
    if not zero_based:
        table.columns = array("q", [column - 1 for column in table.columns])
    width = widest + zero_based
    if layout.n_columns is not None and width > layout.n_columns:
        raise DataError(f"{path} has {width} columns; the certificate speaks of {layout.n_columns}.")
    table.n_columns = width if layout.n_columns is None else layout.n_columns
    return table, labels


def _sorted(columns: list[int], values: list[float], where: str) -> tuple[list[int], list[float]]:
    pairs = sorted(zip(columns, values, strict=True))
    columns, values = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if columns[0] < 0:
        raise DataError(f"{where}: the index {columns[0]} is negative.")
    if any(map(int.__eq__, columns, columns[1:])):
        raise DataError(f"{where}: an index occurs twice.")
    return columns, values


def _read_csv(stream: TextIO, path: str, layout: Layout) -> tuple[StoredRows, list[str]]:
    delimiter = layout.delimiter or _CSV_SEPARATORS.get(_suffix(path), ",")
    lines: Iterator[list[str]] = (line for line in csv.reader(stream, delimiter=delimiter) if line)
    first = next(lines, None)
    if first is None:
        raise DataError(f"{path} is empty.")
    place = _place(layout.label_column, first, path)
    header = not _is_numeric(first, place)
    table, labels = StoredRows(len(first) - 1), []
    for number, line in enumerate(lines if header else _again(first, lines), 2 if header else 1):
        if len(line) != len(first):
            raise DataError(f"{path}, record {number}: expected {len(first)} fields; got {len(line)}.")
        labels.append(line.pop(place))
        try:
            values = list(map(float, line))
        except ValueError as error:
            raise DataError(f"{path}, record {number}: {error}.") from None
        table.append(range(len(values)), values)
    return table, labels


def _again(first: list[str], lines: Iterator[list[str]]) -> Iterator[list[str]]:
    yield list(first)
    yield from lines


def _place(name: str | None, first: Sequence[str], path: str) -> int:
    """The position of the label column: a number counts from 0, or from the end where negative."""
    try:
        place = len(first) - 1 if name is None else int(name)
    except ValueError:
        if name in first:
            return first.index(str(name))
        raise DataError(f"{path} has no column {name!r}; its columns are {', '.join(first[:20])}.") from None
    if not -len(first) <= place < len(first):
        raise DataError(f"{path} has {len(first)} columns; there is no column {place}.")
    return place % len(first)


def _is_numeric(fields: Sequence[str], label: int) -> bool:
    """Whether the record is data: every field but the label is a number."""
    try:
        for position, text in enumerate(fields):
            if position != label:
                float(text)
    except ValueError:
        return False
    return True
