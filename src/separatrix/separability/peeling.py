"""Directions that satisfy some rows strictly and hurt none, peeled off one after another.

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
from scipy import sparse

from separatrix.problem import is_mapped, row_blocks
from separatrix.proof.signed_rows import SignedRows
from separatrix.types import Index

_SAMPLE = 2048


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
    if not rows.is_sparse:
        yield from _dense_columns(rows, live)
    elif is_mapped(rows.X):
        yield from _streamed_columns(rows, live)
    else:
        yield from _sparse_columns(rows, live)


def _direction(rows: SignedRows, columns: NDArray[np.intp], signs: NDArray[np.int8]) -> dict[int, int]:
    # Powers of two that undo the scale of the columns, so that no column's touch is lost among the others.
    scale = rows.scale[columns].astype(int)
    low = int(scale.min())
    return {int(j): int(s) << int(k - low) for j, s, k in zip(columns, signs, scale, strict=True)}


def _dense_columns(rows: SignedRows, live: Index) -> Iterator[Layer]:
    while len(live):
        columns, signs = _one_sign(rows, live)
        if not len(columns):
            return
        touched = np.zeros(len(live), dtype=bool)
        for j in columns:
            touched |= (rows.X[live, j] != 0) if j < rows.d else True
        yield Layer(_direction(rows, columns, signs), live[touched])
        live = live[~touched]


def _one_sign(rows: SignedRows, live: Index) -> tuple[NDArray[np.intp], NDArray[np.int8]]:
    """Columns whose live entries of y_i x_ij have one sign and are not all zero, with that sign."""
    stride = max(1, len(live) // _SAMPLE)
    sample = live[::stride]
    block = rows.X[sample] * rows.y[sample, None]
    maybe = np.flatnonzero(~((block > 0).any(axis=0) & (block < 0).any(axis=0)))
    above, below = np.zeros(len(maybe), dtype=bool), np.zeros(len(maybe), dtype=bool)
    if len(maybe):
        height = max(1, (1 << 20) // len(maybe))
        for start in range(0, len(live), height):
            some = live[start : start + height]
            block = rows.X[np.ix_(some, maybe)] * rows.y[some, None]
            above |= (block > 0).any(axis=0)
            below |= (block < 0).any(axis=0)
    columns, signs = maybe[above ^ below], np.where(above[above ^ below], 1, -1)
    return _with_bias(rows, live, columns, signs)


def _with_bias(
    rows: SignedRows, live: Index, columns: NDArray[np.intp], signs: NDArray[np.int_]
) -> tuple[NDArray[np.intp], NDArray[np.int8]]:
    if rows.bias and np.all(rows.y[live] == rows.y[live[0]]):
        columns = np.append(columns, rows.d)
        signs = np.append(signs, int(rows.y[live[0]]))
    return columns, signs.astype(np.int8)


def _sparse_columns(rows: SignedRows, live: Index) -> Iterator[Layer]:
    part = rows.X[live]
    entry_row = np.repeat(np.arange(len(live)), np.diff(part.indptr))
    sign = np.sign(part.data * rows.y[live][entry_row]).astype(np.int8)
    above = np.bincount(part.indices[sign > 0], minlength=rows.d)
    below = np.bincount(part.indices[sign < 0], minlength=rows.d)
    by_column = sparse.csc_array((sign, part.indices, part.indptr), shape=part.shape[::-1]).T.tocsc()
    still = np.ones(len(live), dtype=bool)
    while still.any():
        columns = np.flatnonzero((above > 0) ^ (below > 0))
        columns, signs = _with_bias(rows, live[still], columns, np.where(above[columns] > 0, 1, -1))
        if not len(columns):
            return
        if columns[-1] == rows.d:
            touched = np.flatnonzero(still)
        else:
            chosen = by_column[:, columns]
            touched = np.unique(chosen.indices[chosen.data != 0])
            touched = touched[still[touched]]
        yield Layer(_direction(rows, columns, signs), live[touched])
        still[touched] = False
        gone = np.zeros(len(live), dtype=bool)
        gone[touched] = True
        lost = gone[entry_row]
        above -= np.bincount(part.indices[lost & (sign > 0)], minlength=rows.d)
        below -= np.bincount(part.indices[lost & (sign < 0)], minlength=rows.d)


def _streamed_columns(rows: SignedRows, live: Index) -> Iterator[Layer]:
    """The same for rows that may not fit into memory: every layer costs two passes over them."""
    still = np.zeros(rows.n, dtype=bool)
    still[live] = True
    while still.any():
        above, below = np.zeros(rows.d, dtype=bool), np.zeros(rows.d, dtype=bool)
        for some, block in row_blocks(rows.X):
            sign = np.sign(block.data) * np.repeat(rows.y[some] * still[some], np.diff(block.indptr))
            above[block.indices[sign > 0]] = True
            below[block.indices[sign < 0]] = True
        columns = np.flatnonzero(above ^ below)
        left = np.flatnonzero(still)
        columns, signs = _with_bias(rows, left, columns, np.where(above[columns], 1, -1))
        if not len(columns):
            return
        settled = left if columns[-1] == rows.d else _touching(rows, left, columns)
        yield Layer(_direction(rows, columns, signs), settled)
        still[settled] = False


def _touching(rows: SignedRows, live: Index, columns: NDArray[np.intp]) -> Index:
    """The live rows that are not zero in all of the columns."""
    wanted = np.zeros(rows.d)
    wanted[columns] = 1.0
    touched = np.zeros(rows.n, dtype=bool)
    for some, block in row_blocks(rows.X):
        touched[some] = abs(block) @ wanted > 0
    return live[touched[live]]


def combine(rows: SignedRows, layers: Sequence[Layer]) -> list[int]:
    """z = sum_l M_l d_l in integers, with a_i.z > 0 for every settled row and a_i.z = 0 for the others."""
    z = [0] * rows.D
    for layer in reversed(layers):
        d = layer.vector(rows.D)
        power = _weight(rows, layer.settled, d, z) if any(z) else 0
        up, down = max(0, power), max(0, -power)
        z = [(a << up) + (b << down) for a, b in zip(d, z, strict=True)]
        z = _without_common_factor(z)
    return z


def _weight(rows: SignedRows, settled: Index, d: list[int], z: list[int]) -> int:
    """k with 2^k a_i.d + a_i.z > 0 for every settled row."""
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
    return max(power, -_bits(d))


def _exact_weight(rows: SignedRows, i: int, d: list[int], z: list[int]) -> int:
    N, e = rows.integers(np.array([i]))
    low = int(e.min())
    values = [int(a) << int(k - low) for a, k in zip(N[0], e, strict=True)]
    gain = sum(a * b for a, b in zip(values, d, strict=True) if b)
    loss = -sum(a * b for a, b in zip(values, z, strict=True) if b)
    return loss.bit_length() - gain.bit_length() + 2 if loss > 0 else -(1 << 60)


def _bits(z: list[int]) -> int:
    return max(abs(a).bit_length() for a in z)


def _without_common_factor(z: list[int]) -> list[int]:
    shared = 0
    for a in z:
        shared |= a
    zeros = (shared & -shared).bit_length() - 1 if shared else 0
    return [a >> zeros for a in z] if zeros else z
