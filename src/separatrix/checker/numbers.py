"""Numbers and fields of a certificate, each in the one form that docs/certificate-format.md, section 2, gives it.

A reader trusts nothing: whatever is not as the page says raises `Rejected` with a sentence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from operator import ge
from typing import Any, TypeVar

_INTEGER = re.compile(r"0x0|-?0x[1-9a-f][0-9a-f]{0,65535}")
_NO_REALS = ("nan", "inf", "-inf", "-0x0.0p+0")  # which `float.hex` writes all the same
Number = TypeVar("Number", int, float)


class Rejected(Exception):
    """The certificate does not prove its claim for these data; the sentence says why."""


def shown(value: Any) -> str:
    """A value in an error, shortened."""
    text = repr(value) if isinstance(value, str | int | float | None) else type(value).__name__
    return text if len(text) <= 40 else text[:37] + "..."


def fields(record: Any, name: str, *names: str) -> list[Any]:
    """The values of an object that must have exactly these fields.

    >>> fields({"b": 1, "a": 2}, "pair", "a", "b")
    [2, 1]
    """
    if not isinstance(record, dict) or set(record) != set(names):
        raise Rejected(f"The field {name} must have exactly {', '.join(names)}.")
    return [record[each] for each in names]


def word(value: Any, name: str, *allowed: str) -> str:
    """One of a few words."""
    if isinstance(value, str) and value in allowed:
        return value
    raise Rejected(f"{name} must be one of {', '.join(allowed)}; got {shown(value)}.")


def count(value: Any, name: str) -> int:
    """An integer from 0 to 2^53 - 1."""
    if type(value) is int and 0 <= value < 1 << 53:
        return value
    raise Rejected(f"{name} must be an integer from 0 to 2^53 - 1; got {shown(value)}.")


def real(text: Any, name: str) -> float:
    """A binary64 number from the one text that stands for it.

    >>> real("0x1.8000000000000p+0", "b")
    1.5
    """
    try:
        value = float.fromhex(text)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if value.hex() != text or text in _NO_REALS:
        raise Rejected(f"{name} must be a hexadecimal real such as 0x1.8000000000000p+0; got {shown(text)}.")
    return value


def integer(text: Any, name: str) -> int:
    """An integer from its hexadecimal text.

    >>> integer("-0x1f", "b")
    -31
    """
    if isinstance(text, str) and _INTEGER.fullmatch(text):
        return int(text, 16)
    raise Rejected(f"{name} must be a hexadecimal integer such as -0x1f; got {shown(text)}.")


def vector(record: Any, name: str, length: int, number: Callable[[Any, str], Number]) -> dict[int, Number]:
    """The entries other than zero of a vector, by their places.

    >>> vector({"length": 3, "indices": [1], "values": ["0x2"]}, "w", 3, integer)
    {1: 2}
    """
    dense = isinstance(record, dict) and "indices" not in record
    size, texts, *rest = fields(record, name, "length", "values", *([] if dense else ["indices"]))
    places = range(length) if dense else rest[0]
    if count(size, f"The length of {name}") != length:
        raise Rejected(f"{name} must have length {length}; got {size}.")
    if not isinstance(texts, list) or not isinstance(places, list | range) or len(places) != len(texts):
        raise Rejected(f"{name} must have a list of values, and as many places as values.")
    if not set(map(type, texts)) <= {str} or not set(map(type, places)) <= {int}:
        raise Rejected(f"The values of {name} must be texts, and its indices integers.")
    if any(map(ge, places, places[1:])) or (places and not 0 <= places[0] <= places[-1] < length):
        raise Rejected(f"The indices of {name} must increase and lie below {length}.")
    known = {text: number(text, name) for text in set(texts)}  # many an alpha is the same C
    if not dense and not all(known.values()):
        raise Rejected(f"{name} has a zero among the values of its indices.")
    entries = zip(places, map(known.__getitem__, texts), strict=True)
    return {place: each for place, each in entries if each} if dense else dict(entries)


def weights(record: Any, name: str, length: int) -> dict[int, int]:
    """A vector of integers, none below zero and one above."""
    entries = vector(record, name, length, integer)
    if min(entries.values(), default=0) <= 0:
        raise Rejected(f"The values of {name} must not be negative, and one must be positive.")
    return entries
