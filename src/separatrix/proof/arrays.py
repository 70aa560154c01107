"""The user's X as the proofs read it: a dense array or canonical CSR, and plain rows for the exact checks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.checker.rows import Row
from separatrix.checker.verdict import Rejected
from separatrix.problem.rows import row_blocks

_BLOCK_ENTRIES = 1 << 18
_FEW = 1 << 14  # Python floats at a time


def plain_numbers(values: NDArray[np.float64]) -> Iterator[float]:
    """The entries of a vector as Python floats, made in blocks: a list of all would take four times the vector.

    >>> list(plain_numbers(np.array([0.5, 2.0])))
    [0.5, 2.0]
    """
    for start in range(0, len(values), _FEW):
        yield from values[start : start + _FEW].tolist()


def is_sparse(X: Any) -> bool:
    """Whether X is a SciPy sparse array or matrix."""
    return bool(sparse.issparse(X))


def read_rows(X: Any) -> Any:
    """X as a dense floating-point array or as CSR, without a copy where it is one already."""
    if is_sparse(X):
        rows: Any = sparse.csr_array(X)
        values = rows.data
    else:
        rows = values = np.asarray(X)
    if rows.ndim != 2:
        raise Rejected(f"X must have two dimensions; got {rows.ndim}.")
    if values.dtype.kind not in "fiub":
        try:
            rows = rows.astype(np.float64)
        except (TypeError, ValueError):
            raise Rejected(f"X must hold real numbers; got {values.dtype}.") from None
        values = rows.data if is_sparse(rows) else rows
    if values.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float64)
        values = rows.data if is_sparse(rows) else rows
    if not _all_finite(values):
        raise Rejected("X holds numbers that are not finite.")
    if is_sparse(rows) and not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def _all_finite(values: Any) -> bool:
    """Whether every value is finite, a block at a time: X may be larger than the memory."""
    height = max(1, _BLOCK_ENTRIES // max(1, int(np.prod(values.shape[1:]))))
    return all(np.isfinite(values[at : at + height]).all() for at in range(0, len(values), height))


class ArrayRows:
    """Rows of a dense array or CSR matrix for `separatrix.checker`; converted block by block.

    >>> table = ArrayRows(np.array([[1.0, 2.0]]))
    >>> list(table.rows())
    [(None, [1.0, 2.0])]
    """

    def __init__(self, X: Any) -> None:
        self._X = X

    @property
    def n_rows(self) -> int:
        """n."""
        return int(self._X.shape[0])

    @property
    def n_columns(self) -> int:
        """d."""
        return int(self._X.shape[1])

    def rows(self) -> Iterator[Row]:
        """Every row in order."""
        for _, block in row_blocks(self._X):
            if not is_sparse(block):
                for row in block.tolist():
                    yield None, row
                continue
            starts, columns, values = block.indptr.tolist(), block.indices.tolist(), block.data.tolist()
            for begin, end in pairwise(starts):
                yield columns[begin:end], values[begin:end]

    def smallest(self) -> float:
        """The smallest magnitude among the nonzero values; 1.0 if there is none."""
        values = self._X.data if is_sparse(self._X) else self._X
        least = np.inf
        for start in range(0, len(values), 4096):
            piece = np.abs(values[start : start + 4096])
            least = min(least, float(np.min(piece, where=piece > 0, initial=np.inf)))
        return least if np.isfinite(least) else 1.0
