"""The witness (w, b) as numbers for the user: floats where floats hold it, fractions where they do not."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.proof.integers import float_integers
from separatrix.proof.margin_bounds import slab
from separatrix.proof.signed_rows import SignedRows

_BITS = 64  # precision of the bias of a centred witness, relative to its largest product


def as_numbers(rows: SignedRows, z: list[int], strict: bool) -> tuple[NDArray[Any], Any]:
    """(w, b) proportional to the integers z (D,).

    A strict witness may be rounded as long as it stays strict, which is checked exactly. A weak one has rows
    exactly on its hyperplane and is never rounded.
    """
    floats = _floats(z)
    if floats is not None:
        kept = float_integers(floats)
        same = _primitive(kept) == _primitive(z)
        if same or (strict and bool(np.all(rows.signs(kept) > 0))):
            return floats[: rows.d], float(floats[rows.d]) if rows.bias else 0.0
    exact = np.empty(rows.D, dtype=object)
    exact[:] = [Fraction(a) for a in z]
    return exact[: rows.d], exact[rows.d] if rows.bias else Fraction(0)


def _floats(z: list[int]) -> NDArray[np.float64] | None:
    """z divided by a power of two that puts its largest entry near 1; None where an entry would vanish."""
    top = max(abs(a).bit_length() for a in z)
    out = np.array([float(Fraction(a, 1 << top)) if a else 0.0 for a in z])
    return None if any(a and not f for a, f in zip(z, out, strict=True)) else out


def _primitive(z: list[int]) -> list[int]:
    """z without its common power of two."""
    shared = 0
    for a in z:
        shared |= a
    zeros = max(0, (shared & -shared).bit_length() - 1)
    return [a >> zeros for a in z]


def centred(rows: SignedRows, w: list[int]) -> list[int]:
    """(w, b) in integers, with the hyperplane in the middle of the slab along w."""
    if not rows.bias:
        return list(w)
    above, below = slab(rows, w)  # min over y = +1 of w.x, max over y = -1
    b = -(above + below) / 2
    scale = max(0, _BITS - _magnitude(above - below))
    scaled = b * (1 << scale)
    return [*(a << scale for a in w), round(scaled)]


def _magnitude(value: Fraction) -> int:
    return abs(value.numerator).bit_length() - value.denominator.bit_length() if value else 0
