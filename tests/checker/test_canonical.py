"""JSON in pieces: the same text as in one, whatever is written, and never much of it at a time."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix.checker.canonical import json_pieces

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES, st.booleans())
def test_the_pieces_are_those_of_json(value, sort_keys):
    whole = json.dumps(value, sort_keys=sort_keys, separators=(",", ":"))
    assert "".join(json_pieces(value, sort_keys)) == whole


def test_a_long_list_comes_in_short_pieces():
    value = [{"b": list(range(100_000)), "a": ["0x1.8p+1"] * 100_000}]
    pieces = list(json_pieces(value))
    assert "".join(pieces) == json.dumps(value, sort_keys=True, separators=(",", ":"))
    assert max(map(len, pieces)) < 200_000


def test_what_json_has_no_word_for_is_refused():
    with pytest.raises(TypeError, match="Names in a certificate are texts"):
        list(json_pieces({1: 2}))
    with pytest.raises(ValueError, match="not JSON compliant"):
        list(json_pieces({"x": float("nan")}))
