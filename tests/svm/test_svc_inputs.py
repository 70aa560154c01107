"""Every container that is accepted gives the same model, without needless copies and without side effects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import make_classification

from separatrix import SVC, Perceptron, separability, verify
from separatrix.fitting.inputs import check_labels, check_matrix
from separatrix.problem.conversion import canonical_csr, contiguous

X64, Y = make_classification(60, 4, flip_y=0.1, random_state=0)
X64 = np.round(X64 * 8) / 8  # exact in float16 and float32
REFERENCE = SVC().fit(X64, Y)
NAMES = list("abcd")


def same(model: Any) -> None:
    np.testing.assert_allclose(model.coef_, REFERENCE.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, REFERENCE.intercept_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    "convert",
    [
        lambda X: X.tolist(),
        np.asfortranarray,
        lambda X: np.repeat(X, 2, axis=0)[::2],
        lambda X: X.astype(np.float16),
        lambda X: X.astype(np.float32),
        lambda X: X.astype(np.longdouble),
        lambda X: X.astype(">f8"),
        lambda X: X.astype(object),
        lambda X: pd.DataFrame(X, columns=NAMES),
        lambda X: pd.DataFrame(X, columns=NAMES).astype("float64[pyarrow]"),
        lambda X: pd.DataFrame(X, columns=NAMES).astype("Float64"),
        lambda X: pl.DataFrame(X, schema=NAMES),
        *(
            lambda X, fmt=fmt, kind=kind: kind(X).asformat(fmt)
            for fmt in ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")
            for kind in (sparse.csr_array, sparse.csr_matrix)
        ),
    ],
)
def test_every_container_gives_the_same_model(convert: Any) -> None:
    X = convert(X64)
    model = SVC().fit(X, Y)
    same(model)
    np.testing.assert_allclose(model.decision_function(X), REFERENCE.decision_function(X64), atol=1e-6)


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.uint64, bool]
)
def test_integers_and_booleans(dtype: Any) -> None:
    X = (np.random.default_rng(0).integers(0, 2 if dtype is bool else 9, (40, 3))).astype(dtype)
    y = (X.astype(float).sum(axis=1) + np.arange(40) % 3 > np.median(X.astype(float).sum(axis=1))).astype(int)
    expected = SVC().fit(X.astype(np.float64), y)
    np.testing.assert_allclose(SVC().fit(X, y).coef_, expected.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(SVC().fit(sparse.csr_array(X), y).coef_, expected.coef_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    "labels",
    [
        Y.astype(bool),
        Y.astype(float),
        Y.astype(object),
        np.array(["no", "yes"])[Y],
        np.array(["no", "yes"], dtype=object)[Y],
        Y.tolist(),
        [["no", "yes"][code] for code in Y],
        pd.Series(Y),
        pd.Series(Y).astype("Int64"),
        pd.Series(Y).astype("category"),
        pd.Series(np.array(["no", "yes"])[Y], dtype="string"),
        pl.Series(Y),
    ],
    ids=lambda labels: f"{type(labels).__name__}-{getattr(labels, 'dtype', '')}",
)
def test_every_kind_of_label(labels: Any) -> None:
    model = SVC().fit(X64, labels)
    same(model)
    plain = np.asarray(labels).tolist()
    assert model.predict(X64).tolist() == [sorted(set(plain))[k] for k in REFERENCE.predict(X64)]
    assert list(model.problems_) == [sorted(set(plain))[1]]


def test_arrays_that_fit_are_not_copied() -> None:
    for dtype in (np.float32, np.float64):
        X = X64.astype(dtype)
        assert np.shares_memory(contiguous(X), X)
        csr = sparse.csr_array(X)
        checked = canonical_csr(csr)
        for part in ("data", "indices", "indptr"):
            assert np.shares_memory(getattr(checked, part), getattr(csr, part))
    assert contiguous(np.asfortranarray(X64.astype(np.float32))).dtype == np.float32
    assert contiguous(X64.astype(np.float16)).dtype == np.float32
    assert contiguous(X64.astype(np.int64)).dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_whole_check_copies_nothing_that_fits(dtype: Any, tmp_path: Path) -> None:
    stored = np.memmap(tmp_path / "X", dtype, "w+", shape=X64.shape)
    stored[:] = X64
    for X in (X64.astype(dtype), stored):
        assert np.shares_memory(check_matrix(SVC(), X, reset=True), X)
    csr = sparse.csr_matrix(X64.astype(dtype))
    assert np.shares_memory(check_matrix(SVC(), csr, reset=True).data, csr.data)


def test_csr_with_long_indices() -> None:
    X = sparse.csr_array(X64)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    same(SVC().fit(X, Y))


def test_unsorted_and_duplicate_entries_are_put_right_on_a_copy() -> None:
    rows, columns = np.nonzero(X64)
    half = 0.5 * X64[rows, columns]
    order = np.random.default_rng(0).permutation(2 * len(rows))
    doubled = sparse.coo_array(
        (np.tile(half, 2)[order], (np.tile(rows, 2)[order], np.tile(columns, 2)[order])), shape=X64.shape
    )
    indptr = np.concatenate([[0], np.cumsum(np.bincount(doubled.coords[0], minlength=len(X64)))])
    place = np.argsort(doubled.coords[0], kind="stable")
    X = sparse.csr_array((doubled.data[place], doubled.coords[1][place], indptr), shape=X64.shape)
    before = [X.data.copy(), X.indices.copy(), X.indptr.copy()]
    assert not X.has_canonical_format
    same(SVC().fit(X, Y))
    for old, new in zip(before, (X.data, X.indices, X.indptr), strict=True):
        np.testing.assert_array_equal(old, new)


def test_read_only_arrays_are_enough() -> None:
    X, y, weights = X64.copy(), Y.copy(), np.ones(len(Y))
    for array in (X, y, weights):
        array.flags.writeable = False
    same(SVC().fit(X, y, sample_weight=weights))
    csr = sparse.csr_array(X64)
    for array in (csr.data, csr.indices, csr.indptr):
        array.flags.writeable = False
    same(SVC().fit(csr, y))


def test_memmap(tmp_path: Path) -> None:
    X = np.memmap(tmp_path / "X.f32", np.float32, "w+", shape=X64.shape)
    X[:] = X64
    X.flush()
    opened = np.memmap(tmp_path / "X.f32", np.float32, "r", shape=X64.shape)
    assert np.shares_memory(contiguous(opened), opened)
    same(SVC().fit(opened, Y))


def test_column_names_are_checked() -> None:
    frame = pd.DataFrame(X64, columns=NAMES)
    model = SVC().fit(frame, Y)
    assert model.feature_names_in_.tolist() == NAMES
    assert model.n_features_in_ == 4
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[NAMES[::-1]])
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"a": "z"}))


def test_an_array_as_solvers_want_it_is_checked_like_any_other():
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]]), [0, 0, 1, 1]
    named = SVC().fit(pd.DataFrame(X, columns=["a", "b"]), y)
    assert list(named.feature_names_in_) == ["a", "b"]
    plain = named.fit(X, y)
    assert not hasattr(plain, "feature_names_in_")
    assert plain.n_features_in_ == 2
    with pytest.raises(ValueError, match="3 features, but SVC is expecting 2"):
        plain.predict(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="row 1, column 0 is NaN"):
        SVC().fit(np.array([[1.0], [np.nan]]), [0, 1])
    for shape in [(0, 2), (2, 0)]:
        with pytest.raises(ValueError, match="minimum of 1 is required"):
            SVC().fit(np.zeros(shape), np.arange(shape[0]))


@pytest.mark.parametrize(
    "labels",
    [
        np.array([-1.0, 1.0, 1.0, -1.0]),
        np.array([3, 1, 3], dtype=np.uint8),
        np.array([True, False]),
        np.array([0.0, -0.0, 5.0]),
        np.array([2**53, -(2**53)], dtype=np.int64),
        np.array([1.0, 2.0, 3.0]),
    ],
)
def test_two_numbers_as_labels_need_no_sorting_but_give_what_sorting_gives(labels):
    classes, codes = check_labels(labels, len(labels))
    expected, inverse = np.unique(labels, return_inverse=True)
    np.testing.assert_array_equal(classes, expected)
    np.testing.assert_array_equal(codes, inverse)
    assert classes.dtype == expected.dtype
    assert codes.dtype == np.intp


@pytest.mark.parametrize("labels", [[1.5, 2.5], [0.0, np.inf], [np.nan, 1.0], [4.0, 4.0]])
def test_two_numbers_that_name_no_classes_are_refused(labels):
    with pytest.raises(ValueError, match=r"continuous|infinity|NaN|one class"):
        check_labels(np.array(labels), 2)


LARGE = 2**53 + 1  # float64 has its two neighbours only
FORMS = {
    "int64": lambda rows: np.array(rows),
    "uint64": lambda rows: np.array(rows, dtype=np.uint64),
    "object": lambda rows: np.array(rows, dtype=object),
    "list": lambda rows: rows,
    "list with a fraction": lambda rows: [[*row, 0.5] for row in rows],
    "data frame": lambda rows: pd.DataFrame(rows, columns=["a", "b"]),
    "csr": lambda rows: sparse.csr_array(np.array(rows)),
    "coo": lambda rows: sparse.coo_array(np.array(rows)),
    "Fortran order": lambda rows: np.asfortranarray(np.array(rows)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ask", [SVC().fit, SVC(kernel="rbf").fit, Perceptron().fit, separability])
def test_integers_that_float64_does_not_hold_are_refused(form, ask):
    rows = [[0, 1], [1, 0], [3, 7], [4, LARGE]]
    with pytest.raises(
        ValueError, match=rf"row 3, column 1 is {LARGE}, and the nearest float64 .*Hint: drop"
    ):
        ask(FORMS[form](rows), [0, 0, 1, 1])
    ask(FORMS[form]([[0, 1], [1, 0], [3, 7], [4, 9]]), [0, 0, 1, 1])


@pytest.mark.parametrize("large", [2**53, 2**60, 2**63])
def test_large_integers_that_float64_holds_are_numbers_like_others(large):
    X, y = np.array([[1], [2], [large], [large]], dtype=np.uint64), np.array([0, 0, 1, 1])
    verdict = separability(X, y)
    assert verdict.verdict == "separable"
    assert verify(verdict.certificate, X, y, exact=True)
    assert contiguous(X).tolist() == X.tolist()


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="long double is double here")
def test_long_doubles_that_float64_does_not_hold_are_refused():
    X = np.array([[0], [1]], dtype=np.longdouble)
    assert separability(X, [0, 1]).verdict == "separable"
    X[1, 0] += np.finfo(np.longdouble).eps
    for ask in (SVC().fit, separability):
        with pytest.raises(ValueError, match="row 1, column 0"):
            ask(X, [0, 1])
