"""The `optimal` certificate of the joint multi-class SVM: its making.

The claimed bounds are those that the exact check finds, so that it proves them wherever it is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.checker.certificate import Certificate
from separatrix.checker.codec import write_entries, write_real, write_vector
from separatrix.checker.dyadic import round_down, round_up
from separatrix.checker.joint import MULTI_CLASS, read_joint, values
from separatrix.problem import JointProblem, Solution
from separatrix.proof.arrays import ArrayRows, read_rows
from separatrix.proof.fingerprint import Fingerprint
from separatrix.proof.kernel_codec import write_kernel
from separatrix.proof.optimal import gap_between


def optimal_joint(
    problem: JointProblem,
    solution: Solution,
    fingerprint: Fingerprint,
    classes: Sequence[Any],
    rows: NDArray[np.intp],
    X: Any,
) -> Certificate:
    """The certificate that the optimum lies between the values of the solution's point.

    ``classes`` are the labels behind the codes 0 .. k - 1; ``rows`` are those of the user's rows X that take part.
    A kernel that is a function is evaluated once for all pairs of rows.
    """
    n, k = fingerprint.rows, problem.n_classes
    excluded = np.setdiff1d(np.arange(n), rows).tolist()
    source = fingerprint.source(classes, [], excluded)
    beta = np.maximum(-solution.alpha, 0.0)
    row, column = np.nonzero(beta)
    costs = np.unique(problem.C)
    kernel = problem.kernel
    certificate = Certificate(
        kind="optimal",
        claim="",
        data=source,
        problem={
            "loss": "hinge",
            "multi_class": MULTI_CLASS,
            "bias": problem.bias,
            "kernel": "linear" if kernel is None else write_kernel(kernel),
            "C": {"positive": write_real(float(costs[0])), "negative": write_real(float(costs[0]))}
            if len(costs) == 1
            else {"rows": write_entries(n, rows.tolist(), problem.C.tolist())},
        },
        proof={
            "beta": write_entries(n * k, (rows[row] * k + column).tolist(), beta[row, column].tolist()),
            "b": write_vector(solution.w[:, -1].tolist()),
            **_own_weights(problem, solution),
            **dict.fromkeys(("primal", "dual", "gap"), write_real(0.0)),
        },
    )
    places = np.zeros(n, dtype=np.int64)
    places[rows] = problem.codes + 1
    given = X
    if kernel is not None and kernel.name == "function":
        given = kernel.matrix(X, X)
    upper, lower = values(read_joint(certificate), ArrayRows(read_rows(given)), places.tolist())
    primal, dual = round_up(upper), round_down(lower)
    gap = gap_between(primal, dual)
    return replace(
        certificate,
        claim=(
            f"The joint SVM of {k} classes (Crammer and Singer, {problem.bias} bias) has its optimum between "
            f"{dual!r} and {primal!r}: (W, b) is within a relative gap of {gap:.3g}."
        ),
        proof={
            **certificate.proof,
            "primal": write_real(primal),
            "dual": write_real(dual),
            "gap": write_real(gap),
        },
    )


def _own_weights(problem: JointProblem, solution: Solution) -> dict[str, Any]:
    """W, where it is not the one that follows from A."""
    if problem.kernel is not None:
        return {}
    W = solution.w[:, :-1]
    if np.array_equal(W, problem.weights(solution.alpha)):
        return {}
    flat = W.ravel()
    used = np.flatnonzero(flat)
    return {"W": write_entries(len(flat), used.tolist(), flat[used].tolist())}
