"""The exact check of an `optimal` certificate with a kernel.

    optimum <= 1/2 c.F [+ 1/2 b^2] + sum_i C_i loss(y_i (F_i + b)),       F = K c
    optimum >= sum_i alpha_i [- alpha_i^2 / 4 C_i] - 1/2 (alpha y).K (alpha y) [- 1/2 (sum_i alpha_i y_i)^2]

with c = alpha y unless the certificate has another. Kernel values are exact integers, or enclosed between two
(`kernel_values`); each sum takes the end that makes the check stricter. A hard margin has no losses: every
y_i (F_i + b) must be at least 1. Costs n x (number of support vectors) kernel values in Python integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from separatrix.checker.certificate import Certificate
from separatrix.checker.claim import check_bounds
from separatrix.checker.codec import SparseVector
from separatrix.checker.dyadic import fraction, round_up, scaled
from separatrix.checker.kernel_claim import KernelClaim, KernelSpec, condition, read_kernel_claim
from separatrix.checker.kernel_values import Point, kernel_values, scale_of
from separatrix.checker.optimal import conclude, curvature
from separatrix.checker.rows import Rows
from separatrix.checker.verdict import Proved, Rejected

Bounds = tuple[list[int], list[int]]


def check(certificate: Certificate, rows: Rows, side: Sequence[int]) -> Proved:
    """Prove the claimed bounds on these rows, or raise `Rejected`. The rows are K for matrices and functions."""
    claim = read_kernel_claim(certificate)
    if claim.kernel.name == "function" and rows.n_columns != rows.n_rows:
        raise Rejected("The kernel is a function that the certificate does not hold.")
    costs = [0.0] * len(side) if claim.hard else claim.optimal.costs(side)
    if not claim.hard:
        check_bounds(claim.optimal, side, costs)
    elif any(alpha and not side[row] for row, alpha in _entries(claim.optimal.alpha)):
        raise Rejected("alpha is not zero on a row whose label is on neither side.")
    if claim.coef is not None and any(not side[row] for row, c in _entries(claim.coef) if c):
        raise Rejected("w uses a row whose label is on neither side.")
    proved = conclude(claim.optimal, *values(claim, rows, side, costs))
    return Proved(proved.sentence + condition(claim.kernel), proved.primal, proved.dual, proved.gap)


def values(
    claim: KernelClaim, rows: Rows, side: Sequence[int], costs: Sequence[float]
) -> tuple[Fraction, Fraction]:
    """At least the primal value of (w, b), at most the dual value of alpha."""
    optimal = claim.optimal
    alpha, a_scale = scaled(optimal.alpha.dense())
    signed = [y * a for y, a in zip(side, alpha, strict=True)]
    imbalance = fraction(sum(signed), a_scale)
    if optimal.bias == "free" and imbalance:
        raise Rejected(f"The bias is free, yet sum alpha_i y_i is {round_up(imbalance)}, not zero.")
    x_scale = scale_of(rows.smallest())
    value, k_scale = kernel_values(_given(claim), x_scale)
    points = [
        Point.of(i, row, rows.n_columns, x_scale) if side[i] else None for i, row in enumerate(rows.rows())
    ]

    def sums(c: Sequence[int]) -> Bounds:
        support = [(points[j], cj) for j, cj in enumerate(c) if cj]
        lower, upper = [0] * len(points), [0] * len(points)
        for i, x in enumerate(points):
            if x is None:
                continue
            low = high = 0
            for z, cj in support:
                assert z is not None
                near, far = value(x, z)
                low += cj * (near if cj > 0 else far)
                high += cj * (far if cj > 0 else near)
            lower[i], upper[i] = low, high
        return lower, upper

    bounds, c, c_scale = sums(signed), signed, a_scale
    penalty = _square(signed, bounds)
    dual = fraction(sum(alpha), a_scale) - fraction(penalty, 2 * a_scale + k_scale) / 2
    if claim.coef is not None:
        c, c_scale = scaled(claim.coef.dense())
        bounds = sums(c)
        penalty = _square(c, bounds)
    primal = fraction(penalty, 2 * c_scale + k_scale) / 2 + _losses(
        claim, side, costs, bounds, c_scale + k_scale
    )
    if optimal.loss == "squared_hinge" and not claim.hard:
        cost, cost_scale = scaled(costs)
        dual -= curvature(alpha, a_scale, cost, cost_scale)
    if optimal.bias == "augmented":
        primal += Fraction(optimal.b) ** 2 / 2
        dual -= imbalance**2 / 2
    return primal, dual


def _given(claim: KernelClaim) -> KernelSpec:
    """Values of a function are handed over as a matrix."""
    return KernelSpec("precomputed") if claim.kernel.name == "function" else claim.kernel


def _square(c: Sequence[int], bounds: Bounds) -> int:
    """At least c.(K c)."""
    return sum(ci * (high if ci > 0 else low) for ci, low, high in zip(c, *bounds, strict=True))


def _losses(
    claim: KernelClaim, side: Sequence[int], costs: Sequence[float], bounds: Bounds, scale: int
) -> Fraction:
    """At least the sum of C_i loss(y_i (F_i + b)), F within the bounds times 2^-scale."""
    (b,), b_scale = scaled([claim.optimal.b])
    common = max(0, scale, b_scale)
    up, one, b = common - scale, 1 << common, b << (common - b_scale)
    squared = claim.optimal.loss == "squared_hinge"
    cost, cost_scale = scaled(costs)
    total = 0
    for i, (y, c, low, high) in enumerate(zip(side, cost, *bounds, strict=True)):
        if not y:
            continue
        slack = one - y * (((low if y > 0 else high) << up) + b)
        if slack > 0:
            if claim.hard:
                raise Rejected(f"Row {i} lies inside the slab: y f is not proved to be at least 1.")
            total += c * slack * slack if squared else c * slack
    return fraction(total, cost_scale + (2 if squared else 1) * common)


def _entries(vector: SparseVector) -> list[tuple[int, float]]:
    return list(zip(vector.indices, vector.values, strict=True))
