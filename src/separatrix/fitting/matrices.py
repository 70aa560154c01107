"""X as the user gave it, checked by scikit-learn's rules and converted to what solvers want (`problem.conversion`)."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from separatrix.errors import with_hint
from separatrix.problem.conversion import canonical_csr, check_finite, contiguous, refuse_rounding
from separatrix.types import Matrix

__all__ = ["canonical_csr", "check_finite", "check_matrix", "contiguous"]


def check_matrix(estimator: Any, X: Any, *, reset: bool) -> Matrix:
    """X checked against the estimator (names and number of columns), converted, and searched for NaN and inf.

    ``reset=True`` while fitting records n_features_in_ and feature_names_in_.
    """
    matrix: Matrix
    if _is_plain(estimator, X, reset):
        matrix = canonical_csr(X) if sparse.issparse(X) else X
        check_finite(matrix)
        estimator.n_features_in_ = X.shape[1]
        return matrix
    try:
        checked = validate_data(
            estimator, X, reset=reset, accept_sparse=True, dtype="numeric", ensure_all_finite=False
        )
    except (ValueError, TypeError) as error:
        raise _explain(error, X) from error
    if not sparse.issparse(checked) and checked.dtype == np.float64:
        refuse_rounding(X, checked)  # a list, a frame or an array of objects that scikit-learn made floats of
    matrix = canonical_csr(checked) if sparse.issparse(checked) else contiguous(checked)
    check_finite(matrix)
    return matrix


def _is_plain(estimator: Any, X: Any, reset: bool) -> bool:
    """Whether X is all but what solvers want and carries no names: then nothing is left of scikit-learn's checks.

    They ask after data frames and other array libraries, for a fifth of the time that a fit of a hundred rows takes.
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
