import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from separatrix.checker.dyadic import fraction, round_down, round_up, scaled

reals = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(reals, min_size=1, max_size=10))
def test_scaled_integers_are_the_floats(values):
    integers, scale = scaled(values)
    assert [fraction(integer, scale) for integer in integers] == [Fraction(value) for value in values]


def test_the_extremes_of_floating_point_share_a_scale():
    values = [5e-324, 1.7976931348623157e308, -(2.0**-1022), 1.0, 0.0]
    integers, scale = scaled(values)
    assert [fraction(integer, scale) for integer in integers] == [Fraction(value) for value in values]


@given(st.fractions())
def test_rounding_is_outward_and_tight(value):
    up, down = round_up(value), round_down(value)
    assert Fraction(down) <= value <= Fraction(up)
    assert up == down or math.nextafter(down, math.inf) == up


def test_rounding_beyond_the_largest_float():
    assert round_up(Fraction(10) ** 400) == math.inf
    assert round_down(Fraction(10) ** 400) == 1.7976931348623157e308
