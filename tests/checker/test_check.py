"""The course of a check: data compared, problem read, whatever happens an answer.

Tests `checker/expectations.py`.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from separatrix.checker.check import Verification, check, read_problem
from separatrix.checker.data import Labels
from separatrix.checker.fingerprint import fingerprint_labels, fingerprint_rows
from separatrix.checker.numbers import Rejected
from separatrix.checker.statement import Proved
from separatrix.proof.arrays import ArrayRows
from tests.proof.small_problems import certified


@pytest.fixture(scope="module")
def case():
    problem, labels, _, certificate = certified()
    names = list(dict.fromkeys(labels.tolist()))
    known = Labels("text", names, [names.index(label) for label in labels.tolist()])
    table = ArrayRows(problem.X)
    marks = fingerprint_rows(table), fingerprint_labels("text", names, known.codes)
    return certificate.body(), table, known, *marks


def answer(case, **changes):
    body, *rest = case
    return check({**body, **changes}, *rest)


def test_a_true_document_is_proved(case):
    found = answer(case)
    assert found.proved
    assert found.reason == f"Proved in exact arithmetic: {case[0]['claim']}"
    assert found.kind == "optimal"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": 25}, "speaks of 25 rows and 3 columns; the data have 24 and 3"),
        ({"columns": 4}, "speaks of 24 rows and 4 columns"),
        ({"columns": 1 << 64}, "integer from 0"),
        ({"rows": True}, "integer from 0"),
        ({"type": "float16"}, "data.type must be one of"),
        ({"labels": "number"}, "labels of the kind number; those of the data are text"),
        ({"labels": None}, "data.labels must be one of"),
        ({"X": "0" * 64}, "rows X are not those"),
        ({"X": None}, "rows X are not those"),
        ({"y": "0" * 64}, "labels y are not those"),
        ({"positive": "yes"}, "must be lists"),
        ({"positive": ["yes", "no"]}, "named twice"),
        ({"positive": ["maybe"]}, ""),
        ({"excluded": [99]}, "named label"),
        ({"surprise": 1}, "must have exactly"),
    ],
)
def test_other_data_are_rejected(case, change, message):
    found = answer(case, data={**case[0]["data"], **change})
    assert found.outcome == "rejected"
    assert message in found.reason
    assert "check failed" not in found.reason


@pytest.mark.parametrize("part", ["kind", "claim", "data", "problem", "proof"])
@pytest.mark.parametrize("junk", [None, True, 1, "", "optimal ", [], {}, [[]]], ids=str)
def test_junk_in_any_part_is_rejected(case, part, junk):
    found = answer(case, **{part: junk})
    assert found.outcome == "rejected"
    assert "check failed" not in found.reason
    assert found.reason.endswith(".")


def test_any_error_on_the_way_is_a_rejection(case):
    def broken(claim):
        raise ZeroDivisionError("by hand")

    found = check(*case, mathematics=broken, arithmetic="rigorous floats")
    assert found.outcome == "rejected"
    assert "ZeroDivisionError" in found.reason
    assert found.arithmetic == "rigorous floats"


def test_a_condition_is_said_and_is_not_true(case):
    sentence = case[0]["claim"].rsplit(";", 1)[0]
    found = check(*case, mathematics=lambda claim: Proved(sentence, 2.0, 1.0, condition="pigs fly"))
    assert found.outcome == "conditional"
    assert not found
    assert found.reason.startswith("Proved in exact arithmetic, but only if pigs fly: The soft-margin SVM")
    assert found.gap == 0.5


def test_the_gap_is_derived():
    found = Verification("proved", "So.", "optimal", "exact", 4.0, 3.0)
    assert found.gap == 0.25
    assert dataclasses.replace(found, primal=0.0, dual=0.0).gap == 0.0
    for dual in np.random.default_rng(0).uniform(0.0, 3.0, 100).tolist():
        exact = (3 - Fraction(dual)) / 3
        above = dataclasses.replace(found, primal=3.0, dual=dual).gap
        assert exact <= above <= exact * (1 + Fraction(1, 2**52))  # rounded up, and to the next float
    assert Verification("proved", "So.", "separating").gap is None


@pytest.mark.parametrize("kind", ["optimal", "separating", "inseparable", "quasi-separable", "mistakes"])
def test_problems_have_just_their_fields(kind):
    asked = {
        "optimal": {"loss": "hinge", "bias": "augmented", "kernel": "linear", "C": "hard", "classes": "two"},
        "mistakes": {"algorithm": "", "gain": "", "step": "", "start": "", "classes": "joint"},
    }.get(kind, {"bias": "none", "kernel": {"name": "rbf"}, "classes": "joint"})
    assert read_problem(kind, asked) == asked
    for name in asked:
        with pytest.raises(Rejected):
            read_problem(kind, {key: value for key, value in asked.items() if key != name})
        if name in ("loss", "bias", "classes", "kernel"):
            for wrong in ("free ", None, 1, []):
                with pytest.raises(Rejected, match="must be one of"):
                    read_problem(kind, {**asked, name: wrong})
    with pytest.raises(Rejected):
        read_problem(kind, {**asked, "more": 1})
    if kind not in ("optimal", "mistakes"):
        with pytest.raises(Rejected, match="bias must be one of"):
            read_problem(kind, {**asked, "bias": "augmented"})


def test_what_is_expected_is_compared_in_plain_numbers(case):
    right = {"C": (0.7, 0.3), "rows": 24, "kernel": "linear", "positive": ["yes"], "gap": 0.5}
    assert check(*case, expect=right)
    for wrong in (
        {"C": 0.7},
        {"C": (0.3, 0.7)},
        {"rows": 23},
        {"kernel": "rbf"},
        {"positive": []},
        {"gap": 1e-12},
    ):
        found = check(*case, expect={**right, **wrong})
        assert found.outcome == "rejected"
        assert f"Expected {next(iter(wrong))} = " in found.reason
    assert np.isfinite(check(*case, expect={"gap": 1}).gap)
