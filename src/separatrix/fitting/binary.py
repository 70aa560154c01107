"""One binary problem from start to finish: choose stages, run the loop, choose the bias, keep the result."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.deferred import Deferred
from separatrix.fitting.observer import KeptPoint
from separatrix.fitting.parameters import Settings
from separatrix.fitting.snap_to_bounds import snap
from separatrix.fitting.target_gap import target
from separatrix.problem import (
    History,
    JointProblem,
    KernelProblem,
    Point,
    Problem,
    Record,
    Solution,
    Status,
    bias_interval,
)
from separatrix.problem.bias import middle
from separatrix.problem.problem import relative_gap
from separatrix.proof.certificate import Certificate
from separatrix.solvers.loop.interrupt import InterruptFlag
from separatrix.solvers.loop.run import Certify, Limits, Stage, run
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
        problem: Problem | KernelProblem,
        solution: Solution,
        interval: tuple[float, float],
        slack: Vector,
        squared: bool,
        proof: Deferred[Certificate],
    ) -> BinaryResult:
        """The answer of a settled solution; ``sides`` are the names of the positive and the negative class."""
        kernel = isinstance(problem, KernelProblem)
        # With a kernel, solution.w holds the products of w with the rows.
        square = float((solution.alpha * problem.y) @ solution.w) if kernel else 0.0
        return cls(
            positive=sides[0],
            negative=sides[1],
            rows=rows,
            coef=np.empty(0) if kernel else solution.w,
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
            kernel_norm=math.sqrt(max(0.0, square)) if kernel else None,
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


def solve(
    problem: Problem | KernelProblem | JointProblem,
    settings: Settings,
    plan: Callable[[float], list[Stage]],
    certify: Certify,
    start: Point | None,
    watchers: Sequence[Watcher],
    wrap: Wrap,
    interrupt: InterruptFlag | None = None,
) -> Solution:
    """Run the loop; converged if and only if the gap asked for was proved.

    ``plan(goal)`` lists the solvers to try for a relative gap. A caller who watches Ctrl-C hands over its flag.
    """
    goal = target(problem, settings.tol)

    def on_record(record: Record) -> bool:
        asked = [watcher(record) for watcher in watchers]  # every watcher sees every record
        return any(asked)

    limits = Limits(settings.tol, settings.max_iter, settings.max_time, settings.n_threads, goal)
    return run([wrap(stage) for stage in plan(goal)], problem, limits, certify, start, on_record, interrupt)


def settle(problem: Problem, solution: Solution, tol: float) -> tuple[Solution, tuple[float, float], Vector]:
    """The solution with a bias that depends on w alone and alphas on their bounds; best biases; slacks (m,).

    With a free bias several values may be equally good; the middle of the interval is taken, so that the
    answer does not depend on the path to it.
    """
    f, b = solution.scores, solution.b
    if f is None:
        f = problem.scores(solution.w, 0.0)
    interval = (b, b)
    if problem.bias == "free":
        interval = bias_interval(f, problem.y, problem.C, problem.loss)
        b = middle(interval)
        primal = problem.primal_from_scores(f + b, solution.w, b)
        gap = relative_gap(primal, solution.dual)
        if gap <= max(tol, solution.gap):
            solution = replace(solution, b=b, primal=primal, gap=gap)
    margins = problem.y * (f if solution.b == 0.0 else f + solution.b)
    solution = snap(problem, solution, margins, tol)
    settled = with_last_record(solution, solution.b, solution.primal, solution.gap)
    slack = np.subtract(1.0, margins, out=margins)
    return settled, interval, np.maximum(slack, 0.0, out=slack)


def with_last_record(solution: Solution, b: float, primal: float, gap: float) -> Solution:
    """The solution with this bias and what it gives, where the history ends; scores and interval have served."""
    # At the optimum rounding may put the primal value a few units in the last place below the dual one.
    gap, last, note = max(0.0, gap), solution.history[-1], "bias and bounds settled"
    final = replace(last, primal=primal, dual=solution.dual, gap=gap, note=note, proved=True)
    history = History([*solution.history, final])
    return replace(solution, b=b, primal=primal, gap=gap, history=history, scores=None, interval=None)


def warm_point(
    previous: BinaryResult | KeptPoint | None, problem: Problem, rows: NDArray[np.intp]
) -> Point | None:
    """Where to start from an earlier fit on as many rows and columns; alphas follow the change of C_i."""
    if previous is None or len(previous.rows) != len(rows) or len(previous.coef) != problem.n_columns:
        return None
    alpha = np.minimum(previous.alpha * (problem.C / previous.cost), problem.upper)
    return Point(alpha=alpha, w=previous.coef, b=previous.intercept)
