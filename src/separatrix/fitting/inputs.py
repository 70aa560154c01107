"""Checks of what a user fits: X as solvers want it, y as classes and codes, and the cost of each row.

C_i = C * sample weight * class weight         weight 2 is the row twice, weight 0 is the row removed
"""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import validate_data

from separatrix.errors import with_hint
from separatrix.problem.conversion import canonical_csr, check_finite, contiguous, is_sparse, refuse_rounding
from separatrix.types import Matrix, Vector

Codes = NDArray[np.intp]


def check_matrix(estimator: Any, X: Any, *, reset: bool) -> Matrix:
    """X checked against the estimator (names and number of columns), converted, and searched for NaN and inf.

    ``reset=True`` while fitting records n_features_in_ and feature_names_in_.
    """
    matrix: Matrix
    if _is_plain(estimator, X, reset):
        matrix = canonical_csr(X) if is_sparse(X) else X
        check_finite(matrix)
        estimator.n_features_in_ = X.shape[1]
        return matrix
    try:
        checked = validate_data(
            estimator, X, reset=reset, accept_sparse=True, dtype="numeric", ensure_all_finite=False
        )
    except (ValueError, TypeError) as error:
        raise _explain(error, X) from error
    if not is_sparse(checked) and checked.dtype == np.float64:
        refuse_rounding(X, checked)  # a list, a frame or an array of objects that scikit-learn made floats of
    matrix = canonical_csr(checked) if is_sparse(checked) else contiguous(checked)
    check_finite(matrix)
    return matrix


def solved_rows(estimator: Any, X: Any) -> Matrix:
    """X checked against a fitted estimator, with its columns scaled as those of the training rows were."""
    rows, scaling = check_matrix(estimator, X, reset=False), getattr(estimator, "scaling_", None)
    return rows if scaling is None else scaling.apply(rows)


def _is_plain(estimator: Any, X: Any, reset: bool) -> bool:
    """True where X is just what solvers want and carries no names: then nothing is left of scikit-learn's checks.

    They ask after data frames and other array libraries, for 7 % of the CPU time of a fit to a hundred rows.
    """
    if type(X) is np.ndarray:
        plain = X.ndim == 2 and X.flags.c_contiguous and X.flags.aligned
    else:
        plain = type(X) in (sparse.csr_array, sparse.csr_matrix) and X.ndim == 2
    return bool(
        plain
        and X.dtype.type in (np.float64, np.float32)
        and X.dtype.isnative
        and min(X.shape) > 0
        and not hasattr(estimator, "feature_names_in_")
        and (reset or X.shape[1] == getattr(estimator, "n_features_in_", -1))
    )


def _explain(error: Exception, X: Any) -> Exception:
    """The same kind of error with the cell that caused it, where that can be found."""
    text = str(error)
    if not any(part in text for part in ("could not convert", "argument must be", "bytes/strings")):
        return error
    try:
        cells = np.asarray(X, dtype=object)
        row, column = next(
            (i, j) for i, line in enumerate(cells) for j, cell in enumerate(line) if not _is_number(cell)
        )
    except (StopIteration, TypeError, ValueError):
        return error
    return with_hint(
        type(error),
        f"X must hold numbers; row {row}, column {column} is {cells[row, column]!r} ({text}).",
        "encode categories first (sklearn.preprocessing.OneHotEncoder)",
    )


def _is_number(cell: Any) -> bool:
    if isinstance(cell, numbers.Number):
        return True
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def check_labels(y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The sorted classes (k,) and the code 0..k-1 of each row (n,).

    >>> check_labels(["b", "a", "b"], 3)
    (array(['a', 'b'], dtype='<U1'), array([1, 0, 1]))
    """
    labels = _one_dimensional(y)
    if len(labels) != n_rows:
        raise ValueError(
            f"X has {n_rows} rows but y has {len(labels)} labels; each row needs exactly one label "
            "(inconsistent numbers of samples)."
        )
    pair = _two_numbers(labels)
    if pair is not None:
        return pair
    if labels.dtype.kind == "O":
        labels = _uniform(labels)
    if labels.dtype.kind == "c":
        raise ValueError("Complex data not supported: y holds complex numbers; labels name classes.")
    if labels.dtype.kind == "f":
        _check_whole(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only ({classes.tolist()[0]!r}); a separating surface needs at least two classes."
        )
    return classes, codes.reshape(-1)


def _two_numbers(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]] | None:
    """Classes and codes where y holds just two whole numbers, which need no sorting; None where it does not.

    np.unique sorts: 107 ms for 600,000 labels, where this takes 0.4 ms.
    """
    if labels.dtype.kind not in "iubf" or len(labels) == 0:
        return None
    low, high = labels.min(), labels.max()
    for end in (low, high):
        if not math.isfinite(end) or end != math.floor(end):
            return None
    is_high = labels == high
    if low == high or not (is_high | (labels == low)).all():
        return None
    return np.array([low, high], dtype=labels.dtype), is_high.astype(np.intp)


def _one_dimensional(y: Any) -> NDArray[Any]:
    if y is None:
        raise ValueError("SVC requires y to be passed, but the target y is None.")
    if is_sparse(y):
        raise ValueError("y must be one label for each row, dense; got a sparse matrix.")
    if isinstance(y, list | tuple):
        # np.asarray would turn [1, "a"] into strings without a word.
        kinds = {"str" if isinstance(label, str) else "other" for label in y}
        labels = np.array(y, dtype=object) if len(kinds) > 1 else np.asarray(y)
    else:
        labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
            "(n_samples,), for example using ravel().",
            DataConversionWarning,
            stacklevel=6,
        )
        labels = labels.ravel()
    if labels.ndim != 1:
        raise ValueError(
            f"y should be a 1d array, one label for each row; got an array of shape {labels.shape} instead."
        )
    return labels


def _uniform(labels: NDArray[Any]) -> NDArray[Any]:
    """Labels of dtype object, as strings or numbers if they are one or the other throughout."""
    is_text = np.fromiter((isinstance(label, str) for label in labels), bool, len(labels))
    if is_text.all():
        return labels
    for row, label in enumerate(labels):
        if _is_missing(label):
            raise ValueError(f"Input y contains NaN: the label of row {row} is missing ({label!r}).")
    if is_text.any():
        text, other = int(np.argmax(is_text)), int(np.argmin(is_text))
        raise with_hint(
            TypeError,
            f"y mixes strings and other labels: row {text} is {labels[text]!r} and row {other} is "
            f"{labels[other]!r}. Labels must be of one type.",
            "y = [str(label) for label in y]",
        )
    numbers = np.array(labels.tolist())
    if numbers.ndim != 1 or numbers.dtype.kind not in "biufc":
        raise ValueError(
            f"Unknown label type: y holds {type(labels[0]).__name__} objects such as {labels[0]!r}; "
            "labels must be integers, strings or booleans."
        )
    return numbers


def _is_missing(label: Any) -> bool:
    return (
        label is None or type(label).__name__ in ("NAType", "NaTType") or label is not label or label != label
    )


def _check_whole(labels: NDArray[Any]) -> None:
    bad = ~np.isfinite(labels)
    if bad.any():
        row = int(np.argmax(bad))
        what = "NaN" if np.isnan(labels[row]) else "infinity"
        raise ValueError(f"Input y contains {what}: the label of row {row} is {labels[row]}.")
    bad = labels != np.floor(labels)
    if bad.any():
        row = int(np.argmax(bad))
        raise with_hint(
            ValueError,
            f"Unknown label type: continuous. Row {row} of y is {labels[row]}, which names no class; labels "
            "must be integers, strings or booleans.",
            "bin a continuous target into classes first",
        )


def check_sample_weight(sample_weight: Any, n_rows: int) -> Vector:
    """Weights (n,), finite, none negative, not all zero; None means one each. Not to be written to."""
    if sample_weight is None:
        return np.broadcast_to(1.0, n_rows)
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_rows, float(sample_weight))
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must hold numbers ({error}).") from error
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have one weight for each of the {n_rows} rows, shape ({n_rows},); got shape "
            f"{weights.shape}."
        )
    for bad, what in ((~np.isfinite(weights), "finite"), (weights < 0, "at least 0")):
        if bad.any():
            row = int(np.argmax(bad))
            raise ValueError(
                f"sample_weight must be {what}; row {row} has {weights[row]}. A weight says how many times a "
                "row counts: 0 removes it."
            )
    if not weights.any():
        raise ValueError(
            "sample_weight is zero for every row; at least two classes need rows of weight above 0."
        )
    return weights


def row_costs(C: float, class_weight: Any, classes: NDArray[Any], codes: Codes, weights: Vector) -> Vector:
    """C_i (n,): a row of cost 0 is no part of the problem.

    >>> codes, weights = np.array([0, 0, 0, 1]), np.ones(4)
    >>> row_costs(1.0, "balanced", np.array(["a", "b"]), codes, weights)
    array([0.66666667, 0.66666667, 0.66666667, 2.        ])
    """
    counts = weights
    with np.errstate(over="ignore"):
        if class_weight is not None:
            counts = weights * class_weights(class_weight, classes, codes, weights)[codes]
        if math.isinf(C):  # the hard margin: a row counts or it does not
            return np.where(counts > 0, np.inf, 0.0)
        costs: Vector = C * counts
    if not costs.max() < np.inf:
        row = int(np.argmin(np.isfinite(costs)))
        raise ValueError(
            f"C times the weights of row {row} is too large for a float ({C:g} * {weights[row]:g} * its class's "
            "weight); scale the weights down."
        )
    return costs


def class_weights(class_weight: Any, classes: NDArray[Any], codes: Codes, weights: Vector) -> Vector:
    """The weight of each class (k,); "balanced" gives each class the same total.

    The balance counts repetitions as sample weights state them, so that weight k stays equal to k copies.
    """
    if isinstance(class_weight, str):
        totals = np.bincount(codes, weights, minlength=len(classes))
        present = totals > 0
        share = weights.sum() / present.sum()
        return np.where(present, share / np.where(present, totals, 1.0), 0.0)
    names = classes.tolist()
    _check_class_weight(class_weight, names)
    return np.array([float(class_weight.get(name, 1.0)) for name in names])


def _check_class_weight(class_weight: Mapping[Any, Any], names: list[Any]) -> None:
    for name, weight in class_weight.items():
        if not isinstance(weight, Real) or not 0 <= float(weight) < np.inf:
            raise ValueError(
                f"class_weight must map each class to a finite number of at least 0; {name!r} has {weight!r}."
            )
    unknown = [name for name in class_weight if name not in names]
    missing = [name for name in names if name not in class_weight]
    if unknown and missing:  # a subset of the classes may be weighted; a misspelt one is a mistake
        raise with_hint(
            ValueError,
            f"The classes {missing} are not in class_weight, and its keys {unknown} are no classes of y.",
            "keys must equal the labels, type included",
        )
