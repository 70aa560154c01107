"""The data of a claim: floats as integers of one scale, and which rows take part on which side."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix.checker.data import Labels, integers, read_data, to_integers
from separatrix.checker.numbers import Rejected
from separatrix.checker.text import StoredRows

reals = st.floats(allow_nan=False, allow_infinity=False)
EXTREMES = [5e-324, 1.7976931348623157e308, -(2.0**-1022), 1.0, 0.0]


def table_of(rows, columns):
    table = StoredRows(columns)
    for row in rows:
        table.append(range(columns), row)
    return table


def data_of(
    positive, negative, excluded=(), joint=False, codes=(0, 1, 2, 0), classes=("a", "b", "c"), kind="text"
):
    table = table_of([[float(i), -0.5] for i in range(len(codes))], 2)
    excluded = list(excluded) if isinstance(excluded, tuple) else excluded
    return read_data(positive, negative, excluded, joint, table, Labels(kind, list(classes), list(codes)))


@given(st.lists(reals, min_size=1, max_size=10))
def test_integers_are_the_floats(values):
    numbers, scale = integers(values)
    assert [Fraction(number, 1 << scale) for number in numbers] == [Fraction(value) for value in values]
    assert scale == 0 or any(number % 2 for number in numbers)  # the least scale


def test_the_extremes_of_floating_point_share_a_scale():
    numbers, scale = integers(EXTREMES)
    assert [Fraction(number, 1 << scale) for number in numbers] == [Fraction(value) for value in EXTREMES]
    assert to_integers([1.5, -2.0], 1) == [3, -4]
    assert integers([]) == ([], 0)


@given(st.lists(st.lists(reals, min_size=2, max_size=2), min_size=1, max_size=5))
def test_rows_are_the_floats_times_one_scale(rows):
    labels = Labels("number", ["1"], [0] * len(rows))
    data = read_data(["1"], [], [], False, table_of(rows, 2), labels)
    read = [[Fraction(each, 1 << data.scale) for each in x] for _, _, _, x in data.rows()]
    assert read == [[Fraction(each) for each in row] for row in rows]


def test_sides_are_those_of_the_labels():
    data = data_of(["a"], ["b"])
    assert data.part == [1, -1, 0, 1]
    assert [(number, part) for number, part, _, _ in data.rows()] == [(0, 1), (1, -1), (3, 1)]
    assert data_of(["a", "c"], ["b"]).part == [1, -1, 1, 1]
    assert data_of([], ["b"]).part == [0, -1, 0, 0]


def test_a_named_label_need_not_occur():
    assert data_of(["a"], ["zebra"]).part == [1, 0, 0, 1]


def test_classes_are_numbered_in_the_order_of_their_names():
    assert data_of(["b", "a"], [], joint=True).part == [2, 1, 0, 2]


def test_excluded_rows_take_no_part():
    assert data_of(["a"], ["b"], (0,)).part == [0, -1, 0, 1]
    assert data_of(["a", "b", "c"], [], (0, 3), joint=True).part == [0, 2, 3, 0]


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        ((["a"], None), "must be lists"),
        (("a", ["b"]), "must be lists"),
        ((["a"], ["b"], {}), "must be lists"),
        (([], []), "named twice, or none is"),
        ((["a", "a"], ["b"]), "named twice"),
        ((["a"], ["a"]), "named twice"),
        ((["a"], [1]), "whole characters; got 1"),
        ((["a"], [None]), "whole characters"),
        ((["a"], [["b"]]), "whole characters"),
        ((["a"], ["\ud800"]), "whole characters"),
        ((["a"], ["b"], [2]), "named label; got 2"),
        ((["a"], ["b"], [4]), "named label; got 4"),
        ((["a"], ["b"], [-1]), "named label; got -1"),
        ((["a"], ["b"], [True]), "named label; got True"),
        ((["a"], ["b"], ["0"]), "named label"),
        ((["a"], ["b"], [1, 0]), "increasing"),
        ((["a"], ["b"], [0, 0]), "increasing"),
        ((["a"], ["b"], [0, 1, 3]), "No row takes part"),
        ((["zebra"], ["lion"]), "No row takes part"),
        ((["a"], ["b"], (), True), "two or more"),
        ((["a"], [], (), True), "two or more"),
    ],
)
def test_wrong_sides_get_a_sentence(sides, message):
    with pytest.raises(Rejected, match=message):
        data_of(*sides)


@pytest.mark.parametrize("label", ["0", "-1", "12", "9" * 1000, "0x1.8000000000000p+0"])
def test_numbers_as_labels_have_one_text(label):
    assert data_of([label], [], classes=[label], codes=[0], kind="number").part == [1]


@pytest.mark.parametrize(
    "label",
    [
        "-0",
        "+1",
        "01",
        "1.0",
        "one",
        "",
        " 1",
        "1e3",
        "9" * 1001,
        "0x1.0000000000000p+0",
        "\uff11",
        "1_0",
        "nan",
    ],
)
def test_other_texts_are_no_numbers(label):
    with pytest.raises(Rejected):
        data_of([label], [], classes=[label], codes=[0], kind="number")
    assert data_of([label], [], classes=[label], codes=[0], kind="text").part == [1]
