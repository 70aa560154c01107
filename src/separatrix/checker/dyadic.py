"""Exact arithmetic on floats as integers scaled by a power of two.

Every finite float is m 2^-s with integers m and s. A whole vector shares one s, so that sums and products
are those of integers; only the last few numbers of a check become fractions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction


def scale_for(smallest: float) -> int:
    """An s for which every float of at least this magnitude is an integer multiple of 2^-s.

    >>> scale_for(1.0)
    52
    """
    return min(1074, 53 - math.frexp(smallest)[1])


def to_integers(values: Sequence[float], scale: int) -> list[int]:
    """The floats times 2^scale, as integers; scale must come from `scale_for`.

    >>> to_integers([1.5, -2.0], 1)
    [3, -4]
    """
    if -1000 < scale < 1000:
        factor = math.ldexp(1.0, scale)
        try:
            # Scaling by a power of two is exact unless it overflows: scaled numbers are integers, never tiny.
            return [int(value * factor) for value in values]
        except OverflowError:
            pass
    return [_to_integer(value, scale) for value in values]


def _to_integer(value: float, scale: int) -> int:
    numerator, denominator = value.as_integer_ratio()
    shift = scale - denominator.bit_length() + 1
    return numerator << shift if shift >= 0 else numerator >> -shift


def scaled(values: Sequence[float]) -> tuple[list[int], int]:
    """Integers m and one s with values[i] = m[i] 2^-s.

    >>> scaled([0.0, 0.0])
    ([0, 0], 0)
    """
    smallest = min(filter(None, map(abs, values)), default=0.0)
    scale = scale_for(smallest) if smallest else 0
    return to_integers(values, scale), scale


def fraction(number: int, scale: int) -> Fraction:
    """number 2^-scale.

    >>> fraction(3, 1)
    Fraction(3, 2)
    """
    return Fraction(number, 1 << scale) if scale >= 0 else Fraction(number << -scale)


def round_up(value: Fraction) -> float:
    """The smallest float not below value.

    >>> round_up(Fraction(1, 3)) > Fraction(1, 3) > math.nextafter(round_up(Fraction(1, 3)), 0)
    True
    """
    try:
        near = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.nextafter(math.inf, 0.0)
    return near if near >= value else math.nextafter(near, math.inf)


def round_down(value: Fraction) -> float:
    """The largest float not above value."""
    return -round_up(-value)
