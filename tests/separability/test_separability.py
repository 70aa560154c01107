"""separability: answers known by hand, input, many classes, columns, margins.

Tests `separability/api.py`, `separability/verdict.py`, `separability/columns.py`, `separability/margin.py`,
`separability/exact_margin.py`.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from separatrix.proof.verify import verify
from separatrix.separability import integer_search, separability

SQUARE = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def test_and_is_separable() -> None:
    found = separability(SQUARE, [0, 0, 0, 1])
    assert found.verdict == "separable"
    assert np.all((SQUARE @ found.w + found.b > 0) == [False, False, False, True])
    # The widest slab lies between (1, 1) and the line through (0, 1) and (1, 0): margin sqrt(2) / 4.
    lower, upper = found.margin
    assert lower <= np.sqrt(2) / 4 <= upper
    assert upper - lower <= 1e-9 * upper
    assert found.support.tolist() == [1, 2, 3]
    assert len(found.rows) == 0


def test_xor_is_inseparable_with_four_rows() -> None:
    found = separability(SQUARE, ["no", "yes", "yes", "no"])
    assert found.verdict == "inseparable"
    assert found.rows.tolist() == [0, 1, 2, 3]
    assert found.weights == (Fraction(1, 4),) * 4
    assert found.w is None
    assert found.margin == (0.0, 0.0)
    assert found.tied.tolist() == [0, 1, 2, 3]


def test_touching_classes_are_quasi_separable() -> None:
    X, y = np.array([[-1.0], [0.0], [0.0], [1.0]]), [-1, -1, 1, 1]
    found = separability(X, y)
    assert found.verdict == "quasi-separable"
    assert found.tied.tolist() == [1, 2]
    assert found.rows.tolist() == [1, 2]
    assert np.all(np.array(y) * (X @ found.w + found.b) == [1.0, 0.0, 0.0, 1.0] * np.abs(found.w))
    assert found.infinite_columns.tolist() == [0]


def test_equal_rows_with_opposite_labels() -> None:
    found = separability([[3.0, 4.0], [3.0, 4.0]], [0, 1])
    assert found.verdict == "inseparable"
    assert found.rows.tolist() == [0, 1]
    assert found.weights == (Fraction(1, 2), Fraction(1, 2))


def test_without_bias_the_origin_matters() -> None:
    X, y = [[1.0], [2.0]], [0, 1]
    assert separability(X, y).verdict == "separable"
    assert separability(X, y, bias=False).verdict == "inseparable"
    # A row at the origin is tied whatever the others do.
    found = separability([[0.0], [1.0], [-1.0]], [1, 1, 0], bias=False)
    assert (found.verdict, found.tied.tolist(), found.rows.tolist()) == ("quasi-separable", [0], [0])


def test_margin_without_bias() -> None:
    # w along (1, 1): margin 1 / sqrt(2).
    found = separability([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], [1, 1, 0], bias=False)
    lower, upper = found.margin
    assert lower <= np.sqrt(0.5) <= upper <= lower * (1 + 1e-9)


@pytest.mark.parametrize("gap", [0, 1, 2])
def test_last_bits_decide(gap: int) -> None:
    """Classes that differ by one unit in the last place, or not at all."""
    x = 1.0
    for _ in range(gap):
        x = np.nextafter(x, 2.0)
    found = separability([[0.5], [1.0], [x], [3.0]], [0, 0, 1, 1])
    assert found.verdict == ("separable" if gap else "quasi-separable")
    if gap:
        lower, upper = found.margin
        assert lower <= gap * 2.0**-53 <= upper <= lower * (1 + 1e-9)


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Two classes are needed .* y holds only \[1\]"):
        separability(SQUARE, [1, 1, 1, 1])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_nonfinite_is_refused_with_its_place(bad: float, make: type) -> None:
    X = SQUARE.astype(float)
    X[2, 1] = bad
    with pytest.raises(ValueError, match="row 2, column 1"):
        separability(make(X), [0, 0, 1, 1])


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="two dimensions"):
        separability([1.0, 2.0], [0, 1])
    with pytest.raises(ValueError, match="one label for each of the 4 rows"):
        separability(SQUARE, [0, 1])
    with pytest.raises(ValueError, match="complex"):
        separability(np.array([[1j], [0]]), [0, 1])
    with pytest.raises(ValueError, match="multi_class='ovr'"):
        separability(SQUARE, [0, 1, 2, 2])
    with pytest.raises(ValueError, match="real numbers"):
        separability([["a"], ["b"]], [0, 1])
    with pytest.raises(ValueError, match="multi_class must be"):
        separability(SQUARE, [0, 1, 2, 2], multi_class="all")  # type: ignore[call-overload]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float32, np.float64, bool])
def test_every_number_type(dtype: type) -> None:
    for make in (np.asarray, sparse.csr_array, sparse.coo_array):
        X = make(SQUARE.astype(dtype))
        assert separability(X, [0, 0, 0, 1]).verdict == "separable"
        found = separability(X, [0, 1, 1, 0])
        assert found.verdict == "inseparable"
        assert verify(found.certificate, X, [0, 1, 1, 0], exact=True)


def test_input_is_not_changed() -> None:
    X = np.asfortranarray(SQUARE, dtype=float)
    before = X.copy()
    X.setflags(write=False)
    separability(X, [0, 0, 0, 1])
    assert np.array_equal(X, before)


def test_iris() -> None:
    X, y = load_iris(return_X_y=True)
    rest = separability(X, y, multi_class="ovr")
    assert {c: s.verdict for c, s in rest.items()} == {0: "separable", 1: "inseparable", 2: "inseparable"}
    pairs = separability(X, y, multi_class="ovo")
    assert {p: s.verdict for p, s in pairs.items()} == {
        (0, 1): "separable",
        (0, 2): "separable",
        (1, 2): "inseparable",
    }
    lower, upper = rest[0].margin
    assert lower <= 0.8175557692 + 1e-9
    assert upper >= 0.8175557692 - 1e-9
    assert upper - lower <= 1e-9 * upper
    for found in (*rest.values(), *pairs.values()):
        for exact in (False, True):
            outcome = verify(found.certificate, X, y, exact=exact)
            assert outcome, outcome.reason
    assert set(pairs[1, 2].rows.tolist()) <= set(np.flatnonzero(y > 0).tolist())


def test_columns_for_the_statistician() -> None:
    """Column 1 separates some rows and diverges; column 2 repeats column 0; column 0 overlaps."""
    X = np.array([[0, 0], [1, 0], [0, 0], [1, 0], [0, 1], [1, 1]], dtype=float)
    X = np.column_stack([X, 3.0 * X[:, 0] + 1.0])
    found = separability(X, [0, 0, 1, 1, 1, 1])
    assert found.verdict == "quasi-separable"
    assert found.aliased_columns.tolist() == [2]
    assert found.infinite_columns.tolist() == [1]
    overlap = separability(X, [0, 1, 1, 0, 0, 1])
    assert overlap.infinite_columns.tolist() == []


def test_texts() -> None:
    assert "contradict each other" in str(separability(SQUARE, [0, 1, 1, 0]))
    assert repr(separability(SQUARE, [0, 0, 0, 1])) == "Separability('separable', 4 rows, 2 columns)"


def test_many_rows_few_columns() -> None:
    """Row generation: the answer must not depend on which rows were looked at first."""
    generator = np.random.default_rng(0)
    X = generator.standard_normal((20_000, 5))
    w = np.arange(1.0, 6.0)
    y = np.where(X @ w > 0, 1, 0)
    assert separability(X, y).verdict == "separable"
    y[np.argmax(X @ w)] = 0
    found = separability(X, y)
    assert found.verdict == "inseparable"
    assert len(found.rows) <= 7
    assert verify(found.certificate, X, y, exact=False)


def test_more_columns_than_rows() -> None:
    generator = np.random.default_rng(1)
    X = generator.standard_normal((30, 400))
    found = separability(X, np.arange(30) % 2)
    assert found.verdict == "separable"
    assert found.margin[1] - found.margin[0] <= 1e-9 * found.margin[1]
    assert len(found.aliased_columns) == 400 - 29  # rank 30, one of which is the bias


def test_margin_of_long_sparse_rows() -> None:
    """Rows too long for the active set: coordinate descent finds the slab, integers prove it."""
    generator = np.random.default_rng(3)
    X = sparse.random_array((120, 60_000), density=2e-3, format="csr", rng=generator)
    y = np.arange(120) % 2
    found = separability(X, y)
    assert found.verdict == "separable"
    lower, upper = found.margin
    assert 0 < lower <= upper <= lower * (1 + 1e-9)
    assert verify(found.certificate, X, y, exact=False)
    assert verify(found.certificate, X, y, exact=True)


def test_hundreds_of_columns_without_the_finite_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    # Near a contradiction the least-norm point grows without bound; candidates must still be good enough.
    def refuse(*_: object) -> None:
        raise AssertionError("floating point should have found the proof")

    for name in ("strict_or_balance", "weak_or_cover"):
        monkeypatch.setattr(integer_search, name, refuse)
    generator = np.random.default_rng(5)
    shades = generator.integers(0, 256, size=(900, 100)) * (generator.random((900, 100)) < 0.3)
    X = np.hstack([shades, generator.integers(0, 2, size=(900, 100))]).astype(float)
    f = X @ generator.normal(size=200)
    y = (f > np.median(f)) ^ (generator.random(900) < 0.15)
    found = separability(X, y)
    assert found.verdict == "inseparable"
    assert verify(found.certificate, X, y, exact=True)
