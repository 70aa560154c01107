"""What makers write: finite numbers in the form of the page, bounds rounded outwards by no more than needed."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix.proof import writing
from separatrix.proof.writing import (
    round_down,
    round_up,
    write_integers,
    write_real,
    write_vector,
    write_weights,
)


def test_a_vector_is_written_in_blocks(monkeypatch):
    values = np.array([0.0, 1.5, -2.0, 0.0, 1.5, 3.0, 4.0])
    whole = write_vector(values)
    monkeypatch.setattr(writing, "_AT_ONCE", 2)
    assert write_vector(values) == whole
    assert whole["values"] == [value.hex() for value in (1.5, -2.0, 1.5, 3.0, 4.0)]


@given(st.fractions())
def test_rounding_is_outward_and_tight(value):
    up, down = round_up(value), round_down(value)
    assert Fraction(down) <= value <= Fraction(up)
    assert up == down or math.nextafter(down, math.inf) == up


def test_rounding_beyond_the_largest_float():
    assert round_up(Fraction(10) ** 400) == math.inf
    assert round_down(Fraction(10) ** 400) == 1.7976931348623157e308


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_only_finite_numbers_are_written(value):
    with pytest.raises(ValueError, match="finite"):
        write_real(value)
    with pytest.raises(ValueError, match="finite"):
        write_vector(np.array([value]))


def test_zero_has_one_form():
    assert write_real(-0.0) == write_real(0.0) == "0x0.0p+0"
    assert write_vector(np.array([-0.0, 1.0])) == {
        "length": 2,
        "indices": [1],
        "values": ["0x1.0000000000000p+0"],
    }


def test_vectors_without_zeros_have_no_places():
    assert write_integers([1, -2]) == {"length": 2, "values": ["0x1", "-0x2"]}
    assert write_weights([1, 0], [3, 2], 2) == {"length": 2, "values": ["0x2", "0x3"]}
    some = write_vector(np.array([0.5, 0.0]), np.array([3, 5]), 6)
    assert some == {"length": 6, "indices": [3], "values": ["0x1.0000000000000p-1"]}
