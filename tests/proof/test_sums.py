"""Exact sums of floats over all exponents."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix.proof.sums import Rejected, exact_parts, exact_sum, rounded_sum

reals = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e305, max_value=1e305)


@given(st.lists(reals, max_size=200))
def test_the_sum_is_exact(values):
    array = np.array(values, dtype=float)
    assert sum(map(Fraction, exact_parts(array)), Fraction()) == sum(map(Fraction, values), Fraction())
    assert exact_sum(array) == sum(map(Fraction, values), Fraction())
    assert rounded_sum(array) == math.fsum(values)


def test_long_sums_over_all_exponents_are_exact():
    rng = np.random.default_rng(0)
    values = rng.normal(size=3000) * 10.0 ** rng.integers(-320, 300, 3000)
    assert exact_sum(values) == sum(map(Fraction, values.tolist()), Fraction())
    assert exact_sum(np.concatenate([values, -rng.permutation(values)])) == 0


def test_long_sums_take_few_parts():
    values = np.random.default_rng(0).random(100_000)
    assert len(exact_parts(values)) <= 4
    assert sum(map(Fraction, exact_parts(values))) == Fraction(math.fsum(values)) + Fraction(
        math.fsum([*values.tolist(), -math.fsum(values)])
    )


def test_values_near_the_largest_float():
    values = np.full(100, 1.7e308) * np.where(np.arange(100) % 2, 1, -1)
    assert rounded_sum(values) == 0.0
    assert math.isnan(rounded_sum(np.full(100, 1.7e308)))
    assert math.isnan(rounded_sum(np.array([np.inf, 1.0])))
    assert exact_sum(np.full(400, 1.7e308)) == 400 * Fraction(1.7e308)
    for value in (np.inf, -np.inf, np.nan):
        with pytest.raises(Rejected):
            exact_sum(np.array([1.0, value]))
