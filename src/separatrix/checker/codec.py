"""Numbers that read back exactly: hexadecimal floats, integers, vectors with their zeros left out.

    real      "0x1.8p+1"                                            float.hex, always finite
    integer   12  or  "-0x1f"                                       hexadecimal text where it may be long
    vector    {"length": 5, "indices": [0, 3], "values": [...]}     no "indices": every entry is written

A reader never trusts what it reads: anything unexpected raises `Rejected` with a sentence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from separatrix.checker.verdict import Rejected

_REAL = re.compile(r"-?0x[01](\.[0-9a-f]{1,13})?p[+-][0-9]{1,4}\Z")
_INTEGER = re.compile(r"-?0x[0-9a-f]+\Z")


@dataclass(frozen=True)
class SparseVector:
    """A vector of a given length by its written entries; indices increase strictly."""

    length: int
    indices: Sequence[int]
    values: Sequence[float]

    def dense(self) -> list[float]:
        """All entries, zeros included."""
        if len(self.values) == self.length:
            return list(self.values)
        full = [0.0] * self.length
        for index, value in zip(self.indices, self.values, strict=True):
            full[index] = value
        return full


def field(record: Any, name: str) -> Any:
    """record[name], or a rejection that names what is missing.

    >>> field({"b": 1}, "b")
    1
    """
    if not isinstance(record, Mapping) or name not in record:
        raise Rejected(f"The certificate has no field {name!r}.")
    return record[name]


def write_real(value: float) -> str:
    """The float as hexadecimal text.

    >>> write_real(1.5), write_real(-0.0)
    ('0x1.8000000000000p+0', '0x0.0p+0')
    """
    if not math.isfinite(value):
        raise ValueError(f"A certificate holds finite numbers only; got {value}.")
    return (value + 0.0).hex()


def read_real(text: Any, name: str) -> float:
    """The float written by `write_real`."""
    if not isinstance(text, str) or not _REAL.match(text):
        raise Rejected(f"{name} must be a finite hexadecimal float; got {_shown(text)}.")
    try:
        return float.fromhex(text)
    except (OverflowError, ValueError):
        raise Rejected(f"{name} must be a finite hexadecimal float; got {_shown(text)}.") from None


def write_integer(value: int) -> str:
    """An integer of any size as hexadecimal text (decimal text is slow, and limited, beyond 4300 digits).

    >>> write_integer(-31)
    '-0x1f'
    """
    return hex(value)


def read_integer(value: Any, name: str) -> int:
    """A JSON integer, or the text written by `write_integer`."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _INTEGER.match(value):
        return int(value, 16)
    raise Rejected(f"{name} must be an integer; got {_shown(value)}.")


def read_count(value: Any, name: str) -> int:
    """A JSON integer of at least 0."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise Rejected(f"{name} must be an integer of at least 0; got {_shown(value)}.")


def read_word(value: Any, name: str, allowed: Iterable[str]) -> str:
    """One of a few words."""
    words = tuple(allowed)
    if isinstance(value, str) and value in words:
        return value
    raise Rejected(f"{name} must be one of {', '.join(words)}; got {_shown(value)}.")


def read_words(value: Any, name: str) -> tuple[str, ...]:
    """A list of texts."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise Rejected(f"{name} must be a list of texts; got {_shown(value)}.")


def read_indices(value: Any, name: str, length: int) -> tuple[int, ...]:
    """A list of increasing integers from 0 to length - 1.

    >>> read_indices([0, 2], "rows", 3)
    (0, 2)
    """
    if not isinstance(value, list):
        raise Rejected(f"{name} must be a list of integers; got {_shown(value)}.")
    last = -1
    for item in value:
        if not isinstance(item, int) or isinstance(item, bool) or not last < item < length:
            raise Rejected(f"{name} must hold increasing integers below {length}; got {_shown(item)}.")
        last = item
    return tuple(value)


def write_vector(values: Sequence[float]) -> dict[str, Any]:
    """A vector by its nonzero entries.

    >>> write_vector([0.0, 2.0])
    {'length': 2, 'indices': [1], 'values': ['0x1.0000000000000p+1']}
    """
    indices = [index for index, value in enumerate(values) if value]
    return write_entries(len(values), indices, [values[index] for index in indices])


def write_entries(length: int, indices: list[int], values: Iterable[float]) -> dict[str, Any]:
    """A vector from its nonzero entries, which the caller has already found; the list of indices is kept."""
    # Most alphas are equal to one C or the other: their text is kept once, however many they are.
    texts = list(map(lru_cache(maxsize=16)(float.hex), values))
    if not {"inf", "-inf", "nan"}.isdisjoint(texts):
        raise ValueError("A certificate holds finite numbers only.")
    if len(texts) == length:
        return {"length": length, "values": texts}
    return {"length": length, "indices": indices, "values": texts}


def read_vector(record: Any, name: str, length: int) -> SparseVector:
    """The vector written by `write_vector`, which must have the length that the data call for."""
    written = read_count(field(record, "length"), f"The length of {name}")
    if written != length:
        raise Rejected(f"{name} must have length {length}; got {written}.")
    values = field(record, "values")
    if not isinstance(values, list):
        raise Rejected(f"The values of {name} must be a list.")
    numbers = [read_real(text, name) for text in values]
    if "indices" not in record:
        if len(numbers) != length:
            raise Rejected(f"{name} must have {length} values; got {len(numbers)}.")
        return SparseVector(length, range(length), numbers)
    indices = record["indices"]
    if not isinstance(indices, list) or len(indices) != len(numbers):
        raise Rejected(f"{name} must have as many indices as values.")
    previous = -1
    for index in indices:
        if type(index) is not int or not previous < index < length:
            raise Rejected(f"The indices of {name} must increase and lie in 0 .. {length - 1}.")
        previous = index
    return SparseVector(length, indices, numbers)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
