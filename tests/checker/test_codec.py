import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix.checker.codec import (
    read_integer,
    read_real,
    read_vector,
    write_integer,
    write_real,
    write_vector,
)
from separatrix.checker.verdict import Rejected

reals = st.floats(allow_nan=False, allow_infinity=False)


@given(reals)
def test_reals_read_back_exactly(value):
    assert read_real(write_real(value), "x") == value


@given(st.integers())
def test_integers_read_back_exactly(value):
    assert read_integer(write_integer(value), "k") == value
    assert read_integer(value, "k") == value


def test_integers_longer_than_decimal_text_allows():
    value = -(3**20_000)
    assert read_integer(write_integer(value), "k") == value


@given(st.lists(reals | st.just(0.0), max_size=8))
def test_vectors_read_back_exactly(values):
    record = write_vector(values)
    assert read_vector(record, "v", len(values)).dense() == values
    assert all(float.fromhex(text) for text in record["values"]) or "indices" not in record


@pytest.mark.parametrize(
    "text", ["1.5", "nan", "inf", "0x1p+2000", "0x3p+1", " 0x1p+0", "0x1p+0\n", 1.0, None, True]
)
def test_other_ways_to_write_a_real_are_rejected(text):
    with pytest.raises(Rejected, match="finite hexadecimal"):
        read_real(text, "x")


@pytest.mark.parametrize("value", [True, 1.0, "12", "0x", "0xg", None])
def test_other_ways_to_write_an_integer_are_rejected(value):
    with pytest.raises(Rejected, match="must be an integer"):
        read_integer(value, "k")


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_only_finite_numbers_are_written(value):
    with pytest.raises(ValueError, match="finite"):
        write_real(value)
    with pytest.raises(ValueError, match="finite"):
        write_vector([value])
