"""The exact check of hyperplanes against brute force in fractions, and what it must reject."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from separatrix.checker.data import Data, Labels, read_data
from separatrix.checker.linear import optimal, separation, values
from separatrix.checker.numbers import Rejected
from separatrix.checker.statement import Claim
from separatrix.checker.text import StoredRows
from separatrix.problem import LOSSES
from separatrix.proof.arrays import ArrayRows
from separatrix.proof.writing import write_integer, write_integers, write_real
from tests.proof.small_problems import certified, changed, exact_values

BIASES = ["free", "augmented", "none"]


def claim_of(certificate, X, y) -> Claim:
    """What the check of a certificate is given once its data are found right."""
    labels = list(dict.fromkeys(y.tolist()))
    known = Labels("text", labels, [labels.index(label) for label in y.tolist()])
    source, joint = certificate.data, certificate.problem["classes"] == "joint"
    sides = list(source.positive), list(source.negative), list(source.excluded)
    data = read_data(*sides, joint, ArrayRows(X), known)
    return Claim(certificate.kind, certificate.problem, certificate.proof, data)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("weighted", [False, True], ids=["classes", "weights"])
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES)
def test_values_are_those_of_brute_force(loss, bias, weighted, form):
    problem, labels, solution, certificate = certified(loss=loss, bias=bias, weighted=weighted, form=form)
    costs, primal, dual = values(claim_of(certificate, problem.X, labels))
    assert costs == problem.C.tolist()
    expected = exact_values(problem, solution.w, solution.b, solution.alpha)
    assert primal == expected[0]
    if loss == "hinge":
        assert dual == expected[1]
    else:  # each alpha^2 / 4C is rounded up to a multiple of 2^-2200
        assert 0 <= expected[1] - dual <= Fraction(problem.n_rows, 1 << 2200)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e20])
def test_values_of_any_size_are_exact(scale):
    problem, labels, solution, certificate = certified(scale=scale, bias="none", loss="squared_hinge", n=8)
    _, primal, dual = values(claim_of(certificate, problem.X, labels))
    expected = exact_values(problem, solution.w, solution.b, solution.alpha)
    assert primal == expected[0]
    assert 0 <= expected[1] - dual <= Fraction(8, 1 << 2200)


@pytest.mark.parametrize(
    ("part", "change", "message"),
    [
        ("proof", {"primal": write_real(0.0)}, "not the claimed one"),
        ("proof", {"dual": write_real(1e9)}, "not the claimed one"),
        ("proof", {"primal": write_real(-1.0)}, "not the claimed one"),
        ("proof", {"coef": {"length": 24, "indices": [], "values": []}}, "must have exactly"),
        ("problem", {"C": {"positive": write_real(1.0), "negative": write_real(-1.0)}}, "above 0"),
        ("problem", {"C": {"positive": write_real(1.0)}}, "must have exactly"),
        ("problem", {"C": {"rows": None}}, "must have exactly"),
    ],
)
def test_false_optima_are_rejected(part, change, message):
    problem, labels, _, certificate = certified()
    assert optimal(claim_of(certificate, problem.X, labels))
    with pytest.raises(Rejected, match=message):
        optimal(claim_of(changed(certificate, part, **change), problem.X, labels))


def test_a_bias_that_is_none_is_zero_and_a_free_one_is_balanced():
    problem, labels, _, certificate = certified(bias="none")
    with pytest.raises(Rejected, match="not zero"):
        optimal(claim_of(changed(certificate, "proof", b=write_real(2.0**-1000)), problem.X, labels))
    with pytest.raises(Rejected, match="sum alpha_i y_i"):
        optimal(claim_of(changed(certificate, "problem", bias="free"), problem.X, labels))


# Separation, on small integers where the answer is known


def plane_claim(kind, rows, y, proof, bias="free") -> Claim:
    table = StoredRows(len(rows[0]))
    for row in rows:
        table.append(range(len(row)), [float(each) for each in row])
    known = Labels("number", ["1", "-1", "0"], [{1: 0, -1: 1, 0: 2}[side] for side in y])
    data: Data = read_data(["1"], ["-1"], [], False, table, known)
    return Claim(kind, {"bias": bias, "kernel": "linear", "classes": "two"}, proof, data)


@given(
    st.lists(
        st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.sampled_from([1, -1, 0])), min_size=1, max_size=6
    ),
    st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(-3, 3)),
    st.sampled_from(["free", "none"]),
)
def test_planes_are_judged_by_their_signs(points, plane, bias):
    rows, y = [point[:2] for point in points], [point[2] for point in points]
    if not any(y):
        return
    a, b, c = plane
    proof = {"w": write_integers([a, b]), "b": write_integer(c)}
    right = all(s * (a * r + b * t + c) > 0 for (r, t), s in zip(rows, y, strict=True) if s)
    right = right and not (bias == "none" and c)
    claim = plane_claim("separating", rows, y, proof, bias)
    if right:
        assert "strictly separates" in separation(claim).sentence
    else:
        with pytest.raises(Rejected):
            separation(claim)


@given(
    st.lists(st.integers(0, 3), min_size=4, max_size=4),
    st.lists(st.integers(-1, 3), min_size=4, max_size=4),
    st.integers(-1, 2),
)
def test_circuits_and_covers_must_cancel(circuit, cover, q):
    rows, y = [(0, 0), (1, 1), (0, 1), (1, 0)], [-1, -1, 1, 1]
    proof = {
        "circuit": write_integers(circuit),
        "cover": write_integers(cover),
        "denominator": write_integer(q),
    }
    a = [[s * r, s * t, s] for (r, t), s in zip(rows, y, strict=True)]

    def cancels(weights):
        return not any(sum(weight * row[j] for weight, row in zip(weights, a, strict=True)) for j in range(3))

    right = (
        any(circuit) and cancels(circuit) and q > 0 and min(cover) >= 0 and cancels([q + c for c in cover])
    )
    claim = plane_claim("inseparable", rows, y, proof)
    if right:
        assert "not even weakly" in separation(claim).sentence
    else:
        with pytest.raises(Rejected):
            separation(claim)


def test_quasi_separable_counts_the_tied_rows():
    rows, y = [(-1,), (0,), (0,), (1,)], [-1, -1, 1, 1]
    two = {"length": 4, "indices": [1, 2], "values": ["0x1", "0x1"]}
    none = {"length": 4, "indices": [], "values": []}
    proof = {"w": write_integers([1]), "b": "0x0", "circuit": two, "cover": none, "denominator": "0x1"}
    assert "at least 2 rows on it" in separation(plane_claim("quasi-separable", rows, y, proof)).sentence
    lies = [
        {"w": write_integers([0])},
        {"w": write_integers([-1])},
        {"circuit": {"length": 4, "indices": [0, 1], "values": ["0x1", "0x1"]}},
        {"circuit": {"length": 4, "indices": [0, 3], "values": ["0x1", "0x1"]}},
        {"cover": {"length": 4, "indices": [0], "values": ["0x1"]}},
        {"cover": {"length": 4, "indices": [1], "values": ["0x1"]}},
        {"denominator": "0x0"},
    ]
    for lie in lies:
        with pytest.raises(Rejected):
            separation(plane_claim("quasi-separable", rows, y, {**proof, **lie}))
    with pytest.raises(Rejected, match="not on its side"):
        separation(plane_claim("separating", rows, y, {name: proof[name] for name in ("w", "b")}))


@pytest.mark.parametrize("bias", ["free", "none"])
def test_margins_are_compared_exactly(bias):
    """Rows 3 and -1: with a bias the margin is 2, through the origin 1."""
    width = 2.0 if bias == "free" else 1.0
    one = (
        {"length": 2, "values": ["0x1", "0x1"]}
        if bias == "free"
        else {"length": 2, "indices": [1], "values": ["0x1"]}
    )

    def claim(lower, upper, alpha=one):
        margin = {"lower": write_real(lower), "upper": write_real(upper), "alpha": alpha}
        b = "-0x5" if bias == "free" else "0x0"
        proof = {"w": write_integers([5]), "b": b, "margin": margin}
        return plane_claim("separating", [(3,), (-1,)], [1, -1], proof, bias)

    assert f"margin lies between {width:g} and {width:g}" in separation(claim(width, width)).sentence
    assert separation(claim(0.0, 10.0))
    with pytest.raises(Rejected, match="lower bound"):
        separation(claim(np.nextafter(width, 9), 10.0))
    with pytest.raises(Rejected, match="upper bound"):
        separation(claim(0.0, np.nextafter(width, 0)))
    with pytest.raises(Rejected, match="lower bound"):
        separation(claim(-1.0, 10.0))
    with pytest.raises(Rejected):
        separation(claim(0.0, 10.0, {"length": 2, "indices": [], "values": []}))
    if bias == "free":
        with pytest.raises(Rejected, match="weight on each side"):
            separation(claim(0.0, 10.0, {"length": 2, "indices": [0], "values": ["0x1"]}))
