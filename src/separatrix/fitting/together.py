"""Small problems on the same rows, solved in one call of the core and proved in one pass.

A fit to a few hundred rows takes less time to solve than a few dozen NumPy calls take to be made; so all classes, or
pairs of classes, are handed over at once. What is not proved within tol is solved in the ordinary way.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from scipy import sparse

from separatrix.fitting.binary import BinaryFit
from separatrix.fitting.context import FitContext
from separatrix.fitting.deferred import Deferred
from separatrix.fitting.observer import KeptPoint, Observer, Part
from separatrix.fitting.parameters import Settings
from separatrix.fitting.proofs import prove_task
from separatrix.fitting.training import Task, TrainingData
from separatrix.problem import History, Record, Solution, Status
from separatrix.problem.kernel_values import whole_gram
from separatrix.problem.problem_set import ProblemSet
from separatrix.proof.together import certify_together
from separatrix.solvers.small.solver import LIMITS, NAME, solve_small
from separatrix.threads import fit_threads

_NO_COEF = np.empty(0)
_AIM = 1e-13  # relative gap to solve for: the last digits are nearly free, though rounding may stop before


def is_small(data: TrainingData, count: int, settings: Settings) -> bool:
    """Whether the ``count`` problems of a fit are better solved at once."""
    n, d = data.X.shape
    if n > LIMITS.rows or settings.solver != "auto" or math.isinf(settings.C):
        return False
    if settings.kernel is not None:
        return bool(n * n <= LIMITS.kernel_values * count)
    return bool(float(n) * d * min(n, d) <= LIMITS.products)


def fit_together(data: TrainingData, todo: Sequence[Task], context: FitContext) -> list[BinaryFit | None]:
    """The result of each task; None where tol was not proved."""
    began, settings = time.perf_counter(), context.settings
    problems = _problem_set(data, todo, settings)
    with fit_threads(settings.n_threads), np.errstate(over="ignore", invalid="ignore"):
        K = None if settings.kernel is None else whole_gram(problems.X, settings.kernel)
        found = solve_small(
            problems.signs,
            problems.C,
            rows=np.asarray(problems.X) if K is None else None,
            gram=K,
            squared=settings.loss.squared,
            bias=settings.bias,
            aim=_AIM,
            n_threads=settings.n_threads,
        )
        planes = None if found.w is None else (found.w, found.b)
        proved = certify_together(problems, found.alpha, planes, K)
    seconds, all_rows = time.perf_counter() - began, not (problems.signs == 0).any()
    note = f"{problems.n_rows} x {problems.n_columns}, small: solved in one call"
    results: list[BinaryFit | None] = []
    for i, task in enumerate(todo):
        part = slice(None) if all_rows else problems.rows(i)
        alpha, w, gap = proved.alpha[i, part], None if proved.w is None else proved.w[i], proved.gap(i)
        if not gap <= settings.tol:
            results.append(None)
            continue
        primal, dual, b = proved.primal[i], proved.dual[i], proved.b[i]
        record = Record(seconds, 1, primal, dual, gap, NAME, note, proved=True)
        solution = Solution(w, b, alpha, primal, dual, gap, Status.CONVERGED, 1, History([record]))
        positive, negative = task.names(data)
        fit = BinaryFit(
            positive=positive,
            negative=negative,
            rows=data.rows[part],
            coef=_NO_COEF if w is None else w,
            intercept=b,
            intercept_interval=proved.intervals[i],
            cost=problems.C[i, part],
            alpha=alpha,
            slack=proved.slack[i, part],
            primal=primal,
            dual=dual,
            gap=gap,
            status=Status.CONVERGED,
            n_iter=1,
            history=solution.history,
            squared=settings.loss.squared,
            deferred=Deferred(partial(prove_task, task, data, settings, solution)),
            kernel_norm=None if w is not None else math.sqrt(max(0.0, proved.squares[i])),
        )
        results.append(fit)
        if context.observer is not None:
            _tell(context.observer, Part(task.key, i, len(todo)), fit)
    return results


def _tell(observer: Observer, part: Part, fit: BinaryFit) -> None:
    """A problem that was solved at once, as a problem of one step."""
    record = fit.history[0]

    def point() -> KeptPoint:
        return KeptPoint(fit.rows, fit.coef, fit.intercept, fit.cost, fit.alpha.copy())

    observer.begin(part)
    observer.begin_step(part)
    for seen in (replace(record, proved=False), record):
        observer.step(part, seen, point)
    observer.end(part, record, fit.status, point)


def _problem_set(data: TrainingData, todo: Sequence[Task], settings: Settings) -> ProblemSet:
    """The problems of all tasks; rows of cost 0 are left out, and rows without a kernel are made dense and double."""
    X, codes, cost, kernel = data.rows_of_cost, data.codes, data.cost, settings.kernel
    if len(data.rows) < len(codes):
        codes, cost = codes[data.rows], cost[data.rows]
        if kernel is not None and kernel.name == "precomputed":
            X = X[:, data.rows]
    if kernel is None:
        X = np.ascontiguousarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    positive = codes == np.array([[task.positive] for task in todo])
    negative = ~positive
    if todo[0].negative is not None and len(data.kept) > 2:
        negative = codes == np.array([[task.negative] for task in todo])
    signs = positive.astype(np.int8) - negative.astype(np.int8)
    return ProblemSet(X, signs, cost * (positive | negative), settings.loss, settings.bias, kernel)
