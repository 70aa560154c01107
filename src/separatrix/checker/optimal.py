"""The exact check of an `optimal` certificate.

    optimum <= primal(w, b) = 1/2 ||w||^2 [+ 1/2 b^2] + sum_i C_i loss(y_i (w.x_i + b))
    optimum >= dual(alpha)  = sum_i alpha_i [- alpha_i^2 / 4 C_i] - 1/2 ||v||^2 [- 1/2 (sum_i alpha_i y_i)^2]

with v = sum_i alpha_i y_i x_i; the brackets are for the augmented bias and the squared hinge. Both values are
computed in integers from the data, and must be at least as good as claimed. No tolerance anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import add, mul

from separatrix.checker.certificate import Certificate
from separatrix.checker.claim import OptimalClaim, check_bounds, read_claim
from separatrix.checker.dyadic import fraction, round_down, round_up, scale_for, scaled, to_integers
from separatrix.checker.rows import Rows
from separatrix.checker.verdict import Proved, Rejected

_GUARD_BITS = 128  # alpha^2 / 4C is no dyadic number: it is rounded up, this far below its last bit


def check(certificate: Certificate, rows: Rows, side: Sequence[int]) -> Proved:
    """Prove the claimed bounds on these rows, or raise `Rejected`."""
    claim = read_claim(certificate)
    costs = claim.costs(side)
    check_bounds(claim, side, costs)
    primal, dual = values(claim, rows, side, costs)
    return conclude(claim, primal, dual)


def conclude(claim: OptimalClaim, primal: Fraction, dual: Fraction) -> Proved:
    """Compare proved bounds with the claimed ones."""
    if primal > Fraction(claim.primal):
        raise Rejected(
            f"(w, b) does not prove the claimed primal value {claim.primal!r}: it gives {round_up(primal)!r}."
        )
    if dual < Fraction(claim.dual):
        raise Rejected(
            f"alpha does not prove the claimed dual value {claim.dual!r}: it gives {round_down(dual)!r}."
        )
    gap = round_up((primal - dual) / primal if primal else primal - dual)
    upper, lower = round_up(primal), round_down(dual)
    sentence = f"Proved: the optimum lies in [{lower:.17g}, {upper:.17g}], a relative gap of {gap:.3g}."
    return Proved(sentence, primal=upper, dual=lower, gap=max(0.0, gap))


def values(
    claim: OptimalClaim, rows: Rows, side: Sequence[int], costs: Sequence[float]
) -> tuple[Fraction, Fraction]:
    """The primal value of (w, b) and the dual value of alpha, in one pass over the rows."""
    squared = claim.loss == "squared_hinge"
    x_scale = scale_for(rows.smallest())
    (w, w_scale), (alpha, alpha_scale) = scaled(claim.w.dense()), scaled(claim.alpha.dense())
    (b,), b_scale = scaled([claim.b])
    cost, cost_scale = scaled(costs)
    f_scale = max(0, b_scale, x_scale + w_scale)
    shift, one, b = f_scale - x_scale - w_scale, 1 << f_scale, b << (f_scale - b_scale)

    at, loss, v = w.__getitem__, 0, [0] * rows.n_columns
    for (columns, entries), y, c, a in zip(rows.rows(), side, cost, alpha, strict=True):
        if not c:
            continue
        x = to_integers(entries, x_scale)
        score = sum(map(mul, x, w if columns is None else map(at, columns)))
        slack = one - y * ((score << shift) + b)
        if slack > 0:
            loss += c * slack * slack if squared else c * slack
        if a:
            pull = y * a
            if columns is None:
                v = list(map(add, v, [pull * entry for entry in x]))
            else:
                for column, entry in zip(columns, x, strict=True):
                    v[column] += pull * entry

    imbalance = fraction(sum(map(mul, side, alpha)), alpha_scale)
    if claim.bias == "free" and imbalance:
        raise Rejected(f"The bias is free, yet sum alpha_i y_i is {round_up(imbalance)}, not zero.")
    primal = _half_square(w, w_scale) + fraction(loss, cost_scale + (2 if squared else 1) * f_scale)
    dual = fraction(sum(alpha), alpha_scale) - _half_square(v, alpha_scale + x_scale)
    if squared:
        dual -= curvature(alpha, alpha_scale, cost, cost_scale)
    if claim.bias == "augmented":
        primal += Fraction(claim.b) ** 2 / 2
        dual -= imbalance**2 / 2
    return primal, dual


def _half_square(vector: list[int], scale: int) -> Fraction:
    return fraction(sum(map(mul, vector, vector)), 2 * scale) / 2


def curvature(alpha: list[int], alpha_scale: int, cost: list[int], cost_scale: int) -> Fraction:
    """sum_i alpha_i^2 / (4 C_i), rounded up: one quotient for each distinct C."""
    squares: dict[int, int] = {}
    for a, c in zip(alpha, cost, strict=True):
        if a:
            squares[c] = squares.get(c, 0) + a * a
    guard = _GUARD_BITS + max(squares, default=1).bit_length()
    total = sum(-((-square << guard) // (4 * c)) for c, square in squares.items())
    return fraction(total, guard + 2 * alpha_scale - cost_scale)
