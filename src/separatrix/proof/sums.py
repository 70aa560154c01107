"""Exact sums of many floats, a few vector operations long.

With a power of two sigma >= (n + 2) max |x_i|, the parts q_i = (sigma + x_i) - sigma and x_i - q_i are exact,
and so is the sum of the q_i in any order: all are multiples of 2^-53 sigma below sigma. Repeating this on
what is left adds up all bits of all numbers.
Rump, Ogita, Oishi, Accurate floating-point summation, SIAM J. Sci. Comput. 31(1), 2008, section 3.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from separatrix.proof.outward import above, certain
from separatrix.types import Vector

_FEW = 300  # terms up to which sums of Python floats are faster


def exact_parts(values: Vector) -> list[float]:
    """A few floats with exactly the same sum as the values (n,), which must be finite.

    >>> sum(exact_parts(np.repeat([1e16, 1.0, -1e16], 100)))
    100.0
    """
    x, parts = values[values != 0], list[float]()
    if len(x) <= _FEW:
        return _few_parts(x.tolist())
    while len(x):
        largest = max(float(np.max(x)), -float(np.min(x)))
        exponent = math.frexp(largest)[1] + (len(x) + 2).bit_length()
        if exponent > 1023:
            return parts + list(map(float, x))
        sigma = math.ldexp(1.0, exponent)
        q = x + sigma
        q -= sigma
        parts.append(float(np.sum(q)))
        x -= q
        x = x[x != 0]
    return [part for part in parts if part]


def _few_parts(terms: list[float]) -> list[float]:
    """The same by sums that are rounded once: what each of them leaves over is summed again."""
    parts, rest = list[float](), list(terms)
    try:
        while part := math.fsum(rest):
            parts.append(part)
            rest.append(-part)
    except OverflowError:
        return terms
    return parts


def exact_sum(values: Vector) -> Fraction:
    """The sum of floats; raises `Rejected` where one is not finite.

    >>> exact_sum(np.array([1e308, 1e-320, 1e308, -1e308])) == Fraction(1e308) + Fraction(1e-320)
    True
    """
    certain(np.isfinite(values))
    return sum(map(above, exact_parts(values)), Fraction())


def rounded_sum(values: Vector) -> float:
    """The sum of floats, rounded once. NaN where a value is not finite.

    It is zero if and only if the exact sum is: floats that do not cancel leave at least 2^-1074.

    >>> rounded_sum(np.array([0.1, 0.2, -0.3]))
    2.7755575615628914e-17
    """
    if not np.all(np.isfinite(values)):
        return math.nan
    try:
        return math.fsum(exact_parts(values))
    except OverflowError:
        return math.nan
