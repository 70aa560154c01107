"""The value of a kernel expansion, and bounds on the optimum, from blocks of the kernel matrix.

    f = K coef + b          ||w||^2 = coef.K coef          dual(alpha) = sum alpha - 1/2 (alpha y).K (alpha y)

The model's own alpha bounds the optimum at the cost of one sweep. For few rows K is factored, K = F F^T, and the
rows of F are given to the linear solver: the same problem, since only inner products matter.

Weak duality needs K positive semidefinite. Radial and polynomial kernels are; of others the eigenvalues decide, and
where there are too many rows for them, no bound is claimed. Values here are rounded; the certificate is not.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from scipy import linalg

from separatrix.audit.claim import Expansion, Objective
from separatrix.audit.linear_bound import best_bounds
from separatrix.audit.measured import Budget, Measured, Optimum
from separatrix.problem import Problem
from separatrix.problem.kernels import Kernel
from separatrix.problem.problem import relative_gap
from separatrix.proof.balance import balance
from separatrix.types import Index, Vector

#: Kernel values in memory at a time: 32 MiB.
_BLOCK = 1 << 22
#: Rows up to which K is factored.
_FACTORED = 2000
#: Seconds of a factorisation, divided by n^3.
_FACTOR_SECONDS = 1e-9
_UNCERTIFIED = (
    "The support vectors are not rows of this problem, or the kernel is a function, so the bounds hold up to rounding "
    "and have no certificate."
)
_INDEFINITE = (
    "The kernel matrix is not positive semidefinite (least eigenvalue {least:.2g} of largest {largest:.2g}), so weak "
    "duality fails and no bound on the optimum can be claimed."
)
_UNKNOWN = (
    "Whether the {name} kernel is positive semidefinite is not decided for {n} rows, so no bound is claimed."
)


def measure_expansion(
    X: Any,
    y: Vector,
    surface: Expansion,
    objective: Objective,
    alpha: Vector | None,
    budget: Budget,
    rows: Index,
) -> Measured:
    """Measure an expansion on the rows ``rows`` of X; y, objective.cost and alpha are of these rows."""
    began = time.perf_counter()
    kernel, coef = surface.kernel, surface.coef
    part = X[rows]
    if surface.kernel.name == "precomputed":
        assert surface.rows is not None
        scores = _dense(part[:, surface.rows]) @ coef
        square = float(coef @ (_dense(X[surface.rows][:, surface.rows]) @ coef))
    else:
        scores = kernel_scores(kernel, part, surface.vectors, coef)
        square = float(coef @ kernel_scores(kernel, surface.vectors, surface.vectors, coef))
    scores = scores + surface.b
    norm = float(np.sqrt(max(0.0, square)))
    primal = 0.5 * square + float(objective.cost @ objective.loss.values(y * scores))
    notes: list[str] = []
    optimum = None
    definite = kernel.definite
    known = definite and alpha is not None
    if len(rows) <= _FACTORED and (not known or _FACTOR_SECONDS * len(rows) ** 3 <= budget.seconds):
        K = _dense(part[:, rows]) if kernel.name == "precomputed" else kernel.matrix(part, part)
        values, vectors = linalg.eigh((K + K.T) / 2)
        definite = bool(values[0] >= -1e-11 * len(rows) * values[-1])
        if definite:
            optimum = _by_factor(K, values, vectors, y, objective, scores, primal, alpha, budget, began)
        else:
            notes.append(_INDEFINITE.format(least=values[0], largest=values[-1]))
    elif not definite:
        notes.append(_UNKNOWN.format(name=kernel.name, n=len(rows)))
    elif alpha is not None:
        optimum = _by_own_alpha(kernel, part, y, objective, scores, primal, alpha)
        notes.append(
            "The bound is that of the model's own dual variables; with so many rows, or so little time, no "
            "better was sought."
        )
    else:
        notes.append("The model's dual variables could not be matched with the rows, so there is no bound.")
    expansion = None if optimum is None else _expansion(X, y, surface, objective, rows)
    if optimum is not None and expansion is None:
        notes.append(_UNCERTIFIED)
    return Measured(scores, norm, primal, optimum, expansion=expansion, notes=notes)


def _expansion(
    X: Any, y: Vector, surface: Expansion, objective: Objective, rows: Index
) -> tuple[Problem, Vector, float] | None:
    """The problem and the model's point as a certificate speaks of them; None where it cannot."""
    if surface.rows is None or surface.kernel.name == "function" or not np.all(np.isin(surface.rows, rows)):
        return None
    part = X[rows]
    if surface.kernel.name == "precomputed":
        part = part[:, rows]
    coef = np.zeros(len(rows))
    np.add.at(coef, np.searchsorted(rows, surface.rows), surface.coef)
    problem = Problem(part, y, objective.cost, objective.loss, objective.bias, surface.kernel)
    return problem, coef, surface.b


def kernel_scores(kernel: Kernel, X: Any, Z: Any, coef: Vector) -> Vector:
    """sum_j coef_j k(x_i, z_j), shape (n,), a block of rows at a time.

    >>> from separatrix.problem.kernels import Linear
    >>> kernel_scores(Linear(), np.array([[1.0], [2.0]]), np.array([[3.0]]), np.array([10.0]))
    array([30., 60.])
    """
    out = np.empty(X.shape[0])
    height = max(1, _BLOCK // max(1, len(coef)))
    for start in range(0, X.shape[0], height):
        out[start : start + height] = kernel.matrix(X[start : start + height], Z) @ coef
    return out


def _feasible(alpha: Vector, y: Vector, cost: Vector, margins: Vector) -> Vector:
    return balance(np.clip(alpha, 0.0, cost), y, cost, margins)


def _by_own_alpha(
    kernel: Kernel, X: Any, y: Vector, objective: Objective, scores: Vector, primal: float, alpha: Vector
) -> Optimum:
    alpha = _feasible(alpha, y, objective.cost, y * scores)
    support = np.flatnonzero(alpha)
    signed = (alpha * y)[support]
    square = float(signed @ kernel_scores(kernel, X[support], X[support], signed))
    return Optimum(np.zeros(0), 0.0, alpha, primal, float(alpha.sum()) - 0.5 * square)


def _by_factor(
    K: Vector,
    values: Vector,
    vectors: Vector,
    y: Vector,
    objective: Objective,
    scores: Vector,
    primal: float,
    alpha: Vector | None,
    budget: Budget,
    began: float,
) -> Optimum:
    """The best bounds by the linear solver on the rows of F; the dual value is then computed with K itself."""

    def dual(alpha: Vector) -> float:
        signed = alpha * y
        return float(alpha.sum()) - 0.5 * float(signed @ (K @ signed))

    best = Optimum(np.zeros(0), 0.0, np.zeros(len(y)), primal, 0.0)
    if alpha is not None:
        own = _feasible(alpha, y, objective.cost, y * scores)
        best = Optimum(best.w, best.b, own, primal, dual(own))
    left = budget.seconds - (time.perf_counter() - began)
    if relative_gap(best.primal, best.dual) <= budget.tol or left <= 0:
        return best
    kept = values > 1e-14 * values[-1]
    F = np.ascontiguousarray(vectors[:, kept] * np.sqrt(values[kept]))
    problem = Problem(F, y, objective.cost, objective.loss, objective.bias)
    start = np.zeros(F.shape[1]), 0.0
    found = best_bounds(problem, start, alpha, Budget(budget.tol, left, budget.n_threads))
    value = dual(found.alpha)
    below = (found.alpha, value) if value > best.dual else (best.alpha, best.dual)
    return Optimum(best.w, best.b, below[0], min(primal, found.primal), below[1])


def _dense(X: Any) -> Vector:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
