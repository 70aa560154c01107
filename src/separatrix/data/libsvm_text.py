"""LIBSVM (SVMlight) text: the bytes go to the compiled reader, the labels and its faults become Python's.

    label [qid:n] index:value index:value ... # comment

Indices start at 1, or at 0 if one of them is 0. Labels are integers, numbers or words, the same kind for all.
"""

from __future__ import annotations

import math
import mmap
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix import _core
from separatrix.checker.text import DataError
from separatrix.data.compression import ByteSource
from separatrix.data.dataset import Dataset, Source, is_dense
from separatrix.errors import with_hint

ZeroBased = bool | Literal["auto"]

_WINDOW = 1 << 25  # bytes of a mapped file parsed between two calls of on_progress
_ANY_WIDTH = 1 << 62
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_EXPECTED = {
    "index": "expected the index of a column",
    "colon": "expected ':' after the index",
    "number": "expected a number after ':'",
    "not_finite": "values must be finite",
    "too_large": "the number is too large for its type",
    "inexact": "the integer is not a number of its type, which would round it",
    "separator": "expected white space after the number",
    "zero_index": "an index 0, but indices were said to start at 1",
    "beyond": "the index is beyond the last column",
    "huge_index": "the index is above 2^59",
    "twice": "the index occurs twice in this row",
    "many_labels": "a row with several labels; one label a row is expected",
    "no_label": "expected a label; earlier rows have one",
    "label": "expected index:value; earlier rows have no label",
    "query": "expected an integer after 'qid:'",
    "no_query": "expected 'qid:'; earlier rows have one",
    "query_unasked": "'qid:' in this row; earlier rows have none",
}
_HINTS = {
    "zero_index": "say zero_based=True",
    "beyond": "give a larger n_columns",
    "inexact": "drop columns that only name their rows, or subtract from a column what its numbers have in common",
    "not_finite": "impute or drop the value before it is written",
    "many_labels": "split a multi-label file into one file a label",
}


@dataclass(frozen=True)
class TextSettings:
    """Options for LIBSVM text; see `separatrix.read`. drop_beyond leaves out columns beyond n_columns."""

    zero_based: ZeroBased = "auto"
    n_columns: int | None = None
    drop_beyond: bool = False
    single: bool = False
    n_threads: int = 1


class TextRows:
    """The compiled reader at work on one text, with its faults as sentences."""

    def __init__(self, path: str, settings: TextSettings) -> None:
        self.path, self.settings = path, settings
        # Columns count from index 1 unless 0 is known to be the first; then an index 0 is column -1 until the end.
        limit = _ANY_WIDTH if settings.n_columns is None else settings.n_columns
        self.reader = _core.libsvm_reader(
            single=settings.single,
            zero_based=settings.zero_based is True,
            zero_allowed=settings.zero_based is not False,
            drop_beyond=settings.drop_beyond,
            n_columns=limit,
            n_threads=settings.n_threads,
        )

    def feed(self, text: Any) -> None:
        """Parse the lines that end in this buffer."""
        if not self.reader.feed(np.frombuffer(text, dtype=np.uint8)):
            self._raise()

    def finish(self) -> None:
        """Parse what is left, after the last buffer."""
        if not self.reader.finish():
            self._raise()
        if (
            self.starts_at_zero
            and self.settings.n_columns is not None
            and self.width > self.settings.n_columns
        ):
            raise DataError(
                f"{self.path} has indices from 0 to {self.width - 1}; n_columns is {self.settings.n_columns}."
            )

    @property
    def starts_at_zero(self) -> bool:
        """True if the first column is index 0; known when all has been read."""
        return self.settings.zero_based is True or bool(self.reader.zero_seen)

    @property
    def off_by_one(self) -> bool:
        """True if the reader's columns are one too small, because an index 0 was met where 1 was expected."""
        return bool(self.reader.zero_seen)

    @property
    def width(self) -> int:
        """The number of columns that the indices tell."""
        return int(self.reader.width) + self.off_by_one

    @property
    def n_columns(self) -> int:
        """The number of columns of X."""
        return self.width if self.settings.n_columns is None else self.settings.n_columns

    def labels(self, codes: NDArray[Any]) -> NDArray[Any] | None:
        """The label of each row, from its code."""
        if not self.reader.has_labels:
            return None
        values: NDArray[Any] = label_values(self.path, self.reader.labels())[codes]
        return values

    def _raise(self) -> None:
        fault, line, column, found = self.reader.error()
        shown = found.decode("utf-8", "backslashreplace")
        what = f"found {shown!r}" if found else "found the end of the line"
        if fault == "beyond":
            what += f", and there are {self.settings.n_columns} columns"
        sentence = f"{self.path}, line {line}, column {column}: {_EXPECTED[fault]}; {what}."
        raise with_hint(DataError, sentence, _HINTS[fault]) if fault in _HINTS else DataError(sentence)


def label_values(path: str, labels: list[tuple[bytes, int, int]]) -> NDArray[Any]:
    """Distinct labels as int64, float64 or text, whichever holds them all; each comes with line and column.

    >>> label_values("a", [(b"+1", 1, 1), (b"-1", 2, 1)]), label_values("a", [(b"1", 1, 1), (b"b", 2, 1)])
    (array([ 1, -1]), array(['1', 'b'], dtype='<U1'))
    """
    texts = []
    for text, line, column in labels:
        try:
            texts.append(text.decode("utf-8"))
        except UnicodeDecodeError:
            raise DataError(
                f"{path}, line {line}, column {column}: the label {text!r} is not UTF-8."
            ) from None
    for convert, dtype in ((_integer, np.int64), (_number, np.float64)):
        try:
            return np.array([convert(text) for text in texts], dtype=dtype)
        except (ValueError, OverflowError):
            continue
    for word, (_, line, column) in zip(texts, labels, strict=True):
        if word.lower().lstrip("+-") in ("nan", "inf", "infinity"):
            raise DataError(f"{path}, line {line}, column {column}: expected a label; found {word!r}.")
    return np.array(texts)


def _integer(text: str) -> int:
    if "_" in text or not text.isascii():  # int() takes 1_000 and other scripts' digits
        raise ValueError(text)
    return int(text)


def _number(text: str) -> float:
    if "_" in text or not text.isascii() or not math.isfinite(number := float(text)):
        raise ValueError(text)
    return number


def read_libsvm(source: ByteSource, settings: TextSettings) -> Dataset:
    """Read all rows of a text, as one matrix that is dense or CSR, with their labels."""
    rows = TextRows(source.path, settings)
    with closing(buffers(source)) as texts:
        for text in texts:
            rows.feed(text)
    rows.finish()
    values, columns, ends, codes, queries = rows.reader.take()
    if rows.off_by_one:
        columns += 1
    starts = np.zeros(
        len(ends) + 1, dtype=columns.dtype if len(values) <= np.iinfo(np.int32).max else np.int64
    )
    starts[1:] = ends
    X: Any = csr_from_parts(values, columns, starts, rows.n_columns)
    if is_dense(len(values), len(ends), rows.n_columns):
        X = X.toarray()
    described = Source(
        source.path, "libsvm", len(ends), rows.n_columns, len(values), int(rows.reader.dropped)
    )
    encoding = {"format": "libsvm", "zero_based": rows.starts_at_zero, "n_columns": rows.n_columns}
    return Dataset(X, rows.labels(codes), None, encoding, described, queries if len(queries) else None)


def csr_from_parts(values: Any, columns: Any, starts: Any, n_columns: int) -> sparse.csr_array:
    """CSR around arrays that are known to be right: nothing is copied, and columns are not read again."""
    if starts.dtype != columns.dtype:  # more than 2^31 entries of fewer columns
        columns = columns.astype(starts.dtype)
    X = sparse.csr_array((len(starts) - 1, n_columns), dtype=values.dtype)
    X.data, X.indices, X.indptr = values, columns, starts
    X.has_sorted_indices = X.has_canonical_format = True
    return X


def buffers(source: ByteSource) -> Generator[Any, None, None]:
    """The text in buffers: windows of the mapped file where it is one, else decompressed pieces."""
    skip = len(_BYTE_ORDER_MARK) if source.head.startswith(_BYTE_ORDER_MARK) else 0
    if source.compression is None and source.size and Path(source.path).is_file():
        with Path(source.path).open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
            view = memoryview(mapped)
            try:
                for start in range(0, len(view), _WINDOW):
                    with view[max(start, skip) : start + _WINDOW] as window:
                        yield window
                    source.tell(min(start + _WINDOW, len(view)))
            finally:
                view.release()
        return
    for piece in source.pieces():
        yield piece[skip:]
        skip = 0
