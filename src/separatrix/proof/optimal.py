"""The `optimal` certificate: its making, and its check in rigorous floating point, with and without a kernel.

Both bound the primal value of (w, b) from above and the dual value of alpha from below (`value_bounds`). The maker
takes the error bounds four times, so that a check with the plain ones succeeds on any machine, whatever the order in
which its BLAS adds. Where floating point gives too much away, it claims what sharper bounds find: products by slices
without a kernel, the exact check with one, if the rows are few.

The claims of joint problems are those that the exact check finds, so that it proves them wherever it is run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from separatrix.checker import classes as exact_classes
from separatrix.checker import kernels as exact_kernels
from separatrix.checker.data import Data, read_data
from separatrix.checker.linear import conclude, read_costs
from separatrix.checker.numbers import Rejected, fields, real, vector
from separatrix.checker.statement import Claim, Proved, optimum
from separatrix.errors import with_hint
from separatrix.problem import LOSSES, JointProblem, JointSolution, Problem, Solution
from separatrix.proof import rigorous
from separatrix.proof.arrays import AFFORDABLE, ArrayRows, array_rows, kernel_effort, read_rows
from separatrix.proof.certificate import Certificate, Source, make
from separatrix.proof.definiteness import condition_of, require_kernel_matrix, table_data
from separatrix.proof.fingerprint import Fingerprint
from separatrix.proof.value_bounds import bounds
from separatrix.proof.writing import (
    build_kernel,
    round_down,
    round_up,
    write_kernel,
    write_real,
    write_vector,
)
from separatrix.types import Index, Vector

#: Error bounds are taken so many times in a claim.
CLAIM_SLACK = 4.0
# Sharper bounds are worth their time where a claimed gap exceeds the one reached by this part of it
_GIVEN_AWAY = 1e-3
# and by this part of the primal value.
_NEGLIGIBLE = 1e-13
# With a kernel they are exact, and slow: worth it where the gap exceeds the one reached by this part of the primal.
_NEGLIGIBLE_KERNEL = 1e-9


def optimal(
    problem: Problem,
    solution: Solution,
    fingerprint: Fingerprint,
    positive: Iterable[Any],
    negative: Iterable[Any],
    rows: Index | None = None,
    coef: Vector | None = None,
) -> Certificate:
    """The certificate that the optimum of the problem lies between the values of the solution's two points.

    With a kernel, costs of infinity are the hard margin.

    Parameters
    ----------
    fingerprint
        Of the data as the user gave them: all rows, all classes.
    positive, negative
        The labels (as in the user's y) behind y = +1 and y = -1.
    rows
        Which of the user's rows the problem consists of, increasing; None means all.
    coef
        With a kernel: the primal point is w = sum_j coef_j phi(x_j), where it is not that of alpha y.
    """
    source, members = whose(problem, fingerprint, positive, negative, rows)
    if problem.kernel is not None:
        require_kernel_matrix(problem.kernel, problem.X)
    hard = bool(np.any(np.isinf(problem.C)))
    question = {
        "loss": "hinge" if hard else problem.loss.name,
        "bias": problem.bias,
        "kernel": "linear" if problem.kernel is None else write_kernel(problem.kernel),
        "C": "hard" if hard else _written_costs(problem, members, source.rows),
        "classes": "two",
    }
    proof = _written_point(solution, coef, members, source.rows)
    upper, lower = _claimable(problem, solution, coef, question)
    return _made(source, question, proof, problem.C, upper, lower)


def _made(
    source: Source, question: dict[str, Any], proof: dict[str, Any], C: Vector, upper: float, lower: float
) -> Certificate:
    """The certificate of these bounds; of the costs, its statement needs the least and the greatest."""
    proof = proof | {"primal": write_real(upper), "dual": write_real(lower)}
    costs, name = [float(C.min()), float(C.max())], exact_kernels.kernel_text(question["kernel"])
    return make(
        "optimal",
        source,
        question,
        proof,
        lambda claim: optimum(claim, costs, Fraction(lower), Fraction(upper), name),
    )


def whose(
    problem: Problem,
    fingerprint: Fingerprint,
    positive: Iterable[Any],
    negative: Iterable[Any],
    rows: Index | None,
) -> tuple[Source, Index]:
    """The data a certificate speaks of, and which of the user's rows are those of the problem."""
    side = fingerprint.sides(positive, negative)
    members = np.arange(fingerprint.rows) if rows is None else np.asarray(rows)
    if not np.array_equal(side[members], problem.y):
        raise ValueError("The labels on the two sides are not those of the problem's rows.")
    outside = np.flatnonzero(side) if len(members) < np.count_nonzero(side) else members[:0]
    excluded = outside[~np.isin(outside, members)] if len(outside) else outside
    return fingerprint.source(positive, negative, excluded.tolist()), members


def _written_costs(problem: Problem, members: Index, n: int) -> dict[str, Any]:
    """One number per side where that says it all, otherwise one per row of the user's data."""
    record: dict[str, Any] = {}
    for name, sign in (("positive", 1.0), ("negative", -1.0)):
        costs = np.unique(problem.C[problem.y == sign])
        if len(costs) > 1:
            return {"rows": write_vector(problem.C, members, n)}
        record[name] = write_real(float(costs[0] if len(costs) else problem.C[0]))
    return record


def _written_point(solution: Solution, coef: Vector | None, members: Index, n: int) -> dict[str, Any]:
    """The two points: w, or with a kernel coef where it is not alpha y; b; alpha."""
    point: dict[str, Any] = {} if solution.w is None else {"w": write_vector(solution.w)}
    point |= {"b": write_real(float(solution.b)), "alpha": write_vector(solution.alpha, members, n)}
    return point if coef is None else point | {"coef": write_vector(coef, members, n)}


def _claimable(
    problem: Problem, solution: Solution, coef: Vector | None, question: dict[str, Any]
) -> tuple[float, float]:
    """Bounds that a check can prove anywhere: the quick ones, unless they give away what was reached."""
    curved, reached = problem.kernel is not None, solution.primal - solution.dual
    point = problem, coef if curved else solution.w, solution.b, solution.alpha
    failure: Rejected | None = None
    negligible = _NEGLIGIBLE_KERNEL if curved else _NEGLIGIBLE
    allowed = max(0.0 if curved else _GIVEN_AWAY * reached, negligible * solution.primal)
    try:
        primal, dual = bounds(*point, slack=CLAIM_SLACK)
        wide = float(primal - dual) - reached > allowed
        if wide and not curved:
            primal, dual = bounds(*point, slack=CLAIM_SLACK, sharp=True)
    except Rejected as rejection:
        failure, wide = rejection, True
    support = int(np.count_nonzero(solution.alpha if coef is None else coef))
    if curved and wide and kernel_effort(problem.n_rows, support, problem.n_columns) <= AFFORDABLE:
        primal, dual = _exact_values(problem, solution, coef, question)
    elif failure is not None:
        raise with_hint(
            ValueError,
            f"This fit cannot be certified: {failure}",
            "scale the columns of X",
        ) from None
    return round_up(primal), round_down(dual)


def _exact_values(
    problem: Problem, solution: Solution, coef: Vector | None, question: dict[str, Any]
) -> tuple[Fraction, Fraction]:
    """(primal, dual) with a kernel as the exact check finds them for the rows of the problem alone."""
    everything = np.arange(problem.n_rows)
    if question["C"] != "hard":
        question = question | {"C": _written_costs(problem, everything, len(everything))}
    proof = _written_point(solution, coef, everything, len(everything))
    _, primal, dual, _ = exact_kernels.values(Claim("optimal", question, proof, alone(problem)))
    return primal, dual


def alone(problem: Problem) -> Data:
    """The rows of a problem with a kernel as the data of a claim; K itself where the kernel is a function."""
    assert problem.kernel is not None
    function = problem.kernel.name == "function"
    table = ArrayRows(read_rows(problem.kernel.matrix(problem.X, problem.X) if function else problem.X))
    return table_data(table, [1 if y > 0 else -1 for y in problem.y.tolist()])


def optimal_joint(
    problem: JointProblem,
    solution: JointSolution,
    fingerprint: Fingerprint,
    classes: Sequence[Any],
    rows: Index,
    X: Any,
) -> Certificate:
    """The certificate that the optimum of a joint problem lies between the values of the solution's point.

    ``classes`` are the labels behind the codes 0 .. k - 1; ``rows`` are those of the user's rows X that take part.
    A kernel that is a function is evaluated once for all pairs of rows.
    """
    n, k, kernel = fingerprint.rows, problem.n_classes, problem.kernel
    excluded = np.setdiff1d(np.arange(n), rows).tolist()
    source = fingerprint.source(classes, [], excluded)
    beta = np.maximum(-solution.A, 0.0)
    row, column = np.nonzero(beta)
    cost = write_real(float(problem.C[0]))
    question: dict[str, Any] = {
        "loss": "hinge",
        "bias": problem.bias,
        "kernel": "linear" if kernel is None else write_kernel(kernel),
        "C": {"positive": cost, "negative": cost}
        if len(np.unique(problem.C)) == 1
        else {"rows": write_vector(problem.C, rows, n)},
        "classes": "joint",
    }
    proof = {
        "beta": write_vector(beta[row, column], rows[row] * k + column, n * k),
        "b": write_vector(solution.b),
    }
    W = solution.W
    if W is not None and not np.array_equal(W, problem.space.combine(solution.A).T):
        proof["W"] = write_vector(W.ravel())
    if kernel is not None:
        require_kernel_matrix(kernel, X[rows][:, rows] if kernel.name == "precomputed" else X[rows])
    given = kernel.matrix(X, X) if kernel is not None and kernel.name == "function" else X
    table = ArrayRows(read_rows(given))
    data = read_data(list(source.positive), [], excluded, True, table, fingerprint.labels.plain())
    _, primal, dual, _ = exact_classes.values(Claim("optimal", question, proof, data))
    return _made(source, question, proof, problem.C, round_up(primal), round_down(dual))


def check(claim: Claim) -> Proved:
    """Prove the claimed bounds in floating point, or raise `Rejected`.

    The table of the data has an array X, which is K itself for kernels that are given as a matrix or a function.
    """
    rigorous.require_gradual_underflow()
    data, record, X = claim.data, claim.problem["kernel"], array_rows(claim.data.table)
    curved = isinstance(record, dict)
    own = (["coef"] if "coef" in claim.proof else []) if curved else ["w"]
    fields(claim.proof, "proof", "b", "alpha", "primal", "dual", *own)
    hard, y = curved and claim.problem["C"] == "hard", np.array(data.part, dtype=np.float64)
    if hard and claim.problem["loss"] != "hinge":
        raise Rejected("A hard margin has no losses; its loss is written as hinge.")
    costs = [] if hard else read_costs(claim.problem["C"], data)
    C = np.where(y != 0, np.inf, 0.0) if hard else np.array(costs)
    condition, kernel = "", None
    if curved:
        kernel = exact_kernels.read_kernel(record)
        condition = condition_of(kernel, data, X)
    question = (
        LOSSES[claim.problem["loss"]],
        claim.problem["bias"],
        None if kernel is None else build_kernel(kernel),
    )
    problem = Problem(X, y, C, *question)
    alpha, b = _read_alpha(claim, problem), real(claim.proof["b"], "b")
    point = _read_dense(claim.proof[own[0]], own[0], data.n if curved else data.d) if own else None
    if curved and point is not None and np.any(point[y == 0]):
        raise Rejected("coef is not zero on a row that takes no part.")
    if problem.bias == "none" and b:
        raise Rejected("The problem has no bias, yet b is not zero.")
    primal, dual = bounds(problem, point, b, alpha)
    short = primal > Fraction(real(claim.proof["primal"], "primal")) or dual < real(
        claim.proof["dual"], "dual"
    )
    if short and not curved:
        primal, dual = bounds(problem, point, b, alpha, sharp=True)
    try:
        proved = conclude(claim, costs, primal, dual, exact_kernels.kernel_text(record))
    except Rejected as rejection:  # the claim may be too sharp for floats
        raise Rejected(f"{rejection} This is in floating point; exact=True may prove more.") from None
    return replace(proved, condition=condition)


def _read_alpha(claim: Claim, problem: Problem) -> Vector:
    """alpha (n,) within its bounds."""
    alpha = _read_dense(claim.proof["alpha"], "alpha", claim.data.n)
    limit = np.where(problem.y != 0, problem.upper, 0.0)
    if not np.all((alpha >= 0) & (alpha <= limit)):
        row = int(np.flatnonzero(~((alpha >= 0) & (alpha <= limit)))[0])
        raise Rejected(f"alpha[{row}] = {alpha[row]} is not between 0 and its bound {limit[row]}.")
    return alpha


def _read_dense(record: Any, name: str, length: int) -> Vector:
    """A vector of reals with its zeros."""
    entries, full = vector(record, name, length, real), np.zeros(length)
    full[np.fromiter(entries, dtype=np.intp, count=len(entries))] = np.fromiter(
        entries.values(), dtype=np.float64, count=len(entries)
    )
    return full
