"""The hard margin, C = inf: the widest slab with every row outside it, or the proof that there is none.

    min 1/2 ||w||^2   s.t.   y_i (w.x_i + b) >= 1
    max sum_i alpha_i - 1/2 ||v||^2   s.t.   alpha >= 0,  sum_i alpha_i y_i = 0 (free bias),  v = sum_i alpha_i y_i x_i

The active-set method proposes; (w, b) is scaled until its smallest margin is 1, alpha is balanced and scaled to
its best dual value, and both objectives are recomputed from the data. Where the method fails, says that
there is no slab, or would be too slow, `separability` decides in exact arithmetic.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from separatrix.errors import InseparableError, with_hint
from separatrix.fitting.training import TrainingData
from separatrix.problem import History, Problem, Record, Solution, Status
from separatrix.problem.problem import relative_gap
from separatrix.proof.balance import balance
from separatrix.separability import Separability, two_sides
from separatrix.solvers.active_set import hard_margin, within_reach
from separatrix.types import Vector

GOAL = 1e-9  #: relative gap that the hard margin aims at, whatever tol is
#: Advice where there is no hard margin.
SOFT_MARGIN = "a finite C gives the soft margin, which always exists"
_TIGHT = 1e-7  # a row whose margin is within this of 1 may carry alpha


def solve_hard(problem: Problem, tol: float, decide: Any) -> Solution:
    """The widest slab; ``decide()`` gives the exact `Separability` when it is needed."""
    began = time.perf_counter()
    solution, how = _by_active_set(problem)
    if not solution.gap <= GOAL:
        verdict: Separability = decide()
        if verdict.verdict != "separable":
            raise with_hint(InseparableError, _sentence(verdict), SOFT_MARGIN, verdict)
        exact = verdict.widest_point()
        if exact is not None:
            better = recompute(problem, *exact)
            if not solution.gap <= better.gap:
                solution, how = better, "hard margin: exact arithmetic"
    record = Record(
        time.perf_counter() - began, 1, solution.primal, solution.dual, solution.gap, "active-set", how, True
    )
    status = Status.CONVERGED if solution.gap <= tol else Status.MAX_ITER
    return replace(solution, status=status, n_iter=1, history=History([record]))


def _by_active_set(problem: Problem) -> tuple[Solution, str]:
    """What the active-set method finds, and how; nothing (a gap of inf) where the rows are beyond its reach."""
    free = problem.bias == "free"
    alpha = np.zeros(problem.n_rows)
    if not within_reach(problem.n_rows, problem.n_columns + free):
        w, inf = np.zeros(problem.n_columns), float("inf")
        return Solution(w, 0.0, alpha, inf, 0.0, inf, Status.MAX_ITER, 0), "hard margin: no proof found"
    found = hard_margin(problem.X, problem.y, free)
    alpha[found.rows] = found.alpha
    return recompute(problem, found.w, alpha), f"hard margin: active set, {found.status}"


def recompute(problem: Problem, w: Vector, alpha: Vector) -> Solution:
    """Feasible multiples of w and alpha with the best bias, and the gap between their values."""
    y, free = problem.y, problem.bias == "free"
    alpha = np.maximum(np.nan_to_num(alpha, nan=0.0, posinf=0.0), 0.0)
    w = np.nan_to_num(w, nan=0.0, posinf=0.0, neginf=0.0)
    f = problem.scores(w, 0.0)
    lowest = float(np.min(f, where=y > 0, initial=np.inf))
    highest = float(np.max(f, where=y < 0, initial=-np.inf))
    b = -0.5 * (lowest + highest) if free else 0.0
    smallest = min(lowest + b, -(highest + b))
    if smallest > 0:
        w, b = w / smallest, b / smallest
    # Few rows carry alpha; the sums run over them alone.
    support = problem.take(np.flatnonzero(alpha))
    weights = alpha[alpha > 0]
    v = support.weighted_sum(weights)
    if (length := float(v @ v)) > 0:
        weights = weights * (float(np.sum(weights)) / length)
    if free:
        weights = balance(weights, support.y, np.full(len(weights), np.inf))
    v = support.weighted_sum(weights)
    alpha[alpha > 0] = weights
    primal = 0.5 * float(w @ w) if smallest > 0 else float("inf")
    dual = float(np.sum(weights)) - 0.5 * float(v @ v)
    gap = relative_gap(primal, dual) if np.isfinite(primal) else float("inf")
    return Solution(w, b, alpha, primal, dual, gap, Status.MAX_ITER, 0)


def least_cost(problem: Problem, solution: Solution) -> float:
    """The smallest C whose soft margin (hinge) has the same w: the least max_i alpha_i over the dual optima.

    alpha is unique unless several rows on the slab depend on each other; a small linear program over those
    rows settles that case.
    """
    y, largest = problem.y, float(np.max(solution.alpha, initial=0.0))
    margins = y * problem.scores(solution.w, solution.b)
    tight = np.flatnonzero((margins <= 1.0 + _TIGHT) | (solution.alpha > 0))
    if np.count_nonzero(solution.alpha) == len(tight) <= problem.n_columns + (problem.bias == "free"):
        return largest
    part = problem.take(tight)
    A: NDArray[Any] = sparse.csr_array(part.X).toarray() if problem.is_sparse else np.asarray(part.X, float)
    A = (A * part.y[:, np.newaxis]).T
    if problem.bias == "free":
        A = np.vstack([A, part.y])
    target = A @ solution.alpha[tight]
    norm = np.maximum(np.abs(A).max(axis=1), 1e-300) * max(largest, 1e-300)
    equal = np.column_stack([A * largest / norm[:, np.newaxis], np.zeros(len(A))])
    below = np.column_stack([np.eye(len(tight)), -np.ones(len(tight))])
    goal = np.zeros(len(tight) + 1)
    goal[-1] = 1.0
    found = linprog(goal, below, np.zeros(len(tight)), equal, target / norm, bounds=(0, None))
    return largest * min(1.0, float(found.fun)) if found.fun is not None else largest


def decide_between(
    data: TrainingData, rows: NDArray[np.intp], positive: int, negative: int | None, bias: bool
) -> Separability:
    """The exact verdict on one binary problem of a fit, about the data as they were given."""
    everything = len(rows) == data.X.shape[0]
    others = [code for code in range(len(data.classes)) if code != positive]
    minus = others if negative is None else [negative]
    return two_sides(
        data.X,
        data.classes[data.codes],
        data.codes == positive,
        (data.name(positive),),
        tuple(data.name(code) for code in minus),
        None if everything else rows,
        bias,
    )


def _sentence(verdict: Separability) -> str:
    shown = ", ".join(map(str, verdict.rows[:10].tolist())) + (", ..." if len(verdict.rows) > 10 else "")
    names = " or ".join(map(repr, verdict.positive)), " or ".join(map(repr, verdict.negative[:5]))
    return (
        f"No hyperplane separates {names[0]} from {names[1]}, so there is no hard margin (verdict: {verdict.verdict}). "
        f"Rows {shown} contradict each other: weighted by `.weights` they cancel exactly; `.certificate` proves "
        "it."
    )
