"""Floats as integers: x = m 2^e exactly, and dot products of such numbers without rounding.

Vectorised where 64 bits suffice, Python integers where they do not. Signs and zeros found here are facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

_EXACT = 53  # every integer of up to 53 bits is a float64, and so is every partial sum that stays below


def decompose(x: NDArray[np.float64]) -> tuple[Ints, Ints]:
    """(m, e) with x = m 2^e and m odd, or m = e = 0 for zero.

    >>> [part.tolist() for part in decompose(np.array([6.0, -0.375, 0.0]))]
    [[3, -3, 0], [1, -3, 0]]
    """
    fraction, exponent = np.frexp(x)
    m = (fraction * 2.0**53).astype(np.int64)
    e = exponent.astype(np.int64) - 53
    lowest = (m & -m).astype(np.float64)
    shift = np.where(m == 0, 0, np.frexp(lowest)[1] - 1)
    return m >> shift, np.where(m == 0, 0, e + shift)


def column_integers(block: NDArray[np.float64]) -> tuple[NDArray[Any], Ints]:
    """(N, e) with block[:, j] = N[:, j] 2^(e_j): int64 where it fits, else Python integers (dtype object).

    >>> N, e = column_integers(np.array([[0.5, 3.0], [2.0, 4.0]]))
    >>> N.tolist(), e.tolist()
    ([[1, 3], [4, 4]], [-1, 0])
    """
    m, e = decompose(block)
    present = m != 0
    low = np.where(present.any(axis=0), np.min(np.where(present, e, 1 << 40), axis=0, initial=1 << 40), 0)
    shift = np.where(present, e - low, 0)
    bits = np.frexp(np.abs(m).astype(np.float64))[1] + shift
    if np.max(bits, initial=0) <= 62:
        return m << shift, low
    wide = np.empty(m.shape, dtype=object)
    wide[...] = [
        [int(a) << int(s) for a, s in zip(row, shifts, strict=True)]
        for row, shifts in zip(m, shift, strict=True)
    ]
    return wide, low


def narrowest(N: NDArray[Any]) -> NDArray[Any]:
    """Python integers as int64 where all of them fit."""
    small = max((abs(a).bit_length() for a in N.ravel().tolist()), default=0) <= 62
    return N.astype(np.int64) if small else N


def float_integers(z: NDArray[np.float64], exponents: Ints | None = None) -> list[int]:
    """Integers proportional to z_j 2^(exponents_j), by one positive power of two.

    >>> float_integers(np.array([0.75, -2.0, 0.0]))
    [3, -8, 0]
    """
    m, e = decompose(z)
    if exponents is not None:
        e = e + exponents
    low = int(e[m != 0].min()) if np.any(m) else 0
    return [int(a) << int(k - low) if a else 0 for a, k in zip(m, e, strict=True)]


def common_scale(z: Sequence[int], exponents: Ints) -> list[int]:
    """Integers proportional to z_j 2^(exponents_j)."""
    used = [int(k) for a, k in zip(z, exponents, strict=True) if a]
    low = min(used, default=0)
    return [int(a) << (int(k) - low) if a else 0 for a, k in zip(z, exponents, strict=True)]


def nearest_floats(z: Sequence[int]) -> NDArray[np.float64]:
    """z / 2^k as float64, each entry rounded once, with max |z| / 2^k in [1/2, 1).

    Entries more than about 2^1000 below the largest become zero: an absolute error below 2^-1000.

    >>> nearest_floats([3, -8])
    array([ 0.1875, -0.5   ])
    """
    top = max((abs(a).bit_length() for a in z), default=0)
    out = np.empty(len(z))
    for j, a in enumerate(z):
        spare = max(0, abs(a).bit_length() - 64)
        # Dropping bits below the 64th moves the value by less than 2^-63 of itself.
        out[j] = np.ldexp(float(a >> spare), spare - top) if a else 0.0
    return out


def dot_signs(N: Any, z: Sequence[int]) -> NDArray[np.int8]:
    """sign(sum_j N_ij z_j) for each row, exactly. N is int64 (dense), float64 CSR of integers, or object.

    N and z are cut into limbs short enough that a float64 matrix product of limbs has no rounding; the
    limbs of the result are then carried upwards, and the sign read at the top.
    """
    if N.dtype.kind == "O":
        return np.array(
            [_sign(sum(int(a) * b for a, b in zip(row, z, strict=True) if a)) for row in N], dtype=np.int8
        )
    width = max(1, N.shape[1])
    entries = N.data if not isinstance(N, np.ndarray) else N
    largest = int(np.max(np.abs(entries), initial=0))
    room = _EXACT - width.bit_length() - 1
    cut = min(max(1, largest.bit_length()), room // 2)
    base = room - cut
    parts = -(-max(1, largest.bit_length()) // cut)
    signs = np.array([_sign(a) for a in z])
    magnitude = [abs(a) for a in z]
    count = -(-max(1, max((a.bit_length() for a in magnitude), default=1)) // base)
    limbs = np.array([[(a >> (base * k)) & ((1 << base) - 1) for k in range(count)] for a in magnitude])
    limbs = limbs.reshape(len(magnitude), count) * signs[:, None]
    return _carried_signs(_partial_products(N, limbs.astype(np.float64), cut, parts), cut, base)


def _partial_products(
    N: Any, limbs: NDArray[np.float64], cut: int, parts: int
) -> list[tuple[int, NDArray[np.int64]]]:
    """(index of the part of N, part @ limbs) for each part of `cut` bits; all exact."""
    out = []
    for part in range(parts):
        if isinstance(N, np.ndarray):
            piece: Any = np.sign(N) * ((np.abs(N) >> (cut * part)) & ((1 << cut) - 1))
            piece = piece.astype(np.float64)
        else:
            whole = N.data.astype(np.int64)
            piece = N.copy()
            piece.data = (np.sign(whole) * ((np.abs(whole) >> (cut * part)) & ((1 << cut) - 1))).astype(float)
        out.append((part, np.asarray(piece @ limbs).astype(np.int64)))
    return out


def _carried_signs(products: list[tuple[int, NDArray[np.int64]]], cut: int, base: int) -> NDArray[np.int8]:
    """Signs of sum_{p,k} products[p][:, k] 2^(p cut + k base), by carrying into digits of `digit` bits."""
    digit = 16
    rows = products[0][1].shape[0]
    top = max((p * cut + (table.shape[1] - 1) * base) // digit for p, table in products) + 6
    # A value of 53 bits at bit offset s is spread over digits s // 16 .. + 4, so each digit column gets
    # few small terms and int64 never overflows.
    totals = np.zeros((rows, top + 1), dtype=np.int64)
    mask = (1 << digit) - 1
    for p, table in products:
        for k in range(table.shape[1]):
            place, inside = divmod(p * cut + k * base, digit)
            value, sign = np.abs(table[:, k]), np.sign(table[:, k])
            low, high = value & 0xFFFFFFFF, value >> 32
            for offset, piece in ((0, low << inside), (2, high << inside)):
                for extra in range(4):
                    totals[:, place + offset + extra] += sign * ((piece >> (digit * extra)) & mask)
    carry = np.zeros(rows, dtype=np.int64)
    nonzero = np.zeros(rows, dtype=bool)
    for k in range(top + 1):
        value = totals[:, k] + carry
        carry = value >> digit
        nonzero |= (value & mask) != 0
    return np.where(carry < 0, -1, (nonzero | (carry > 0)).astype(np.int8)).astype(np.int8)


def _sign(a: int) -> int:
    return (a > 0) - (a < 0)
