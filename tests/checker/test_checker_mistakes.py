"""The theorems of the perceptron against runs and formulas, and the weights that counted updates imply."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix.checker.data import Labels, read_data
from separatrix.checker.mistakes import Run, check, excluded, implied, is_member, read
from separatrix.checker.numbers import Rejected
from separatrix.checker.statement import Claim
from separatrix.problem.mistakes import Variant
from separatrix.proof.arrays import ArrayRows
from separatrix.proof.writing import write_real, write_vector, write_weights

VARIANTS = [
    (algorithm, step, start)
    for algorithm in ("perceptron", "gradient")
    for step in (0.25, 1.0, 3.0, "decreasing", "line-search")
    for start in (False, True)
    if (algorithm, step) != ("perceptron", "line-search")
]
X = np.array([[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5], [9.0, 9.0]])
Y = [1, 1, -1, -1, 0]


def run_of(variant, bound):
    algorithm, step, from_row = variant
    return Run(algorithm, 1.0, step, from_row, bound, {}, {0: 0.0}, None, None)


def is_possible(variant, k, rho, members):
    """Whether (*) of `separatrix.problem.mistakes` leaves k updates possible, in floats."""
    algorithm, step, from_row = variant
    most = members if algorithm == "gradient" else 1
    if step != "decreasing":
        return k <= Variant(algorithm, step, from_row, members).bound(rho)
    total = 2.0 * (math.sqrt(k + 1.0) - 1.0) + from_row
    return total <= most * rho and total**2 <= rho * (most**2 * (1.0 + math.log(k)) + from_row)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("rho", [1.0, 1.5, 7.25, 1000.0, 1e6])
def test_the_least_bound_is_that_of_the_theorem(variant, rho):
    """Excluded from some number on; not one that is possible, and hardly any that is not."""
    members, low, high = 8, -1, 1
    while not excluded(run_of(variant, high), Fraction(rho), members):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if excluded(run_of(variant, middle), Fraction(rho), members) else (middle, high)
        )
    # high is the least K for which K + 1 is excluded. Its logarithm is rounded up by 0.06 at most.
    assert not is_possible(variant, high + 1, rho * (1 - 1e-12), members)
    if high > 2:
        assert is_possible(variant, int(high / 1.07) - 1, rho, members)
    if variant[1] != "decreasing":
        assert is_possible(variant, high, rho * (1 + 1e-12), members) or high == 0
    for more in (1, 2, 5, high + 10, 10 * high):
        assert excluded(run_of(variant, high + more), Fraction(rho), members)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.25, 1.0, 3.0]), st.booleans())
def test_no_run_makes_more_updates_than_its_bound(seed, step, from_row):
    """A perceptron through the origin, in floats that are exact, against the bound with the witness at hand."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-8, 9, (12, 2)).astype(float)
    rows = rows[rows @ [1.0, 2.0] >= 1.0]
    if not len(rows):
        return
    least, radius = float((rows @ [1.0, 2.0]).min()), float((rows**2).sum(axis=1).max())
    rho = Fraction(radius) * 5 / Fraction(least) ** 2
    w = rows[0].copy() if from_row else np.zeros(2)
    updates = 0
    while len(wrong := np.flatnonzero(rows @ w <= 0)):
        w += step * rows[rng.choice(wrong)]
        updates += 1
    if updates:
        assert not excluded(run_of(("perceptron", step, from_row), updates - 1), rho, len(rows))


def claim_of(proof, problem=None, joint=False, labels=None):
    labels = labels or [str(y) for y in Y]
    names = list(dict.fromkeys(labels))
    known = Labels("number", names, [names.index(label) for label in labels])
    sides = (["1", "-1", "0"], []) if joint else (["1"], ["-1"])
    asked = {
        "algorithm": "perceptron",
        "gain": write_real(1.0),
        "step": write_real(0.5),
        "start": "zero",
        "classes": "joint" if joint else "two",
    }
    data = read_data(*sides, [], joint, ArrayRows(X), known)
    return Claim("mistakes", {**asked, **(problem or {})}, proof, data)


WITNESS = {"w": write_vector(np.array([1.0, 0.5])), "b": write_vector(np.array([0.25]))}
PROOF = {"witness": WITNESS, "bound": 1000, "updates": write_weights([0, 3], [2, 1], 5)}


def test_updates_imply_weights():
    started = {**PROOF, "start": 1}
    W, b, scale = implied(read(claim_of(started, {"start": "row"})), claim_of(started).data)
    w = [Fraction(W[0].get(j, 0), 1 << scale) for j in range(2)]
    expected = 0.5 * 2 * X[0] - 0.5 * X[3] + X[1]
    assert w == [Fraction(v) for v in expected.tolist()]
    assert Fraction(b[0], 1 << scale) == Fraction(0.5 * 2 - 0.5 + 1.0)


def test_a_proof_says_what_it_proves():
    sentence = check(claim_of(PROOF)).sentence
    assert sentence == (
        "The perceptron (row by row, step 0.5, from zero, g = 1) makes at most 1000 updates on 1 (2 rows) against -1 "
        "(2 rows), and the 3 updates counted here separate them"
    )
    alone = {name: PROOF[name] for name in ("witness", "bound")}
    assert "counted" not in check(claim_of(alone)).sentence
    assert (
        "step 1/sqrt(t), from a row"
        in check(claim_of(alone, {"step": "decreasing", "start": "row"})).sentence
    )
    by_line = claim_of(alone, {"step": "line-search", "algorithm": "gradient", "gain": write_real(2.0)})
    assert "(all rows at once, step by line search, from zero, g = 2)" in check(by_line).sentence
    assert (
        "counted here from row 1 separate"
        in check(claim_of({**PROOF, "start": 1}, {"start": "row"})).sentence
    )


@pytest.mark.parametrize(
    ("proof", "problem", "message"),
    [
        ({"bound": -1}, {}, "integer from 0"),
        ({"bound": "1000"}, {}, "integer from 0"),
        ({"bound": 2}, {}, "above the bound"),
        ({"bound": 3}, {}, "does not exclude 4 updates"),
        ({"witness": {**WITNESS, "w": write_vector(np.array([-1.0, 0.0]))}}, {}, "witness does not separate"),
        ({"witness": {"w": WITNESS["w"]}}, {}, "must have exactly"),
        ({"witness": {**WITNESS, "b": write_real(0.25)}}, {}, "must have exactly"),
        ({}, {"gain": write_real(0.0)}, "no bias"),
        ({}, {"gain": write_real(-1.0)}, "gain must not be below 0"),
        ({}, {"step": write_real(0.0)}, "step must be above"),
        ({}, {"step": write_real(-1.0)}, "step must be above"),
        ({}, {"step": "line-search"}, "no line search"),
        ({}, {"step": "decreasing"}, "unless the step is a number"),
        ({}, {"step": None}, "hexadecimal real"),
        ({}, {"algorithm": "adaline"}, "algorithm must be one of"),
        ({}, {"start": "row"}, "must have exactly"),
        ({"start": 0}, {}, "must have exactly"),
        ({"start": 4}, {"start": "row"}, "takes no part"),
        ({"start": 5}, {"start": "row"}, "takes no part"),
        ({"updates": write_weights([0, 4], [1, 1], 5)}, {}, "takes no part"),
        ({"updates": write_weights([0], [1], 6)}, {}, "must have length 5"),
        ({"updates": write_weights([], [], 5)}, {}, "one must be positive"),
        ({"updates": {"length": 5, "indices": [0], "values": ["-0x1"]}}, {}, "must not be negative"),
        ({"updates": write_weights([3], [500], 5)}, {}, "do not separate"),
        ({"final": WITNESS}, {}, "must have exactly"),
        ({"alpha": WITNESS["w"]}, {}, "must have exactly"),
    ],
)
def test_false_claims_are_rejected(proof, problem, message):
    with pytest.raises(Rejected, match=message):
        check(claim_of({**PROOF, **proof}, problem))


def test_pairs_of_a_row_with_its_own_class_are_no_members():
    data = claim_of(PROOF, joint=True).data
    assert [is_member(data, place) for place in range(6)] == [False, True, True, False, True, True]
    assert not is_member(data, 15)
    assert not is_member(claim_of(PROOF).data, 4)
    assert not is_member(claim_of(PROOF).data, 5)


def test_ln2_is_rounded_up():
    from separatrix.checker.mistakes import _LN2

    assert math.log(2) < _LN2 < math.log(2) + 1e-9
