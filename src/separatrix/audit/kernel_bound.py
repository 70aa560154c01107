"""The value of a kernel expansion on its training rows, and bounds on the optimum.

    f = K coef + b          ||w||^2 = coef.K coef          primal = 1/2 ||w||^2 + sum_i C_i loss(y_i f_i)

Weak duality needs K positive semidefinite. Radial and polynomial kernels are; of others the eigenvalues decide, and
where there are too many rows for them, no bound is claimed. Values here are rounded; the certificate is not.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import linalg

from separatrix.audit.claim import Expansion, Objective
from separatrix.audit.linear_bound import best_bounds
from separatrix.audit.measured import Budget, Measured, Optimum
from separatrix.problem import Problem
from separatrix.problem.kernels import Kernel
from separatrix.types import Index, Vector

#: Kernel values in memory at a time: 32 MiB.
_BLOCK = 1 << 22
#: Rows up to which the eigenvalues of K are computed.
_EIGENVALUES = 2000
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
    kernel, coef, part = surface.kernel, surface.coef, X[rows]
    if kernel.name == "precomputed":
        assert surface.rows is not None
        scores = _dense(part[:, surface.rows]) @ coef
        square = float(coef @ (_dense(X[surface.rows][:, surface.rows]) @ coef))
        part = part[:, rows]
    else:
        scores = kernel_scores(kernel, part, surface.vectors, coef)
        square = float(coef @ kernel_scores(kernel, surface.vectors, surface.vectors, coef))
    scores = scores + surface.b
    norm = float(np.sqrt(max(0.0, square)))
    primal = 0.5 * square + float(objective.cost @ objective.loss.values(y * scores))
    problem = Problem(part, y, objective.cost, objective.loss, objective.bias, kernel)
    refusal = _no_bound(problem)
    if refusal is not None:
        return Measured(scores, norm, primal, notes=[refusal])
    model = Optimum(None, surface.b, np.zeros(len(y)), primal, 0.0)
    left = replace(budget, seconds=max(0.0, budget.seconds - (time.perf_counter() - began)))
    optimum = best_bounds(problem, model, y * scores, alpha, left)
    if surface.rows is None or kernel.name == "function" or not np.isin(surface.rows, rows).all():
        return Measured(scores, norm, primal, optimum, notes=[_UNCERTIFIED])
    own = np.zeros(len(rows))
    np.add.at(own, np.searchsorted(rows, surface.rows), coef)
    return Measured(scores, norm, primal, optimum, expansion=(problem, own, surface.b))


def _no_bound(problem: Problem) -> str | None:
    """Say why weak duality fails or is not known to hold; None where K is positive semidefinite."""
    kernel = problem.kernel
    assert kernel is not None
    if kernel.definite:
        return None
    if problem.n_rows > _EIGENVALUES:
        return _UNKNOWN.format(name=kernel.name, n=problem.n_rows)
    K = _dense(problem.X) if kernel.name == "precomputed" else kernel.matrix(problem.X, problem.X)
    values = linalg.eigvalsh((K + K.T) / 2)
    if values[0] >= -1e-11 * problem.n_rows * values[-1]:
        return None
    return _INDEFINITE.format(least=values[0], largest=values[-1])


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


def _dense(X: Any) -> Vector:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
