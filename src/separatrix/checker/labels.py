"""Labels as texts, the same whichever program read them.

    number    an integral value is its decimal integer, any other its hexadecimal real: 1, 1.0, "+1" -> "1"
    text      the label itself, to the letter

A certificate records which of the two it means, so that "1" the number and "1" the word cannot be mixed up.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from separatrix.checker.numbers import Rejected

#: A decimal number in a data file: ASCII digits, nothing that only Python takes for a number.
DECIMAL = re.compile(r"[+-]?(?:[0-9]+(\.[0-9]*)?|(\.[0-9]+))([eE][+-]?[0-9]+)?")
_WORDS = {"true": "1", "false": "0"}
_LONGEST = 1000  # characters of a number


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
