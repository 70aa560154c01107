"""Readers of labelled data in text: LIBSVM and CSV, plain or compressed (.gz, .bz2, .xz).

Numbers are decimal, in ASCII. One with a fraction or an exponent stands for the nearest number of the type that the
certificate records; an integer that is no such number is refused.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import lzma
import math
import re
import zlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, TextIO

from separatrix.checker.fingerprint import DECIMAL

_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_CSV_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_MOST_COLUMNS = (1 << 32) - 1
_BLANKS = re.compile(r"[ \t\r]+")


class DataError(ValueError):
    """A data file that cannot be read; the sentence says where and why."""


@dataclass(frozen=True)
class Layout:
    """Options for reading a data file.

    format is "auto" (by the name), "libsvm" or "csv"; label_column is the name of a CSV column, its number
    from 0 (negative from the end), or None for the last. n_columns fixes the width of LIBSVM data, whose
    text does not say it, unless they have more. single means that every value is the nearest one in single precision.
    """

    format: str = "auto"
    label_column: str | None = None
    delimiter: str | None = None
    zero_based: bool | None = None
    n_columns: int | None = None
    single: bool = False


class StoredRows:
    """Rows in compressed form, in the standard library's arrays.

    >>> table = StoredRows(n_columns=3)
    >>> table.append([0, 2], [1.0, -0.5])
    >>> [(list(columns), list(values)) for columns, values in table.rows()]
    [([0, 2], [1.0, -0.5])]
    """

    def __init__(self, n_columns: int) -> None:
        self.n_columns = n_columns
        self.starts = array("q", [0])
        self.columns = array("q")
        self.values = array("d")
        self.n_rows = 0
        self.rounded = False  #: True if a number was read that decimals need not hold exactly

    def append(self, columns: Sequence[int], values: Sequence[float]) -> None:
        """Add a row by its entries, columns increasing."""
        self.columns.extend(columns)
        self.values.extend(values)
        self.starts.append(len(self.values))
        self.n_rows += 1

    def rows(self) -> Iterator[tuple[Sequence[int], Sequence[float]]]:
        """Every row in order."""
        columns, values, begin = self.columns, self.values, 0
        for end in self.starts[1:]:
            yield columns[begin:end].tolist(), values[begin:end].tolist()
            begin = end


def read_table(path: str, layout: Layout) -> tuple[StoredRows, list[str]]:
    """The rows of a file, and the label of each as it is written."""
    kind = layout.format
    if kind == "auto":
        kind = "csv" if _suffix(path) in _CSV_SEPARATORS else "libsvm"
    try:
        with _open(path, "" if kind == "csv" else "\n") as stream:
            return (_read_csv if kind == "csv" else _read_libsvm)(stream, path, layout)
    except (UnicodeDecodeError, EOFError, lzma.LZMAError, zlib.error, OSError, csv.Error) as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise  # it says which file and why
        raise DataError(f"{path} cannot be read: {error}.") from None


class _Numbers:
    """Turns the tokens of a file into numbers of its type."""

    def __init__(self, path: str, single: bool) -> None:
        self.path, self.single, self.rounded = path, single, False
        self.exact = 1 << (24 if single else 53)  # every integer up to here is a number of the type

    def read(self, tokens: Sequence[str], line: int) -> list[float]:
        """The numbers of one row."""
        return [self._number(token, line) for token in tokens]

    def _number(self, token: str, line: int) -> float:
        match = DECIMAL.fullmatch(token.strip(" \t"))
        number = float(token) if match else math.nan
        near = _to_single(number) if self.single else number
        if not math.isfinite(near):
            raise DataError(f"{self.path}, line {line}: {token[:40]!r} is not a finite decimal number.")
        assert match
        if any(match.groups()):
            self.rounded = True
        elif abs(number) >= self.exact and int(token) != near:
            kind = "single" if self.single else "double"
            raise DataError(f"{self.path}, line {line}: {token[:40]} is no number of {kind} precision.")
        return near


def _to_single(number: float) -> float:
    try:
        return array("f", [number])[0]
    except OverflowError:
        return math.inf


def _suffix(path: str) -> str:
    """The suffix that tells the format, beneath one that tells the compression."""
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    while suffixes and suffixes[-1] in _OPENERS:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _open(path: str, newline: str) -> TextIO:
    opener = _OPENERS.get(PurePath(path).suffix.lower(), open)
    stream: TextIO = opener(path, "rt", encoding="utf-8-sig", newline=newline)
    return stream


def _read_libsvm(stream: TextIO, path: str, layout: Layout) -> tuple[StoredRows, list[str]]:
    table, labels, numbers = StoredRows(0), [], _Numbers(path, layout.single)
    zero_seen, widest = False, -1
    for number, line in enumerate(stream, 1):
        label, *words = _BLANKS.split(line.partition("#")[0].strip(" \t\r\n"))
        if not label:
            continue
        if words and words[0].startswith("qid:"):
            del words[0]
        pairs = [word.partition(":") for word in words]
        if not all(place.isascii() and place.isdigit() and len(place) <= 10 for place, _, _ in pairs):
            raise DataError(
                f"{path}, line {number}: expected index:value with an index from 0 to {_MOST_COLUMNS}."
            )
        columns = [int(place) for place, _, _ in pairs]
        values = numbers.read([token for _, _, token in pairs], number)
        if columns:
            if any(map(int.__ge__, columns, columns[1:])):
                columns, values = _sorted(columns, values, f"{path}, line {number}")
            zero_seen, widest = zero_seen or columns[0] == 0, max(widest, columns[-1])
        labels.append(label)
        table.append(columns, values)
    zero_based = layout.zero_based if layout.zero_based is not None else zero_seen
    if zero_seen and not zero_based:
        raise DataError(f"{path} has an index 0, but its indices were said to start at 1.")
    if not zero_based:
        table.columns = array("q", [column - 1 for column in table.columns])
    table.n_columns = max(widest + zero_based, layout.n_columns or 0)
    table.rounded = numbers.rounded
    return table, labels


def _sorted(columns: list[int], values: list[float], where: str) -> tuple[list[int], list[float]]:
    pairs = sorted(zip(columns, values, strict=True))
    columns, values = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
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
    header = not all(DECIMAL.fullmatch(each.strip(" \t")) for k, each in enumerate(first) if k != place)
    table, labels, numbers = StoredRows(len(first) - 1), [], _Numbers(path, layout.single)
    for number, line in enumerate(lines if header else _again(first, lines), 2 if header else 1):
        if len(line) != len(first):
            raise DataError(f"{path}, record {number}: expected {len(first)} fields; got {len(line)}.")
        labels.append(line.pop(place))
        table.append(range(len(line)), numbers.read(line, number))
    table.rounded = numbers.rounded
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
