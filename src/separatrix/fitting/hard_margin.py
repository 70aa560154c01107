"""The hard margin, C = inf: the widest slab with every row outside it, or the proof that there is none.

    min 1/2 ||w||^2   s.t.   y_i (w.phi(x_i) + b) >= 1;      v = sum_i alpha_i y_i phi(x_i)
    max sum_i alpha_i - 1/2 ||v||^2   s.t.   alpha >= 0,  sum_i alpha_i y_i = 0 (free bias)

The active-set method proposes, on the rows of X or, with a kernel, on those of the factor of K. (w, b) is scaled until
its smallest margin is 1, alpha is balanced and scaled to its best dual value, and both objectives are recomputed from
the data. Where the method fails, says that there is no slab, or would be too slow, exact arithmetic decides: without a
kernel `separability`, which always can, with one `contradiction`, which may not.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.errors import InseparableError, NotConvergedError, with_hint
from separatrix.fitting.results import Deferred
from separatrix.fitting.training import Task, TrainingData, check_dual, prove
from separatrix.problem import History, KernelSpace, Problem, Record, Solution, Status
from separatrix.problem.problem import relative_gap
from separatrix.proof.balance import balance
from separatrix.proof.certificate import Certificate
from separatrix.proof.kernel_sweep import bounded_scores
from separatrix.proof.optimal import CLAIM_SLACK
from separatrix.separability import Separability, two_sides
from separatrix.separability.kernel_contradiction import contradiction
from separatrix.solvers.active_set import hard_margin, within_reach
from separatrix.solvers.factored import factor
from separatrix.types import Index, Vector

#: Advice where there is no hard margin.
SOFT_MARGIN = "a finite C gives the soft margin, which always exists"
# The relative gap that the hard margin aims at, whatever tol is.
_GOAL = 1e-9
# A row whose margin is within this of 1 may carry alpha.
_TIGHT = 1e-7
# Kernel matrices of at most so many rows are factored: 72 MB.
_FACTORED_ROWS = 3000


@dataclass(frozen=True, eq=False)
class HardMargin:
    """The hard margin of one binary problem of a fit, and the training rows of that problem."""

    task: Task
    data: TrainingData
    problem: Problem
    rows: Index

    @cached_property
    def flat(self) -> Problem:
        """The problem without a kernel: with one, rows of the factor of K stand for those of X."""
        problem = self.problem
        if problem.kernel is None:
            return problem
        return replace(problem, X=factor(problem.space.gram(slice(None), slice(None))), kernel=None)

    @cached_property
    def verdict(self) -> Separability:
        """The exact verdict, without a kernel, about the data as they were given."""
        data, everything = self.data, len(self.rows) == self.data.X.shape[0]
        positive, negative = self.task.sides(data)
        return two_sides(
            data.X,
            data.classes[data.codes],
            data.codes == self.task.positive,
            tuple(positive),
            tuple(negative),
            None if everything else self.rows,
            self.problem.bias == "free",
            Deferred(lambda: data.fingerprint).get,
        )

    def solve(self, tol: float) -> Solution:
        """The widest slab; `InseparableError` with a proof where there is none."""
        began = time.perf_counter()
        solution, how = self._by_kernel() if self.problem.kernel is not None else self._by_rows()
        seconds = time.perf_counter() - began
        record = Record(seconds, 1, solution.primal, solution.dual, solution.gap, "active-set", how, True)
        status = Status.CONVERGED if solution.gap <= tol else Status.MAX_ITER
        return replace(solution, status=status, n_iter=1, history=History([record]))

    def _by_rows(self) -> tuple[Solution, str]:
        """The answer without a kernel, and how it was found."""
        problem, how = self.problem, "hard margin: no proof found"
        solution = _recomputed(problem, np.zeros(problem.n_columns), np.zeros(problem.n_rows))
        if within_reach(problem.n_rows, problem.n_columns + (problem.bias == "free")):
            w, alpha, _, status = self._active_set()
            solution, how = _recomputed(problem, w, alpha), f"hard margin: active set, {status}"
        if solution.gap <= _GOAL:
            return solution, how
        if self.verdict.verdict != "separable":
            raise with_hint(InseparableError, self._inseparable(self.verdict), SOFT_MARGIN, self.verdict)
        exact = self.verdict.widest_point()
        better = solution if exact is None else _recomputed(problem, *exact)
        return (solution, how) if solution.gap <= better.gap else (better, "hard margin: exact arithmetic")

    def _by_kernel(self) -> tuple[Solution, str]:
        """The answer in the space of a kernel, and how it was found."""
        problem, kernel = self.problem, self.problem.kernel
        assert kernel is not None
        if problem.n_rows > _FACTORED_ROWS:
            raise with_hint(
                ValueError,
                f"C = inf, the hard margin, with a kernel is for at most {_FACTORED_ROWS} rows; got {problem.n_rows}.",
                "a large finite C has the same solution wherever the classes can be separated",
            )
        _, alpha, candidates, status = self._active_set()
        solution = _recomputed(problem, None, alpha)
        if not solution.gap <= _GOAL:
            sides = self.task.sides(self.data)
            proof = contradiction(problem, candidates, self.data.fingerprint, *sides, self.rows)
            if proof is not None:
                raise with_hint(InseparableError, self._inseparable(proof), SOFT_MARGIN, proof)
        if not np.isfinite(solution.primal):
            raise with_hint(
                NotConvergedError,
                f"C = inf with the {kernel.name} kernel: within rounding, neither a slab without rows inside nor "
                "an exact contradiction between rows was found.",
                "use a finite C",
            )
        return solution, f"hard margin: active set on the factor of the kernel matrix, {status}"

    def _active_set(self) -> tuple[Vector, Vector, Index, str]:
        """w of the flat problem, alpha (m,), the rows that carry it, and how the method ended."""
        found = hard_margin(self.flat.X, self.problem.y, self.problem.bias == "free")
        alpha = np.zeros(self.problem.n_rows)
        alpha[found.rows] = found.alpha
        return found.w, alpha, found.rows, found.status

    def _inseparable(self, proof: Any) -> str:
        shown = ", ".join(map(str, proof.rows[:10].tolist())) + (", ..." if len(proof.rows) > 10 else "")
        positive, negative = self.task.sides(self.data)
        names = " or ".join(map(repr, positive)), " or ".join(map(repr, negative[:5]))
        kernel = self.problem.kernel
        where = "" if kernel is None else f" in the space of the {kernel.name} kernel"
        verdict = f" (verdict: {proof.verdict})" if kernel is None else ""
        they = "they" if kernel is None else "their images"
        return (
            f"No hyperplane{where} separates {names[0]} from {names[1]}, so there is no hard margin{verdict}. Rows "
            f"{shown} contradict each other: weighted by `.weights` {they} cancel exactly; `.certificate` proves it."
        )

    def prove(self, solution: Solution) -> Certificate:
        """The proof of the margin, once the data are found unchanged: `separating` without a kernel, else `optimal`."""
        problem, space = self.problem, self.problem.space
        if not isinstance(space, KernelSpace):
            check_dual(problem, solution.alpha, solution.dual, solution.primal)
            return self.verdict.certificate
        # No slack at all, whatever the rounding.
        signed = solution.alpha * problem.y
        F, error = bounded_scores(space, signed)
        room = 4.0 * CLAIM_SLACK * (error + 2.0**-50 * (1.0 + np.abs(F)))
        b, smallest = _slab(problem, F, room)
        solution, coef = replace(solution, b=b / smallest), signed / smallest
        return prove(self.task, self.data, problem, self.rows, solution, coef)

    def least_cost(self, solution: Solution) -> float:
        """The smallest C whose soft margin (hinge) has the same w: the least max_i alpha_i over the dual optima.

        alpha is unique unless several rows on the slab depend on each other; a small linear program over those
        rows settles that case.
        """
        flat, largest = self.flat, float(np.max(solution.alpha, initial=0.0))
        w = flat.weighted_sum(solution.alpha) if solution.w is None else solution.w
        margins = flat.y * flat.scores(w, solution.b)
        tight = np.flatnonzero((margins <= 1.0 + _TIGHT) | (solution.alpha > 0))
        if np.count_nonzero(solution.alpha) == len(tight) <= flat.n_columns + (flat.bias == "free"):
            return largest
        part = flat.take(tight)
        A: NDArray[Any] = sparse.csr_array(part.X).toarray() if flat.is_sparse else np.asarray(part.X, float)
        A = (A * part.y[:, np.newaxis]).T
        if flat.bias == "free":
            A = np.vstack([A, part.y])
        target = A @ solution.alpha[tight]
        norm = np.maximum(np.abs(A).max(axis=1), 1e-300) * max(largest, 1e-300)
        equal = np.column_stack([A * largest / norm[:, np.newaxis], np.zeros(len(A))])
        below = np.column_stack([np.eye(len(tight)), -np.ones(len(tight))])
        goal = np.zeros(len(tight) + 1)
        goal[-1] = 1.0
        from scipy.optimize import linprog  # slow to import

        found = linprog(goal, below, np.zeros(len(tight)), equal, target / norm, bounds=(0, None))
        return largest * min(1.0, float(found.fun)) if found.fun is not None else largest


def _recomputed(problem: Problem, w: Vector | None, alpha: Vector) -> Solution:
    """Feasible multiples of w and alpha with the best bias, and the gap between their values.

    A w of None, with a kernel, is that of alpha y. Its slab is only as wide as its primal value says once it is scaled:
    the scores of the solution are those of alpha y itself.
    """
    space, y = problem.space, problem.y
    alpha = np.maximum(np.nan_to_num(alpha, nan=0.0, posinf=0.0), 0.0)
    # Few rows carry alpha; the sums run over them alone.
    support = np.flatnonzero(alpha)
    part, weights = problem.take(support), alpha[support]
    square = _square(part, weights)
    if square > 0:
        weights = weights * (float(np.sum(weights)) / square)
    if problem.bias == "free":
        weights = balance(weights, part.y, np.full(len(weights), np.inf))
    alpha[support] = weights
    dual = float(np.sum(weights)) - 0.5 * _square(part, weights)
    image = space.combine(alpha * y) if w is None else np.nan_to_num(w, nan=0.0, posinf=0.0, neginf=0.0)
    scores, square = space.products(image), space.square(alpha * y, image)
    b, smallest = _slab(problem, scores)
    primal = gap = float("inf")
    if smallest > 0:
        primal = 0.5 * square / smallest**2
        gap = relative_gap(primal, dual)
        if w is not None:
            image, scores, b = image / smallest, scores / smallest, b / smallest
    w, status = space.vector(image), Status.MAX_ITER
    return Solution(w, b, alpha, scores, primal=primal, dual=dual, gap=gap, status=status)


def _square(part: Problem, weights: Vector) -> float:
    """||v||^2 of weights on all rows of a problem."""
    signed = weights * part.y
    return part.space.square(signed, part.space.combine(signed))


def _slab(problem: Problem, scores: Vector, error: Vector | float = 0.0) -> tuple[float, float]:
    """The bias in the middle, and the smallest y_i (f_i + b) less its error, for scores f without a bias."""
    lowest = float(np.min(scores - error, where=problem.y > 0, initial=np.inf))
    highest = float(np.max(scores + error, where=problem.y < 0, initial=-np.inf))
    b = -0.5 * (lowest + highest) if problem.bias == "free" else 0.0
    return b, min(lowest + b, -(highest + b))
