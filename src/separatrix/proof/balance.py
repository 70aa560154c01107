"""Alphas with sum_i alpha_i y_i exactly zero, as a free bias demands.

A dual point that misses the equality bounds nothing. Solvers meet it to rounding or to a small residual; here
it is met in exact arithmetic at the least cost. Moving alpha_i costs |1 - y_i f_i| to first order, next to
nothing for rows strictly between their bounds (they lie on the margin), so these absorb the residual:

    1. a residual above rounding is spread over free rows, and over others only where they have no room left;
    2. the last rounding is taken up by a few free rows, each smaller than the one before, in rationals;
    3. where no free row is fine enough: by one row on a bound, or on a common dyadic grid, which cannot fail.

Zeros stay zero and alphas at C stay at C, except where 1 and 3 say otherwise.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from separatrix.proof.sums import exact_parts
from separatrix.types import Vector

_ROUNDING = 64 * np.finfo(float).eps  # residuals below this part of sum |alpha| are rounding
_SPREAD = 32  # a residual is spread over at least so many free rows, if there are: one would bend the dual


def balance(alpha: Vector, y: Vector, upper: Vector, margins: Vector | None = None) -> Vector:
    """The alphas, changed as little as possible, with sum_i alpha_i y_i = 0 exactly.

    alpha (n,) must lie in [0, upper]. 1 - margins (n,) is the slope of the dual at a point near the optimum, and
    picks the rows that are cheapest to move: margins are y_i f_i, plus alpha_i / (2 C_i) for the squared hinge.
    Returns alpha itself where it is balanced already.

    >>> balance(np.array([0.3, 0.1, 0.2]), np.array([1.0, -1.0, -1.0]), np.ones(3)).tolist()
    [0.3, 0.09999999999999998, 0.2]
    >>> balance(np.array([0.5, 0.0]), np.array([1.0, -1.0]), np.array([1.0, 1.0])).tolist()
    [0.0, 0.0]
    """
    parts = exact_parts(alpha * y)
    residual = _rounded(parts)
    if not residual:
        return alpha
    alpha = alpha.copy()
    cost = np.zeros(len(alpha)) if margins is None else np.abs(1.0 - margins)
    if abs(residual) > _ROUNDING * float(np.sum(alpha)):
        _spread(alpha, y, upper, residual, cost)
        parts = exact_parts(alpha * y)
    exact = sum(map(Fraction, _absorb(alpha, y, upper, parts)), Fraction())
    if not exact or _one_row(alpha, y, upper, exact, cost):
        return alpha
    exact = _overshoot(alpha, y, upper, exact)
    if not exact or _one_row(alpha, y, upper, exact, cost):
        return alpha
    _common_grid(alpha, y, upper)
    return alpha


def _spread(alpha: Vector, y: Vector, upper: Vector, residual: float, cost: Vector) -> None:
    """Move alphas so that the residual falls to rounding, in place: free rows first, then the cheapest."""
    falls = y == np.sign(residual)  # these can go down; the others can go up
    room = np.where(falls, alpha, upper - alpha)
    free = (alpha > 0) & (alpha < upper)
    wanted = abs(residual)
    order = np.flatnonzero(free & (room > 0))
    order = order[np.argsort(cost[order])]
    moved = np.zeros(len(alpha))
    # Half of the room leaves the rows free. Those cheaper than most share the residual, for a change of few
    # rows bends the dual; more do if these do not offer eight times of it.
    if (half := np.minimum(0.5 * room[order], wanted)).sum() >= wanted:
        cheaper = cost[order[: (len(order) + 1) // 2]]
        cheap = int(np.searchsorted(cheaper, (1 + 1e-9) * cheaper.mean(), side="right"))
        enough = max(_SPREAD, cheap, int(np.searchsorted(np.cumsum(half), 8.0 * wanted)) + 1)
        moved[order[:enough]] = half[:enough] * min(1.0, wanted / float(half[:enough].sum()))
    else:
        # Going down always has enough room: with every such alpha at zero the residual has changed its sign.
        rest = np.flatnonzero((room > 0) & ~free)
        if not np.any(cost):  # nothing is known of the cost: keep zeros zero
            rest = rest[falls[rest]]
        rest = rest[np.argsort(cost[rest])]
        order = np.concatenate([order, rest])
        filled = np.cumsum(np.minimum(room[order], wanted))
        before = np.concatenate([[0.0], filled[:-1]])
        moved[order] = np.clip(wanted - before, 0.0, np.minimum(room[order], wanted))
    alpha += np.where(falls, -moved, moved)
    np.clip(alpha, 0.0, upper, out=alpha)


def _absorb(alpha: Vector, y: Vector, upper: Vector, parts: list[float]) -> list[float]:
    """Let free rows take up the residual, a sum of floats, one after another, in place; returns what is left."""
    free = ((alpha > 0) & (alpha < upper)).nonzero()[0]
    free = free[alpha[free].argsort()]
    values, signs, bounds = alpha[free], y[free], upper[free]
    residual = _rounded(parts)
    while residual and len(free):
        # With twice the room it needs a row stays free. The smallest has the finest grid of floats.
        room = np.where(signs == math.copysign(1.0, residual), values, bounds - values)
        place = int((room >= 2.0 * abs(residual)).argmax())
        if room[place] < 2.0 * abs(residual):
            break
        old, sign = float(values[place]), float(signs[place])
        new = old - sign * residual
        changed = [*parts, sign * new, -sign * old]
        left = _rounded(changed)
        if abs(left) >= abs(residual):
            break
        alpha[free[place]] = values[place] = new
        parts, residual = changed, left
    return parts if residual else []


def _rounded(parts: list[float]) -> float:
    """The sum, rounded once: zero if and only if the exact sum is."""
    try:
        return math.fsum(parts)
    except OverflowError:  # on the way, near the largest float
        return float(sum(map(Fraction, parts)))


def _one_row(alpha: Vector, y: Vector, upper: Vector, exact: Fraction, cost: Vector) -> bool:
    """Let one row, on a bound or not, take up the residual exactly, in place, if there is such a row."""
    residual = float(exact)
    if Fraction(residual) != exact:
        return False
    # The smallest alphas have the finest floats; a zero can become any float, but it would stop being zero.
    support, zeros = np.flatnonzero(alpha > 0), np.flatnonzero((alpha == 0) & (y == -np.sign(residual)))
    support = support[np.argsort(alpha[support], kind="stable")]
    zeros = zeros[np.argsort(cost[zeros], kind="stable")]
    for row in [*support[:64].tolist(), *zeros[:64].tolist()]:
        old, sign = float(alpha[row]), float(y[row])
        new = old - sign * residual
        if 0.0 <= new <= upper[row] and Fraction(sign) * (Fraction(new) - Fraction(old)) == -exact:
            alpha[row] = new
            return True
    return False


def _overshoot(alpha: Vector, y: Vector, upper: Vector, exact: Fraction) -> Fraction:
    """Move the finest free row by one float, in place, so that the residual changes its sign."""
    free = np.flatnonzero((alpha > 0) & (alpha < upper))
    if not len(free):
        return exact
    row = int(free[np.argmin(alpha[free])])
    old, sign = float(alpha[row]), float(y[row])
    new = float(np.nextafter(old, -np.inf if (exact > 0) == (sign > 0) else np.inf))
    alpha[row] = new
    return exact + Fraction(sign) * (Fraction(new) - Fraction(old))


def _common_grid(alpha: Vector, y: Vector, upper: Vector) -> None:
    """Round all alphas down to multiples of one power of two, and take the residual off in whole counts.

    The grid is the spacing of floats at the largest alpha, so that counts are integers below 2^53 and what is
    lost is rounding relative to the dual value. The heavier side always has enough to give.
    """
    grid = float(np.spacing(alpha.max()))
    counts = np.floor(alpha / grid)
    sign = 1 if (excess := sum(map(int, (counts * y).tolist()))) > 0 else -1
    excess = abs(excess)
    bounded = np.floor(np.minimum(upper, alpha.max()) / grid) == counts
    giving = np.flatnonzero((y == sign) & (counts > 0))
    # Rows between their bounds give first, the largest first.
    giving = giving[np.lexsort((-counts[giving], bounded[giving]))]
    for row in giving.tolist():
        if not excess:
            break
        given = min(excess, int(counts[row]))
        counts[row] -= given
        excess -= given
    np.multiply(counts, grid, out=alpha)
