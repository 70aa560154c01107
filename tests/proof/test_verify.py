import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from small_problems import certified, exact_values, solve

from separatrix.checker import certificate as documents
from separatrix.checker.codec import write_real
from separatrix.problem import HINGE, LOSSES, SQUARED_HINGE, Point, Problem
from separatrix.proof.certificate import Certificate, CertificateError, fingerprint, optimal
from separatrix.proof.duality import certify
from separatrix.proof.verify import verify

BIASES = ["free", "augmented", "none"]
BOTH = pytest.mark.parametrize("exact", [False, True], ids=["float", "exact"])


def restated(certificate, **values):
    """The same certificate with other numbers in its proof, signed anew."""
    written = {name: write_real(v) if isinstance(v, float) else v for name, v in values.items()}
    return dataclasses.replace(certificate, proof={**certificate.proof, **written})


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
    # The exact check finds the values themselves, rounded outwards once.
    assert Fraction(exact.primal) >= primal > Fraction(np.nextafter(exact.primal, -np.inf))
    assert Fraction(exact.dual) <= dual < Fraction(np.nextafter(exact.dual, np.inf))
    # The rigorous one bounds them closely, and never crosses them.
    assert primal <= Fraction(rigorous.primal) <= primal * (1 + Fraction(1, 10**13))
    assert dual >= Fraction(rigorous.dual) >= dual - abs(dual) / 10**12
    claimed = float.fromhex(certificate.proof["gap"])
    assert exact.gap <= rigorous.gap <= claimed <= solution.gap + 1e-11


@BOTH
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES)
def test_claims_false_by_a_trillionth_are_rejected(loss, bias, exact):
    problem, labels, solution, certificate = certified(loss=loss, bias=bias)
    primal, dual = exact_values(problem, solution.w, solution.b, solution.alpha)
    low, high = float(primal * (1 - Fraction(1, 10**12))), float(dual + abs(dual) / 10**12)
    verdict = verify(restated(certificate, primal=low), problem.X, labels, exact)
    assert not verdict
    assert "primal value" in verdict.reason
    verdict = verify(restated(certificate, dual=high), problem.X, labels, exact)
    assert not verdict
    assert "dual value" in verdict.reason
    claimed = float.fromhex(certificate.proof["gap"])
    verdict = verify(restated(certificate, gap=claimed * (1 - 1e-12)), problem.X, labels, exact)
    assert not verdict
    assert "gap" in verdict.reason


def test_the_exact_check_has_no_tolerance():
    problem, labels, solution, certificate = certified()
    primal, _ = exact_values(problem, solution.w, solution.b, solution.alpha)
    above = float(primal) if Fraction(float(primal)) >= primal else np.nextafter(float(primal), np.inf)
    below = np.nextafter(above, -np.inf)
    assert verify(restated(certificate, primal=float(above), gap=1.0), problem.X, labels, exact=True)
    assert not verify(restated(certificate, primal=float(below), gap=1.0), problem.X, labels, exact=True)


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
                changed = restated(certificate, **{name: {**record, "values": [v.hex() for v in values]}})
                verdict = verify(changed, problem.X, labels, exact)
                rejected += not verdict
                if name == "alpha":
                    assert not verdict  # the balance is broken
                elif verdict:
                    w = np.zeros(problem.n_columns)
                    w[record.get("indices", slice(None))] = values
                    primal, _ = exact_values(problem, w, solution.b, solution.alpha)
                    assert primal <= Fraction(float.fromhex(certificate.proof["primal"]))
    assert rejected > 20


JUNK = [None, True, -1, 2**70, "", "0x1p+0", "-0x1.8p+1000", [], {}, [[]], {"length": 3}, ["0x1p+0"] * 3]


def places(node, path=()):
    """The path of every value in a document, lists and objects included."""
    yield path
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, child in children:
        yield from places(child, (*path, name))


def replaced(node, path, value):
    if not path:
        return value
    copy = dict(node) if isinstance(node, dict) else list(node)
    copy[path[0]] = replaced(node[path[0]], path[1:], value)
    return copy


@BOTH
@pytest.mark.parametrize("weighted", [False, True])
def test_no_content_raises(weighted, exact):
    """Any junk anywhere, signed anew, is refused on reading or gets a verdict; never another exception."""
    problem, labels, _, certificate = certified(n=4, d=2, weighted=weighted, bias="augmented")
    document, refused, rejected = certificate.to_dict(), 0, 0
    del document["digest"]
    for path in places(document):
        for junk in JUNK:
            body = replaced(document, path, junk)
            if isinstance(body, dict):
                body = {**body, "digest": documents._digest(body)}
            try:
                changed = Certificate.from_dict(body)
            except CertificateError:
                refused += 1
                continue
            verdict = verify(changed, problem.X, labels, exact)
            rejected += not verdict
            assert verdict.reason.endswith(".")
    assert refused > 50
    assert rejected > 150


@BOTH
@pytest.mark.parametrize("shape", [(0, 2), (3, 0)])
def test_data_without_rows_or_columns(shape, exact):
    X, y = np.zeros(shape), np.ones(shape[0])
    source = fingerprint(X, y).source([1], [0])
    zero, one = write_real(0.0), write_real(1.0)
    w, alpha = ({"length": length, "values": [zero] * length} for length in reversed(shape))
    proof = {
        "w": w,
        "b": zero,
        "alpha": alpha,
        "primal": write_real(shape[0] + 1e-9),
        "dual": zero,
        "gap": one,
    }
    problem = {
        "loss": "hinge",
        "bias": "augmented",
        "kernel": "linear",
        "C": {"positive": one, "negative": one},
    }
    assert verify(Certificate("optimal", "", source, problem, proof), X, y, exact)


@BOTH
def test_values_beyond_the_largest_float_are_rejected(exact):
    problem, labels, _, certificate = certified(n=6, d=2, bias="augmented")
    huge = {"length": 2, "values": ["0x1p+1000", "0x1p+1000"]}
    assert not verify(restated(certificate, w=huge), problem.X, labels, exact)


def entry(certificate, name, position, value):
    record = certificate.proof[name]
    values = list(record["values"])
    values[position] = value
    return {**record, "values": values}


@BOTH
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda c: {"primal": "nan"}, "finite hexadecimal"),
        (lambda c: {"primal": "inf"}, "finite hexadecimal"),
        (lambda c: {"primal": "0x1p+9999"}, "finite hexadecimal"),
        (lambda c: {"primal": 12}, "finite hexadecimal"),
        (lambda c: {"b": None}, "finite hexadecimal"),
        (lambda c: {"b": "__import__('os')"}, "finite hexadecimal"),
        (lambda c: {"gap": -1.0}, "negative"),
        (lambda c: {"w": []}, "no field"),
        (lambda c: {"w": {"length": 3, "values": ["0x1p+0"]}}, "must have 3 values"),
        (lambda c: {"w": {"length": 4, "values": ["0x1p+0"] * 4}}, "length 3"),
        (lambda c: {"w": {"length": 3, "values": "0x1p+0"}}, "must be a list"),
        (lambda c: {"alpha": {**c.proof["alpha"], "indices": [0, 0]}}, "as many indices"),
        (lambda c: {"alpha": {"length": 24, "indices": [24], "values": ["0x1p+0"]}}, "lie in 0"),
        (lambda c: {"alpha": {"length": 24, "indices": [3, 2], "values": ["0x1p+0"] * 2}}, "increase"),
        (lambda c: {"alpha": {"length": 24, "indices": [True], "values": ["0x1p+0"]}}, "increase"),
        (lambda c: {"alpha": {"length": -1, "indices": [], "values": []}}, "at least 0"),
        (lambda c: {"alpha": entry(c, "alpha", 0, "-0x1.0p-4")}, "negative"),
        (lambda c: {"alpha": entry(c, "alpha", 0, "0x1.0p+9")}, "above its bound"),
        (lambda c: {"alpha": entry(c, "alpha", 0, "0x1.0p-30")}, "not zero"),
    ],
)
def test_malformed_and_infeasible_numbers_get_a_sentence(spoil, message, exact):
    problem, labels, _, certificate = certified()
    verdict = verify(restated(certificate, **spoil(certificate)), problem.X, labels, exact)
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
        ({"C": {"positive": "0x0.0p+0", "negative": "0x1p+0"}}, "above 0"),
        ({"C": {"rows": {"length": 24, "indices": [0], "values": ["-0x1p+0"]}}}, "negative"),
        ({"C": 1}, "must have exactly"),
        ({"surprise": 1}, "must have exactly"),
    ],
)
def test_another_problem_is_rejected(problem_change, message, exact):
    data, labels, _, certificate = certified()
    changed = dataclasses.replace(certificate, problem={**certificate.problem, **problem_change})
    verdict = verify(changed, data.X, labels, exact)
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
        ((problem.X, problem.y), "labels y are not those"),
        ((problem.X[:-1], labels[:-1]), "24 rows"),
        ((problem.X, labels[:-1]), "23 labels"),
        ((problem.X[:, :2], labels), "3 columns"),
        ((np.where(problem.X == 0, np.nan, problem.X), labels), "not finite"),
        ((labels, labels), "two dimensions"),
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
    with pytest.raises(TypeError, match="needs a Certificate"):
        verify(certificate.to_dict(), problem.X, labels)


@BOTH
def test_swapped_sides_are_rejected(exact):
    problem, labels, _, certificate = certified()
    source = certificate.data
    swapped = dataclasses.replace(source, positive=source.negative, negative=source.positive)
    assert not verify(dataclasses.replace(certificate, data=swapped), problem.X, labels, exact)
    both = dataclasses.replace(source, negative=("no", "yes"))
    assert (
        "both sides" in verify(dataclasses.replace(certificate, data=both), problem.X, labels, exact).reason
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
    record = certificate.problem["C"]["rows"]
    assert record["indices"] == rows.tolist()
    # A multiplier on a row of the third class, balanced by another, is no proof.
    outside = np.flatnonzero(labels == 1)[:2]
    alpha = np.zeros(40)
    alpha[outside] = 1.0
    vector = {"length": 40, "indices": outside.tolist(), "values": ["0x1p+0"] * 2}
    assert not verify(restated(certificate, alpha=vector), X, labels, exact)


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
    assert not verify(restated(certificate, primal=low, gap=1e300), X, y, exact)


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


def test_float32_and_int64_indices_are_read_as_they_are():
    problem, labels, _, certificate = certified(form=lambda X: X.astype(np.float32), weighted=True)
    wide = sparse.csr_array(problem.X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for X in (problem.X, problem.X.astype(np.float64), np.asfortranarray(problem.X), wide, wide.tocoo()):
        for exact in (False, True):
            assert verify(certificate, X, labels, exact)
