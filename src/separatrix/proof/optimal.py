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

from separatrix.checker.linear import conclude, read_costs
from separatrix.checker.numbers import Rejected, fields, real, vector
from separatrix.checker.statement import Claim, Proved, optimum
from separatrix.errors import with_hint
from separatrix.problem import LOSSES, KernelProblem, Problem, Solution
from separatrix.proof import rigorous
from separatrix.proof.certificate import Certificate, Source, make
from separatrix.proof.fingerprint import Fingerprint
from separatrix.proof.value_bounds import bounds
from separatrix.proof.writing import round_down, round_up, write_real, write_vector
from separatrix.types import Vector

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
    source, members = whose(problem, fingerprint, positive, negative, rows)
    upper, lower = _claimable(problem, solution)
    question = {
        "loss": problem.loss.name,
        "bias": problem.bias,
        "kernel": "linear",
        "C": write_costs(problem, members, source.rows),
        "classes": "two",
    }
    proof = {
        "w": write_vector(solution.w),
        "b": write_real(float(solution.b)),
        "alpha": write_vector(solution.alpha, members, source.rows),
        "primal": write_real(upper),
        "dual": write_real(lower),
    }
    return make("optimal", source, question, proof, lambda claim: say_optimum(claim, problem.C, lower, upper))


def say_optimum(claim: Claim, C: Vector, lower: float, upper: float, kernel: str = "linear") -> str:
    """The statement about an optimum; of the costs it needs the least and the greatest."""
    costs = [float(C.min()), float(C.max())]
    return optimum(claim, costs, Fraction(lower), Fraction(upper), kernel)


def whose(
    problem: Problem | KernelProblem,
    fingerprint: Fingerprint,
    positive: Iterable[Any],
    negative: Iterable[Any],
    rows: NDArray[np.intp] | None,
) -> tuple[Source, NDArray[np.intp]]:
    """The data a certificate speaks of, and which of the user's rows are those of the problem."""
    side = fingerprint.sides(positive, negative)
    members = np.arange(fingerprint.rows) if rows is None else np.asarray(rows)
    if not np.array_equal(side[members], problem.y):
        raise ValueError("The labels on the two sides are not those of the problem's rows.")
    outside = np.flatnonzero(side) if len(members) < np.count_nonzero(side) else members[:0]
    excluded = outside[~np.isin(outside, members)] if len(outside) else outside
    return fingerprint.source(positive, negative, excluded.tolist()), members


def _claimable(problem: Problem, solution: Solution) -> tuple[float, float]:
    """Bounds that a check can prove anywhere: the quick ones, unless they give away what was reached."""
    point = problem, solution.w, solution.b, solution.alpha
    try:
        primal, dual = bounds(*point, slack=CLAIM_SLACK)
        given_away = float(primal - dual) - (solution.primal - solution.dual)
        if given_away > max(_GIVEN_AWAY * (solution.primal - solution.dual), _NEGLIGIBLE * solution.primal):
            primal, dual = bounds(*point, slack=CLAIM_SLACK, sharp=True)
    except Rejected as rejection:
        raise with_hint(
            ValueError, f"This fit cannot be certified: {rejection}", "scale the columns of X"
        ) from None
    return round_up(primal), round_down(dual)


def write_costs(problem: Problem | KernelProblem, members: NDArray[np.intp], n: int) -> dict[str, Any]:
    """One number per side where that says it all, otherwise one per row of the user's data."""
    plus, minus = (problem.C[problem.y == sign] for sign in (1.0, -1.0))
    if all(len(np.unique(costs)) <= 1 for costs in (plus, minus)):
        either = float(problem.C[0])
        pair = (float(costs[0]) if len(costs) else either for costs in (plus, minus))
        return dict(zip(("positive", "negative"), map(write_real, pair), strict=True))
    return {"rows": write_vector(problem.C, members, n)}


def check(claim: Claim) -> Proved:
    """Prove the claimed bounds in floating point, or raise `Rejected`. The table of the data has an array X."""
    rigorous.require_gradual_underflow()
    fields(claim.proof, "proof", "w", "b", "alpha", "primal", "dual")
    data, b = claim.data, real(claim.proof["b"], "b")
    costs = read_costs(claim.problem["C"], data)
    problem = Problem(
        array_of(claim),
        np.array(data.part, dtype=np.float64),
        np.array(costs),
        LOSSES[claim.problem["loss"]],
        claim.problem["bias"],
    )
    alpha, w = read_alpha(claim, problem), read_dense(claim.proof["w"], "w", data.d)
    if problem.bias == "none" and b:
        raise Rejected("The problem has no bias, yet b is not zero.")
    primal, dual = bounds(problem, w, b, alpha)
    if primal > Fraction(real(claim.proof["primal"], "primal")) or dual < real(claim.proof["dual"], "dual"):
        primal, dual = bounds(problem, w, b, alpha, sharp=True)
    return conclude_in_floats(claim, costs, primal, dual)


def conclude_in_floats(
    claim: Claim, costs: list[float], primal: Fraction, dual: Fraction, kernel: str = "linear"
) -> Proved:
    """Compare proved bounds with the claimed ones, which may be too sharp for floats."""
    try:
        return conclude(claim, costs, primal, dual, kernel)
    except Rejected as rejection:
        raise Rejected(f"{rejection} This is in floating point; exact=True may prove more.") from None


def read_alpha(claim: Claim, problem: Problem | KernelProblem) -> Vector:
    """alpha (n,) within its bounds."""
    alpha = read_dense(claim.proof["alpha"], "alpha", claim.data.n)
    limit = np.where(problem.y != 0, problem.loss.upper(problem.C), 0.0)
    if not np.all((alpha >= 0) & (alpha <= limit)):
        row = int(np.flatnonzero(~((alpha >= 0) & (alpha <= limit)))[0])
        raise Rejected(f"alpha[{row}] = {alpha[row]} is not between 0 and its bound {limit[row]}.")
    return alpha


def read_dense(record: Any, name: str, length: int) -> Vector:
    """A vector of reals with its zeros."""
    entries, full = vector(record, name, length, real), np.zeros(length)
    full[np.fromiter(entries, dtype=np.intp, count=len(entries))] = np.fromiter(
        entries.values(), dtype=np.float64, count=len(entries)
    )
    return full


def array_of(claim: Claim) -> Any:
    """The rows as an array or CSR."""
    return claim.data.table.X  # type: ignore[attr-defined]
