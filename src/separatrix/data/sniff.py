"""Guesses about a text table from its first lines: encoding, delimiter, quotes, decimal sign, header.

Each guess is made only where the text leaves one answer; what it leaves open is None, and whoever reads it asks.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable, Sequence
from typing import Any

DELIMITERS = (
    "\t",
    ";",
    "|",
    ",",
)  # the order in which they are believed; a space only where none of these fits
WORDS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
STRONG_NAMES = ("label", "target", "labels", "targets")
WEAK_NAMES = ("class", "y", "outcome", "response", "diagnosis", "survived", "species", "churn")

#: Cells that hold nothing, whatever the column (`NULLS`), or among numbers only: a class may be called "-".
NULLS = (
    "",
    "NA",
    "N/A",
    "n/a",
    "na",
    "NaN",
    "nan",
    "null",
    "NULL",
    "Null",
    "None",
    "?",
    "#N/A",
    "<NA>",
    "NaT",
    "#NULL!",
)
NULLS_AMONG_NUMBERS = (
    "-",
    "--",
    "---",
    ".",
    "..",
    "*",
    "none",
    "missing",
    "unknown",
    "#div/0!",
    "#value!",
    "#ref!",
)
INFINITE = (
    "inf",
    "+inf",
    "-inf",
    "infinity",
    "+infinity",
    "-infinity",
    "1.#inf",
    "-1.#inf",
    "1.#ind",
    "-1.#ind",
)
MISSING = frozenset(each.lower() for each in (*NULLS, *NULLS_AMONG_NUMBERS, *INFINITE))

_PIECE = 1 << 24
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_COMMA_NUMBER = re.compile(r"\s*[+-]?(\d+|\d{1,3}(\.\d{3})+),\d+([eE][+-]?\d+)?\s*")
_GROUPED = re.compile(r"\s*[+-]?[1-9]\d{0,2}(,\d{3})+\s*")
_DOT_NUMBER = re.compile(r"\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def text_encoding(data: memoryview) -> tuple[str, bool]:
    """The encoding of a text, and whether it was guessed (a byte order mark, ASCII and valid UTF-8 are no guess).

    >>> text_encoding(memoryview("é".encode())), text_encoding(memoryview("é".encode("latin-1")))
    (('utf-8', False), ('latin-1', True))
    >>> text_encoding(memoryview("a,b".encode("utf-16")))
    ('utf-16', False)
    """
    head = bytes(data[:4096])
    for mark, name in _BOMS:
        if head.startswith(mark):
            return name, False
    if b"\0" in head:  # letters of two bytes, one of them mostly zero
        odd, even = head[1::2].count(0), head[::2].count(0)
        if max(odd, even) > len(head) // 4 and min(odd, even) * 8 < max(odd, even):
            return ("utf-16-le" if odd > even else "utf-16-be"), True
    decoder, controls = codecs.getincrementaldecoder("utf-8")(), False
    try:
        for start in range(0, len(data), _PIECE):
            piece = bytes(data[start : start + _PIECE])
            if not piece.isascii() or start + _PIECE >= len(data):
                decoder.decode(piece, final=start + _PIECE >= len(data))
    except UnicodeDecodeError:
        controls = any(0x80 <= byte < 0xA0 for byte in set(bytes(data[:_PIECE])))
        return ("cp1252" if controls else "latin-1"), True
    return "utf-8", False


def cut(lines: Iterable[str], delimiter: str, quote: str | None) -> Any:
    """A reader of the csv module; without ``quote`` quotation marks are ordinary characters."""
    if quote is None:
        return csv.reader(
            lines, delimiter=delimiter, quoting=csv.QUOTE_NONE, skipinitialspace=delimiter == " "
        )
    return csv.reader(lines, delimiter=delimiter, quotechar=quote, skipinitialspace=delimiter == " ")


def records(text: str, delimiter: str, quote: str | None = '"', most: int = 100) -> list[list[str]]:
    """The first records of a text that are not empty.

    >>> records('a b  c\\n"x y" 1 2\\n', " ")
    [['a', 'b', 'c'], ['x y', '1', '2']]
    """
    lines = text.splitlines(keepends=True)
    if delimiter == " ":
        lines = [line.strip() + "\n" for line in lines]
    found: list[list[str]] = []
    reader = cut(lines, delimiter, quote)
    try:
        for record in reader:
            if record and (len(record) > 1 or record[0].strip()):
                found.append(record)
            if len(found) >= most:
                break
    except csv.Error:
        return []
    return found


def delimiter_of(text: str, default: str = ",") -> str | None:
    """The delimiter that cuts every record of a text into the same number of cells, more than one; None if none does.

    >>> [delimiter_of(text) for text in ("a;b\\n1,5;2\\n", "a,b\\n1,2\\n", "1  2 x\\n3 4 y\\n", "ab\\nc\\n")]
    [';', ',', ' ', None]
    """
    fitting, nearly = [], []
    for delimiter in (*DELIMITERS, " "):
        quote = None if delimiter == "\t" and not quoted_with_tabs(text) else '"'
        widths = [len(record) for record in records(text, delimiter, quote)]
        if not widths or max(widths) < 2:
            continue
        # The header of R's write.table has no name for the names of the rows.
        if len(set(widths)) == 1 or (
            len(set(widths[1:])) == 1 and widths[1] == widths[0] + 1 and widths[0] > 1
        ):
            fitting.append(delimiter)
        elif widths.count(widths[0]) > 0.8 * len(widths) and widths[0] > 1:
            nearly.append(delimiter)
    if fitting:
        return next((each for each in fitting if each != " "), " ")
    if default in nearly:
        return default
    return nearly[0] if len(nearly) == 1 and nearly[0] != " " else None


def quoted_with_tabs(text: str) -> bool:
    """True if quotation marks stand around whole cells of tab-separated text; else they are ordinary characters.

    >>> quoted_with_tabs('"a b"\\t1\\n'), quoted_with_tabs('"a\\t1\\n'), quoted_with_tabs("a\\t1\\n")
    (True, False, False)
    """
    cells = [cell for line in text.splitlines() for cell in line.split("\t") if '"' in cell]
    return bool(cells) and all(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in cells)


def decimal_of(cells: Sequence[str], delimiter: str) -> str | None:
    """The decimal sign of some cells; None if "1,234" may mean either 1234 or 1.234.

    >>> [decimal_of(cells, ";") for cells in (["1,5", "x"], ["1,234", "2"], ["1.5"], ["1.234,5"])]
    [',', None, '.', ',']
    """
    with_comma = [cell for cell in cells if _COMMA_NUMBER.fullmatch(cell) or _GROUPED.fullmatch(cell)]
    if not with_comma:
        return "."
    grouped = all(map(_GROUPED.fullmatch, with_comma))
    if any(map(_DOT_NUMBER.fullmatch, cells)):
        return "."
    if grouped:
        return "." if delimiter == "," else None
    return ","


def header_of(rows: Sequence[Sequence[str]], decimal: str = ".") -> bool:
    """True if the first record names the columns.

    It does if one of its cells stands over numbers and is none itself. Where there are no numbers at all, it does if it
    names a label, or if none of its cells occurs again in a table whose other cells do.

    >>> header_of([["age", "city"], ["31", "Bern"]]), header_of([["31", "Bern"], ["52", "Oslo"]])
    (True, False)
    """
    if not rows:
        return False
    first, rest = rows[0], [row for row in rows[1:] if len(row) >= len(rows[0])]
    if not rest:
        return not any(is_number(cell, decimal) for cell in first)
    if len(rest[0]) == len(first) + 1:
        return True
    columns = list(zip(*(row[: len(first)] for row in rest), strict=True))
    there = [[cell for cell in column if cell.strip().lower() not in MISSING] for column in columns]
    numeric = [2 * sum(is_number(cell, decimal) for cell in some) > len(some) for some in there]
    if any(numeric):
        over = [
            cell.strip().lower() not in MISSING and not is_number(cell, decimal)
            for cell, of_numbers in zip(first, numeric, strict=True)
            if of_numbers
        ]
        counting = [cell.strip() for cell in first if is_number(cell, decimal)]
        counts = counting in ([str(at + one) for at in range(len(counting))] for one in (0, 1))
        return any(over) and counts  # no number in it, or the numbers of the columns: 0, 1, 2, ...
    if any(cell.strip().lower() in STRONG_NAMES + WEAK_NAMES for cell in first):
        return True
    again = any(cell in column for cell, column in zip(first, columns, strict=True))
    repeated = any(len(set(column)) < len(column) for column in columns)
    return len(rest) >= 5 and repeated and not again and len(set(first)) == len(first)


def is_number(cell: str, decimal: str = ".") -> bool:
    """True if a cell holds a plain number.

    >>> is_number("-1e5"), is_number("1,5", ","), is_number("$1")
    (True, True, False)
    """
    return bool(_NUMBER.fullmatch(cell.replace(",", ".", 1) if decimal == "," else cell))
