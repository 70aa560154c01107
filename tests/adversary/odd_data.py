"""Data that numpy would change silently into those of a genuine document, for `separatrix.verify` alone."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas

from tests.adversary import makers
from tests.adversary.document import Data, describe

PLANE = {"bias": "free", "kernel": "linear", "classes": "two"}


def _document(X: list[list[float]], y: list[Any]) -> dict[str, Any]:
    data = Data(X, y, len(X[0]))
    labels = list(dict.fromkeys(data.label_texts()))
    return makers.separation(data, describe(data, labels[:1], labels[1:]), PLANE)


def odd_data() -> Iterator[tuple[str, dict[str, Any], Any, Any]]:
    """Name, genuine document, and X and y that are not quite its data."""
    X, y = [[1.0, 2.0], [3.0, 1.0], [-1.0, -2.0]], [1, 1, -1]
    fine = _document(X, y)
    exact = np.array(X)
    large = _document([[float(2**53)], [float(2**54)], [-1.0]], y)
    yield "int64 beyond 2^53", large, np.array([[2**53 + 1], [2**54 + 1], [-1]]), np.array(y)
    yield "Python integers beyond 2^53", large, [[2**53 + 1], [2**54 + 1], [-1]], y
    yield (
        "uint64 beyond 2^53",
        _document([[2.0**63], [2.0**62], [1.0]], [1, 1, -1]),
        np.array([[2**63 + 1], [2**62 + 1], [1]], np.uint64),
        np.array(y),
    )
    yield "objects beyond 2^53", large, np.array([[2**53 + 1], [2**54 + 1], [-1]], dtype=object), np.array(y)
    yield "complex rows", fine, exact + 1j, np.array(y)
    yield "complex rows of real numbers", fine, exact.astype(complex), np.array(y)
    masked = np.ma.masked_array(exact, mask=[[True, False], [False, False], [False, False]])
    yield "masked rows", fine, masked, np.array(y)
    yield "masked labels", fine, exact, np.ma.masked_array(y, mask=[False, True, False])
    days = np.array([[1, 2], [3, 1], [-1, -2]]).astype("datetime64[s]")
    yield "dates", fine, days, np.array(y)
    yield "spans of time", fine, days - np.datetime64(0, "s"), np.array(y)
    yield "texts of numbers", fine, np.array([[str(v) for v in row] for row in X]), np.array(y)
    yield (
        "objects with texts",
        fine,
        np.array([[str(v) for v in row] for row in X], dtype=object),
        np.array(y),
    )
    if np.finfo(np.longdouble).nmant > 52:
        yield (
            "more than double precision",
            fine,
            exact.astype(np.longdouble) + np.longdouble(2) ** -60,
            np.array(y),
        )
    yield (
        "decimals",
        _document([[0.1], [0.2], [-1.0]], y),
        np.array([[Decimal("0.1")], [Decimal("0.2")], [Decimal(-1)]], object),
        np.array(y),
    )
    yield "ragged rows", fine, [[1.0, 2.0], [3.0], [-1.0, -2.0]], y
    yield "one row too few", fine, exact[:2], np.array(y)
    yield "a third dimension", fine, exact[:, :, None], np.array(y)
    yield "not a number", fine, np.where(exact == 3.0, np.nan, exact), np.array(y)
    yield "infinite", fine, np.where(exact == 3.0, np.inf, exact), np.array(y)
    yield "labels as texts", fine, exact, np.array(["1", "1", "-1"])
    yield "complex labels", fine, exact, np.array([1 + 1j, 1 + 1j, -1 + 1j])
    yield "labels as dates", fine, exact, np.array([1, 1, -1]).astype("datetime64[s]")
    yield "labels in a column", fine, exact, np.array([[1, 1], [1, 1], [-1, -1]])
    yield "labels with a gap", fine, exact, np.array([1.0, np.nan, -1.0])
    yield "no labels", fine, exact, None
    yield "labels of mixed types", fine, exact, np.array([1, "1", -1], dtype=object)
    yield "nothing", fine, None, None
    yield "a text for rows", fine, "rows", np.array(y)
    wide = _document([[1.0], [2.0], [-1.0]], [2**53, 2**53, -1])
    yield "labels beyond 2^53", wide, np.array([[1.0], [2.0], [-1.0]]), np.array([2**53 + 1, 2**53 + 1, -1])
    yield (
        "labels beyond 2^53, one rounded",
        wide,
        np.array([[1.0], [2.0], [-1.0]]),
        [2**53 + 1, float(2**53), -1],
    )
    yield from _mixed(exact, y)


def _mixed(exact: Any, y: list[int]) -> Iterator[tuple[str, dict[str, Any], Any, Any]]:
    """Lists and tables of several types, of which numpy makes one type."""
    half = _document([[2.0**53, 0.5], [2.0**54, 0.5], [-1.0, 0.5]], y)
    yield "large integers beside fractions", half, [[2**53 + 1, 0.5], [2**54, 0.5], [-1, 0.5]], y
    table = pandas.DataFrame({"a": [2**53 + 1, 2**54, -1], "b": [0.5, 0.5, 0.5]})
    yield "a table with large integers", half, table, np.array(y)
    missing = pandas.DataFrame({"a": pandas.array([1, None, -1], dtype="Int64"), "b": [2.0, 1.0, -2.0]})
    rows = exact.tolist()
    yield "a table with a gap", _document(rows, y), missing, np.array(y)
    third = [[Fraction(1, 3)], [Fraction(2, 3)], [Fraction(-1)]]
    yield "fractions", _document([[1 / 3], [2 / 3], [-1.0]], y), third, y
    letters = _document(rows, ["a", "a", "b"])
    yield "texts that end in a null", letters, exact, ["a\0", "a\0", "b"]
    yield "a label that is missing", letters, exact, pandas.Series(pandas.Categorical(["a", None, "b"]))
    yield "labels beyond 2^63", _document(rows, [2**63, 2**63, -1]), exact, [2**63 + 1, 2**63 + 1, -1]
    near = [Fraction(1), Fraction(10**20 + 1, 10**20), Fraction(-1)]
    yield "fractions near a label", _document(rows, y), exact, near
    yield "numbers beside texts", _document(rows, ["1", "1", "b"]), exact, [1, 1, "b"]
    yield "truths beside texts", _document(rows, ["True", "True", "b"]), exact, [True, True, "b"]
