"""The hard margin in the space of a kernel: the widest slab, or the proof that there is none.

    min 1/2 c.K c   s.t.   y_i ((K c)_i + b) >= 1;      max sum_i alpha_i - 1/2 (alpha y).K (alpha y)

The rows of the factor of K take the place of the rows of X in the active-set method, which proposes alpha. The
slab of alpha y is scaled until no row lies inside, alpha to its best dual value; both objectives are then
recomputed with K itself. Where there is no slab, `contradiction` looks for an exact proof of that.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from separatrix.errors import InseparableError, NotConvergedError, with_hint
from separatrix.fitting.hard_margin import GOAL, SOFT_MARGIN, least_cost
from separatrix.fitting.kernel_proofs import check_values
from separatrix.fitting.training import TrainingData
from separatrix.problem import History, KernelProblem, Problem, Record, Solution, Status
from separatrix.problem.problem import relative_gap
from separatrix.proof.balance import balance
from separatrix.proof.certificate import Certificate
from separatrix.proof.kernel_duality import moved
from separatrix.proof.kernel_optimal import optimal_kernel
from separatrix.proof.kernel_value_bounds import bounded_scores
from separatrix.proof.optimal import CLAIM_SLACK
from separatrix.separability.kernel_contradiction import Contradiction, contradiction
from separatrix.solvers.active_set import hard_margin
from separatrix.solvers.factored import factor
from separatrix.types import Index, Vector

LARGEST = 3000  #: rows whose kernel matrix is factored

Sides = tuple[list[object], list[object]]


def solve_hard_kernel(
    problem: KernelProblem, tol: float, data: TrainingData, sides: Sides, rows: Index
) -> Solution:
    """The widest slab in the space of the kernel; `InseparableError` with a proof where there is none."""
    began = time.perf_counter()
    if problem.n_rows > LARGEST:
        raise with_hint(
            ValueError,
            f"C = inf, the hard margin, with a kernel is for at most {LARGEST} rows; got {problem.n_rows}.",
            "a large finite C has the same solution wherever the classes can be separated",
        )
    linear = _factored(problem)
    found = hard_margin(linear.X, problem.y, problem.bias == "free")
    alpha = np.zeros(problem.n_rows)
    alpha[found.rows] = found.alpha
    solution = _recomputed(problem, alpha)
    if not solution.gap <= GOAL:
        proof = contradiction(problem, found.rows, data.fingerprint.get(), *sides, rows)
        if proof is not None:
            raise with_hint(InseparableError, _sentence(problem, proof, sides), SOFT_MARGIN, proof)
    if not np.isfinite(solution.primal):
        raise with_hint(
            NotConvergedError,
            f"C = inf with the {problem.kernel.name} kernel: within rounding, neither a slab without rows inside nor "
            "an exact contradiction between rows was found.",
            "use a finite C",
        )
    how = f"hard margin: active set on the factor of the kernel matrix, {found.status}"
    record = Record(
        time.perf_counter() - began, 1, solution.primal, solution.dual, solution.gap, "active-set", how, True
    )
    status = Status.CONVERGED if solution.gap <= tol else Status.MAX_ITER
    return replace(solution, status=status, n_iter=1, history=History([record]))


def _factored(problem: KernelProblem) -> Problem:
    everything = np.arange(problem.n_rows)
    L = factor(problem.gram(everything, everything))
    return Problem(L, problem.y, problem.C, problem.loss, problem.bias)


def _recomputed(problem: KernelProblem, alpha: Vector) -> Solution:
    """alpha at its best multiple, the slab of alpha y just wide enough, and the gap between their values."""
    y, free = problem.y, problem.bias == "free"
    F = problem.scores(alpha * y)
    square, total = float((alpha * y) @ F), float(alpha.sum())
    if square > 0 and total > 0:
        alpha, F = alpha * (total / square), F * (total / square)
    if free:
        balanced = balance(alpha, y, np.full(len(alpha), np.inf), y * F)
        F, alpha = moved(problem, F, alpha, balanced), balanced
    square, total = float((alpha * y) @ F), float(alpha.sum())
    b, smallest = _slab(problem, F)
    primal = 0.5 * square / smallest**2 if smallest > 0 else float("inf")
    dual = total - 0.5 * square
    gap = max(0.0, relative_gap(primal, dual)) if np.isfinite(primal) else float("inf")
    return Solution(F, b, alpha, primal, dual, gap, Status.MAX_ITER, 0)


def _slab(problem: KernelProblem, F: Vector, error: Vector | float = 0.0) -> tuple[float, float]:
    """The bias in the middle, and the smallest y_i (F_i + b) less its error."""
    y = problem.y
    lowest = float(np.min(F - error, where=y > 0, initial=np.inf))
    highest = float(np.max(F + error, where=y < 0, initial=-np.inf))
    b = -0.5 * (lowest + highest) if problem.bias == "free" else 0.0
    return b, min(lowest + b, -(highest + b))


def prove_hard_kernel(
    problem: KernelProblem, solution: Solution, data: TrainingData, sides: Sides, rows: Index
) -> Certificate:
    """The `optimal` certificate of a hard margin: no slack at all, whatever the rounding."""
    signed = solution.alpha * problem.y
    F, error = bounded_scores(problem, signed)
    room = 4.0 * CLAIM_SLACK * (error + 2.0**-50 * (1.0 + np.abs(F)))
    b, smallest = _slab(problem, F, room)
    coef, b = signed / smallest, b / smallest
    reached = solution.primal - solution.dual
    certificate = optimal_kernel(
        problem, b, solution.alpha, data.fingerprint.get(), *sides, rows, coef, reached
    )
    check_values(certificate, problem, solution)
    return certificate


def least_kernel_cost(problem: KernelProblem, solution: Solution) -> float:
    """The smallest C whose soft margin (hinge) has the same solution."""
    linear = _factored(problem)
    return least_cost(linear, replace(solution, w=linear.weighted_sum(solution.alpha)))


def _sentence(problem: KernelProblem, proof: Contradiction, sides: Sides) -> str:
    shown = ", ".join(map(str, proof.rows[:10].tolist())) + (", ..." if len(proof.rows) > 10 else "")
    names = " or ".join(map(repr, sides[0])), " or ".join(map(repr, sides[1][:5]))
    return (
        f"No hyperplane in the space of the {problem.kernel.name} kernel separates {names[0]} from {names[1]}, "
        f"so there is no hard margin. Rows {shown} contradict each other: weighted by `.weights` their images cancel "
        "exactly; `.certificate` proves it."
    )
