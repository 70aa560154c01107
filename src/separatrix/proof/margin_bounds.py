"""Proved bounds on the maximum geometric margin, from a direction w and from weights alpha.

    lower^2 = (min_+ w.x - max_- w.x)^2 / (4 ||w||^2)       for any w (with a bias)
    upper^2 = ||mean_mu x_+ - mean_nu x_-||^2 / 4           for any weights mu, nu >= 0
    (without a bias: min_i y_i w.x_i / ||w||  and  ||sum_i alpha_i y_i x_i|| / sum_i alpha_i)

All of it in integers; only the square roots are rounded, outwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, isqrt, nextafter

import numpy as np

from separatrix.proof.signed_rows import SignedRows
from separatrix.types import Index, Vector


def lower_bound(rows: SignedRows, w: Sequence[int]) -> float:
    """A float that the maximum margin is at least; 0 where w (d,) does not separate."""
    least, _ = half_width(rows, w)
    return root_down(least * least / sum(a * a for a in w)) if least > 0 else 0.0


def half_width(rows: SignedRows, w: Sequence[int]) -> tuple[Fraction, list[int]]:
    """Half the width of the slab along w, times ||w||, exactly; and the rows that limit it."""
    ends = _ends(rows, w)
    if not rows.bias:
        return min(ends)[0], [min(ends)[1]]
    return (ends[0][0] + ends[1][0]) / 2, [ends[0][1], ends[1][1]]


def slab(rows: SignedRows, w: Sequence[int]) -> tuple[Fraction, Fraction]:
    """(min over y = +1 of w.x, max over y = -1 of w.x), exactly. Both sides must have rows."""
    plus, minus = _ends(rows, w)
    return plus[0], -minus[0]


def _ends(rows: SignedRows, w: Sequence[int]) -> list[tuple[Fraction, int]]:
    """The least y_i w.x_i of each side that has rows, with its row; y = +1 first."""
    near, _ = rows.scaled([*w, 0] if rows.bias else list(w))
    f = rows.products(near) * rows.y
    # Products of rows that were scaled one by one do not compare: all are computed exactly.
    error = rows.error(near) if rows.shift is None else inf
    return [_least(rows, f, error, side, w) for side in (1.0, -1.0) if np.any(rows.y == side)]


def _least(rows: SignedRows, f: Vector, error: float, side: float, w: Sequence[int]) -> tuple[Fraction, int]:
    """min over the rows of one side of side * (x_i.w), exactly, and the row where it is reached."""
    index = np.flatnonzero(rows.y == side)
    signed = side * f[index]
    near = index[signed <= signed.min() + 2.0 * error]
    best: tuple[Fraction, int] | None = None
    height = max(1, (1 << 18) // max(1, rows.terms))
    for start in range(0, len(near), height):
        some = near[start : start + height]
        values = rows.values(some, w)
        least = min(values)
        if best is None or least < best[0]:
            best = least, int(some[values.index(least)])
    assert best is not None
    return best


def upper_bound(rows: SignedRows, index: Index, alpha: Sequence[int]) -> float:
    """A float that the maximum margin is at most, from integer weights alpha >= 0 on the given rows."""
    square = upper_square(rows, index, alpha)
    return inf if square is None else root_up(square)


def upper_square(rows: SignedRows, index: Index, alpha: Sequence[int]) -> Fraction | None:
    """The square of the upper bound, exactly; None where alpha leaves a side without weight."""
    signs = rows.y[index].tolist()
    totals = {s: sum(a for a, y in zip(alpha, signs, strict=True) if y == s) for s in (1.0, -1.0)}
    if rows.bias:
        # Each class is weighted by the other's total, so that both sum to one over the product.
        weights = [a * totals[-y] for a, y in zip(alpha, signs, strict=True)]
        divisor = 2 * totals[1.0] * totals[-1.0]
    else:
        weights, divisor = list(alpha), sum(alpha)
    if not divisor:
        return None
    sums, e = rows.weighted(index, weights)
    low = int(e[: rows.d].min(initial=0))
    v = [s << (k - low) for s, k in zip(sums[: rows.d], e[: rows.d].tolist(), strict=True)]
    return Fraction(sum(a * a for a in v), divisor * divisor) * Fraction(4) ** low


def root_down(square: Fraction) -> float:
    """A float at most sqrt(square).

    >>> root_down(Fraction(2)) ** 2 < 2 < root_up(Fraction(2)) ** 2
    True
    """
    return nextafter(_root(square), 0.0)


def root_up(square: Fraction) -> float:
    """A float at least sqrt(square)."""
    return nextafter(_root(square), inf)


def _root(square: Fraction) -> float:
    """sqrt(square), rounded: within one unit in the last place."""
    if square <= 0:
        return 0.0
    shift = 140 - (square.numerator.bit_length() - square.denominator.bit_length())
    shift += shift % 2
    up, down = max(0, shift), max(0, -shift)
    root = isqrt((square.numerator << up) // (square.denominator << down))
    try:
        return float(Fraction(root) / Fraction(2) ** (shift // 2))
    except OverflowError:
        return nextafter(inf, 0.0)
