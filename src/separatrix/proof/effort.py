"""The work of an exact check, counted in entries that it multiplies: it decides between exact and floats.

A unit is an entry of X made an integer and multiplied in Python, about three quarters of a microsecond. A row costs as
much as ten entries, a kernel value between rows of d entries as much as (d + 32) / 4.
"""

from __future__ import annotations

from typing import Any

from separatrix.proof.arrays import is_sparse

AFFORDABLE = 1 << 20  #: up to here, about a second at most, `verify` is exact unless asked otherwise
_ROW = 10


def linear_effort(X: Any, planes: int = 1) -> int:
    """Entries of X that a check visits, for each of so many planes."""
    return (int(X.nnz if is_sparse(X) else X.size) + _ROW * int(X.shape[0])) * planes


def kernel_effort(rows: int, support: int, columns: int) -> int:
    """The values of a kernel between all rows and those of the support."""
    return rows * support * (columns + 32) // 4
