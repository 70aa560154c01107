"""Naive answers to compare with: slow, short, and written from the definition."""

from __future__ import annotations

import numpy as np
from scipy import optimize, sparse

from separatrix.problem import Problem


def signed_rows(problem: Problem) -> np.ndarray:
    """A = diag(y) [X 1], dense; no column of ones without a bias."""
    X = problem.X.toarray() if sparse.issparse(problem.X) else np.asarray(problem.X)
    ones = np.ones((len(X), 0 if problem.bias == "none" else 1))
    return problem.y[:, None] * np.hstack([X.astype(float), ones])


def primal_by_qp(problem: Problem) -> float:
    """The optimal value from SciPy's trust-region QP of the primal, for a handful of rows.

    Variables (z, xi): 1/2 z.R z + C.xi (or C.xi^2) subject to A z + xi >= 1, xi >= 0.
    """
    A, C = signed_rows(problem), problem.C
    n, D = A.shape
    R = np.ones(D)
    if problem.bias == "free":
        R[-1] = 0.0

    def value(x: np.ndarray) -> float:
        z, xi = x[:D], x[D:]
        return 0.5 * float(z @ (R * z)) + float(C @ (xi * xi if problem.loss.squared else xi))

    def slope(x: np.ndarray) -> np.ndarray:
        return np.concatenate([R * x[:D], C * (2 * x[D:] if problem.loss.squared else 1.0)])

    constraint = {
        "type": "ineq",
        "fun": lambda x: A @ x[:D] + x[D:] - 1.0,
        "jac": lambda x: np.hstack([A, np.eye(n)]),
    }
    bounds = [(None, None)] * D + [(0.0, None)] * n
    start = np.concatenate([np.zeros(D), np.ones(n)])
    found = optimize.minimize(
        value,
        start,
        jac=slope,
        bounds=bounds,
        constraints=[constraint],
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    # The slack is recomputed, so that the value is attained whatever the solver's feasibility.
    slack = np.maximum(0.0, 1.0 - A @ found.x[:D])
    return value(np.concatenate([found.x[:D], slack]))


def dual_ascent(problem: Problem, epochs: int = 400) -> np.ndarray:
    """alpha by cyclic coordinate ascent on the dual; no bias or an augmented one."""
    A, upper = signed_rows(problem), problem.upper
    diagonal = np.sum(A * A, axis=1) + (0.5 / problem.C if problem.loss.squared else 0.0)
    alpha = np.zeros(len(A))
    for _ in range(epochs):
        for i in np.flatnonzero(diagonal):
            slope = (
                1.0 - A[i] @ (A.T @ alpha) - (0.5 * alpha[i] / problem.C[i] if problem.loss.squared else 0.0)
            )
            alpha[i] = np.clip(alpha[i] + slope / diagonal[i], 0.0, upper[i])
    alpha[diagonal == 0.0] = upper[diagonal == 0.0]
    return alpha
