"""SHA-256 of X and of y, the same for every way of holding the same numbers, and labels as the texts that are hashed.

X is cut into blocks of 4096 consecutive rows. A block with m rows, d columns and k entries other than zero is

    sparse  if 3 k <= m d:  "S", entries per row (m uint32), their columns (k uint32), values (k float64)
    dense   otherwise:      "D", all values (m d float64), row after row

all little-endian, zeros written as +0.0. X's digest is the SHA-256 of "separatrix X 1\\n", n and d as uint64,
and the SHA-256 of each block. y's digest is that of "separatrix y 1\\n", "number\\n" or "text\\n", the number
of classes and n as uint64, each class (in order of first appearance) as uint64 length and UTF-8 text, and
each row's class as uint32.

A label is a text, the same whichever program read it:

    number    an integral value is its decimal integer, any other its hexadecimal real: 1, 1.0, "+1" -> "1"
    text      the label itself, to the letter

A certificate records which of the two it means, so that "1" the number and "1" the word cannot be mixed up.
"""

from __future__ import annotations

import hashlib
import math
import re
import struct
import sys
from array import array
from collections.abc import Iterable, Sequence

from separatrix.checker.data import Table
from separatrix.checker.numbers import Rejected

BLOCK_ROWS = 4096
X_HEADER = b"separatrix X 1\n"
Y_HEADER = b"separatrix y 1\n"
#: A decimal number in a data file: ASCII digits, nothing that only Python takes for a number.
DECIMAL = re.compile(r"[+-]?(?:[0-9]+(\.[0-9]*)?|(\.[0-9]+))([eE][+-]?[0-9]+)?")
_WORDS = {"true": "1", "false": "0"}
_LONGEST = 1000  # characters of a number
_UINT32 = "I" if array("I").itemsize == 4 else "L"


def is_sparse_block(rows: int, columns: int, nonzeros: int) -> bool:
    """True if a block is written by its nonzero entries."""
    return 3 * nonzeros <= rows * columns


def fingerprint_rows(table: Table) -> str:
    """The digest of X.

    >>> from separatrix.checker.text import StoredRows
    >>> table = StoredRows(n_columns=2)
    >>> table.append([0, 1], [1.0, 0.0])
    >>> fingerprint_rows(table)[:16]
    '...'
    """
    total = hashlib.sha256(X_HEADER + struct.pack("<QQ", table.n_rows, table.n_columns))
    counts, columns, values = array(_UINT32), array(_UINT32), array("d")
    for places, entries in table.rows():
        if 0.0 in entries:
            places = [column for column, value in zip(places, entries, strict=True) if value]
            entries = list(filter(None, entries))
        columns.extend(places)
        values.extend(entries)
        counts.append(len(entries))
        if len(counts) == BLOCK_ROWS:
            total.update(_block_digest(table.n_columns, counts, columns, values))
            counts, columns, values = array(_UINT32), array(_UINT32), array("d")
    if counts:
        total.update(_block_digest(table.n_columns, counts, columns, values))
    return total.hexdigest()


def _block_digest(d: int, counts: array[int], columns: array[int], values: array[float]) -> bytes:
    if is_sparse_block(len(counts), d, len(values)):
        return hashlib.sha256(b"S" + _little(counts) + _little(columns) + _little(values)).digest()
    block, position = hashlib.sha256(b"D"), 0
    for count in counts:
        row = array("d", bytes(8 * d))
        for place in range(position, position + count):
            row[columns[place]] = values[place]
        position += count
        block.update(_little(row))
    return block.digest()


def fingerprint_labels(kind: str, classes: Sequence[str], codes: Iterable[int]) -> str:
    """The digest of y from its classes in order of first appearance and the class of each row.

    >>> fingerprint_labels("number", ["1", "-1"], [0, 1, 1])[:16]
    '...'
    """
    numbers = array(_UINT32, codes)
    total = hashlib.sha256(label_header(kind, classes, len(numbers)))
    total.update(_little(numbers))
    return total.hexdigest()


def label_header(kind: str, classes: Sequence[str], n_rows: int) -> bytes:
    """All that goes into y's digest before the rows."""
    parts = [Y_HEADER, kind.encode("ascii"), b"\n", struct.pack("<QQ", len(classes), n_rows)]
    for label in classes:
        text = label.encode("utf-8")
        parts += [struct.pack("<Q", len(text)), text]
    return b"".join(parts)


def _little(numbers: array[int] | array[float]) -> bytes:
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers.tobytes()


def number_text(value: float | int) -> str:
    """The text of a numeric label.

    >>> number_text(1.0), number_text(True), number_text(0.5)
    ('1', '1', '0x1.0000000000000p-1')
    """
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"Labels must be finite; got {value}.")
        return str(int(value)) if value.is_integer() else value.hex()
    return str(int(value))


def parse_label(token: str, kind: str) -> str:
    """The label text of a token in a text file, read as ``kind``.

    >>> parse_label("+1.0", "number"), parse_label("+1.0", "text"), parse_label("true", "number")
    ('1', '+1.0', '1')
    """
    if kind == "text":
        return token
    word = token.strip(" \t")
    if word.lower() in _WORDS:
        return _WORDS[word.lower()]
    match = DECIMAL.fullmatch(word)
    if not match or len(word) > _LONGEST:
        raise Rejected(f"The certificate has numbers for labels; the data have {token[:40]!r}.")
    try:
        return number_text(float(word) if any(match.groups()) else int(word))
    except ValueError:
        raise Rejected(f"Labels must be finite numbers; the data have {token[:40]!r}.") from None


def encode(texts: Iterable[str]) -> tuple[list[str], list[int]]:
    """The distinct texts in order of first appearance, and the position of each row's text among them.

    >>> encode(["b", "a", "b"])
    (['b', 'a'], [0, 1, 0])
    """
    position: dict[str, int] = {}
    codes = [position.setdefault(text, len(position)) for text in texts]
    return list(position), codes
