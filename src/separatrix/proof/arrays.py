"""The user's X as the proofs read it: a dense array or canonical CSR of the very numbers that were given.

Exact checks take these rows one by one. Their work decides between exact arithmetic and floats. A unit is an entry of X
made an integer and multiplied in Python, about three quarters of a microsecond. A row costs as much as ten entries, a
kernel value between rows of d entries as much as (d + 32) / 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.checker.data import ScaledRows
from separatrix.checker.numbers import Rejected
from separatrix.errors import with_hint
from separatrix.problem import is_sparse, row_blocks
from separatrix.problem.scaling import Scaling

#: Units of work up to which, about a second at most, `verify` is exact unless asked otherwise.
AFFORDABLE = 1 << 20
_ROW = 10  # units for a row
_BLOCK_ENTRIES = 1 << 18  # entries that are examined at a time: 2 MiB of float64
_ALWAYS_EXACT = {np.dtype(name) for name in ("f2", "f4", "f8", "i1", "i2", "i4", "u1", "u2", "u4", "?")}


def read_rows(X: Any) -> Any:
    """X as a dense floating-point array or as CSR, without a copy where it is one already.

    Raises `Rejected` where numbers would have to be changed: integers that float64 does not hold, complex numbers,
    dates, masked entries, texts.
    """
    if np.ma.isMaskedArray(X):
        raise with_hint(
            Rejected, "X is a masked array; a proof speaks of all entries.", "X.filled(...) or drop rows"
        )
    if is_sparse(X):
        rows: Any = sparse.csr_array(X)
        values = _same_numbers(rows.data)
        if values is not rows.data:
            rows = sparse.csr_array((values, rows.indices, rows.indptr), shape=rows.shape)
    else:
        try:
            rows = values = _same_numbers(as_given(X))
        except ValueError as error:  # ragged
            raise Rejected(f"X must be a table of numbers: {error}.") from None
    if rows.ndim != 2:
        raise Rejected(f"X must have two dimensions; got {rows.ndim}.")
    if not _all_finite(values):
        raise Rejected("X holds numbers that are not finite.")
    if is_sparse(rows) and not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def as_given(values: Any) -> NDArray[Any]:
    """Lists and tables as an array; of Python objects where NumPy would round integers in a list with floats."""
    array = np.asarray(values)
    mixed = not hasattr(values, "dtype") and array.dtype.kind == "f" and array.dtype.itemsize <= 8
    if mixed and np.max(np.abs(array), initial=0.0, where=~np.isnan(array)) >= 2.0**53:
        if hasattr(values, "items"):  # a table, whose columns have types of their own
            columns = [np.asarray(column).tolist() for _, column in values.items()]
            return np.array(list(zip(*columns, strict=True)), dtype=object)
        return np.asarray(values, dtype=object)
    return array


def _same_numbers(values: NDArray[Any]) -> NDArray[Any]:
    """The same numbers as float32 or float64."""
    if values.dtype in (np.float32, np.float64):
        return values
    if values.dtype.kind not in "fiubO":
        raise Rejected(f"X must hold real numbers; got {values.dtype}.")
    try:
        changed = values.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise Rejected(f"X must hold real numbers that float64 can hold; got {values.dtype}.") from None
    if values.dtype not in _ALWAYS_EXACT:
        # Python compares integers and floats as the numbers they are; NumPy would round before it compares.
        wide, narrow = values.ravel().tolist(), changed.ravel().tolist()
        if any(isinstance(a, str | bytes | bool) or a != b for a, b in zip(wide, narrow, strict=True)):
            raise Rejected(f"X holds {values.dtype} values that float64 does not hold exactly.")
    return changed


def _all_finite(values: Any) -> bool:
    """Return True if every value is finite, a block at a time: X may be larger than the memory."""
    height = max(1, _BLOCK_ENTRIES // max(1, int(np.prod(values.shape[1:]))))
    return all(np.isfinite(values[at : at + height]).all() for at in range(0, len(values), height))


class ArrayRows:
    """Rows of a dense array or CSR matrix for `separatrix.checker`; converted block by block.

    >>> table = ArrayRows(np.array([[1.0, 2.0]]))
    >>> list(table.rows())
    [(range(0, 2), [1.0, 2.0])]
    """

    def __init__(self, X: Any) -> None:
        self.X = X
        self.n_rows, self.n_columns = map(int, X.shape)

    def rows(self) -> Iterator[tuple[Sequence[int], Sequence[float]]]:
        """Every row in order."""
        for _, block in row_blocks(self.X):
            if not is_sparse(block):
                for row in block.tolist():
                    yield range(self.n_columns), row
                continue
            starts, columns, values = block.indptr.tolist(), block.indices.tolist(), block.data.tolist()
            for begin, end in pairwise(starts):
                yield columns[begin:end], values[begin:end]


def array_rows(table: Any) -> Any:
    """Rows of `ArrayRows` as the array that they are; of `ScaledRows` about one, the array with its columns scaled."""
    if not isinstance(table, ScaledRows):
        return table.X
    shift = np.array(table.shift) if table.shift else np.zeros(table.n_columns)
    scaling = Scaling("", shift, np.array(table.factor))
    try:
        return scaling.apply(array_rows(table.table))
    except ValueError as error:
        raise Rejected(str(error)) from None


def linear_effort(X: Any, planes: int = 1) -> int:
    """Entries of X that a check visits, for each of so many planes."""
    return (int(X.nnz if is_sparse(X) else X.size) + _ROW * int(X.shape[0])) * planes


def kernel_effort(rows: int, support: int, columns: int) -> int:
    """The values of a kernel between all rows and those of the support."""
    return rows * support * (columns + 32) // 4
