"""Estimates in certificates: genuine ones are proved by both checkers, forged ones never prove another estimate.

Tests `checker/estimates.py`, `checker/classes.py`, `proof/estimates.py`.
"""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from separatrix import separability, verify
from separatrix.proof.fingerprint import label_text
from tests.checker.estimate_mutations import mutated, width_of, written
from tests.checkers.javascript_checker import NODE, batch
from tests.proof.small_problems import STALE, changed, judge
from tests.separability.separation_data import DESIGNS, OUTCOMES, random_problem

QUASI = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [1.0, 1.0], [1.0, 3.0]]), np.array([0, 1, 0, 1, 1])


def said(claim):
    """What a claim says of estimates."""
    return claim.partition("; maximum-likelihood estimates: ")[2]


def line_of(number, X, y):
    kind = "text" if y.dtype.kind == "U" else "number"
    rows = [[float(v).hex() for v in row] for row in X]
    texts = [label_text(label) for label in y.tolist()]
    return {"data": number, "columns": X.shape[1], "labels": kind, "y": texts, "X": rows}


def problems(count, seed):
    generator = np.random.default_rng(seed)
    for number in range(count):
        outcome = OUTCOMES[(number // len(DESIGNS)) % len(OUTCOMES)]
        X, codes, _, bias = random_problem(generator, DESIGNS[number % len(DESIGNS)], outcome)
        y = np.array(list("abcdefg"))[codes] if number % 3 == 0 and outcome != "ordinal" else codes
        classes = "pairs" if outcome == "two" else outcome
        yield generator, X, y, separability(X, y, bias, classes)


def test_the_statement():
    X, y = QUASI
    found = separability(X, y)
    assert found.estimates == {"(intercept)": "finite", "x1": "+inf", "x2": "finite"}
    certificate = found.estimates_certificate
    assert said(certificate.claim) == "2 finite, 1 +inf (column 0); all 5 rows take part."
    for exact in (None, False, True):
        assert verify(certificate, X, y, exact=exact), verify(certificate, X, y).reason


@pytest.mark.parametrize("seed", range(2))
def test_genuine_and_forged_certificates(seed):
    """Whatever a changed certificate proves of the estimates is the truth, and the two checkers agree on it."""
    lines, ours, proved = [], [], 0
    for number, (generator, X, y, found) in enumerate(problems(40, seed)):
        truth = found.estimates_certificate
        lines.append(line_of(number, X, y))
        assert judge(truth, X, y, exact=True)
        for _ in range(6):
            forged = mutated(truth, generator)
            answer = verify(forged, X, y, exact=True)
            assert "failed" not in answer.reason, answer.reason
            if answer.reason.startswith(STALE):
                forged = dataclasses.replace(forged, claim=answer.reason.removeprefix(STALE))
                answer = verify(forged, X, y, exact=True)
            if answer:
                proved += 1
                assert said(forged.claim) == said(truth.claim)
            lines.append({"use": number, "certificate": json.dumps(forged.to_dict())})
            ours.append(answer.outcome)
        lines.append({"use": number, "certificate": json.dumps(truth.to_dict())})
        ours.append("proved")
    assert proved < len(ours) / 2
    if NODE is not None:
        assert [answer["outcome"] for answer in batch(lines)] == ours


def forge(certificate, **values):
    return changed(certificate, "proof", estimates={**certificate.proof["estimates"], **values})


def test_what_must_be_refused():
    X, y = QUASI
    truth = separability(X, y).estimates_certificate
    record, width = truth.proof["estimates"], width_of(truth)
    sign = record["signs"][0]
    wrong = [
        (forge(truth, signs=[{**sign, "factor": "-0x1"}]), "do not prove the sign"),
        (forge(truth, signs=[]), "Nothing is proved"),
        (forge(truth, signs=[sign, sign]), "claimed twice"),
        (forge(truth, signs=[{**sign, "column": 1}]), "finite or aliased"),
        (forge(truth, null=[]), "not as many"),
        (forge(truth, null=[*record["null"], *record["null"]]), "all others have none"),
        (forge(truth, null=[written({1: 1}, width)]), "not zero on row"),
        (forge(truth, aliased=[written({1: 1}, width)]), "not zero on row"),
        (forge(truth, directions=[written({0: -1}, width)]), "wrong side"),
        (forge(truth, modulus=1), "modulus must be"),
        (forge(truth, modulus=2**26), "modulus must be"),
        (forge(truth, independent=record["independent"][1:]), "not as many"),
        (forge(truth, independent=[*record["independent"][:-1], 5]), "no row"),
        (changed(truth, "proof", estimates=[]), "must have exactly"),
        (changed(truth, "proof", estimates={**record, "more": 1}), "must have exactly"),
    ]
    for certificate, reason in wrong:
        answer = judge(certificate, X, y, exact=True)
        assert not answer
        assert reason in answer.reason, (reason, answer.reason)


def test_rows_that_are_dependent_modulo_the_number_prove_nothing():
    X = np.array([[0.0], [6.0], [12.0], [0.0], [6.0]])
    y = np.array([0, 1, 0, 1, 0])
    truth = separability(X, y).estimates_certificate
    assert judge(truth, X, y, exact=True)
    for modulus in (2, 3, 6):
        assert not judge(forge(truth, modulus=modulus), X, y, exact=True)
    assert judge(forge(truth, modulus=35), X, y, exact=True)  # no prime, but 6 has an inverse


def test_ordered_classes_must_each_have_a_row():
    """With an empty class between, nothing would keep the thresholds in order."""
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 2])
    truth = separability(X, y, classes="ordinal").certificate
    without = dataclasses.replace(truth, data=dataclasses.replace(truth.data, excluded=(1,)))
    assert "each have a row" in verify(without, X, y, exact=True).reason
    no_bias = changed(truth, "problem", bias="none")
    assert "thresholds" in verify(no_bias, X, y, exact=True).reason
    optimal = dataclasses.replace(truth, kind="optimal")
    assert not verify(optimal, X, y, exact=True)


def test_rows_of_weight_zero_are_named():
    X, y = QUASI
    found = separability(X, y, sample_weight=[1, 0, 2, 1, 1])
    assert found.verdict == "separable"
    assert verify(found.estimates_certificate, X, y, exact=True)
    assert found.estimates_certificate.claim.endswith("4 of 5 rows take part, not the excluded 1.")
