"""exp and tanh of rational numbers, enclosed between integers times 2^-SCALE. Nothing is assumed of a platform.

exp(-t) = 2^-k exp(-r) with t = k ln 2 + r, 0 <= r < ln 2, and the Taylor series of exp(-r), in integers with
32 bits beyond those of the answer. What floors lose stays far below the last bit that is kept:

    t cut off          1 unit of the working scale (exp has a slope of at most 1)
    k ln 2             k <= 150 units, since ln 2 is known within one
    each of 40 terms   2 units
"""

from __future__ import annotations

SCALE = 100  #: bits after the point of every answer
_EXTRA = 32  # bits beyond those of the answer
_WORK = SCALE + _EXTRA
_LOST = 1 << 9  # units of 2^-_WORK, more than all losses above together
_ONE = 1 << _WORK
_FARTHEST = 150  # powers of two by which exp(-t) may shrink before it is below 2^-_WORK anyway


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

    Neighbouring integers, or one further where the value is too near to one of them to say.

    >>> lower, upper = exp_minus(1, 0)
    >>> upper - lower, round(lower / 2**SCALE, 12)
    (1, 0.367879441171)
    """
    if t == 0:
        return 1 << SCALE, 1 << SCALE
    small, large = _exp(t, scale)
    return small >> _EXTRA, min(1 << SCALE, (large >> _EXTRA) + 1)


def tanh(t: int, scale: int) -> tuple[int, int]:
    """(lower, upper) with lower <= 2^SCALE tanh(t 2^-scale) <= upper, by (1 - e) / (1 + e), e = exp(-2t).

    >>> lower, upper = tanh(-1, 1)
    >>> upper - lower, round(lower / 2**SCALE, 12)
    (1, -0.46211715726)
    """
    if t < 0:
        lower, upper = tanh(-t, scale)
        return -upper, -lower
    if t == 0:
        return 0, 0
    small, large = _exp(2 * t, scale)
    lower, upper = ((_ONE - e << _WORK) // (_ONE + e) >> _EXTRA for e in (large, small))
    return lower, min(1 << SCALE, upper + 1)


def _exp(t: int, scale: int) -> tuple[int, int]:
    """Bounds on 2^_WORK exp(-t 2^-scale), t > 0, as far apart as the losses above."""
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
    return max(0, total - _LOST), min(_ONE, total + _LOST)
