"""The `optimal` certificate: its making, and its check in rigorous floating point.

Both bound the primal value of (w, b) from above and the dual value of alpha from below, in double precision
with a priori error bounds. The maker takes the error bounds four times, so that a check with the plain ones
succeeds on any machine, whatever the order in which its BLAS adds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.checker.certificate import Certificate
from separatrix.checker.claim import read_claim
from separatrix.checker.codec import SparseVector, write_entries, write_real
from separatrix.checker.dyadic import round_down, round_up
from separatrix.checker.labels import describe, sides
from separatrix.checker.optimal import conclude
from separatrix.checker.verdict import Proved, Rejected
from separatrix.problem import LOSSES, Problem, Solution
from separatrix.problem.losses import Vector
from separatrix.proof import rigorous
from separatrix.proof.fingerprint import Fingerprint
from separatrix.proof.sums import rounded_sum

_CLAIM_SLACK = 4.0
_LEAST_COST = 1e-290  # dividing by less could magnify what underflow took


def optimal(
    problem: Problem,
    solution: Solution,
    fingerprint: Fingerprint,
    positive: Iterable[Any],
    negative: Iterable[Any],
    rows: NDArray[np.intp] | None = None,
) -> Certificate:
    """The certificate that the optimum of the problem lies between the values of the solution's two points.

    Parameters
    ----------
    fingerprint
        Of the data as the user gave them: all rows, all classes.
    positive, negative
        The labels (as in the user's y) behind y = +1 and y = -1.
    rows
        Which of the user's rows the problem consists of, increasing; None means all.
    """
    source = fingerprint.source(positive, negative)
    side = np.array(sides(fingerprint.labels.classes, source.positive, source.negative), dtype=np.int8)
    side = side[fingerprint.labels.codes]
    members = np.arange(source.rows) if rows is None else np.asarray(rows)
    if not np.array_equal(side[members], problem.y):
        raise ValueError("The labels on the two sides are not those of the problem's rows.")
    primal, dual = bounds(problem, solution.w, solution.b, solution.alpha, slack=_CLAIM_SLACK)
    upper, lower = round_up(primal), round_down(dual)
    difference = Fraction(upper) - Fraction(lower)
    gap = max(0.0, round_up(difference / Fraction(upper) if upper else difference))
    support = np.flatnonzero(solution.alpha)
    columns = np.flatnonzero(solution.w)
    return Certificate(
        kind="optimal",
        claim=(
            f"The soft-margin SVM ({problem.loss.name} loss, {problem.bias} bias) of "
            f"{describe(source.positive)} against {describe(source.negative)} "
            f"has its optimum between {lower!r} and {upper!r}: "
            f"(w, b) is within a relative gap of {gap:.3g}."
        ),
        data=source,
        problem={
            "loss": problem.loss.name,
            "bias": problem.bias,
            "kernel": "linear",
            "C": _write_costs(problem, side, members),
        },
        proof={
            "w": write_entries(len(solution.w), columns.tolist(), solution.w[columns].tolist()),
            "b": write_real(float(solution.b)),
            "alpha": write_entries(source.rows, members[support].tolist(), solution.alpha[support].tolist()),
            "primal": write_real(upper),
            "dual": write_real(lower),
            "gap": write_real(gap),
        },
    )


def _write_costs(problem: Problem, side: NDArray[np.int8], members: NDArray[np.intp]) -> dict[str, Any]:
    """One number per side where that says it all, otherwise one per row of the user's data."""
    plus, minus = (problem.C[problem.y == sign] for sign in (1.0, -1.0))
    whole = np.count_nonzero(side) == len(members)
    if whole and all(len(np.unique(costs)) <= 1 for costs in (plus, minus)):
        pair = (float(costs[0]) if len(costs) else 1.0 for costs in (plus, minus))
        return dict(zip(("positive", "negative"), map(write_real, pair), strict=True))
    return {"rows": write_entries(len(side), members.tolist(), problem.C.tolist())}


def check(certificate: Certificate, X: Any, side: NDArray[np.int8]) -> Proved:
    """Prove the claimed bounds in floating point, or raise `Rejected`."""
    rigorous.require_gradual_underflow()
    claim = read_claim(certificate)
    C = _costs(claim.C, side)
    alpha = _dense(claim.alpha)
    loss = LOSSES[claim.loss]
    limit = np.where(C > 0, loss.upper(C), 0.0)
    if np.any(alpha > limit):
        row = int(np.flatnonzero(alpha > limit)[0])
        raise Rejected(f"alpha[{row}] = {alpha[row]} is above its bound {limit[row]}.")
    problem = Problem(X, side.astype(np.float64), C, loss, claim.bias)  # type: ignore[arg-type]
    primal, dual = bounds(problem, _dense(claim.w), claim.b, alpha, slack=1.0)
    return conclude(claim, primal, dual)


def bounds(problem: Problem, w: Vector, b: float, alpha: Vector, slack: float) -> tuple[Fraction, Fraction]:
    """(at least primal(w, b), at most dual(alpha)); error bounds are taken ``slack`` >= 1 times.

    Rows with C = 0 take no part. Raises `Rejected` where a bound is not finite, or alpha is not balanced.
    """
    with np.errstate(all="ignore"):
        primal = _primal_above(problem, w, b, slack)
        dual = _dual_below(problem, alpha, slack)
    if not all(map(math.isfinite, (*primal, *dual))) or np.any((problem.C > 0) & (problem.C < _LEAST_COST)):
        raise Rejected("The numbers leave the range of floating point; use exact=True.")
    return sum(map(Fraction, primal), Fraction()), sum(map(Fraction, dual), Fraction())


def _primal_above(problem: Problem, w: Vector, b: float, slack: float) -> Sequence[float]:
    """Numbers whose exact sum is at least primal(w, b)."""
    u = rigorous.UNIT
    f, error = rigorous.bounded_scores(problem.X, w)
    t = f + b
    if b != 0 and np.any(w):
        error += 4 * u * np.abs(t)
    s = 1.0 - problem.y * t
    xi = np.maximum(0.0, s + slack * (error + 4 * u * np.abs(s))) * (1.0 + 4 * u * slack)
    terms = problem.C * (xi * xi if problem.loss.squared else xi)
    grow = 1.0 + 16 * u * slack
    losses = (
        rounded_sum(terms) * grow + np.count_nonzero(xi) * (slack + float(problem.C.max())) * rigorous.TINY
    )
    penalty = rigorous.upper_half_square(w) * grow
    if problem.bias == "augmented":
        penalty += rigorous.upper_half_square(np.array([b])) * grow
    return [_up(float(losses)), _up(float(penalty))]


def _dual_below(problem: Problem, alpha: Vector, slack: float) -> Sequence[float]:
    """Numbers whose exact sum is at most dual(alpha)."""
    u = rigorous.UNIT
    grow = 1.0 + 16 * u * slack
    signed = alpha * problem.y
    imbalance = rounded_sum(signed)
    if problem.bias == "free" and imbalance != 0:
        raise Rejected(f"The bias is free, yet sum alpha_i y_i is {imbalance}, not zero.")
    v, error = rigorous.bounded_weighted_sum(problem.X, signed)
    linear = rounded_sum(alpha)
    penalty = rigorous.upper_half_square(v, slack * error) * grow
    if problem.bias == "augmented":
        penalty += rigorous.upper_half_square(np.array([imbalance])) * grow
    if problem.loss.squared:
        a, C = alpha[alpha > 0], problem.C[alpha > 0]
        half = 0.5 * a
        curvature = rounded_sum((half / C) * half) * grow
        penalty += curvature + (len(a) + 2.0 * linear) * slack * rigorous.TINY
    return [linear * (1.0 - 2 * u * slack), -_up(float(penalty) * grow)]


def _up(value: float) -> float:
    return math.nextafter(value, math.inf) if value else value  # nothing was added up: zero is exact


def _costs(C: tuple[float, float] | SparseVector, side: NDArray[np.int8]) -> Vector:
    if isinstance(C, SparseVector):
        return np.where(side != 0, _dense(C), 0.0)
    return np.array([0.0, *C])[side]


def _dense(vector: SparseVector) -> Vector:
    full = np.zeros(vector.length)
    full[np.asarray(vector.indices, dtype=np.intp)] = vector.values
    return full
