"""The binary problems of a fit, solved together where they are small, else one by one or several at a time."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, ValuesView
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.binary import BinaryFit, binary_fit, fit_problem, warm_point
from separatrix.fitting.context import FitContext, stored_entries
from separatrix.fitting.deferred import Deferred
from separatrix.fitting.hard_margin import HardMargin
from separatrix.fitting.observer import KeptPoint, Part
from separatrix.fitting.parameters import Settings
from separatrix.fitting.proofs import prove_task
from separatrix.fitting.together import fit_together, is_small
from separatrix.fitting.training import Task, TrainingData
from separatrix.problem import Problem
from separatrix.solvers.choose import stages
from separatrix.threads import fit_threads

_WORTH_A_THREAD = 100_000  # entries of X below which a thread for each class costs more than it saves
_WORTH_MORE = 1_000_000  # entries of X below which several threads for one problem cost more than they save


class Problems(Mapping[Any, BinaryFit]):
    """The result of each binary problem: ``problems["a"]``, or ``problems["a", "b"]`` for pairs."""

    def __init__(self, results: Mapping[Any, BinaryFit]) -> None:
        self._results: dict[Any, BinaryFit] = dict(results)

    def __getitem__(self, key: Any) -> BinaryFit:
        try:
            return self._results[key]
        except KeyError:
            names = ", ".join(map(repr, self._results))
            raise KeyError(f"{key!r} names no problem of this model; it has {names}.") from None

    def __iter__(self) -> Iterator[Any]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def values(self) -> ValuesView[BinaryFit]:
        """The results, in order; `Mapping` would look each of them up."""
        return self._results.values()

    def __repr__(self) -> str:
        return f"Problems({list(self._results)})"

    def __getstate__(self) -> dict[str, Any]:
        """Names beside results: some formats cannot hold a pair of classes as the key of a dictionary."""
        return {"names": list(self._results), "results": list(self._results.values())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._results = dict(zip(state["names"], state["results"], strict=True))


def fit_classes(
    data: TrainingData,
    todo: list[Task],
    context: FitContext,
    previous: Mapping[Any, Any],
) -> Problems:
    """Solve every task, several at a time where that pays; Ctrl-C ends all of them with what they have.

    ``previous`` are results (`BinaryFit`) or points (`KeptPoint`) to start from, by the key of the task; small problems
    are solved from scratch in less time.
    """
    settings = context.settings
    together: list[BinaryFit | None] = [None] * len(todo)
    if is_small(data, len(todo), settings) and settings.max_iter is None:
        together = fit_together(data, todo, context)
        done = [found for found in together if found is not None]
        if len(done) == len(todo):
            return _by_key(todo, done)
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
        task, found = todo[index], together[index]
        if found is not None:
            return found
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
    return _by_key(todo, results)


def _by_key(todo: list[Task], results: list[BinaryFit]) -> Problems:
    return Problems({task.key: result for task, result in zip(todo, results, strict=True)})


def _workers(settings: Settings, entries: int, n_tasks: int, first: Problem) -> int:
    """Problems to solve at a time: several only where the solver is compiled and holds no lock.

    Interior points spend their time in BLAS, which has threads of its own and, called from two Python
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
    observer, hard = context.observer, HardMargin(problem, data, rows, task.positive, task.negative)
    if observer is not None:
        observer.begin(part)
    solution = hard.solve(context.settings.tol)
    fit = binary_fit(
        problem,
        solution,
        (solution.b, solution.b),
        np.zeros(len(rows)),
        Deferred(lambda: hard.prove(solution)),
        task.names(data),
        rows,
        Deferred(lambda: hard.least_cost(solution)),
    )
    if observer is not None:
        point = lambda: KeptPoint(rows, fit.coef, fit.intercept, fit.cost, fit.alpha)  # noqa: E731
        observer.end(part, solution.history[-1], solution.status, point)
    return fit
