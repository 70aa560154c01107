"""The binary problems of a fit: small ones are solved in one call, others one by one or several at a time.

A fit to a few hundred rows takes less time to solve than a few dozen NumPy calls take to be made; so all classes, or
pairs of classes, are handed to the core at once, and proved in one pass. A problem that is not proved within tol then
is solved in the ordinary way.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.binary import fit_problem, kernel_norm, warm_point
from separatrix.fitting.context import FitContext, stored_entries
from separatrix.fitting.hard_margin import HardMargin
from separatrix.fitting.observer import KeptPoint, Observer, Part
from separatrix.fitting.parameters import Settings
from separatrix.fitting.results import BinaryFit, Deferred, Problems
from separatrix.fitting.training import Task, TrainingData, prove_task
from separatrix.problem import History, Problem, ProblemSet, Record, Solution, Status
from separatrix.problem.conversion import to_dense
from separatrix.problem.kernel_values import whole_gram
from separatrix.proof.duality import certify_together
from separatrix.solvers.choose import stages
from separatrix.solvers.small.solver import LIMITS, NAME, solve_small
from separatrix.threads import fit_threads

_WORTH_A_THREAD = 100_000  # entries of X below which a thread for each class costs more than it saves
_WORTH_MORE = 1_000_000  # entries of X below which several threads for one problem cost more than they save
_AIM = 1e-12  # relative gap to solve for: the last digits are nearly free, though rounding may stop before


def fit_classes(
    data: TrainingData,
    todo: list[Task],
    context: FitContext,
    previous: Mapping[Any, Any],
) -> Problems:
    """Solve every task, several at a time where that pays; Ctrl-C ends all of them with what they have.

    The caller limits the threads of the fit (`fit_threads`).
    ``previous`` are results (`BinaryFit`) or points (`KeptPoint`) to start from, by the key of the task; small problems
    are solved from scratch in less time.
    """
    results: Sequence[BinaryFit | None] = [None] * len(todo)
    if _is_small(data, len(todo), context.settings):
        results = _fit_together(data, todo, context)
    if None in results:
        results = _fit_separately(data, todo, context, previous, results)
    return Problems(dict(zip([task.key for task in todo], results, strict=True)))  # type: ignore[arg-type]


def _is_small(data: TrainingData, count: int, settings: Settings) -> bool:
    """Return True if the ``count`` problems of a fit are better solved at once."""
    n, d = data.X.shape
    if (
        n > LIMITS.rows
        or settings.solver != "auto"
        or math.isinf(settings.C)
        or settings.max_iter is not None
    ):
        return False
    if settings.kernel is not None:
        return bool(n * n <= LIMITS.kernel_values * count)
    return bool(float(n) * d * min(n, d) <= LIMITS.products)


def _fit_together(data: TrainingData, todo: Sequence[Task], context: FitContext) -> list[BinaryFit | None]:
    """The result of each task; None where tol was not proved."""
    began, settings = time.perf_counter(), context.settings
    problems = _problem_set(data, todo, settings)
    with np.errstate(over="ignore", invalid="ignore"):
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
        primal, dual, gap = proved.primal[i], proved.dual[i], proved.gap[i]
        if not gap <= settings.tol:
            results.append(None)
            continue
        record = Record(seconds, 1, primal, dual, gap, NAME, note, proved=True)
        solution = Solution(
            None if proved.w is None else proved.w[i],
            proved.b[i],
            proved.alpha[i, part],
            interval=proved.intervals[i],
            primal=primal,
            dual=dual,
            gap=gap,
            status=Status.CONVERGED,
            n_iter=1,
            history=History([record]),
        )
        fit = BinaryFit.of(
            solution,
            task.names(data),
            rows=data.rows[part],
            cost=problems.C[i, part],
            slack=proved.slack[i, part],
            squared=settings.loss.squared,
            kernel_norm=None if settings.kernel is None else math.sqrt(max(0.0, proved.squares[i])),
            deferred=Deferred(partial(prove_task, task, data, settings, solution)),
        )
        results.append(fit)
        if context.observer is not None:
            _report(context.observer, Part(task.key, i, len(todo)), fit)
    return results


def _report(observer: Observer, part: Part, fit: BinaryFit) -> None:
    """Show an observer a problem that was solved at once, as a problem of one step."""
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
    X, codes, cost, kernel = data.taking_part(settings.kernel), data.codes, data.cost, settings.kernel
    if len(data.rows) < len(codes):
        codes, cost = codes[data.rows], cost[data.rows]
    if kernel is None:
        X = np.ascontiguousarray(to_dense(X))
    positive = codes == np.array([[task.positive] for task in todo])
    negative = ~positive
    if todo[0].negative is not None and len(data.kept) > 2:
        negative = codes == np.array([[task.negative] for task in todo])
    signs = positive.astype(np.int8) - negative.astype(np.int8)
    return ProblemSet(X, signs, cost * (positive | negative), settings.loss, settings.bias, kernel)


def _fit_separately(
    data: TrainingData,
    todo: list[Task],
    context: FitContext,
    previous: Mapping[Any, Any],
    found: Sequence[BinaryFit | None],
) -> list[BinaryFit]:
    """Solve the tasks of which nothing was found; the threads and the time of the fit are shared among them."""
    settings = context.settings
    entries = int(data.X.shape[0]) ** 2 if settings.kernel is not None else stored_entries(data.X)
    first = todo[0].problem(data, settings)
    workers = _workers(settings, entries, len(todo), first[0])
    most_threads = max(1, settings.n_threads // workers) if entries >= _WORTH_MORE else 1
    began, left = time.perf_counter(), len(todo)

    def fit_one(index: int) -> BinaryFit:
        nonlocal left
        seconds = settings.max_time
        if seconds is not None:  # what is left of it, shared with those that have not begun
            seconds = max(0.0, seconds - (time.perf_counter() - began)) / math.ceil(left / workers)
        left -= 1
        own = replace(
            context,
            settings=replace(settings, n_threads=most_threads, max_time=seconds),
            seed=context.seed + index,
        )
        task, result = todo[index], found[index]
        if result is not None:
            return result
        problem, rows = first if index == 0 else task.problem(data, settings)
        # Values too large for float64 show as a gap that is not reached, which is reported.
        with fit_threads(most_threads), np.errstate(over="ignore", invalid="ignore"):
            return _fit_task(
                data, task, problem, rows, own, previous, Part(task.key, index, len(todo), workers > 1)
            )

    if workers == 1:
        results = [fit_one(index) for index in range(len(todo))]
    else:
        with ThreadPoolExecutor(workers) as pool:
            results = list(pool.map(fit_one, range(len(todo))))
    return results


def _workers(settings: Settings, entries: int, n_tasks: int, first: Problem) -> int:
    """Problems to solve at a time: several only where the solver is compiled and holds no lock.

    Interior points spend their time in BLAS, which has its own threads and, called from two Python
    threads on a busy machine, waits for its own locks.
    """
    several = min(settings.n_threads, n_tasks)
    if several == 1 or entries < _WORTH_A_THREAD:
        return 1
    plan = stages(first, settings.solver, settings.tol, cache_mb=settings.cache_mb)
    return several if plan[0].solver.releases_gil else 1


def _fit_task(
    data: TrainingData,
    task: Task,
    problem: Problem,
    rows: NDArray[np.intp],
    context: FitContext,
    previous: Mapping[Any, Any],
    part: Part,
) -> BinaryFit:
    """Fit one task on the rows of its problem; its certificate is built when first asked for."""
    if math.isinf(context.settings.C):
        return _hard_margin(data, task, problem, rows, context, part)

    before = previous.get(task.key)
    return fit_problem(
        problem,
        context,
        start=warm_point(before, problem, rows),
        part=part,
        rows=rows,
        sides=task.names(data),
        prove=partial(prove_task, task, data, context.settings),
        done=isinstance(before, KeptPoint) and before.done,
    )


def _hard_margin(
    data: TrainingData,
    task: Task,
    problem: Problem,
    rows: NDArray[np.intp],
    context: FitContext,
    part: Part,
) -> BinaryFit:
    """C = inf: the widest slab, or `InseparableError` with the proof that there is none."""
    observer, hard = context.observer, HardMargin(task, data, problem, rows)
    if observer is not None:
        observer.begin(part)
    solution = hard.solve(context.settings.tol)
    fit = BinaryFit.of(
        solution,
        task.names(data),
        rows=rows,
        cost=problem.C,
        slack=np.zeros(len(rows)),
        squared=False,
        kernel_norm=kernel_norm(problem, solution),
        deferred=Deferred(lambda: hard.prove(solution)),
        C_hard=Deferred(lambda: hard.least_cost(solution)),
    )
    if observer is not None:
        point = lambda: KeptPoint(rows, fit.coef, fit.intercept, fit.cost, fit.alpha)  # noqa: E731
        observer.end(part, solution.history[-1], solution.status, point)
    return fit
