"""Estimates of logistic regressions, two classes and many, against exact linear programs of the test's own.

Tests `separability/estimates.py`, `separability/outcomes.py`, `separability/columns.py`.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from cone_oracle import decide
from scipy import sparse
from separation_data import DESIGNS, OUTCOMES, random_problem

from separatrix import separability, verify
from separatrix.separability import binomial_rows, matched_rows


def words_of(found):
    """The words in the order of the oracle: joint ones class by class, the intercept first."""
    if found._question.kind != "joint":
        return list(found.estimates.values())
    names = [*["(intercept)"][: found.bias], *found._data.column_names()]
    return [found.estimates[f"{label}: {name}"] for label in found.positive[1:] for name in names]


@pytest.mark.parametrize("outcome", sorted(set(OUTCOMES)))
@pytest.mark.parametrize("design", DESIGNS)
def test_against_exact_programs(design, outcome):
    generator = np.random.default_rng(len(design) + 100 * len(outcome))
    for _ in range(25 if outcome == "two" else 12):
        X, codes, k, bias = random_problem(generator, design, outcome)
        found = separability(X, codes, bias, "pairs" if outcome == "two" else outcome)
        verdict, tied, words = decide(outcome, X.tolist(), codes.tolist(), k, bias)
        assert (found.verdict, words_of(found)) == (verdict, words)
        if outcome == "two":
            assert set(found.tied_rows.tolist()) == tied
        check_direction(found, X, codes)


def check_direction(found, X, codes):
    """The direction goes where the words say, and no row's probability falls along it."""
    if found.verdict == "inseparable":
        assert found.direction is None
        return
    for name, word in found.estimates.items():
        value = found.direction[name]
        assert word in ("undetermined", "aliased", "finite") or (value > 0) == (word == "+inf")
        assert value == 0 or word not in ("finite", "aliased")
    if found._question.kind == "joint":
        assert not np.any(found.w[0])
        planes = [
            [Fraction(v) for v in (*w, b)] for w, b in zip(found.w.tolist(), found.b.tolist(), strict=True)
        ]
        for row, c in zip(X.tolist(), codes, strict=True):
            point = [Fraction(v) for v in (*row, 1)]
            scores = [sum(x * v for x, v in zip(point, plane, strict=True)) for plane in planes]
            assert scores[c] == max(scores)


def test_the_words():
    """By hand: x1 = 1 only where y = 1; x2 overlaps; x3 = x1 + x2 + 1; the fourth is constant."""
    X = np.array([[0.0, 1], [0, 2], [0, 3], [1, 1], [1, 3]])
    X = np.column_stack([X, X.sum(axis=1) + 1, np.full(5, 7.0)])
    found = separability(X, [0, 1, 0, 1, 1])
    words = {"(intercept)": "finite", "x1": "+inf", "x2": "finite", "x3": "aliased", "x4": "aliased"}
    assert found.estimates == words
    assert found.verdict == "quasi-separable"
    assert found.tied_rows.tolist() == [0, 1, 2]
    assert separability(X, [1, 0, 1, 0, 0]).estimates["x1"] == "-inf"


def test_a_symmetric_line_leaves_the_intercept_undetermined():
    """-2, -1 | 1, 2: the slope must grow, and by symmetry nothing can say where the intercept goes."""
    line = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    assert separability(line, [0, 0, 1, 1]).estimates == {"(intercept)": "undetermined", "x1": "+inf"}
    assert separability(line + 3, [0, 0, 1, 1]).estimates == {"(intercept)": "-inf", "x1": "+inf"}


def test_what_a_linear_program_on_the_boundary_would_miss():
    """b > 0 and b < 2 w: both grow. Konis' program has an optimum with b = 0, which others report as finite."""
    assert separability([[0.0], [-2.0], [-2.0]], [1, 0, 0]).estimates == {"(intercept)": "+inf", "x1": "+inf"}


@pytest.mark.parametrize(
    ("x", "y", "verdict"),
    [
        (np.array([1e6, 2e6, 3e6, 4e6]), [0, 0, 1, 1], "separable"),
        (np.array([0.0, 1.0, 1.0 - 1e-9, 2.0]), [0, 0, 1, 1], "inseparable"),
        (1e4 + np.array([0.0, 1.0, 0.999, 2.0]), [0, 0, 1, 1], "inseparable"),
    ],
)
def test_units_and_thin_overlaps(x, y, verdict):
    assert separability(x[:, None], y).verdict == verdict


def test_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [1.0, 2, 3, 4], "dose": [0.0, 1, 0, 1]})
    found = separability(frame, [0, 0, 1, 1])
    assert list(found.estimates) == ["(intercept)", "age", "dose"]
    assert list(found.direction) == list(found.estimates)
    twice = pandas.DataFrame(np.eye(4)[:, :3], columns=["a", "a", "a (2)"])
    assert list(separability(twice, [0, 0, 1, 1]).estimates) == ["(intercept)", "a", "a (2)", "a (2) (2)"]
    joint = separability(frame, ["a", "b", "b", "c"], classes="joint")
    assert list(joint.estimates)[:3] == ["b: (intercept)", "c: (intercept)", "b: age"]


def test_the_order_of_classes():
    pandas = pytest.importorskip("pandas")
    x = np.array([[1.0], [2.0], [3.0], [4.0]])
    y = pandas.Categorical(
        ["low", "mid", "mid", "high"], categories=["none", "low", "mid", "high"], ordered=True
    )
    for labels in (y, pandas.Series(y)):
        found = separability(x, labels, classes="ordinal")
        assert found.verdict == "separable"
        assert list(found.estimates) == ["low|mid", "mid|high", "x1"]
        assert found.positive == ("low", "mid", "high")
        assert verify(found.estimates_certificate, x, np.asarray(labels), exact=True)
    with pytest.raises(ValueError, match="ordered categorical"):
        separability(x, ["low", "mid", "mid", "high"], classes="ordinal")
    with pytest.raises(ValueError, match="thresholds"):
        separability(x, [0, 1, 1, 2], bias=False, classes="ordinal")


def test_two_ordered_classes_are_two_classes():
    generator = np.random.default_rng(3)
    for _ in range(40):
        X, codes, _, _ = random_problem(generator, "grid", "two")
        two, ordered = separability(X, codes), separability(X, codes, classes="ordinal")
        joint = separability(X, codes, classes="joint")
        assert two.verdict == ordered.verdict == joint.verdict
        words = list(two.estimates.values())
        assert list(joint.estimates.values()) == words
        assert list(ordered.estimates.values())[1:] == words[1:]
        opposite = {"+inf": "-inf", "-inf": "+inf"}  # the threshold is minus the intercept
        assert next(iter(ordered.estimates.values())) == opposite.get(words[0], words[0])


def adjacent_rows(X, codes, k):
    """Signed rows of the adjacent-category model: w (c - m).x + s_c - s_m against every other class m."""
    out = []
    for x, c in zip(X.tolist(), codes.tolist(), strict=True):
        for m in range(k):
            if m != c:
                steps = [(1 if m <= j < c else -1 if c <= j < m else 0) for j in range(k - 1)]
                out.append([(c - m) * v for v in x] + [float(-s) for s in steps])
    return np.array(out)


def continuation_rows(X, codes, k):
    """Signed rows of the continuation-ratio model: beyond each threshold below, not beyond its own."""
    out = []
    for x, c in zip(X.tolist(), codes.tolist(), strict=True):
        for j in range(min(c + 1, k - 1)):
            sign = 1 if j < c else -1
            out.append([sign * v for v in x] + [float(-sign * (j == t)) for t in range(k - 1)])
    return np.array(out)


@pytest.mark.parametrize("rows_of", [adjacent_rows, continuation_rows])
def test_other_ordinal_models_have_the_same_answers(rows_of):
    generator = np.random.default_rng(4)
    for number in range(60):
        X, codes, k, _ = random_problem(generator, DESIGNS[number % len(DESIGNS)], "ordinal")
        if DESIGNS[number % len(DESIGNS)] in ("units", "near"):
            continue  # multiples of these numbers are rounded
        found = separability(X, codes, classes="ordinal")
        A = rows_of(X, codes, k)
        signs = np.where(np.arange(len(A)) % 2, 1.0, -1.0)  # as two classes through the origin
        other = separability(A * signs[:, None], signs, bias=False)
        assert other.verdict == found.verdict
        if not len(found.aliased_columns):
            words = list(found.estimates.values())
            assert list(other.estimates.values()) == [*words[k - 1 :], *words[: k - 1]]


def test_weights_and_counts():
    X = np.array([[0.0, 1], [0, 2], [0, 3], [1, 1], [1, 3]])
    y = np.array([0, 1, 0, 1, 1])
    assert separability(X, y, sample_weight=[1, 0, 1, 1, 1]).verdict == "separable"
    assert separability(X, y, sample_weight=[5, 0.1, 1, 1, 1]).estimates == separability(X, y).estimates
    counts = np.array([[0, 3], [1, 2], [2, 0]])
    x = np.array([[0.0], [1.0], [2.0]])
    found = separability(x, counts)
    assert found.verdict == "quasi-separable"
    assert found.tied_rows.tolist() == [1, 4]  # both outcomes of the second row
    assert found.estimates == {"(intercept)": "-inf", "x1": "+inf"}
    stacked, labels, weights = binomial_rows(x, counts)
    assert weights.tolist() == [0, 1, 2, 3, 2, 0]
    assert verify(found.estimates_certificate, stacked, labels, exact=True)
    sparse_x = sparse.csr_array(x)
    assert separability(sparse_x, counts).estimates == found.estimates
    with pytest.raises(ValueError, match="row 1 has"):
        separability(x, np.array([[0, 3], [-1, 2], [2, 0]]))
    with pytest.raises(ValueError, match="sample_weight"):
        separability(X, y, sample_weight=[1, 2])
    with pytest.raises(ValueError, match="row 2 has"):
        separability(X, y, sample_weight=[1, 1, -1, 1, 1])
    with pytest.raises(ValueError, match="Two classes"):
        separability(X, y, sample_weight=[1, 0, 1, 0, 0])


@pytest.mark.parametrize("classes", ["joint", "ordinal"])
def test_sparse_agrees_with_dense(classes):
    generator = np.random.default_rng(8)
    for number in range(24):
        X, codes, _, _ = random_problem(generator, DESIGNS[number % len(DESIGNS)], classes)
        dense, csr = (
            separability(X, codes, classes=classes),
            separability(sparse.csr_array(X), codes, classes=classes),
        )
        assert dense.verdict == csr.verdict
        assert dense.estimates == csr.estimates
        assert np.array_equal(dense.tied, csr.tied)


def test_many_rows_are_written_as_sparse_ones():
    generator = np.random.default_rng(9)
    X = generator.standard_normal((30_000, 6)).round(2)
    X[:, 0] = generator.random(30_000) < 0.01
    y = generator.integers(0, 5, 30_000)
    y[X[:, 0] > 0] = 3
    found = separability(X, y, classes="joint")
    assert found.verdict == "quasi-separable"
    assert {name for name, word in found.estimates.items() if word != "finite"} == {
        f"{m}: x1" for m in range(1, 5)
    }
    assert found.estimates["3: x1"] == "+inf"
    assert found.estimates["1: x1"] == "undetermined"  # below class 3 by far, and against class 0 anywhere


def test_the_margin_is_that_of_two_sides():
    x, y = np.array([[1.0], [2.0], [3.0]]), [0, 1, 2]
    found = separability(x, y, classes="ordinal")
    assert (found.verdict, found.margin, found.support.tolist()) == ("separable", (0.0, np.inf), [])
    assert found.widest_point() is None


def test_what_is_refused():
    X = np.eye(3)
    with pytest.raises(ValueError, match="'pairs', 'joint' or 'ordinal'"):
        separability(X, [0, 1, 2], classes="all")
    with pytest.raises(ValueError, match="classes='joint'"):
        separability(X, [0, 1, 2])
    with pytest.raises(ValueError, match="multi_class must be"):
        separability(X, [0, 1, 2], classes="joint", multi_class="ovr")


def test_matched_sets():
    """In every set the case has the larger x1; x2 goes both ways. Against the pairs themselves, in fractions."""
    X = np.array([[2.0, 1], [1, 0], [0, 0], [5, 0], [4, 3], [7, 7]])
    y, sets = [1, 0, 0, 1, 0, 1], ["a", "a", "a", "b", "b", "c"]  # the last has no control
    rows, labels = matched_rows(X, y, sets)
    found = separability(rows, labels, bias=False)
    assert len(rows) == 3
    assert found.verdict == "separable"
    assert found.estimates["x1"] == "+inf"
    both = np.array([1, 0, 0, 0, 1, 1])
    verdict, _, words = decide("two", rows.tolist(), labels.tolist(), 2, False)
    assert (found.verdict, list(found.estimates.values())) == (verdict, words)
    rows, labels = matched_rows(X, both, sets)
    assert (
        separability(rows, labels, bias=False).verdict
        == decide("two", rows.tolist(), labels.tolist(), 2, False)[0]
    )
    assert separability(*matched_rows([[2.0], [1.0]], [1, 0], [0, 0]), bias=False).estimates == {"x1": "+inf"}
    with pytest.raises(ValueError, match="no float64"):
        matched_rows([[1.0], [1e-20]], [1, 0], [0, 0])
    with pytest.raises(ValueError, match="a case and a control"):
        matched_rows(X[:2], [1, 0], ["a", "b"])
    with pytest.raises(ValueError, match="one set for each"):
        matched_rows(X, y, [1, 2])


def test_matched_sets_against_the_likelihood():
    """Along a direction of recession no term of the conditional likelihood falls, with several cases in a set too."""
    generator = np.random.default_rng(6)
    for _ in range(30):
        X = generator.integers(-2, 3, size=(7, 2)).astype(float)
        y = np.array([1, 0, *generator.integers(0, 2, 5)])
        sets = np.array([0, 0, *generator.integers(0, 2, 5)])
        found = separability(*matched_rows(X, y, sets), bias=False)
        for w in [] if found.w is None else [np.array(found.w, dtype=float)]:
            for each in np.unique(sets):
                scores, size = X[sets == each] @ w, int(y[sets == each].sum())
                best = np.sort(scores)[::-1][:size].sum()  # of all subsets with as many rows
                assert scores[y[sets == each] == 1].sum() >= best - 1e-9
