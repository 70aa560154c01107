"""The statement: decimals rounded outwards or shortest, and the words around them."""

import math
import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from separatrix.checker.data import Labels, read_data
from separatrix.checker.statement import Claim, between, complete, hyperplane, optimum, rounded, sides, value
from separatrix.checker.text import StoredRows

reals = st.floats(allow_nan=False, allow_infinity=False)
fractions = (
    st.fractions()
    | reals.map(Fraction)
    | st.tuples(reals, reals).map(lambda p: Fraction(p[0]) * Fraction(p[1]))
)
PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?")
FAR = re.compile(r"-?[1-9](?:\.[0-9]*[1-9])?e(?:-[1-9][0-9]*|[1-9][0-9]*)")


def is_laid_out(text):
    """Plainly from 0.0001 to below 10^16, with an exponent elsewhere, no trailing zeros behind a point."""
    size = abs(Fraction(text))
    if size == 0:
        return text == "0"
    plain = Fraction(1, 10_000) <= size < 10**16
    return bool((PLAIN if plain else FAR).fullmatch(text))


def digits(text):
    return len(re.sub(r"e.*|[-.]", "", text).strip("0")) or 1


@given(fractions, st.booleans(), st.sampled_from([3, 12]))
@example(Fraction(10**16) - 1, True, 12)
@example(Fraction(99_999, 10**9), True, 3)
@example(Fraction(999_999, 1000), True, 3)
@example(Fraction(-999_999, 1000), False, 3)
@example(Fraction(1, 3) ** 700, True, 12)
def test_bounds_are_rounded_outwards_to_the_last_digit(number, up, size):
    text = rounded(number, up, size)
    read = Fraction(text)
    assert (read >= number) if up else (read <= number)
    assert is_laid_out(text), text
    assert digits(text) <= size
    # Nothing of so many digits lies between the bound and its text.
    exponent = 0 if not number else math.floor(_log10(abs(number))) - size + 1
    unit = Fraction(10) ** exponent
    assert abs(read - number) < unit or not number


def _log10(number):
    """The exponent of the leading digit, exactly where it matters."""
    guess = len(str(number.numerator)) - len(str(number.denominator))
    while Fraction(10) ** guess > number:
        guess -= 1
    while Fraction(10) ** (guess + 1) <= number:
        guess += 1
    return guess


@given(reals)
@example(0.1)
@example(1e16)
@example(1e15)
@example(0.0001)
@example(0.00009)
@example(5e-324)
@example(1.7976931348623157e308)
@example(123456789012345680.0)
def test_values_are_the_shortest_that_read_back(number):
    text = value(number)
    assert float(text) == number
    assert is_laid_out(text), text
    assert Decimal(text) == Decimal(repr(number))


def test_the_examples_of_the_page():
    assert [value(x) for x in (0.00015, 1500.0, 1.5e-5, 1e16, 1.0, 0.5)] == [
        "0.00015",
        "1500",
        "1.5e-5",
        "1e16",
        "1",
        "0.5",
    ]
    assert rounded(Fraction(0), True) == rounded(Fraction(0), False) == "0"
    assert between(Fraction(2, 3), Fraction(2, 3)) == "between 0.666666666666 and 0.666666666667"


def data_of(positive, negative, labels, excluded=(), kind="text", joint=False):
    classes = list(dict.fromkeys(labels))
    table = StoredRows(1)
    for _ in labels:
        table.append([0], [1.0])
    known = Labels(kind, classes, [classes.index(label) for label in labels])
    return read_data(positive, negative, list(excluded), joint, table, known)


@pytest.mark.parametrize(
    ("positive", "negative", "labels", "expected"),
    [
        (["a"], ["b"], "aab", '"a" (2 rows) against "b" (1 row)'),
        (["a"], ["b", "c"], "abc", '"a" (1 row) against every other label (2 rows)'),
        (["a"], ["c", "b"], "abc", '"a" (1 row) against every other label (2 rows)'),
        (["b", "c"], ["a"], "abc", 'every other label (2 rows) against "a" (1 row)'),
        (["a", "b"], ["c", "d"], "abcd", '"a", "b" (2 rows) against every other label (2 rows)'),
        (["a"], ["b", "c"], "abcd", '"a" (1 row) against "b", "c" (2 rows)'),
        (["a"], ["b", "z"], "ab", '"a" (1 row) against "b", "z" (1 row)'),
        (["a"], [], "ab", '"a" (1 row) against no label (0 rows)'),
        ([], ["a", "b"], "ab", "no label (0 rows) against every other label (2 rows)"),
        (["\u00e9\n"], ["b"], ["\u00e9\n", "b"], '"\\u00e9\\n" (1 row) against "b" (1 row)'),
    ],
)
def test_sides_are_named_with_their_rows(positive, negative, labels, expected):
    assert sides(data_of(positive, negative, labels)) == expected


def test_sides_of_numbers_and_of_all_classes():
    assert sides(data_of(["1"], ["-1"], ["1", "-1"], kind="number"), "from") == "1 (1 row) from -1 (1 row)"
    assert sides(data_of(["b", "a", "c"], [], "abc", (0,), joint=True)) == '"b", "a", "c" (2 rows)'


def test_the_rows_that_take_part_are_counted_and_the_others_named():
    assert complete("So", data_of(["a"], ["b"], "ab")) == "So; all 2 rows take part."
    assert complete("So", data_of(["a"], ["b"], "abc")) == "So; 2 of 3 rows take part."
    assert (
        complete("So", data_of(["a"], ["b"], "aab", (1,))) == "So; 2 of 3 rows take part, not the excluded 1."
    )
    many = data_of(["a"], ["b"], "a" * 20 + "b", range(1, 13))
    listed = ", ".join(map(str, range(1, 11)))
    assert complete("So", many) == f"So; 9 of 21 rows take part, not the excluded {listed} and 2 more."
    ten = data_of(["a"], ["b"], "a" * 20 + "b", range(1, 11))
    assert complete("So", ten) == f"So; 11 of 21 rows take part, not the excluded {listed}."


def optimal_claim(C, loss="squared_hinge", bias="none"):
    problem = {"loss": loss, "bias": bias, "kernel": "linear", "C": C, "classes": "two"}
    return Claim("optimal", problem, {}, data_of(["a"], ["b"], "ab"))


def test_an_optimum_names_its_problem_and_rounds_its_gap_up():
    cost = {"positive": (0.5).hex(), "negative": (0.25).hex()}
    text = optimum(optimal_claim(cost), [0.5, 0.25], Fraction(2, 3), Fraction(1), "linear")
    assert text == (
        "The soft-margin SVM (squared hinge loss, no bias, linear kernel, C = 0.5 on the positive side and 0.25 on the "
        'negative side) of "a" (1 row) against "b" (1 row) has its optimum between 0.666666666666 and 1, and the given '
        "point is within a relative gap of 0.334 of it"
    )
    rows = optimum(
        optimal_claim({"rows": {}}, "hinge", "free"), [0.5, 0.0, 3.0], Fraction(1), Fraction(1), "linear"
    )
    assert "(hinge loss, free bias, linear kernel, C from 0.5 to 3 by row)" in rows
    assert "a relative gap of 0 of it" in rows
    hard = optimum(
        optimal_claim("hard", "hinge", "augmented"), [], Fraction(0), Fraction(0), "rbf (gamma = 2)"
    )
    assert hard.startswith("The hard-margin SVM (augmented bias, rbf (gamma = 2) kernel) of ")
    assert "between 0 and 0, and the given point is within a relative gap of 0 of it" in hard


def test_hyperplanes_are_described_by_their_kind():
    def said(kind, bias, tied=0, margin=None):
        return hyperplane(Claim(kind, {"bias": bias}, {}, data_of(["a"], ["b"], "ab")), tied, margin)

    both = '"a" (1 row) from "b" (1 row)'
    assert said("separating", "free") == f"A hyperplane with a bias strictly separates {both}"
    assert said("separating", "none", 0, (Fraction(1, 3), Fraction(1, 3))) == (
        f"A hyperplane through the origin strictly separates {both}, and the maximum margin lies between "
        "0.333333333333 and 0.333333333334"
    )
    assert said("inseparable", "free") == (
        f"No hyperplane with a bias separates {both}, not even weakly: one that has no row on its wrong side has every "
        "row on it"
    )
    assert said("quasi-separable", "free", 2) == (
        f"A hyperplane with a bias separates {both} weakly, and none strictly: one that has no row on its wrong side "
        "has at least 2 rows on it"
    )
