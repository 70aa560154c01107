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
from scipy import sparse

from separatrix.fitting.binary import BinaryResult, Watcher, plan, solve
from separatrix.fitting.callbacks import FitReporter, ProblemReporter
from separatrix.fitting.deferred import Deferred
from separatrix.fitting.hard_margin import HardMargin
from separatrix.fitting.observer import Keeping, KeptPoint, Watch
from separatrix.fitting.parameters import Settings
from separatrix.fitting.proofs import prove
from separatrix.fitting.settle import settle, warm_point
from separatrix.fitting.training import TrainingData
from separatrix.problem import Problem, Solution
from separatrix.proof.certificate import Certificate
from separatrix.proof.duality import certify
from separatrix.solvers.loop.interrupt import InterruptFlag
from separatrix.solvers.loop.threads import blas_threads
from separatrix.types import Vector

_WORTH_A_THREAD = 100_000  # entries of X below which a thread for each class costs more than it saves
_WORTH_MORE = 1_000_000  # entries of X below which several threads for one problem do


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


class Problems(Mapping[Any, BinaryResult]):
    """The result of each binary problem: ``problems["a"]``, or ``problems["a", "b"]`` for pairs."""

    def __init__(self, results: Mapping[Any, BinaryResult]) -> None:
        self._results: dict[Any, BinaryResult] = dict(results)

    def __getitem__(self, key: Any) -> BinaryResult:
        try:
            return self._results[key]
        except KeyError:
            names = ", ".join(map(repr, self._results))
            raise KeyError(f"{key!r} names no problem of this model; it has {names}.") from None

    def __iter__(self) -> Iterator[Any]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def values(self) -> ValuesView[BinaryResult]:
        """The results, in order; `Mapping` would look each of them up."""
        return self._results.values()

    def __repr__(self) -> str:
        return f"Problems({list(self._results)})"


@dataclass
class Fit:
    """Solves the binary problems of one fit, in parallel where that pays."""

    data: TrainingData
    settings: Settings
    seed: int
    previous: Mapping[Any, BinaryResult | KeptPoint]
    reporter: FitReporter
    watch: Watch | None

    def run(self, todo: list[Task]) -> Problems:
        """Every task's result. Ctrl-C ends all of them with what they have."""
        workers = self._workers(todo)
        self.reporter.begin(len(todo), sequential=workers == 1)
        names = ["" if len(todo) == 1 else f"{task.key!r}" for task in todo]
        reporters = [
            self.reporter.problem(i, len(todo), names[i] or "problem", self.data.classes[self.data.kept])
            for i in range(len(todo))
        ]
        began, started = time.perf_counter(), [0]
        with InterruptFlag() as interrupt:

            def solve_one(i: int) -> BinaryResult:
                settings = self._share(len(todo) - started[0], workers, time.perf_counter() - began)
                started[0] += 1
                # Values too large for float64 show as a gap that is not reached, which is reported.
                with blas_threads(settings.n_threads), np.errstate(over="ignore", invalid="ignore"):
                    return self._solve(todo[i], settings, i, names[i], reporters[i], interrupt)

            if workers == 1:
                results = [solve_one(i) for i in range(len(todo))]
            else:
                with ThreadPoolExecutor(workers) as pool:
                    results = list(pool.map(solve_one, range(len(todo))))
        return Problems(dict(zip([task.key for task in todo], results, strict=True)))

    def _workers(self, todo: list[Task]) -> int:
        """How many problems to solve at a time: several only where the solver is compiled and holds no lock.

        Interior points spend their time in BLAS, which has threads of its own and, called from two Python
        threads on a busy machine, waits for its own locks.
        """
        settings, several = self.settings, min(self.settings.n_threads, len(todo))
        if several == 1 or self._entries() < _WORTH_A_THREAD:
            return 1
        problem, _ = todo[0].problem(self.data, settings)
        first = plan(problem, settings, settings.tol, self.seed)[0]
        return several if first.solver.name == "coordinate-descent" else 1

    def _entries(self) -> int:
        X = self.data.X
        if self.settings.kernel is not None:  # values of the kernel, which are what is read
            return int(X.shape[0]) ** 2
        return int(X.nnz if sparse.issparse(X) else X.size)

    def _share(self, left: int, workers: int, elapsed: float) -> Settings:
        """The threads and the time that one of the problems still to be solved may take."""
        threads = max(1, self.settings.n_threads // workers) if self._entries() >= _WORTH_MORE else 1
        if self.settings.max_time is None:
            same = threads == self.settings.n_threads
            return self.settings if same else replace(self.settings, n_threads=threads)
        rounds = math.ceil(left / workers)
        return replace(
            self.settings, n_threads=threads, max_time=max(0.0, self.settings.max_time - elapsed) / rounds
        )

    def _solve(
        self,
        task: Task,
        settings: Settings,
        index: int,
        name: str,
        reporter: ProblemReporter,
        interrupt: InterruptFlag,
    ) -> BinaryResult:
        reporter.begin()
        problem, rows = task.problem(self.data, settings)
        if math.isinf(settings.C):
            hard = HardMargin(problem, self.data, rows, task.positive, task.negative)
            solution = hard.solve(settings.tol)
            for record in solution.history:
                reporter.on_record(record)
                if self.watch is not None:
                    self.watch.done(name, record, solution.status)
            reporter.end()
            interval = (solution.b, solution.b)
            slab = Deferred(lambda: hard.prove(solution))
            result = self._result(task, problem, rows, solution, interval, np.zeros(len(rows)), slab)
            return replace(result, C_hard=Deferred(lambda: hard.least_cost(solution)))
        seed = self.seed + index
        start = warm_point(self.previous.get(task.key), problem, rows)
        watchers: list[Watcher] = [reporter.on_record]
        watch, wrap = self.watch, reporter.wrap
        if watch is not None:
            keeping = Keeping(watch, task.key, problem, rows)
            watchers.append(lambda record: watch.show(name, record))
            wrap = lambda stage: reporter.wrap(keeping.wrap(stage))  # noqa: E731  # a name for each case
        solution = solve(
            problem,
            settings,
            lambda goal: plan(problem, settings, goal, seed),
            certify,
            start,
            watchers,
            wrap,
            interrupt,
        )
        if watch is not None:
            watch.done(name, solution.history[-1], solution.status)
            keeping.finished(solution.point)
        solution, interval, slack = settle(problem, solution, settings.tol)
        reporter.end()
        data = self.data

        answer = replace(solution, scores=None)  # a proof needs them no more

        def proof() -> Certificate:
            with blas_threads(settings.n_threads):  # as many threads as the fit was given
                return prove(data, problem, rows, answer, task.positive, task.negative)

        return self._result(task, problem, rows, solution, interval, slack, Deferred(proof))

    def _result(
        self,
        task: Task,
        problem: Problem,
        rows: NDArray[np.intp],
        solution: Solution,
        interval: tuple[float, float],
        slack: Vector,
        proof: Deferred[Certificate],
    ) -> BinaryResult:
        squared = problem.loss.squared and math.isfinite(self.settings.C)
        sides = task.names(self.data)
        return BinaryResult.of(sides, rows, problem, solution, interval, slack, squared, proof)
