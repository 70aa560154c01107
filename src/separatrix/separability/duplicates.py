"""The same x with opposite labels: a contradiction of two rows, found by hashing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import row_blocks
from separatrix.proof.signed_rows import SignedRows
from separatrix.types import Index


def opposite_pair(rows: SignedRows, live: Index) -> tuple[int, int] | None:
    """Two live rows with equal x and opposite labels, or None where hashing sees none.

    Equality of the pair returned is checked entry by entry, so a pair is a fact.
    """
    keys = _hashes(rows)[live]
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    opposite = same[rows.y[live[order[same]]] != rows.y[live[order[same + 1]]]]
    for k in opposite[:16]:
        p, q = int(live[order[k]]), int(live[order[k + 1]])
        if not np.any(rows.dense(np.array([p, q])).sum(axis=0)):  # a - b is zero only where a = b
            return p, q
    return None


def _hashes(rows: SignedRows) -> NDArray[np.uint64]:
    """A 64-bit hash of each row of X: a random linear form of the bit patterns, modulo 2^64."""
    weights = np.random.default_rng(0).integers(1, 1 << 63, size=rows.d, dtype=np.uint64) | np.uint64(1)
    X: Any = rows.X
    out = np.zeros(rows.n, dtype=np.uint64)
    if rows.is_sparse:
        for some, block in row_blocks(X):
            row = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
            np.add.at(out[some], row, _mixed(block.data) * weights[block.indices])
        return out
    height = max(1, (1 << 17) // max(1, rows.d))
    for start in range(0, rows.n, height):
        block = X[start : start + height]
        out[start : start + height] = (_mixed(block) * weights).sum(axis=1, dtype=np.uint64)
    return out


def _mixed(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Bit patterns of values as float64, -0 made 0, high bits folded down. Zero stays zero."""
    bits = (values.astype(np.float64) + 0.0).view(np.uint64)
    return bits ^ (bits >> np.uint64(29))
