"""Bad input gets a sentence: what was wrong, what was expected, what came."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from separatrix import SVC, ParameterError

X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 3.0], [3.0, 2.0]])
Y = np.array([0, 0, 1, 1])


def changed(row: int, column: int, value: float) -> Any:
    bad = X.copy()
    bad[row, column] = value
    return bad


def long_with(row: int, column: int, value: float, dtype: Any = np.float64) -> Any:
    bad = np.ones((40_000, 20), dtype=dtype)
    bad[row, column] = value
    return bad


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (changed(2, 1, np.nan), r"contains NaN: row 2, column 1 is NaN; every value must be finite.*Hint"),
        (changed(3, 0, np.inf), r"contains infinity: row 3, column 0 is inf"),
        (changed(1, 1, -np.inf), r"contains infinity: row 1, column 1 is -inf"),
        (sparse.csr_array(changed(2, 1, np.nan)), r"row 2, column 1 is NaN"),
        (sparse.csc_matrix(changed(3, 0, -np.inf)), r"row 3, column 0 is -inf"),
        (np.empty((4, 0)), r"0 feature\(s\).*minimum of 1 is required"),
        (X[:, 0], r"Reshape your data"),
        (X[np.newaxis], r"[Ff]ound array with dim 3"),
        (X + 1j, r"Complex data not supported"),
        ([["a", 1.0]] * 4, r"row 0, column 0 is 'a'.*Hint: encode categories"),
        (pd.DataFrame({"u": [1, 2, 3, 4], "v": ["1", "x", "2", "3"]}), r"row 1, column 1 is 'x'"),
        ("text", r"Expected 2D array"),
        (X[:3], r"X has 3 rows but y has 4 labels"),
    ],
)
def test_bad_rows(bad: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        SVC().fit(bad, Y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("cell", [(0, 0), (12_345, 7), (39_999, 19)])
def test_the_cell_is_found_in_long_data(dtype: Any, cell: tuple[int, int]) -> None:
    for value in (np.nan, np.inf):
        bad = long_with(*cell, value, dtype)
        for matrix in (bad, sparse.csr_array(bad)):
            with pytest.raises(ValueError, match=f"row {cell[0]}, column {cell[1]} is"):
                SVC().fit(matrix, np.arange(40_000) % 2)


def test_huge_finite_values_are_not_mistaken_for_infinity() -> None:
    # Their sum overflows, each of them is finite.
    from separatrix.problem.conversion import check_finite

    big = np.full((1000, 3), np.finfo(np.float32).max, dtype=np.float32)
    check_finite(big)
    check_finite(sparse.csr_array(big))


def test_predicting_checks_its_rows_too() -> None:
    model = SVC().fit(X, Y)
    with pytest.raises(ValueError, match="row 1, column 0 is NaN"):
        model.predict(changed(1, 0, np.nan))
    with pytest.raises(ValueError, match="X has 3 features, but SVC is expecting 2 features"):
        model.predict(np.ones((2, 3)))


def test_no_rows() -> None:
    with pytest.raises(ValueError, match=r"0 sample\(s\).*minimum of 1 is required"):
        SVC().fit(np.empty((0, 2)), [])


@pytest.mark.parametrize(
    ("labels", "kind", "sentence"),
    [
        ([1, 1, 1, 1], ValueError, r"one class only \(.*1.*\).*at least two classes"),
        (None, ValueError, "requires y to be passed"),
        ([0, 1, 0], ValueError, "X has 4 rows but y has 3 labels"),
        ([0, "a", 1, "b"], TypeError, r"mixes strings and other labels: row 1 is 'a' and row 0 is 0"),
        (np.array(["a", 0, "b", 1], dtype=object), TypeError, "row 0 is 'a' and row 1 is 0"),
        ([0.5, 1.0, 0.0, 2.0], ValueError, r"Unknown label type: continuous. Row 0 of y is 0.5"),
        ([0, 1, np.nan, 1], ValueError, "Input y contains NaN: the label of row 2"),
        ([0, 1, np.inf, 1], ValueError, "Input y contains infinity: the label of row 2"),
        (["a", None, "b", "a"], ValueError, "the label of row 1 is missing"),
        (pd.Series([0, 1, None, 1], dtype="Int64"), ValueError, "the label of row 2 is"),
        (np.eye(4, 2), ValueError, r"y should be a 1d array.*shape \(4, 2\)"),
        ([0j, 1j, 0j, 1j], ValueError, "Complex data not supported"),
        (sparse.csr_array(np.eye(4)), ValueError, "got a sparse matrix"),
        ([{}, {}, {}, {}], ValueError, "Unknown label type: y holds dict objects"),
    ],
    ids=str,
)
def test_bad_labels(labels: Any, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence):
        SVC().fit(X, labels)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1, 1, -2, 1], "sample_weight must be at least 0; row 2 has -2.0"),
        ([1, np.nan, 1, 1], "sample_weight must be finite; row 1 has nan"),
        ([1, np.inf, 1, 1], "sample_weight must be finite; row 1 has inf"),
        ([1, 1e308, 1, 1], "C times the weights of row 1 is too large"),
        ([0, 0, 0, 0], "sample_weight is zero for every row"),
        ([1, 1, 0, 0], r"weight zero are removed, only class .*0.* has rows left"),
        ([1, 1, 1], r"one weight for each of the 4 rows, shape \(4,\); got shape \(3,\)"),
        (np.ones((4, 2)), r"got shape \(4, 2\)"),
        (["a", "b", "c", "d"], "sample_weight must hold numbers"),
    ],
)
def test_bad_weights(weights: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        SVC(C=100.0).fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize(
    ("class_weight", "sentence"),
    [
        ({0: -1.0}, "finite number of at least 0; 0 has -1.0"),
        ({0: "x"}, "finite number of at least 0; 0 has 'x'"),
        ({"0": 2.0}, r"The classes \[0, 1\] are not in class_weight, and its keys \['0'\] are no classes"),
        ({0: 0.0}, "only class .*1.* has rows left"),
    ],
)
def test_bad_class_weights(class_weight: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        SVC(class_weight=class_weight).fit(X, Y)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("C", -1.0, r"C must be a finite number above 0 .*; got -1.0\."),
        ("C", 0, "got 0"),
        ("C", "1", "got '1'"),
        ("C", True, "got True"),
        ("C", float("nan"), "got nan"),
        ("C", 1e11, r"at most 1e.10, or inf for the hard margin; got 1000"),
        ("loss", "log", "loss must be one of 'hinge', 'squared_hinge'; got 'log'"),
        ("loss", ["hinge"], r"got \['hinge'\]"),
        ("bias", True, "bias must be one of 'free', 'augmented', 'none'; got True"),
        ("kernel", "typo", "kernel must be one of"),
        ("degree", 1.5, "degree must be an integer of at least 0; got 1.5"),
        ("gamma", -1.0, "gamma must be 'scale', 'auto' or a number above 0"),
        ("coef0", None, "coef0 must be a finite number; got None"),
        ("solver", "typo", "solver must be one of 'auto'"),
        ("tol", 0.0, "tol must be a number above 0"),
        ("max_iter", 0, "max_iter must be None or an integer of at least 1; got 0"),
        ("max_iter", 10.0, "got 10.0"),
        ("max_time", -1, "max_time must be None or a number of seconds above 0; got -1"),
        ("class_weight", "typo", "class_weight must be None, 'balanced' or a dict"),
        ("multi_class", "all", "multi_class must be one of"),
        ("cache_mb", 0, "cache_mb must be"),
        ("n_threads", 0, "n_threads must be None"),
        ("n_threads", -1, "n_threads must be None"),
        ("random_state", "x", "random_state must be"),
        ("warm_start", 1, "warm_start must be True or False; got 1"),
        ("strict", None, "strict must be True or False; got None"),
        ("verbose", "yes", "verbose must be True or False; got 'yes'"),
    ],
)
def test_bad_parameters(name: str, value: Any, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        SVC(**{name: value}).fit(X, Y)


def test_parameter_errors_are_value_errors_and_type_errors() -> None:
    for kind in (ValueError, TypeError):
        with pytest.raises(kind):
            SVC(C="x").fit(X, Y)


def test_arrays_as_parameters_get_the_sentence_too() -> None:
    with pytest.raises(ParameterError, match="gamma must be"):
        SVC(gamma=np.array([1.0, 2.0])).fit(X, Y)
