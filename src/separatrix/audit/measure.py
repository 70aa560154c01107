"""The value of a model at its own point, and the best bounds on the optimum within a budget.

    dual(alpha) <= optimum <= primal(w, b)         f = X w + b, or with a kernel f = K coef + b, ||w||^2 = coef.K coef

    primal(w, b)   at the model's own w and b, from the data: 1/2 ||w||^2 + sum_i C_i loss(y_i f_i)
    dual(alpha)    the best of: the model's own alpha; the alpha its margins suggest; our solver's

The suggestion is what complementary slackness would demand of an optimal w: alpha_i = C_i where m_i < 1, else 0
(hinge); alpha_i = 2 C_i max(0, 1 - m_i) (squared hinge). Any feasible alpha is a bound, however it was found.

Weak duality needs K positive semidefinite. Radial and polynomial kernels are; of others the eigenvalues decide, and
where there are too many rows for them, no bound is claimed. Values here are rounded; the certificate is not.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import linalg, sparse

from separatrix.audit.claim import Expansion, Hyperplane, Objective
from separatrix.fitting.binary import solve
from separatrix.fitting.context import FitContext
from separatrix.fitting.parameters import Settings
from separatrix.problem import HINGE, Point, Problem
from separatrix.problem.kernels import Kernel
from separatrix.problem.problem import relative_gap
from separatrix.proof.duality import certify
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


@dataclass(frozen=True)
class Budget:
    """Limits of the search for a bound."""

    tol: float
    seconds: float
    n_threads: int


@dataclass(frozen=True, eq=False)
class Optimum:
    """Two points that enclose the optimum: (w, b) from above, alpha from below, with their values."""

    w: Vector | None  #: None with a kernel
    b: float
    alpha: Vector
    primal: float
    dual: float


@dataclass(frozen=True, eq=False)
class Measured:
    """The values of one model on one binary problem.

    scores (m,) are f(x_i), norm is ||w|| (in the space of the kernel, where there is one). ``optimum`` is None where
    there is no objective, or no bound on it. ``problem`` is the one of the certificates; None with a kernel,
    where ``expansion`` is, if the support vectors are rows of the problem.
    """

    scores: Vector
    norm: float
    primal: float | None = None
    optimum: Optimum | None = None
    problem: Problem | None = None
    model: tuple[Vector, float] | None = None  #: the model's point (w, b) of ``problem``
    expansion: tuple[Problem, Vector, float] | None = None  #: with a kernel: problem, coef (m,), b
    notes: list[str] = field(default_factory=list)

    @property
    def gap(self) -> float | None:
        """(primal - dual) / primal."""
        if self.primal is None or self.optimum is None:
            return None
        return relative_gap(self.primal, self.optimum.dual)

    @property
    def excess(self) -> tuple[float, float] | None:
        """Bounds on (primal - optimum) / optimum."""
        if self.primal is None or self.optimum is None:
            return None
        least = max(0.0, self.primal - self.optimum.primal)
        most = max(0.0, self.primal - self.optimum.dual)
        return _ratio(least, self.optimum.primal), _ratio(most, self.optimum.dual)


def _ratio(excess: float, optimum: float) -> float:
    if optimum > 0:
        return excess / optimum
    return np.inf if excess > 0 else 0.0


def measure_hyperplane(
    X: Any, y: Vector, surface: Hyperplane, objective: Objective | None, alpha: Vector | None, budget: Budget
) -> Measured:
    """Measure (w, b) on rows X (m, d) with signs y (m,); objective.cost and alpha are of these rows."""
    w, b = surface.w, surface.b
    if objective is None:
        scores = Problem(X, y, np.ones(len(y)), HINGE, "free").scores(w, b)
        return Measured(scores, float(np.linalg.norm(w)))
    problem = make_problem(X, y, objective)
    if problem.n_columns > len(w):  # the bias became a column
        w, b = np.append(w, b / objective.bias_scale), 0.0
    scores = problem.scores(w, b)
    primal = problem.primal_value(float(w @ w), scores, b)
    model = Optimum(w, b, np.zeros(problem.n_rows), primal, 0.0)
    optimum = best_bounds(problem, model, y * scores, alpha, budget)
    return Measured(scores, float(np.linalg.norm(surface.w)), primal, optimum, problem, (w, b))


def make_problem(X: Any, y: Vector, objective: Objective) -> Problem:
    """The `Problem` of an objective; a bias column of another value than 1 becomes a column of X, the only bias."""
    if objective.bias != "augmented" or objective.bias_scale == 1.0:
        return Problem(X, y, objective.cost, objective.loss, objective.bias)
    return Problem(with_bias_column(X, objective.bias_scale), y, objective.cost, objective.loss, "none")


def with_bias_column(X: Any, value: float) -> Any:
    """X with one more column of that value, in a type that holds it exactly.

    >>> with_bias_column(np.array([[1.0], [2.0]]), 5.0).tolist()
    [[1.0, 5.0], [2.0, 5.0]]
    """
    dtype = X.dtype if X.dtype.type(value) == value else np.float64
    column = np.full((X.shape[0], 1), value, dtype=dtype)
    is_sparse = bool(sparse.issparse(X))
    if is_sparse:
        return sparse.csr_array(sparse.hstack([X, sparse.csr_array(column)], format="csr", dtype=dtype))
    return np.ascontiguousarray(np.hstack([X, column]))


def best_bounds(
    problem: Problem, model: Optimum, margins: Vector, alpha: Vector | None, budget: Budget
) -> Optimum:
    """The best primal and the best dual point that are found before the budget ends, in the space of the problem.

    ``model`` is the audited point, with the margins (m,) that it has; its alpha, if known, bounds nothing yet.
    """
    began = time.perf_counter()
    proposal = suggested(problem, margins) if alpha is None else alpha
    best = _better(model, certify(problem, Point(proposal, model.w, model.b)))
    left = budget.seconds - (time.perf_counter() - began)
    if relative_gap(best.primal, best.dual) <= budget.tol or left <= 0:
        return best
    context = FitContext(Settings(tol=budget.tol, max_time=left, n_threads=budget.n_threads))
    start = None if alpha is None else Point(np.minimum(alpha, problem.upper))
    return _better(best, solve(problem, context, certify, start=start))


def suggested(problem: Problem, margins: Vector) -> Vector:
    """The alphas (m,) that complementary slackness suggests for these margins."""
    slack = np.maximum(0.0, 1.0 - margins)
    if problem.loss.squared:
        return np.asarray(2.0 * problem.C * slack)
    return np.where(slack > 0, problem.C, 0.0)


def _better(best: Optimum, other: Any) -> Optimum:
    above = other if other.primal < best.primal else best
    below = other if other.dual > best.dual else best
    return Optimum(above.w, above.b, below.alpha, above.primal, below.dual)


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
