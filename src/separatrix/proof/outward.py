"""Floats that become bounds.

A float that bounds something is read here and nowhere else, and is a finite number ever after: NaN compares as false
with everything and as smaller than nothing, so that ``max(0.0, nan)`` or ``not any(nan > 0)`` would pass for a proof.
Bounds are Fractions; what is added to them and multiplied with them is not rounded.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from separatrix.checker.numbers import Rejected as Rejected

OUT_OF_RANGE = "The numbers leave the range of floating point; use exact=True."


def above(value: float) -> Fraction:
    """A float that is at least what it bounds; raises `Rejected` unless it is finite.

    >>> above(0.5)
    Fraction(1, 2)
    """
    return _finite(value)


def below(value: float) -> Fraction:
    """A float that is at most what it bounds; raises `Rejected` unless it is finite."""
    return _finite(value)


def certain(condition: NDArray[np.bool_], sentence: str = OUT_OF_RANGE) -> None:
    """Raise `Rejected` unless every entry is true; ``{row}`` in the sentence stands for the first that is not.

    Conditions are written so that NaN makes them false.

    >>> certain(np.array([1.0, 2.0]) <= 2.0, "Row {row} is too large.")
    """
    if not np.all(condition):
        raise Rejected(sentence.replace("{row}", str(int(np.argmin(condition)))))


def _finite(value: float) -> Fraction:
    if not math.isfinite(value):
        raise Rejected(OUT_OF_RANGE)
    return Fraction(float(value))
