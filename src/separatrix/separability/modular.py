"""Row reduction modulo a prime, in blocks, so that nearly all work is exact float64 matrix products.

With p < 2^21 a sum of 2^11 products of residues stays below 2^53. The rank modulo p never exceeds the true
rank, so a full rank found here is a fact; a dependence found here is only a proposal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.proof.integers import decompose
from separatrix.proof.signed_rows import SignedRows
from separatrix.types import Index

PRIMES = (2097143, 2097133, 2097131, 2097097, 2097091, 2097083, 2097047, 2097041)
#: Columns that are reduced together.
_PANEL = 48
#: Products of two residues that may be summed without rounding.
_TERMS = 1024


@dataclass(frozen=True)
class Echelon:
    """Reduced row echelon form: `table` has a unit column at (rows[k], columns[k])."""

    table: NDArray[np.float64]
    rows: NDArray[np.intp]  #: pivot rows, in the order of the pivots
    columns: NDArray[np.intp]  #: pivot columns, increasing

    @property
    def rank(self) -> int:
        """Number of pivots."""
        return len(self.columns)


def residues(N: NDArray[Any], p: int) -> NDArray[np.float64]:
    """N mod p as float64 in [0, p); N is int64 or object."""
    return (N % p).astype(np.float64)


def multiply(A: NDArray[np.float64], B: NDArray[np.float64], p: int) -> NDArray[np.float64]:
    """A B mod p for residues."""
    out = np.zeros((A.shape[0], B.shape[1]))
    for start in range(0, A.shape[1], _TERMS):
        out += np.fmod(A[:, start : start + _TERMS] @ B[start : start + _TERMS], p)
    return np.fmod(out, p)


def reduce_rows(M: NDArray[np.float64], p: int, columns: int | None = None) -> Echelon:
    """Reduced row echelon form of the residues M, with pivots among the first `columns` columns.

    >>> e = reduce_rows(np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 7.0]]), 101)
    >>> e.rank, e.columns.tolist()
    (2, [0, 2])
    """
    M = M.copy()
    limit = M.shape[1] if columns is None else columns
    free = np.ones(M.shape[0], dtype=bool)
    rows: list[int] = []
    pivots: list[int] = []
    for start in range(0, limit, _PANEL):
        stop = min(limit, start + _PANEL)
        new_rows, new_columns = _panel_pivots(M[:, start:stop], free, p)
        if not new_rows:
            continue
        cols = [start + c for c in new_columns]
        block = M[np.ix_(new_rows, cols)]
        head = multiply(_small_inverse(block, p), M[new_rows], p)
        rest = M[:, cols].copy()
        rest[new_rows] = 0.0
        M[new_rows] = head
        M = np.fmod(M + (p - multiply(rest, head, p)), p)
        free[new_rows] = False
        rows += new_rows
        pivots += cols
        if not free.any():
            break
    return Echelon(M, np.array(rows, dtype=np.intp), np.array(pivots, dtype=np.intp))


def inverse(B: NDArray[np.float64], p: int) -> NDArray[np.float64] | None:
    """B^-1 mod p of a square matrix of residues, or None where B is singular mod p."""
    k = B.shape[0]
    echelon = reduce_rows(np.hstack([B, np.eye(k)]), p, columns=k)
    if echelon.rank < k:
        return None
    out = np.empty((k, k))
    out[echelon.columns] = echelon.table[echelon.rows, k:]
    return out


def _panel_pivots(panel: NDArray[np.float64], free: NDArray[np.bool_], p: int) -> tuple[list[int], list[int]]:
    """Pivot rows and columns of the free rows of a narrow panel."""
    candidates = np.flatnonzero(free)
    work = panel[candidates].astype(np.int64)
    rows: list[int] = []
    columns: list[int] = []
    for c in range(work.shape[1]):
        nonzero = np.flatnonzero(work[:, c])
        if not len(nonzero):
            continue
        r = int(nonzero[0])
        pivot_row = work[r] * pow(int(work[r, c]), -1, p) % p
        rows.append(int(candidates[r]))
        columns.append(c)
        others = nonzero[1:]
        work[others] = (work[others] - work[others, c][:, None] * pivot_row) % p
        work[r] = 0
    return rows, columns


def _small_inverse(B: NDArray[np.float64], p: int) -> NDArray[np.float64]:
    k = B.shape[0]
    work = np.hstack([B, np.eye(k)]).astype(np.int64)
    for c in range(k):
        r = c + int(np.flatnonzero(work[c:, c])[0])
        work[[c, r]] = work[[r, c]]
        work[c] = work[c] * pow(int(work[c, c]), -1, p) % p
        factor = work[:, c].copy()
        factor[c] = 0
        work = (work - factor[:, None] * work[c]) % p
    return work[:, k:].astype(np.float64)


def null_basis(M: NDArray[np.float64], p: int) -> tuple[NDArray[np.float64], Echelon]:
    """Columns spanning {v : M v = 0 mod p}, one for each free column (where it is 1)."""
    echelon = reduce_rows(M, p)
    width = M.shape[1]
    free = np.setdiff1d(np.arange(width), echelon.columns)
    basis = np.zeros((width, len(free)))
    basis[free, np.arange(len(free))] = 1.0
    if echelon.rank:
        basis[echelon.columns] = np.fmod(p - echelon.table[np.ix_(echelon.rows, free)], p)
    return basis, echelon


def exact_residues(rows: SignedRows, index: Index, order: Index, p: int) -> NDArray[np.float64]:
    """The entries a_ij of some rows and columns modulo p, exactly: 2 has an inverse, so dyadics do too."""
    m, e = decompose(rows.dense(index)[:, order])
    low = int(e.min(initial=0))
    powers = np.array([pow(2, k, p) for k in range(low, int(e.max(initial=0)) + 1)], dtype=np.int64)
    return ((m % p) * powers[e - low] % p).astype(np.float64)


def nonzero_products(
    rows: SignedRows, index: Index, order: Index, v: NDArray[np.float64], p: int
) -> NDArray[np.intp]:
    """The rows among `index` with a_i.v != 0 mod p, for residues v on the columns `order`."""
    height = max(1, (1 << 21) // max(1, rows.D))
    found = []
    for start in range(0, len(index), height):
        some = index[start : start + height]
        table = exact_residues(rows, some, order, p)
        found.append(some[multiply(table, v[:, None], p)[:, 0] != 0])
    return np.concatenate(found) if found else index[:0]
