"""The `optimal` certificate of the joint multi-class SVM: its making.

The claimed bounds are those that the exact check finds, so that it proves them wherever it is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.checker import classes as exact
from separatrix.checker.data import read_data
from separatrix.checker.kernels import kernel_text
from separatrix.checker.statement import Claim
from separatrix.problem import JointProblem, Solution
from separatrix.proof.arrays import ArrayRows, read_rows
from separatrix.proof.certificate import Certificate, make
from separatrix.proof.fingerprint import Fingerprint
from separatrix.proof.kernel_codec import write_kernel
from separatrix.proof.kernel_optimal import require_kernel_matrix
from separatrix.proof.optimal import say_optimum
from separatrix.proof.writing import round_down, round_up, write_real, write_vector


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
    n, k, kernel = fingerprint.rows, problem.n_classes, problem.kernel
    excluded = np.setdiff1d(np.arange(n), rows).tolist()
    source = fingerprint.source(classes, [], excluded)
    beta = np.maximum(-solution.alpha, 0.0)
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
        "b": write_vector(solution.w[:, -1]),
        **_own_weights(problem, solution),
    }
    if kernel is not None:
        require_kernel_matrix(kernel, X[rows][:, rows] if kernel.name == "precomputed" else X[rows])
    given = kernel.matrix(X, X) if kernel is not None and kernel.name == "function" else X
    table = ArrayRows(read_rows(given))
    data = read_data(list(source.positive), [], excluded, True, table, fingerprint.labels.plain())
    _, primal, dual, _ = exact.values(Claim("optimal", question, proof, data))
    upper, lower = round_up(primal), round_down(dual)
    proof |= {"primal": write_real(upper), "dual": write_real(lower)}
    name = kernel_text(question["kernel"])
    return make(
        "optimal", source, question, proof, lambda claim: say_optimum(claim, problem.C, lower, upper, name)
    )


def _own_weights(problem: JointProblem, solution: Solution) -> dict[str, Any]:
    """W, where it is not the one that follows from A."""
    if problem.kernel is not None:
        return {}
    W = solution.w[:, :-1]
    return {} if np.array_equal(W, problem.weights(solution.alpha)) else {"W": write_vector(W.ravel())}
