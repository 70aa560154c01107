"""verify, exactly and in rigorous floats: what brute force finds is proved, everything changed is rejected."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from small_problems import STALE, certified, changed, exact_values, judge, solve

from separatrix.problem import HINGE, LOSSES, SQUARED_HINGE, Point, Problem
from separatrix.proof.arrays import linear_effort
from separatrix.proof.certificate import Certificate
from separatrix.proof.duality import certify
from separatrix.proof.fingerprint import fingerprint
from separatrix.proof.optimal import optimal
from separatrix.proof.verify import verify
from separatrix.proof.writing import write_real

BIASES = ["free", "augmented", "none"]
BOTH = pytest.mark.parametrize("exact", [False, True], ids=["float", "exact"])
ONE, TINY, HUGE = write_real(1.0), write_real(2.0**-30), write_real(2.0**1000)


def restated(certificate, **values):
    """The same certificate with other numbers in its proof; `judge` writes the claim that they prove."""
    written = {name: write_real(v) if isinstance(v, float) else v for name, v in values.items()}
    return changed(certificate, "proof", **written)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("weighted", [False, True], ids=["classes", "weights"])
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES)
def test_both_checks_prove_what_brute_force_finds(loss, bias, weighted, form):
    problem, labels, solution, certificate = certified(loss=loss, bias=bias, weighted=weighted, form=form)
    primal, dual = exact_values(problem, solution.w, solution.b, solution.alpha)
    exact, rigorous = (verify(certificate, problem.X, labels, exact=e) for e in (True, False))
    assert exact, exact.reason
    assert rigorous, rigorous.reason
    assert (exact.arithmetic, rigorous.arithmetic) == ("exact", "rigorous floats")
    assert exact.reason == f"Proved in exact arithmetic: {certificate.claim}"
    assert rigorous.reason == f"Proved in floating point, whatever the rounding: {certificate.claim}"
    for verdict in (exact, rigorous):
        # What is proved bounds the values closely, and never crosses them.
        assert primal <= Fraction(verdict.primal) <= primal * (1 + Fraction(1, 10**13))
        assert dual >= Fraction(verdict.dual) >= dual - abs(dual) / 10**12
        assert float((primal - dual) / primal) <= verdict.gap <= solution.gap + 1e-11
    # The exact check proves the values themselves, rounded outwards once.
    upper, lower = float(primal), float(dual)
    upper = upper if upper >= primal else float(np.nextafter(upper, np.inf))
    lower = lower if lower <= dual else float(np.nextafter(lower, -np.inf))
    sharpest = judge(restated(certificate, primal=upper, dual=lower), problem.X, labels, exact=True)
    assert sharpest, sharpest.reason
    assert (sharpest.primal, sharpest.dual) == (upper, lower)


@BOTH
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES)
def test_claims_false_by_a_trillionth_are_rejected(loss, bias, exact):
    problem, labels, solution, certificate = certified(loss=loss, bias=bias)
    primal, dual = exact_values(problem, solution.w, solution.b, solution.alpha)
    low, high = float(primal * (1 - Fraction(1, 10**12))), float(dual + abs(dual) / 10**12)
    for lie in ({"primal": low}, {"dual": high}):
        verdict = judge(restated(certificate, **lie), problem.X, labels, exact)
        assert not verdict
        assert "prove an optimum between" in verdict.reason
        assert "not the claimed one" in verdict.reason


@BOTH
def test_a_claim_that_is_not_what_is_proved_is_rejected(exact):
    problem, labels, _, certificate = certified()
    claim = certificate.claim
    gap = claim.split("relative gap of ")[1].split(" ")[0]
    other = [
        claim.replace(gap, "1e-20"),
        claim.replace("free", "no"),
        claim + " ",
        claim[:-1],
        "",
        "Trust me.",
    ]
    for text in (*other, claim.replace("all 24 rows", "all 25 rows")):
        assert text != claim
        verdict = verify(dataclasses.replace(certificate, claim=text), problem.X, labels, exact)
        assert verdict.outcome == "rejected"
        assert verdict.reason == STALE + claim
        assert judge(dataclasses.replace(certificate, claim=text), problem.X, labels, exact)


def test_the_exact_check_has_no_tolerance():
    problem, labels, solution, certificate = certified()
    primal, _ = exact_values(problem, solution.w, solution.b, solution.alpha)
    above = float(primal) if Fraction(float(primal)) >= primal else np.nextafter(float(primal), np.inf)
    below = np.nextafter(above, -np.inf)
    assert judge(restated(certificate, primal=float(above)), problem.X, labels, exact=True)
    assert not judge(restated(certificate, primal=float(below)), problem.X, labels, exact=True)


@BOTH
def test_every_hidden_change_of_the_proof_is_rejected_or_still_true(exact):
    """Change one number and sign anew: accepted only if the changed claim is true by brute force."""
    problem, labels, solution, certificate = certified(n=10, bias="free")
    rejected = 0
    for name in ("w", "alpha"):
        for position in range(len(certificate.proof[name]["values"])):
            for factor in (1 + 1e-9, 0.5, -1.0):
                record = certificate.proof[name]
                values = [float.fromhex(text) for text in record["values"]]
                values[position] *= factor
                lie = restated(certificate, **{name: {**record, "values": [v.hex() for v in values]}})
                verdict = judge(lie, problem.X, labels, exact)
                rejected += not verdict
                if name == "alpha":
                    assert not verdict  # the balance is broken
                elif verdict:
                    w = np.zeros(problem.n_columns)
                    w[record.get("indices", slice(None))] = values
                    primal, _ = exact_values(problem, w, solution.b, solution.alpha)
                    assert primal <= Fraction(float.fromhex(certificate.proof["primal"]))
    assert rejected > 20


@BOTH
@pytest.mark.parametrize("shape", [(0, 2), (3, 0)])
def test_data_without_rows_or_columns(shape, exact):
    X, y = np.zeros(shape), np.ones(shape[0])
    source = fingerprint(X, y).source([1], [0])
    zero = write_real(0.0)
    w, alpha = ({"length": length, "values": [zero] * length} for length in reversed(shape))
    proof = {"w": w, "b": zero, "alpha": alpha, "primal": write_real(shape[0] + 1e-9), "dual": zero}
    costs = {"positive": ONE, "negative": ONE}
    problem = {"loss": "hinge", "bias": "augmented", "kernel": "linear", "C": costs, "classes": "two"}
    verdict = judge(Certificate("optimal", "", source, problem, proof), X, y, exact)
    if shape[0]:
        assert verdict, verdict.reason
    else:
        assert verdict.reason == "No row takes part."


@BOTH
def test_values_beyond_the_largest_float_are_rejected(exact):
    problem, labels, _, certificate = certified(n=6, d=2, bias="augmented")
    huge = {"length": 2, "values": [HUGE, HUGE]}
    assert not judge(restated(certificate, w=huge), problem.X, labels, exact)


def entry(certificate, name, position, value):
    record = certificate.proof[name]
    values = list(record["values"])
    values[position] = value
    return {**record, "values": values}


@BOTH
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda c: {"primal": "nan"}, "hexadecimal real"),
        (lambda c: {"primal": "inf"}, "hexadecimal real"),
        (lambda c: {"primal": "0x1p+9999"}, "hexadecimal real"),
        (lambda c: {"primal": "0x1p+4"}, "hexadecimal real"),
        (lambda c: {"primal": 12}, "hexadecimal real"),
        (lambda c: {"b": None}, "hexadecimal real"),
        (lambda c: {"b": "__import__('os')"}, "hexadecimal real"),
        (lambda c: {"gap": 1.0}, "must have exactly"),
        (lambda c: {"w": []}, "must have exactly"),
        (lambda c: {"w": {"length": 3, "values": [ONE]}}, "as many places as values"),
        (lambda c: {"w": {"length": 4, "values": [ONE] * 4}}, "length 3"),
        (lambda c: {"w": {"length": 3, "values": ONE}}, "must have a list"),
        (lambda c: {"alpha": {**c.proof["alpha"], "indices": [0, 0]}}, "as many places"),
        (lambda c: {"alpha": {"length": 24, "indices": [24], "values": [ONE]}}, "lie below 24"),
        (lambda c: {"alpha": {"length": 24, "indices": [3, 2], "values": [ONE] * 2}}, "increase"),
        (lambda c: {"alpha": {"length": 24, "indices": [True], "values": [ONE]}}, "its indices integers"),
        (lambda c: {"alpha": {"length": -1, "indices": [], "values": []}}, "integer from 0"),
        (lambda c: {"alpha": entry(c, "alpha", 0, "-" + TINY)}, "is not between 0 and"),
        (lambda c: {"alpha": entry(c, "alpha", 0, write_real(512.0))}, "is not between 0 and"),
        (lambda c: {"alpha": entry(c, "alpha", 0, TINY)}, "not zero"),
        (lambda c: {"dual": 1e300}, "not the claimed one"),
    ],
)
def test_malformed_and_infeasible_numbers_get_a_sentence(spoil, message, exact):
    problem, labels, _, certificate = certified()
    verdict = judge(restated(certificate, **spoil(certificate)), problem.X, labels, exact)
    assert not verdict
    assert message in verdict.reason
    assert verdict.reason.endswith(".")


@BOTH
@pytest.mark.parametrize(
    ("problem_change", "message"),
    [
        ({"loss": "logistic"}, "loss must be one of"),
        ({"bias": "Free"}, "bias must be one of"),
        ({"kernel": "rbf"}, "kernel must be one of"),
        ({"kernel": {"name": "linear"}}, "must have exactly"),
        ({"C": {"positive": "0x0.0p+0", "negative": ONE}}, "above 0"),
        ({"C": {"positive": "-" + ONE, "negative": ONE}}, "above 0"),
        ({"C": {"rows": {"length": 24, "indices": [0], "values": ["-" + ONE]}}}, "above 0"),
        ({"C": {"rows": {"length": 24, "indices": list(range(23)), "values": [ONE] * 23}}}, "above 0"),
        ({"C": "hard"}, "must have exactly"),
        ({"classes": "joint"}, "two or more"),
        ({"classes": None}, "classes must be one of"),
        ({"C": 1}, "must have exactly"),
        ({"surprise": 1}, "must have exactly"),
    ],
)
def test_another_problem_is_rejected(problem_change, message, exact):
    data, labels, _, certificate = certified()
    verdict = judge(changed(certificate, "problem", **problem_change), data.X, labels, exact)
    assert not verdict
    assert message in verdict.reason


@BOTH
def test_wrong_data_are_rejected(exact):
    problem, labels, _, certificate = certified()
    X = problem.X.copy()
    X[0, 0] = np.nextafter(X[0, 0], 1)
    flipped = labels.copy()
    flipped[0] = "no" if flipped[0] == "yes" else "yes"
    cases = [
        ((X, labels), "rows X are not those"),
        ((problem.X, flipped), "labels y are not those"),
        ((problem.X, problem.y), "labels of the kind text; those of the data are number"),
        ((problem.X[:-1], labels[:-1]), "24 rows"),
        ((problem.X, labels[:-1]), "23 labels"),
        ((problem.X[:, :2], labels), "3 columns"),
        ((np.where(problem.X == 0, np.nan, problem.X), labels), "not finite"),
        ((problem.X[:, 0], labels), "two dimensions"),
        ((np.full((24, 3), "a"), labels), "real numbers"),
        ((problem.X, np.zeros((24, 2))), "one dimension"),
    ]
    for (rows, y), message in cases:
        verdict = verify(certificate, rows, y, exact)
        assert not verdict
        assert message in verdict.reason


def test_an_unknown_kind_is_rejected_and_a_non_certificate_is_a_mistake():
    problem, labels, _, certificate = certified()
    verdict = verify(dataclasses.replace(certificate, kind="wish"), problem.X, labels)
    assert not verdict
    assert "'wish'" in verdict.reason
    assert verdict.kind == "wish"
    with pytest.raises(TypeError, match="needs a Certificate"):
        verify(certificate.to_dict(), problem.X, labels)


@BOTH
def test_swapped_sides_are_rejected(exact):
    problem, labels, _, certificate = certified()
    source = certificate.data
    swapped = dataclasses.replace(source, positive=source.negative, negative=source.positive)
    assert not judge(dataclasses.replace(certificate, data=swapped), problem.X, labels, exact)
    both = dataclasses.replace(source, negative=("no", "yes"))
    assert (
        "named twice" in verify(dataclasses.replace(certificate, data=both), problem.X, labels, exact).reason
    )


@BOTH
@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE], ids=lambda loss: loss.name)
def test_one_class_against_another_with_rows_of_weight_zero(loss, exact):
    """Certificates about some rows verify against all of the user's data."""
    rng = np.random.default_rng(3)
    X, labels = rng.normal(size=(40, 2)), rng.integers(0, 3, 40)
    weights = rng.integers(0, 3, 40)
    rows = np.flatnonzero((labels != 1) & (weights > 0))
    y = np.where(labels[rows] == 2, 1.0, -1.0)
    problem = Problem(X[rows], y, weights[rows].astype(float), loss, "free")
    certificate = optimal(problem, solve(problem), fingerprint(X, labels), [2], [0], rows)
    assert verify(certificate, X, labels, exact)
    assert verify(certificate, sparse.csr_array(X), labels.astype(float), exact)
    assert certificate.problem["C"]["rows"]["indices"] == rows.tolist()
    left_out = np.flatnonzero((labels != 1) & (weights == 0)).tolist()
    assert list(certificate.data.excluded) == left_out
    assert f"{len(rows)} of 40 rows take part, not the excluded {left_out[0]}, " in certificate.claim
    # A row that is called excluded without being one takes a part of the problem away.
    for excluded in (left_out[1:], [*left_out, 40], sorted([*left_out, int(rows[0])])):
        source = dataclasses.replace(certificate.data, excluded=tuple(excluded))
        assert not judge(dataclasses.replace(certificate, data=source), X, labels, exact)
    # A multiplier on a row of the third class, balanced by another, is no proof.
    outside = np.flatnonzero(labels == 1)[:2]
    alpha = np.zeros(40)
    alpha[outside] = 1.0
    vector = {"length": 40, "indices": outside.tolist(), "values": [ONE] * 2}
    assert not judge(restated(certificate, alpha=vector), X, labels, exact)


@BOTH
def test_cancellation_does_not_deceive(exact):
    """Huge opposite columns: the float values are far off, the bounds still hold and claims stay honest."""
    rng = np.random.default_rng(0)
    big = 1e9 * rng.normal(size=(60, 1))
    X = np.hstack([big, -big + rng.normal(size=(60, 1)), rng.normal(size=(60, 1))])
    y = np.where(X[:, 2] > 0, 1.0, -1.0)
    problem = Problem(X, y, np.full(60, 0.5), HINGE, "free")
    alpha = np.where(np.arange(60) % 3 == 0, 0.5, 0.25)
    solution = certify(problem, Point(alpha, np.array([0.7, 0.7, 1.0]), 0.1))
    primal, dual = exact_values(problem, solution.w, solution.b, solution.alpha)
    certificate = optimal(problem, solution, fingerprint(X, y), [1], [-1])
    verdict = verify(certificate, X, y, exact)
    assert verdict
    assert primal <= Fraction(verdict.primal) <= Fraction(float.fromhex(certificate.proof["primal"]))
    assert dual >= Fraction(verdict.dual) >= Fraction(float.fromhex(certificate.proof["dual"]))
    low = float(primal * (1 - Fraction(1, 10**12)))
    assert not judge(restated(certificate, primal=low), X, y, exact)


@BOTH
@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e-20, 1e20, 1e150])
def test_data_of_any_size_are_decided_or_refused(scale, exact):
    problem, labels, solution, certificate = certified(scale=scale, bias="none")
    verdict = verify(certificate, problem.X, labels, exact)
    assert verdict or "range of floating point" in verdict.reason
    primal, _ = exact_values(problem, solution.w, solution.b, solution.alpha)
    assert primal <= Fraction(float.fromhex(certificate.proof["primal"]))


@BOTH
def test_a_problem_whose_optimum_is_zero(exact):
    X, y = np.zeros((4, 2)), np.ones(4)
    problem = Problem(X, y, np.ones(4), HINGE, "free")
    solution = certify(problem, Point(np.zeros(4)))
    certificate = optimal(problem, solution, fingerprint(X, y), [1], [0])
    verdict = verify(certificate, X, y, exact)
    assert verdict
    assert (verdict.primal, verdict.dual, verdict.gap) == (0.0, 0.0, 0.0)
    assert "between 0 and 0, and the given point is within a relative gap of 0 of it" in verdict.reason
    # No relative gap belongs to a primal value of zero and a dual value below it.
    assert not judge(restated(certificate, dual=-1.0), X, y, exact)


def test_float32_and_int64_indices_are_read_as_they_are():
    problem, labels, _, certificate = certified(form=lambda X: X.astype(np.float32), weighted=True)
    wide = sparse.csr_array(problem.X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for X in (problem.X, problem.X.astype(np.float64), np.asfortranarray(problem.X), wide, wide.tocoo()):
        for exact in (False, True):
            assert verify(certificate, X, labels, exact)


def test_the_arithmetic_is_exact_where_that_is_affordable(monkeypatch):
    problem, labels, _, certificate = certified()
    assert verify(certificate, problem.X, labels).arithmetic == "exact"
    monkeypatch.setattr("separatrix.proof.verify.AFFORDABLE", linear_effort(problem.X) - 1)
    assert verify(certificate, problem.X, labels).arithmetic == "rigorous floats"
    assert verify(certificate, problem.X, labels, exact=True).arithmetic == "exact"
    by_entry = linear_effort(problem.X) - linear_effort(sparse.csr_array(problem.X))
    assert by_entry == problem.X.size - np.count_nonzero(problem.X)
    assert linear_effort(problem.X, 3) == 3 * linear_effort(problem.X)


@BOTH
def test_what_is_expected_must_be_what_is_proved(exact):
    problem, labels, _, certificate = certified()
    right = {
        "kind": "optimal",
        "rows": "all",
        "positive": "yes",
        "negative": ["no"],
        "C": (0.7, 0.3),
        "loss": "hinge",
        "bias": "free",
        "kernel": "linear",
        "classes": "two",
        "gap": 1.0,
    }
    assert verify(certificate, problem.X, labels, exact, expect=right)
    wrong = {
        "kind": "separating",
        "rows": 23,
        "positive": "no",
        "negative": ["no", "maybe"],
        "C": 0.7,
        "loss": "squared_hinge",
        "bias": "none",
        "kernel": "rbf",
        "classes": "joint",
        "gap": 1e-20,
        "surprise": 1,
    }
    for name, value in wrong.items():
        verdict = verify(certificate, problem.X, labels, exact, expect={**right, name: value})
        assert verdict.outcome == "rejected"
        assert f"Expected {name} = " in verdict.reason


def test_a_rejection_is_false_and_a_condition_too():
    problem, labels, _, certificate = certified()
    verdict = verify(certificate, problem.X, labels)
    assert verdict.proved
    assert not dataclasses.replace(verdict, outcome="conditional")
    assert not dataclasses.replace(verdict, outcome="rejected").proved
    assert dataclasses.replace(verdict, primal=None).gap is None
