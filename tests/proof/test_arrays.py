"""The user's X as the proofs read it: the very numbers, or a refusal."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from separatrix.checker.numbers import Rejected
from separatrix.proof import arrays
from separatrix.proof.arrays import ArrayRows, read_rows

X = np.array([[1.0, 0.0, -2.0], [0.0, 0.0, 0.5]])


def dense(rows):
    table = ArrayRows(rows)
    out = [[0.0] * table.n_columns for _ in range(table.n_rows)]
    for line, (columns, values) in zip(out, table.rows(), strict=True):
        for column, value in zip(columns, values, strict=True):
            line[column] += value
    return out


@pytest.mark.parametrize(
    "form",
    [
        np.asarray,
        np.asfortranarray,
        lambda X: X.tolist(),
        lambda X: X.astype(object),
        lambda X: X.astype(np.longdouble),
        lambda X: X.astype(">f8"),
        lambda X: X.astype(np.float16),
        pd.DataFrame,
        sparse.csr_array,
        sparse.csc_matrix,
        sparse.coo_array,
        lambda X: sparse.csr_array(X.astype(np.float32)),
    ],
)
def test_the_same_numbers_are_read_as_they_are(form):
    assert dense(read_rows(form(X))) == X.tolist()


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_floats_are_not_copied(kind):
    rows = X.astype(kind)
    assert read_rows(rows) is rows


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.array([[2**53 + 1]]), "does not hold exactly"),
        (np.array([[2**64 - 1]], dtype=np.uint64), "does not hold exactly"),
        (np.array([[2**53 + 1]], dtype=object), "does not hold exactly"),
        (np.array([[Fraction(1, 3)]], dtype=object), "does not hold exactly"),
        (np.array([["1"]], dtype=object), "does not hold exactly"),
        (np.array([[True]], dtype=object), "does not hold exactly"),
        (np.array([[10**400]], dtype=object), "float64 can hold"),
        (np.array([[None]], dtype=object), "X "),
        (np.array([[1.0]], dtype=complex), "real numbers; got complex"),
        (np.array([["1"]]), "real numbers; got <U1"),
        (np.array([[1]], dtype="M8[s]"), "real numbers; got datetime64"),
        (np.ma.masked_array([[1.0]]), "masked array"),
        ([[1.0], [1.0, 2.0]], "table of numbers"),
        ([1.0], "two dimensions; got 1"),
        (1.0, "two dimensions; got 0"),
        (np.zeros((1, 1, 1)), "two dimensions; got 3"),
        ([[np.inf]], "not finite"),
        (sparse.csr_array(np.array([[np.nan]])), "not finite"),
        (sparse.csr_array(np.array([[2**53 + 1]])), "does not hold exactly"),
    ],
)
def test_numbers_that_would_have_to_be_changed_are_refused(rows, message):
    with pytest.raises(Rejected, match=message):
        read_rows(rows)


def test_duplicate_entries_are_added():
    twice = sparse.coo_array(([0.5, 0.5], ([0, 0], [1, 1])), shape=(1, 2))
    assert dense(read_rows(twice)) == [[0.0, 1.0]]


def test_numbers_come_in_blocks(monkeypatch):
    monkeypatch.setattr(arrays, "_BLOCK_ENTRIES", 4)
    with pytest.raises(Rejected, match="not finite"):
        read_rows(np.vstack([X, X, [[0.0, 0.0, np.inf]]]))
