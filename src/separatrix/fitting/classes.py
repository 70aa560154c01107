"""Many classes as binary problems: one against the rest, or each pair.

two classes   one problem, positive for classes[1]
ovr           k problems, the k-th positive for class k
ovo           k (k-1) / 2 problems (i, j), i < j, positive for class i          (LIBSVM's order and signs)
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, ValuesView
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.binary import BinaryFit, binary_fit, fit_problem, warm_point
from separatrix.fitting.context import FitContext, stored_entries
from separatrix.fitting.deferred import Deferred
from separatrix.fitting.hard_margin import HardMargin
from separatrix.fitting.observer import KeptPoint, Part
from separatrix.fitting.parameters import Settings
from separatrix.fitting.proofs import prove
from separatrix.fitting.training import TrainingData
from separatrix.problem import Point, Problem, Solution
from separatrix.proof.certificate import Certificate
from separatrix.solvers.choose import stages
from separatrix.threads import fit_threads

_WORTH_A_THREAD = 100_000  # entries of X below which a thread for each class costs more than it saves
_WORTH_MORE = 1_000_000  # entries of X below which several threads for one problem cost more than they save


@dataclass(frozen=True, eq=False)
class Task:
    """One binary problem: its name, and the codes of the classes on its two sides (None: all the rest)."""

    key: Any
    positive: int
    negative: int | None

    def names(self, data: TrainingData) -> tuple[Any, Any]:
        """The labels of the two sides; None for all the rest."""
        return data.name(self.positive), None if self.negative is None else data.name(self.negative)

    def problem(self, data: TrainingData, settings: Settings) -> tuple[Problem, NDArray[np.intp]]:
        """The problem and its training rows."""
        rows, X, codes, cost = data.rows, data.rows_of_cost, data.codes, data.cost
        if len(rows) < len(codes):
            codes, cost = codes[rows], cost[rows]
        if self.negative is not None and len(data.kept) > 2:
            pair = np.flatnonzero((codes == self.positive) | (codes == self.negative))
            rows, codes, cost, X = rows[pair], codes[pair], cost[pair], X[pair]
        y = 2.0 * (codes == self.positive) - 1.0
        kernel = settings.kernel
        if kernel is not None and kernel.name == "precomputed" and len(rows) < X.shape[1]:
            X = X[:, rows]
        return Problem(X, y, cost, settings.loss, settings.bias, kernel), rows


def tasks(data: TrainingData, multi_class: str) -> list[Task]:
    """The binary problems of a fit, in the order of the rows of coef_."""
    kept, name = data.kept.tolist(), data.name
    if len(kept) == 2:
        first, second = kept
        return [Task((name(first), name(second)) if multi_class == "ovo" else name(second), second, first)]
    if multi_class == "ovr":
        return [Task(name(code), code, None) for code in kept]
    pairs = [(i, j) for place, i in enumerate(kept) for j in kept[place + 1 :]]
    return [Task((name(i), name(j)), i, j) for i, j in pairs]


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


def fit_classes(
    data: TrainingData,
    todo: list[Task],
    context: FitContext,
    previous: Mapping[Any, Any],
) -> Problems:
    """Solve every task, several at a time where that pays; Ctrl-C ends all of them with what they have.

    ``previous`` are results (`BinaryFit`) or points (`KeptPoint`) to start from, by the key of the task.
    """
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
        task = todo[index]
        problem, rows = first if index == 0 else task.problem(data, settings)
        start = warm_point(previous.get(task.key), problem, rows)
        # Values too large for float64 show as a gap that is not reached, which is reported.
        with fit_threads(most_threads), np.errstate(over="ignore", invalid="ignore"):
            return _fit_task(
                data, task, problem, rows, own, start, Part(task.key, index, len(todo), workers > 1)
            )

    if workers == 1:
        results = [fit_one(index) for index in range(len(todo))]
    else:
        with ThreadPoolExecutor(workers) as pool:
            results = list(pool.map(fit_one, range(len(todo))))
    return Problems(dict(zip([task.key for task in todo], results, strict=True)))


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
    start: Point | None,
    part: Part,
) -> BinaryFit:
    """Fit one task on the rows of its problem; its certificate is built when first asked for."""
    if math.isinf(context.settings.C):
        return _hard_margin(data, task, problem, rows, context, part)

    def certificate(solution: Solution) -> Certificate:
        with fit_threads(context.settings.n_threads):  # as many threads as the fit was given
            return prove(data, problem, rows, solution, task.positive, task.negative)

    return fit_problem(
        problem, context, start=start, part=part, rows=rows, sides=task.names(data), prove=certificate
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
