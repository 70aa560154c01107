"""Layers of rows, peeled off one after another by directions that satisfy some rows strictly and hurt none.

A direction d with a_i.d >= 0 for every live row settles the rows where a_i.d > 0; the others stay live.
The cheapest are columns in which all live entries y_i x_ij have one sign: +-e_j is such a direction. The
witness is z = sum_l M_l d_l, earlier layers weighing more: a row settled in layer l has a_i.d_k = 0 for
k < l, so M_l a_i.d_l has only to outweigh the layers after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import frexp

import numpy as np
from numpy.typing import NDArray

from separatrix.proof.signed_rows import SignedRows
from separatrix.types import Index

#: Rows of dense data that are read first, to rule out most columns.
_SAMPLE = 2048
#: Entries of X that are copied at a time.
_ENTRIES_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Layer:
    """An integer direction {column: entry}, and the rows that it settles."""

    direction: dict[int, int]
    settled: Index

    def vector(self, width: int) -> list[int]:
        """The direction as a list of length D."""
        out = [0] * width
        for j, value in self.direction.items():
            out[j] = value
        return out


def one_sign_layers(rows: SignedRows, live: Index) -> Iterator[Layer]:
    """Layers of one-sign columns until none is left; each yielded layer has at least one settled row."""
    while len(live):
        columns, signs = _one_sign_columns(rows, live)
        if not len(columns):
            return
        if columns[-1] == rows.d:  # the bias settles every row
            settled = np.ones(len(live), dtype=bool)
        else:
            blocks = (rows.X[some][:, columns] for some in _pieces(rows, live))
            settled = np.concatenate([np.asarray(abs(block).sum(axis=1) > 0) for block in blocks])
        yield Layer(_direction(rows, columns, signs), live[settled])
        live = live[~settled]


def _pieces(rows: SignedRows, live: Index) -> Iterator[Index]:
    """The live rows, so few at a time that a copy of them is small: they may lie in a file that does not fit."""
    entries = rows.X.nnz if rows.is_sparse else rows.X.size
    height = max(1, _ENTRIES_AT_ONCE * rows.n // max(1, entries))
    return (live[start : start + height] for start in range(0, len(live), height))


def _direction(rows: SignedRows, columns: Index, signs: NDArray[np.int8]) -> dict[int, int]:
    # Powers of two that undo the scale of the columns, so that no column's effect is lost among the others.
    scale = rows.scale[columns].astype(int)
    low = int(scale.min())
    return {int(j): int(s) << int(k - low) for j, s, k in zip(columns, signs, scale, strict=True)}


def _one_sign_columns(rows: SignedRows, live: Index) -> tuple[Index, NDArray[np.int8]]:
    """Columns whose live entries of y_i x_ij have one sign and are not all zero, with that sign; the bias last."""
    above, below = np.zeros(rows.d, dtype=bool), np.zeros(rows.d, dtype=bool)
    # Of dense rows a few come first: in most columns they have both signs, and only the others are read on.
    sample = () if rows.is_sparse else (live[:: max(1, len(live) // _SAMPLE)],)
    for some in (*sample, *_pieces(rows, live)):
        if rows.is_sparse:
            block = rows.X[some]
            signed = np.sign(block.data) * np.repeat(rows.y[some], np.diff(block.indptr))
            above[block.indices[signed > 0]] = True
            below[block.indices[signed < 0]] = True
        else:
            maybe = np.flatnonzero(~(above & below))
            block = rows.X[np.ix_(some, maybe)] * rows.y[some, None]
            above[maybe] |= (block > 0).any(axis=0)
            below[maybe] |= (block < 0).any(axis=0)
    columns = np.flatnonzero(above ^ below)
    signs = np.where(above[columns], 1, -1)
    if rows.bias and np.all(rows.y[live] == rows.y[live[0]]):
        columns, signs = np.append(columns, rows.d), np.append(signs, int(rows.y[live[0]]))
    return columns, signs.astype(np.int8)


def combine(rows: SignedRows, layers: Sequence[Layer]) -> list[int]:
    """z = sum_l M_l d_l in integers, with a_i.z > 0 for every settled row and a_i.z = 0 for the others."""
    z = [0] * rows.D
    for layer in reversed(layers):
        d = layer.vector(rows.D)
        power = _weight(rows, layer.settled, d, z) if any(z) else 0
        up, down = max(0, power), max(0, -power)
        z = [(a << up) + (b << down) for a, b in zip(d, z, strict=True)]
        z = without_powers_of_two(z)
    return z


def _weight(rows: SignedRows, settled: Index, d: list[int], z: list[int]) -> int:
    """Find k with 2^k a_i.d + a_i.z > 0 for every settled row."""
    df, d_power = rows.scaled(d)
    zf, z_power = rows.scaled(z)
    pd, pz = rows.products(df, settled), rows.products(zf, settled)
    need = np.maximum(0.0, rows.error(zf) - pz)
    clear = pd > 4.0 * rows.error(df)
    power = -(1 << 60)
    ratio = float(np.max(need[clear] / (pd[clear] - rows.error(df)), initial=0.0))
    if ratio > 0:
        power = frexp(ratio)[1] + z_power - d_power
    for i in settled[~clear]:
        power = max(power, _exact_weight(rows, int(i), d, z))
    return max(power, -max(abs(a).bit_length() for a in d))


def _exact_weight(rows: SignedRows, i: int, d: list[int], z: list[int]) -> int:
    N, e = rows.integers(np.array([i]))
    low = int(e.min())
    values = [int(a) << int(k - low) for a, k in zip(N[0], e, strict=True)]
    gain = sum(a * b for a, b in zip(values, d, strict=True) if b)
    loss = -sum(a * b for a, b in zip(values, z, strict=True) if b)
    return loss.bit_length() - gain.bit_length() + 2 if loss > 0 else -(1 << 60)


def without_powers_of_two(z: list[int]) -> list[int]:
    """z divided by its largest common power of two."""
    shared = 0
    for a in z:
        shared |= a
    zeros = (shared & -shared).bit_length() - 1 if shared else 0
    return [a >> zeros for a in z] if zeros else z
