"""The `optimal` certificate with a kernel: its making, and its check in rigorous floating point.

As without a kernel (`proof.optimal`), the maker takes the error bounds four times, so that a check with the plain
ones succeeds on any machine. Where floating point gives too much away and the rows are few, it claims what the exact
check finds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.checker import kernels as exact
from separatrix.checker.data import Data, Labels
from separatrix.checker.linear import read_costs
from separatrix.checker.numbers import Rejected, fields, real
from separatrix.checker.statement import Claim, Proved
from separatrix.errors import with_hint
from separatrix.problem import LOSSES, KernelProblem
from separatrix.problem.kernels import Kernel
from separatrix.proof import rigorous
from separatrix.proof.arrays import ArrayRows, is_sparse, read_rows
from separatrix.proof.certificate import Certificate, make
from separatrix.proof.definiteness import surely_definite
from separatrix.proof.effort import AFFORDABLE, kernel_effort
from separatrix.proof.fingerprint import Fingerprint
from separatrix.proof.kernel_codec import build_kernel, write_kernel
from separatrix.proof.kernel_value_bounds import kernel_bounds
from separatrix.proof.optimal import (
    CLAIM_SLACK,
    array_of,
    conclude_in_floats,
    read_alpha,
    read_dense,
    say_optimum,
    whose,
    write_costs,
)
from separatrix.proof.writing import round_down, round_up, write_real, write_vector
from separatrix.types import Vector

_WIDE = 1e-9  # of the primal value: a claim is made exactly, if that is affordable, where floats add more to its gap


def optimal_kernel(
    problem: KernelProblem,
    b: float,
    alpha: Vector,
    fingerprint: Fingerprint,
    positive: Iterable[Any],
    negative: Iterable[Any],
    rows: NDArray[np.intp] | None = None,
    coef: Vector | None = None,
    reached: float | None = None,
) -> Certificate:
    """The certificate that the optimum lies between the values of w = sum_j coef_j phi(x_j), b and of alpha.

    A coef of None is alpha y. Costs of infinity are the hard margin. ``reached`` is the difference of primal and dual
    that the fit found. The other parameters are those of `separatrix.proof.optimal.optimal`.
    """
    source, members = whose(problem, fingerprint, positive, negative, rows)
    require_kernel_matrix(problem.kernel, problem.X)
    hard = bool(np.any(np.isinf(problem.C)))
    record = write_kernel(problem.kernel)
    question = {
        "loss": "hinge" if hard else problem.loss.name,
        "bias": problem.bias,
        "kernel": record,
        "C": "hard" if hard else write_costs(problem, members, source.rows),
        "classes": "two",
    }
    proof = {"b": write_real(float(b)), "alpha": write_vector(alpha, members, source.rows)}
    if coef is not None:
        proof["coef"] = write_vector(coef, members, source.rows)
    upper, lower = _claimable(problem, coef, b, alpha, question, proof, reached)
    proof |= {"primal": write_real(upper), "dual": write_real(lower)}
    name = exact.kernel_text(record)
    return make(
        "optimal", source, question, proof, lambda claim: say_optimum(claim, problem.C, lower, upper, name)
    )


def require_kernel_matrix(kernel: Kernel, X: Any) -> None:
    """Raise a sentence where the matrix of a given kernel is surely none, so that no certificate could be proved."""
    if kernel.name not in ("precomputed", "function"):
        return
    K = read_rows(kernel.matrix(X, X) if kernel.name == "function" else X)
    try:
        _check_symmetric(dense := _dense(K))
        if len(dense) <= exact.DECIDED_ROWS and not surely_definite(dense):
            exact.check_definite(exact.matrix_of(exact.points_of(unlabelled(K))))
    except Rejected as rejection:
        raise with_hint(
            ValueError,
            f"This fit cannot be certified: {rejection} Rounding alone can do that to a matrix, and then there is no "
            "optimum to be near to.",
            "K = (K + K.T) / 2, and a little more on its diagonal",
        ) from None


def unlabelled(K: Any) -> Data:
    """A matrix as data of which all rows take part."""
    n = K.shape[0]
    return Data(ArrayRows(K), Labels("number", [], []), [], [], [], False, [1] * n, n, K.shape[1])


def _dense(K: Any) -> NDArray[np.float64]:
    return np.asarray(K.toarray() if is_sparse(K) else K, dtype=np.float64)


def _check_symmetric(K: NDArray[np.float64]) -> None:
    if not np.array_equal(K, K.T):
        raise Rejected("The kernel matrix is not symmetric.")


def _claimable(
    problem: KernelProblem,
    coef: Vector | None,
    b: float,
    alpha: Vector,
    question: dict[str, Any],
    proof: dict[str, Any],
    reached: float | None,
) -> tuple[float, float]:
    """Bounds that a check can prove anywhere: those of floats, unless they give away what was reached."""
    failure: Rejected | None = None
    try:
        primal, dual = kernel_bounds(problem, coef, b, alpha, slack=CLAIM_SLACK)
        wide = reached is not None and primal - dual > Fraction(reached) + Fraction(_WIDE) * primal
    except Rejected as rejection:
        failure, wide = rejection, True
    support = np.count_nonzero(alpha if coef is None else coef)
    effort = kernel_effort(problem.n_rows, int(support), problem.X.shape[1])
    if wide and effort <= AFFORDABLE:
        part = np.arange(problem.n_rows)
        own = {"b": proof["b"], "alpha": write_vector(alpha)} | (
            {} if coef is None else {"coef": write_vector(coef)}
        )
        question = question | {
            "C": question["C"] if question["C"] == "hard" else write_costs(problem, part, len(part))
        }
        primal, dual = exact.values(Claim("optimal", question, own, alone(problem)))[1:3]
    elif failure is not None:
        raise with_hint(ValueError, f"This fit cannot be certified: {failure}", "scale the columns of X")
    return round_up(primal), round_down(dual)


def alone(problem: KernelProblem) -> Data:
    """The rows of the problem as all there are."""
    part = [1 if y > 0 else -1 for y in problem.y.tolist()]
    function = problem.kernel.name == "function"
    table = ArrayRows(read_rows(problem.kernel.matrix(problem.X, problem.X) if function else problem.X))
    return Data(table, Labels("number", [], []), [], [], [], False, part, len(part), table.n_columns)


def check(claim: Claim) -> Proved:
    """Prove the claimed bounds in floating point, or raise `Rejected`. The table is K for matrices and functions."""
    rigorous.require_gradual_underflow()
    given = ["coef"] if "coef" in claim.proof else []
    fields(claim.proof, "proof", "b", "alpha", "primal", "dual", *given)
    data, kernel, X = claim.data, exact.read_kernel(claim.problem["kernel"]), array_of(claim)
    hard, y = claim.problem["C"] == "hard", np.array(data.part, dtype=np.float64)
    if hard and claim.problem["loss"] != "hinge":
        raise Rejected("A hard margin has no losses; its loss is written as hinge.")
    costs = [] if hard else read_costs(claim.problem["C"], data)
    C = np.where(y != 0, np.inf, 0.0) if hard else np.array(costs)
    depends_on = _condition(kernel, data, X)
    problem = KernelProblem(
        X, y, C, LOSSES[claim.problem["loss"]], claim.problem["bias"], build_kernel(kernel)
    )
    alpha = read_alpha(claim, problem)
    coef = read_dense(claim.proof["coef"], "coef", data.n) if given else None
    if coef is not None and np.any(coef[y == 0]):
        raise Rejected("coef is not zero on a row that takes no part.")
    b = real(claim.proof["b"], "b")
    if problem.bias == "none" and b:
        raise Rejected("The problem has no bias, yet b is not zero.")
    primal, dual = kernel_bounds(problem, coef, b, alpha)
    proved = conclude_in_floats(claim, costs, primal, dual, exact.kernel_text(claim.problem["kernel"]))
    return replace(proved, condition=depends_on)


def _condition(kernel: exact.Kernel, data: Data, X: Any) -> str:
    """What the proof depends on: nothing where a theorem, elimination or a factor of the matrix settles it."""
    if not kernel.given:
        return "" if kernel.definite else exact.CONDITION
    if data.n != data.d:
        raise Rejected(f"A kernel matrix must be square; got {data.n} rows and {data.d} columns.")
    members = np.flatnonzero(np.array(data.part))
    if len(members) <= exact.DECIDED_ROWS:
        return exact.condition(kernel, data, exact.points_of(data))
    K = _dense(X[members][:, members])
    _check_symmetric(K)
    return "" if surely_definite(K) else exact.CONDITION
