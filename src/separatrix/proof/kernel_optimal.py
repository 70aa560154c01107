"""The `optimal` certificate with a kernel: its making, and its check in rigorous floating point.

As without a kernel (`proof.optimal`), the maker takes the error bounds four times, so that a check with the plain
ones succeeds on any machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.checker.certificate import Certificate
from separatrix.checker.codec import write_entries, write_real
from separatrix.checker.dyadic import round_down, round_up
from separatrix.checker.kernel_claim import condition, read_kernel, read_kernel_claim
from separatrix.checker.labels import describe
from separatrix.checker.optimal import conclude
from separatrix.checker.verdict import Proved, Rejected
from separatrix.problem import LOSSES, KernelProblem
from separatrix.problem.losses import Vector
from separatrix.proof import rigorous
from separatrix.proof.fingerprint import Fingerprint
from separatrix.proof.kernel_codec import build_kernel, write_kernel
from separatrix.proof.kernel_value_bounds import kernel_bounds
from separatrix.proof.optimal import CLAIM_SLACK, dense, gap_between, row_costs, whose, write_costs


def optimal_kernel(
    problem: KernelProblem,
    b: float,
    alpha: Vector,
    fingerprint: Fingerprint,
    positive: Iterable[Any],
    negative: Iterable[Any],
    rows: NDArray[np.intp] | None = None,
    coef: Vector | None = None,
) -> Certificate:
    """The certificate that the optimum lies between the values of w = sum_j coef_j phi(x_j), b and of alpha.

    A coef of None is alpha y. Costs of infinity are the hard margin. The other parameters are those of
    `separatrix.proof.optimal.optimal`.
    """
    source, side, members = whose(problem, fingerprint, positive, negative, rows)
    primal, dual = kernel_bounds(problem, coef, b, alpha, slack=CLAIM_SLACK)
    upper, lower = round_up(primal), round_down(dual)
    gap = gap_between(upper, lower)
    hard = bool(np.any(np.isinf(problem.C)))
    if hard and np.count_nonzero(side) > len(members):  # there are no costs to say which rows take no part
        outside = np.setdiff1d(np.flatnonzero(side), members)
        source = replace(source, excluded=tuple(map(int, outside)))
    record = write_kernel(problem.kernel)
    proof = {
        "b": write_real(float(b)),
        "alpha": _write(alpha, members, source.rows),
        "primal": write_real(upper),
        "dual": write_real(lower),
        "gap": write_real(gap),
    }
    if coef is not None:
        proof["coef"] = _write(coef, members, source.rows)
    margin = "hard-margin" if hard else "soft-margin"
    return Certificate(
        kind="optimal",
        claim=(
            f"The {margin} SVM ({problem.loss.name} loss, {problem.bias} bias, {problem.kernel.name} kernel) of "
            f"{describe(source.positive, source.labels)} against {describe(source.negative, source.labels)} "
            f"has its optimum between {lower!r} and {upper!r}: (w, b) is within a relative gap of {gap:.3g}."
            f"{condition(read_kernel(record))}"
        ),
        data=source,
        problem={
            "loss": problem.loss.name,
            "bias": problem.bias,
            "kernel": record,
            "C": "hard" if hard else write_costs(problem, side, members),
        },
        proof=proof,
    )


def _write(vector: Vector, members: NDArray[np.intp], n: int) -> dict[str, Any]:
    support = np.flatnonzero(vector)
    return write_entries(n, members[support].tolist(), vector[support].tolist())


def check(certificate: Certificate, X: Any, side: NDArray[np.int8]) -> Proved:
    """Prove the claimed bounds in floating point, or raise `Rejected`. X is K for matrices and functions."""
    rigorous.require_gradual_underflow()
    claim = read_kernel_claim(certificate)
    C, alpha = row_costs(claim.optimal.C, side), dense(claim.optimal.alpha)
    loss = LOSSES[claim.optimal.loss]
    limit = np.where(C > 0, loss.upper(C), 0.0)
    if np.any(alpha > limit):
        row = int(np.flatnonzero(alpha > limit)[0])
        raise Rejected(f"alpha[{row}] = {alpha[row]} is above its bound {limit[row]}.")
    coef = None if claim.coef is None else dense(claim.coef)
    if coef is not None and np.any(coef[side == 0]):
        raise Rejected("w uses a row whose label is on neither side.")
    if claim.kernel.name in ("precomputed", "function") and X.shape[0] != X.shape[1]:
        raise Rejected(f"A kernel matrix must be square; got shape {X.shape}.")
    y = side.astype(np.float64)
    problem = KernelProblem(X, y, C, loss, claim.optimal.bias, build_kernel(claim.kernel))  # type: ignore[arg-type]
    proved = conclude(claim.optimal, *kernel_bounds(problem, coef, claim.optimal.b, alpha))
    return Proved(proved.sentence + condition(claim.kernel), proved.primal, proved.dual, proved.gap)
