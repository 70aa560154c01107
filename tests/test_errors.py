"""Errors with hints: the message, the field, and both after a journey to another process."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

import separatrix
from separatrix import errors

SOURCES = Path(separatrix.__file__).parent


@pytest.mark.parametrize(
    ("kind", "rest"),
    [
        (ValueError, ()),
        (OSError, ()),
        (errors.ParameterError, ()),
        (errors.ModelFileError, ()),
        (errors.InseparableError, ("a verdict",)),
        (errors.NotConvergedError, ({"a": 1}, 0.5)),
        (errors.IndefiniteKernelError, ([1, 2], [0.5, 0.5], -1.0)),
    ],
)
def test_a_hint_is_a_field_and_ends_the_message(kind, rest):
    error = errors.with_hint(kind, "It is too large.", "take a smaller one", *rest)
    for each in (error, pickle.loads(pickle.dumps(error))):
        assert type(each) is kind
        assert str(each) == "It is too large. Hint: take a smaller one."
        assert each.hint == "take a smaller one"
        assert errors.sentence_and_hint(each) == ("It is too large.", "take a smaller one")
        assert vars(each) == vars(error)


def test_an_error_without_a_hint():
    assert errors.ParameterError("It is too large.").hint is None
    assert errors.sentence_and_hint(KeyError("a")) == ("'a'", None)


def test_a_parameter_of_the_library_has_its_hint_in_the_field():
    with pytest.raises(errors.ParameterError) as caught:
        separatrix.SVC(C=1e11).fit([[0.0], [1.0]], [0, 1])
    assert caught.value.hint == "rescale the columns of X instead"


def test_no_raise_writes_its_hint_into_a_string():
    """Warnings have no field for one, so four of them do, and one example shows how it is printed."""
    found = [
        f"{path.relative_to(SOURCES)}:{number}"
        for path in SOURCES.rglob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(r"[.;] hint: ", line, re.IGNORECASE) and path.name != "errors.py"
    ]
    assert [place.partition(":")[0] for place in sorted(found)] == [
        "fitting/drop_in.py",
        "fitting/drop_in.py",
        "fitting/kernel_checks.py",
        "perceptron/estimator.py",
        "validation/folds.py",
    ]
