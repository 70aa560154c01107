"""Labels as texts, the same whichever program read them, and the side each row is on.

    number    an integral value is its decimal integer, any other its hexadecimal float: 1, 1.0, "+1" -> "1"
    text      the label itself, to the letter

A certificate records which of the two it means, so that "1" the number and "1" the word cannot be mixed up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from separatrix.checker.verdict import Rejected


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
    word = token.strip()
    if word.lower() in ("true", "false"):
        return "1" if word.lower() == "true" else "0"
    try:
        return number_text(int(word))
    except ValueError:
        pass
    try:
        return number_text(float(word))
    except ValueError:
        raise Rejected(f"The certificate has numbers for labels; the data have {token!r}.") from None


def encode(texts: Iterable[str]) -> tuple[list[str], list[int]]:
    """The distinct texts in order of first appearance, and the position of each row's text among them.

    >>> encode(["b", "a", "b"])
    (['b', 'a'], [0, 1, 0])
    """
    position: dict[str, int] = {}
    codes = [position.setdefault(text, len(position)) for text in texts]
    return list(position), codes


def sides(classes: Sequence[str], positive: Sequence[str], negative: Sequence[str]) -> list[int]:
    """+1, -1 or 0 (takes no part) for each class.

    >>> sides(["a", "b", "c"], ["a"], ["c"])
    [1, 0, -1]
    """
    plus, minus = set(positive), set(negative)
    if plus & minus:
        raise Rejected(f"The label {sorted(plus & minus)[0]!r} is on both sides.")
    if not plus and not minus:
        raise Rejected("No label is on either side.")
    return [(label in plus) - (label in minus) for label in classes]


def places(classes: Sequence[str], named: Sequence[str]) -> list[int]:
    """1 + the position of each class among the named ones, or 0 (takes no part): for claims about all classes at once.

    >>> places(["a", "b", "c"], ["c", "a"])
    [2, 0, 1]
    """
    position = {label: place for place, label in enumerate(named, 1)}
    if len(position) != len(named):
        raise Rejected("A class is named twice.")
    return [position.get(label, 0) for label in classes]


def describe(labels: Sequence[str], kind: str = "text") -> str:
    """A side in words, shortened where it has many labels.

    >>> describe(["a"]), describe(["a", "b"]), describe(["1"], "number")
    ("'a'", "{'a', 'b'}", '1')
    """
    shown = [repr(label) if kind == "text" else label for label in labels[:4]]
    shown += ["..."] if len(labels) > 4 else []
    return shown[0] if len(labels) == 1 else "{" + ", ".join(shown) + "}"
