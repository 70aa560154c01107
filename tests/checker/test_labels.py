"""Labels in text files: numbers are read strictly, texts are left as they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix.checker.fingerprint import encode, number_text, parse_label
from separatrix.checker.numbers import Rejected


@pytest.mark.parametrize(
    ("token", "text"),
    [
        *(("1", "1"), ("+1", "1"), ("1.0", "1"), ("true", "1"), ("False", "0"), ("-0", "0"), ("-0.0", "0")),
        *(("1e3", "1000"), ("0.5", "0x1.0000000000000p-1"), (" 2 ", "2"), ("007", "7"), ("9" * 50, "9" * 50)),
    ],
)
def test_numbers_have_one_text(token, text):
    assert parse_label(token, "number") == text
    assert parse_label(token, "text") == token


@pytest.mark.parametrize(
    "token", ["one", "", "1_0", "\uff11", "0x1", "inf", "nan", "1e999", "1,5", "--1", "9" * 1001, "1e", "."]
)
def test_other_tokens_are_no_numbers(token):
    with pytest.raises(Rejected, match=r"numbers for labels|finite numbers"):
        parse_label(token, "number")


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.booleans())
def test_equal_numbers_have_equal_texts(value):
    text = number_text(value)
    assert (float.fromhex(text) if "x" in text else int(text)) == value


@given(st.lists(st.text(max_size=2), max_size=20))
def test_codes_are_places_in_the_order_of_appearance(texts):
    classes, codes = encode(texts)
    assert [classes[code] for code in codes] == texts
    assert classes == list(dict.fromkeys(texts))
