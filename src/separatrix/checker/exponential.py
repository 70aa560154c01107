"""exp and tanh of rational numbers, enclosed between integers times 2^-SCALE. Nothing is assumed of a platform.

exp(-t) = 2^-k exp(-r) with t = k ln 2 + r, 0 <= r < ln 2, and the Taylor series of exp(-r), in integers with
32 bits beyond those of the answer. What floors lose stays far below the last bit that is kept:

    t cut off          1 unit of the working scale (exp has a slope of at most 1)
    k ln 2             k <= 150 units, since ln 2 is known within one
    each of 40 terms   2 units
"""

from __future__ import annotations

SCALE = 100  #: bits after the point of every answer
_WORK = SCALE + 32
_LOST = 1 << 9  # units of 2^-_WORK, more than all losses above together
_ONE = 1 << _WORK
_FARTHEST = 150  # powers of two by which exp(-t) may shrink before it is below 2^-SCALE anyway


def _ln2() -> int:
    """floor(2^_WORK ln 2), by ln 2 = sum_{k >= 1} 1 / (k 2^k) with 16 guard bits.

    The series is cut off where its terms vanish, and each loses less than a unit: 200 units in 2^16.
    """
    guard = 16
    total = sum((1 << (_WORK + guard)) // (k << k) for k in range(1, _WORK + guard + 1))
    return (total + (1 << 8)) >> guard


_LN2 = _ln2()


def exp_minus(t: int, scale: int) -> tuple[int, int]:
    """(lower, upper) with lower <= 2^SCALE exp(-t 2^-scale) <= upper, for an integer t >= 0.

    >>> lower, upper = exp_minus(1, 0)
    >>> upper - lower <= 2, round(lower / 2**SCALE, 12)
    (True, 0.367879441171)
    """
    if t == 0:
        return 1 << SCALE, 1 << SCALE
    shift = _WORK - scale
    working = t << shift if shift >= 0 else t >> -shift
    k, r = divmod(working, _LN2)
    if k > _FARTHEST:
        return 0, 1
    total, term, n = _ONE, _ONE, 0
    while term:
        n += 1
        term = ((term * r) >> _WORK) // n
        total += -term if n % 2 else term
    total >>= k
    lower = max(0, (total - _LOST) >> (_WORK - SCALE))
    return lower, min(1 << SCALE, ((total + _LOST) >> (_WORK - SCALE)) + 1)


def tanh(t: int, scale: int) -> tuple[int, int]:
    """(lower, upper) with lower <= 2^SCALE tanh(t 2^-scale) <= upper, by (1 - e) / (1 + e), e = exp(-2t).

    >>> lower, upper = tanh(-1, 1)
    >>> upper - lower <= 8, round(lower / 2**SCALE, 12)
    (True, -0.46211715726)
    """
    if t < 0:
        lower, upper = tanh(-t, scale)
        return -upper, -lower
    one = 1 << SCALE
    small, large = exp_minus(2 * t, scale)
    return ((one - large) << SCALE) // (one + large), -((-((one - small) << SCALE)) // (one + small))
