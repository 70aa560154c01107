"""One binary problem from start to finish: choose stages, run the loop, choose the bias, keep the result."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.deferred import Deferred
from separatrix.fitting.parameters import Settings
from separatrix.fitting.settle import squared_norm
from separatrix.fitting.target_gap import Enough, target
from separatrix.problem import (
    History,
    JointPoint,
    JointProblem,
    Point,
    Problem,
    Record,
    Solution,
    Status,
)
from separatrix.proof.certificate import Certificate
from separatrix.solvers.choose import stages
from separatrix.solvers.choose_kernel import kernel_stages
from separatrix.solvers.loop.interrupt import InterruptFlag
from separatrix.solvers.loop.run import Answer, Certify, Limits, Stage, run
from separatrix.types import Vector

#: Sees each record; True asks the run to end with what it has.
Watcher = Callable[[Record], bool | None]
#: Replaces the stages by ones that are watched; the identity where nobody watches.
Wrap = Callable[[Stage], Stage]


@dataclass(frozen=True, eq=False)
class BinaryResult:
    """The whole answer to one binary problem. Arrays run over the m rows of that problem.

    ``positive`` is the class on the side where ``x.coef + intercept > 0``, ``negative`` the other one (None:
    all the rest). ``rows`` are the training rows that take part, in order.
    """

    positive: Any
    negative: Any
    rows: NDArray[np.intp]  #: (m,)
    coef: Vector  #: (d,); empty with a kernel, where w is a sum over ``support``
    intercept: float
    intercept_interval: tuple[float, float]  #: every best bias for this coef
    cost: Vector  #: (m,) C_i
    alpha: Vector  #: (m,)
    slack: Vector  #: (m,) max(0, 1 - y_i (w.x_i + b))
    primal: float
    dual: float
    gap: float
    status: Status
    n_iter: int
    history: History
    squared: bool  #: whether the loss is the squared hinge (of no account in a hard margin)
    deferred: Deferred[Certificate] = field(repr=False)
    C_hard: Deferred[float] | None = field(default=None, repr=False)  #: with C = inf, see `least_cost`
    kernel_norm: float | None = None  #: ||w|| in the space of the kernel; None: w is ``coef``

    @classmethod
    def of(
        cls,
        sides: tuple[Any, Any],
        rows: NDArray[np.intp],
        problem: Problem,
        solution: Solution,
        interval: tuple[float, float],
        slack: Vector,
        squared: bool,
        proof: Deferred[Certificate],
    ) -> BinaryResult:
        """The answer of a settled solution; ``sides`` are the names of the positive and the negative class."""
        kernel_norm = None if problem.kernel is None else math.sqrt(max(0.0, squared_norm(problem, solution)))
        return cls(
            positive=sides[0],
            negative=sides[1],
            rows=rows,
            coef=np.empty(0) if solution.w is None else solution.w,
            intercept=solution.b,
            intercept_interval=interval,
            cost=problem.C,
            alpha=solution.alpha,
            slack=slack,
            primal=solution.primal,
            dual=solution.dual,
            gap=solution.gap,
            status=solution.status,
            n_iter=solution.n_iter,
            history=solution.history,
            squared=squared,
            deferred=proof,
            kernel_norm=kernel_norm,
        )

    @property
    def support(self) -> NDArray[np.intp]:
        """The training rows with alpha > 0."""
        return self.rows[self.alpha > 0]

    @property
    def support_kind(self) -> NDArray[np.str_]:
        """For each of ``support``: "slack" if alpha_i = C_i, else "margin".

        The squared hinge has alpha_i = 2 C_i slack_i at the optimum: every support vector uses slack.
        """
        slack = self.squared | (self.alpha >= self.cost)
        return np.where(slack, "slack", "margin")[self.alpha > 0]

    @property
    def margin(self) -> float:
        """Geometric margin 1 / ||w||."""
        norm = float(np.linalg.norm(self.coef)) if self.kernel_norm is None else self.kernel_norm
        return 1.0 / norm if norm > 0 else float("inf")

    @property
    def slab_width(self) -> float:
        """Width 2 / ||w|| of the slab between the two margins."""
        return 2.0 * self.margin

    @property
    def certificate(self) -> Certificate:
        """The proof of ``gap``; built when first asked for."""
        return self.deferred.get()


def plan(problem: Problem, settings: Settings, goal: float, seed: int) -> list[Stage]:
    """The solvers to try for a relative gap."""
    if problem.kernel is not None:
        return kernel_stages(problem, settings.solver, goal, seed, settings.cache_mb)
    return stages(problem, settings.solver, goal, settings.n_threads, seed)


def solve(
    problem: Problem | JointProblem,
    settings: Settings,
    plan: Callable[[float], list[Stage]],
    certify: Certify[Answer],
    start: Point | JointPoint | None,
    watchers: Sequence[Watcher],
    wrap: Wrap,
    interrupt: InterruptFlag | None = None,
) -> Answer:
    """Run the loop; converged if and only if the gap asked for was proved.

    ``plan(goal)`` lists the solvers to try for a relative gap. A caller who watches Ctrl-C hands over its flag.
    """
    tol, enough = settings.tol, Enough(settings.tol)

    def attempt(goal: float, limits: Limits, start: Any, watchers: Sequence[Watcher]) -> Answer:
        chosen = [wrap(stage) for stage in plan(goal)]

        def on_record(record: Record) -> bool:
            asked = [watcher(record) for watcher in watchers]  # every watcher sees every record
            return any(asked)

        limits = limits if goal == limits.tol else replace(limits, tol=goal)
        return run(chosen, problem, limits, certify, start, on_record, interrupt)

    limits = Limits(tol, settings.max_iter, settings.max_time, settings.n_threads)
    goal = target(problem, tol)
    solution = attempt(goal, limits, start, watchers if goal == tol else [*watchers, enough])
    if enough.said and solution.status == Status.INTERRUPTED and solution.gap > tol:
        # A solver believed that tol was reached, and the proof found otherwise: go on, now for tol itself.
        rest = attempt(tol, _left(limits, solution), solution.point, watchers)
        solution = _joined(solution, rest)
    reached = solution.gap <= tol and solution.status != Status.CONVERGED
    return replace(solution, status=Status.CONVERGED) if reached else solution


def _left(limits: Limits, spent: Any) -> Limits:
    """What a run leaves of its limits: at least one step."""
    steps, seconds = limits.max_iter, limits.max_time
    return replace(
        limits,
        max_iter=None if steps is None else max(1, steps - spent.n_iter),
        max_time=None if seconds is None else max(0.0, seconds - spent.history[-1].time),
    )


def _joined(first: Answer, second: Answer) -> Answer:
    """Two runs as one: the better answer, the later status, both histories."""
    began = first.history[-1].time
    later = [
        replace(record, time=began + record.time, iteration=first.n_iter + record.iteration)
        for record in second.history
    ]
    return replace(
        min(first, second, key=lambda solution: solution.gap),
        status=second.status,
        n_iter=first.n_iter + second.n_iter,
        history=History([*first.history, *later]),
    )
