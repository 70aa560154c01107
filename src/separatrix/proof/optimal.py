"""The `optimal` certificate: its making, and its check in rigorous floating point.

Both bound the primal value of (w, b) from above and the dual value of alpha from below (`value_bounds`). The
maker takes the error bounds four times, so that a check with the plain ones succeeds on any machine, whatever
the order in which its BLAS adds.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.checker.certificate import Certificate, Source
from separatrix.checker.claim import read_claim
from separatrix.checker.codec import SparseVector, write_entries, write_real
from separatrix.checker.dyadic import round_down, round_up
from separatrix.checker.labels import describe, sides
from separatrix.checker.optimal import conclude
from separatrix.checker.verdict import Proved, Rejected
from separatrix.problem import LOSSES, KernelProblem, Problem, Solution
from separatrix.problem.losses import Vector
from separatrix.proof import rigorous
from separatrix.proof.arrays import plain_numbers
from separatrix.proof.fingerprint import Fingerprint
from separatrix.proof.value_bounds import bounds

CLAIM_SLACK = 4.0
_GIVEN_AWAY = 1e-3  # a claimed gap may exceed the one reached by this part of it,
_NEGLIGIBLE = 1e-13  # or by this part of the primal value, before sharper bounds are worth their time


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
    source, side, members = whose(problem, fingerprint, positive, negative, rows)
    upper, lower = _claimable(problem, solution)
    gap = gap_between(upper, lower)
    support = np.flatnonzero(solution.alpha)
    columns = np.flatnonzero(solution.w)
    return Certificate(
        kind="optimal",
        claim=(
            f"The soft-margin SVM ({problem.loss.name} loss, {problem.bias} bias) of "
            f"{describe(source.positive, source.labels)} against {describe(source.negative, source.labels)} "
            f"has its optimum between {lower!r} and {upper!r}: "
            f"(w, b) is within a relative gap of {gap:.3g}."
        ),
        data=source,
        problem={
            "loss": problem.loss.name,
            "bias": problem.bias,
            "kernel": "linear",
            "C": write_costs(problem, side, members),
        },
        proof={
            "w": write_entries(len(solution.w), columns.tolist(), plain_numbers(solution.w[columns])),
            "b": write_real(float(solution.b)),
            "alpha": write_entries(
                source.rows, members[support].tolist(), plain_numbers(solution.alpha[support])
            ),
            "primal": write_real(upper),
            "dual": write_real(lower),
            "gap": write_real(gap),
        },
    )


def whose(
    problem: Problem | KernelProblem,
    fingerprint: Fingerprint,
    positive: Iterable[Any],
    negative: Iterable[Any],
    rows: NDArray[np.intp] | None,
) -> tuple[Source, NDArray[np.int8], NDArray[np.intp]]:
    """The data a certificate speaks of, the side of each of the user's rows, and those of the problem."""
    source = fingerprint.source(positive, negative)
    side = np.array(sides(fingerprint.labels.classes, source.positive, source.negative), dtype=np.int8)
    side = side[fingerprint.labels.codes]
    members = np.arange(source.rows) if rows is None else np.asarray(rows)
    if not np.array_equal(side[members], problem.y):
        raise ValueError("The labels on the two sides are not those of the problem's rows.")
    return source, side, members


def gap_between(upper: float, lower: float) -> float:
    """The relative gap, rounded up."""
    difference = Fraction(upper) - Fraction(lower)
    return max(0.0, round_up(difference / Fraction(upper) if upper else difference))


def _claimable(problem: Problem, solution: Solution) -> tuple[float, float]:
    """Bounds that a check can prove anywhere: the quick ones, unless they give away what was reached."""
    point = problem, solution.w, solution.b, solution.alpha
    primal, dual = bounds(*point, slack=CLAIM_SLACK)
    given_away = float(primal - dual) - (solution.primal - solution.dual)
    if given_away > max(_GIVEN_AWAY * (solution.primal - solution.dual), _NEGLIGIBLE * solution.primal):
        primal, dual = bounds(*point, slack=CLAIM_SLACK, sharp=True)
    return round_up(primal), round_down(dual)


def write_costs(
    problem: Problem | KernelProblem, side: NDArray[np.int8], members: NDArray[np.intp]
) -> dict[str, Any]:
    """One number per side where that says it all, otherwise one per row of the user's data."""
    plus, minus = (problem.C[problem.y == sign] for sign in (1.0, -1.0))
    whole = np.count_nonzero(side) == len(members)
    if whole and all(len(np.unique(costs)) <= 1 for costs in (plus, minus)):
        pair = (float(costs[0]) if len(costs) else 1.0 for costs in (plus, minus))
        return dict(zip(("positive", "negative"), map(write_real, pair), strict=True))
    return {"rows": write_entries(len(side), members.tolist(), plain_numbers(problem.C))}


def check(certificate: Certificate, X: Any, side: NDArray[np.int8]) -> Proved:
    """Prove the claimed bounds in floating point, or raise `Rejected`."""
    rigorous.require_gradual_underflow()
    claim = read_claim(certificate)
    C = row_costs(claim.C, side)
    alpha = dense(claim.alpha)
    loss = LOSSES[claim.loss]
    limit = np.where(C > 0, loss.upper(C), 0.0)
    if np.any(alpha > limit):
        row = int(np.flatnonzero(alpha > limit)[0])
        raise Rejected(f"alpha[{row}] = {alpha[row]} is above its bound {limit[row]}.")
    problem = Problem(X, side.astype(np.float64), C, loss, claim.bias)  # type: ignore[arg-type]
    w = dense(claim.w)
    primal, dual = bounds(problem, w, claim.b, alpha)
    if primal > Fraction(claim.primal) or dual < Fraction(claim.dual):
        primal, dual = bounds(problem, w, claim.b, alpha, sharp=True)
    return conclude(claim, primal, dual)


def row_costs(C: tuple[float, float] | SparseVector, side: NDArray[np.int8]) -> Vector:
    """C_i of every row; 0 for rows that take no part."""
    if isinstance(C, SparseVector):
        return np.where(side != 0, dense(C), 0.0)
    return np.array([0.0, *C])[side]


def dense(vector: SparseVector) -> Vector:
    """All entries, zeros included."""
    full = np.zeros(vector.length)
    full[np.asarray(vector.indices, dtype=np.intp)] = vector.values
    return full
