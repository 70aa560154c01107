"""Numbers and fields of a certificate: each has one form, and everything else gets a sentence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix.checker.numbers import Rejected, count, fields, integer, real, shown, vector, weights, word
from separatrix.proof.writing import write_integer, write_integers, write_real, write_vector, write_weights

reals = st.floats(allow_nan=False, allow_infinity=False)


@given(reals)
def test_reals_read_back_exactly(value):
    assert real(write_real(value), "x") == value


@given(st.integers())
def test_integers_read_back_exactly(value):
    assert integer(write_integer(value), "k") == value


def test_integers_longer_than_decimal_text_allows():
    value = -(3**20_000)
    assert integer(write_integer(value), "k") == value


def test_an_integer_has_a_budget_of_digits():
    assert integer("-0x1" + 65_535 * "0", "k") == -(16**65_535)
    with pytest.raises(Rejected, match="hexadecimal integer"):
        integer("0x1" + 65_536 * "0", "k")


@given(st.lists(reals | st.just(0.0), max_size=8))
def test_vectors_of_reals_read_back_exactly(values):
    record = write_vector(np.array(values))
    entries = vector(record, "v", len(values), real)
    assert [entries.get(place, 0.0) for place in range(len(values))] == values
    assert all(entries.values())


@given(st.lists(st.integers(-(2**80), 2**80) | st.just(0), max_size=8))
def test_vectors_of_integers_read_back_exactly(values):
    entries = vector(write_integers(values), "v", len(values), integer)
    assert [entries.get(place, 0) for place in range(len(values))] == values


def test_a_vector_may_hold_all_its_zeros_or_none():
    full = {"length": 2, "values": ["0x0", "0x3"]}
    assert vector(full, "v", 2, integer) == {1: 3}
    with pytest.raises(Rejected, match="zero among the values"):
        vector({"length": 2, "indices": [0, 1], "values": ["0x0", "0x3"]}, "v", 2, integer)


def test_weights_read_back_and_are_weights():
    assert weights(write_weights([4, 1], [2, 1], 6), "u", 6) == {1: 1, 4: 2}
    for values in (["-0x1", "0x1"], ["0x0", "0x0"]):
        with pytest.raises(Rejected, match="must not be negative"):
            weights({"length": 2, "values": values}, "u", 2)
    with pytest.raises(Rejected, match="one must be positive"):
        weights({"length": 2, "indices": [], "values": []}, "u", 2)


@pytest.mark.parametrize(
    "text",
    [
        *("1.5", "nan", "inf", "0x1p+2000", "0x3p+1", " 0x1p+0", "0x1p+0\n", 1.0, None, True, 12, [], {}),
        *("0x1p+0", "0x1.8p+0", "0x1.8000000000000p0", "0x1.8000000000000p+00", "0X1.8000000000000P+0"),
        *("+0x1.8000000000000p+0", "-0x0.0p+0", "0x0p+0", "0x1.80000000000000p+0", "1.8000000000000p+0"),
        *("0x1.0000000000000p-1023", "0x0.0000000000000p-1022", "0x1.0000000000000p+1024", "0x1.8_0p+0"),
        "\uff10x1.8000000000000p+0",
    ],
)
def test_other_ways_to_write_a_real_are_rejected(text):
    with pytest.raises(Rejected, match="hexadecimal real"):
        real(text, "x")


@pytest.mark.parametrize(
    "text",
    [
        *(
            True,
            1,
            1.0,
            "12",
            "0x",
            "0xg",
            None,
            "-0x0",
            "0x01",
            "0x1F",
            "0X1",
            "+0x1",
            " 0x1",
            "0x1\n",
            "0x_1",
        ),
        *("0x\uff11", "1", "", [], {}),
    ],
)
def test_other_ways_to_write_an_integer_are_rejected(text):
    with pytest.raises(Rejected, match="hexadecimal integer"):
        integer(text, "k")


@pytest.mark.parametrize("value", [-1, 1 << 53, True, 1.0, "1", None, [], 10**400])
def test_other_ways_to_write_a_count_are_rejected(value):
    assert count(0, "n") == 0
    assert count((1 << 53) - 1, "n") == (1 << 53) - 1
    with pytest.raises(Rejected, match=r"from 0 to 2\^53 - 1"):
        count(value, "n")


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "must have exactly"),
        (None, "must have exactly"),
        ({"length": 3}, "must have exactly"),
        ({"length": 3, "values": [], "more": 1}, "must have exactly"),
        ({"length": 3, "indices": [], "values": [], "more": 1}, "must have exactly"),
        ({"length": 4, "values": ["0x1"] * 4}, "must have length 3"),
        ({"length": -1, "indices": [], "values": []}, "length of v must be an integer"),
        ({"length": True, "indices": [], "values": []}, "length of v must be an integer"),
        ({"length": 3, "values": ["0x1"]}, "as many places as values"),
        ({"length": 3, "values": "0x1"}, "list of values"),
        ({"length": 3, "indices": {}, "values": []}, "list of values"),
        ({"length": 3, "indices": [0], "values": ["0x1", "0x1"]}, "as many places as values"),
        ({"length": 3, "indices": [3], "values": ["0x1"]}, "lie below 3"),
        ({"length": 3, "indices": [-1], "values": ["0x1"]}, "lie below 3"),
        ({"length": 3, "indices": [2, 1], "values": ["0x1", "0x1"]}, "must increase"),
        ({"length": 3, "indices": [1, 1], "values": ["0x1", "0x1"]}, "must increase"),
        ({"length": 3, "indices": [True], "values": ["0x1"]}, "its indices integers"),
        ({"length": 3, "indices": ["1"], "values": ["0x1"]}, "its indices integers"),
        ({"length": 3, "indices": [1.0], "values": ["0x1"]}, "its indices integers"),
        ({"length": 3, "indices": [1], "values": [1]}, "hexadecimal integer|must be texts"),
        ({"length": 3, "indices": [1], "values": ["1"]}, "hexadecimal integer"),
    ],
)
def test_malformed_vectors_get_a_sentence(record, message):
    with pytest.raises(Rejected, match=message):
        vector(record, "v", 3, integer)


def test_fields_and_words_are_exact():
    assert fields({"b": 1, "a": 2}, "pair", "a", "b") == [2, 1]
    for record in ({"a": 1}, {"a": 1, "b": 2, "c": 3}, [], None, "ab"):
        with pytest.raises(Rejected, match="must have exactly a, b"):
            fields(record, "pair", "a", "b")
    assert word("free", "bias", "free", "none") == "free"
    for value in ("Free", "", None, 1, ["free"], {"free": 1}):
        with pytest.raises(Rejected, match="bias must be one of free, none"):
            word(value, "bias", "free", "none")


def test_an_error_shows_a_long_value_shortened():
    assert shown("a" * 1000) == "'" + "a" * 36 + "..."
    assert shown([1] * 1000) == "list"
