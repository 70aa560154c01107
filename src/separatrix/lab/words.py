"""Numbers and lists of points as the page's sentences write them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

_DIGITS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_NAMED = 6  # points that a sentence lists, before it only counts them


def shown(value: float | None, digits: int = 4) -> str:
    """A number in about ``digits`` significant digits, with a true minus sign: as `show` writes it on the page.

    >>> shown(-0.51234), shown(1683.307, 4), shown(2.5e-9, 3), shown(3.0), shown(None)
    ('−0.5123', '1683', '2.5·10⁻⁹', '3', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    if 1e-4 <= abs(value) < 1e6:
        rounded = float(f"{value:.{digits}g}")
        text = str(int(rounded)) if rounded.is_integer() else repr(rounded)
    else:
        mantissa, exponent = f"{value:.{max(0, digits - 2)}e}".split("e")
        text = f"{mantissa}·10{str(int(exponent)).translate(_POWERS)}"
    return text.replace("-", "−")


def pair(values: Iterable[float], digits: int = 4) -> str:
    """A vector.

    >>> pair([1.0, -2.5])
    '(1, −2.5)'
    """
    return f"({', '.join(shown(float(value), digits) for value in values)})"


def subscript(whole: int) -> str:
    """A whole number as an index.

    >>> subscript(12)
    '₁₂'
    """
    return str(whole).translate(_DIGITS)


def signed(value: float, digits: int = 4) -> str:
    """A number with its sign before it, as a further term of a sum.

    >>> signed(2.0), signed(-0.5)
    ('+ 2', '− 0.5')
    """
    return f"{'−' if value < 0 else '+'} {shown(abs(value), digits)}"


def points(rows: Sequence[int]) -> str:
    """Points by their numbers on the page, which count from 1; many of them only counted.

    >>> points([0]), points([4, 1]), points(range(9))
    ('point 1', 'points 2 and 5', '9 points')
    """
    numbers = [str(row + 1) for row in sorted(rows)]
    if len(numbers) == 1:
        return f"point {numbers[0]}"
    if len(numbers) > _NAMED:
        return f"{len(numbers)} points"
    return f"points {', '.join(numbers[:-1])} and {numbers[-1]}"


def verb(rows: Sequence[int], one: str, many: str) -> str:
    """The form of a verb that goes with `points`.

    >>> verb([3], "is", "are")
    'is'
    """
    return one if len(rows) == 1 else many


def named(rows: Sequence[int]) -> list[int]:
    """The rows that `points` names one by one."""
    return sorted(int(row) for row in rows) if len(rows) <= _NAMED else []
