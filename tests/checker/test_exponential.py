"""exp and tanh in integers, against the decimal module at 60 digits."""

from __future__ import annotations

import random
from decimal import Decimal, getcontext
from fractions import Fraction

import pytest

from separatrix.checker.exponential import SCALE, exp_minus, tanh


def decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


@pytest.mark.parametrize("seed", range(4))
def test_enclosures_hold_and_are_narrow(seed: int) -> None:
    getcontext().prec = 80
    rng = random.Random(seed)
    unit = Decimal(2) ** SCALE
    for _ in range(300):
        scale = rng.choice([0, 3, 60, 200])
        t = rng.randrange(0, 1 + int(Fraction(2) ** scale * Fraction(10) ** rng.randrange(-6, 3)))
        exact = (-decimal(Fraction(t, 1 << scale))).exp()
        lower, upper = exp_minus(t, scale)
        assert Decimal(lower) <= exact * unit <= Decimal(upper)
        assert upper - lower == (1 if t else 0)
        sign = rng.choice([-1, 1])
        e = (-2 * decimal(Fraction(t, 1 << scale))).exp()
        lower, upper = tanh(sign * t, scale)
        assert Decimal(lower) <= sign * (1 - e) / (1 + e) * unit <= Decimal(upper)
        assert upper - lower == (1 if t else 0)


def test_the_ends() -> None:
    assert exp_minus(0, 10) == (1 << SCALE, 1 << SCALE)
    assert exp_minus(10**9, 0) == (0, 1)
    assert tanh(0, 5) == (0, 0)
    lower, upper = tanh(10**6, 0)
    assert upper == 1 << SCALE
    assert lower == upper - 1
