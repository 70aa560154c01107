"""The value of a hyperplane, and the best bounds on the optimum within a budget.

    primal(w, b)   at the model's own w and b, from the data
    dual(alpha)    the best of: the model's own alpha; the alpha its margins suggest; our solver's

The suggestion is what complementary slackness would demand of an optimal w: alpha_i = C_i where m_i < 1, else 0
(hinge); alpha_i = 2 C_i max(0, 1 - m_i) (squared hinge). Any feasible alpha is a bound, however it was found.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from scipy import sparse

from separatrix.audit.claim import Hyperplane, Objective
from separatrix.audit.measured import Budget, Measured, Optimum
from separatrix.fitting.binary import solve
from separatrix.fitting.context import FitContext
from separatrix.fitting.parameters import Settings
from separatrix.problem import HINGE, Point, Problem
from separatrix.problem.problem import relative_gap
from separatrix.proof.duality import certify
from separatrix.types import Vector


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
