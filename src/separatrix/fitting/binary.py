"""One problem from start to finish: choose solvers, run the loop, settle the bias, prove when asked.

`solve` gives the best primal and dual points of any problem, joint ones included; `fit_problem` goes on to the
answer that a model keeps. `SVC`, `separatrix.dask`, the audit and the lab all come through here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.context import FitContext, aim
from separatrix.fitting.deferred import Deferred
from separatrix.fitting.kernel_binary import settle_kernel
from separatrix.fitting.observer import KeptPoint, Part
from separatrix.fitting.parameters import Settings
from separatrix.fitting.settling import settle
from separatrix.problem import History, JointProblem, KernelProblem, Point, Problem, Record, Solution, Status
from separatrix.proof.certificate import Certificate
from separatrix.proof.duality import certify
from separatrix.proof.joint_duality import certify_joint
from separatrix.proof.kernel_duality import certify_kernel
from separatrix.solvers.choose import stages
from separatrix.solvers.choose_joint import joint_stages
from separatrix.solvers.choose_kernel import kernel_stages
from separatrix.solvers.loop.run import Limits, Stage, run
from separatrix.types import Vector


@dataclass(frozen=True, eq=False)
class BinaryFit:
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
    squared: bool  #: True for the squared hinge (of no account in a hard margin)
    deferred: Deferred[Certificate] = field(repr=False)
    C_hard: Deferred[float] | None = field(default=None, repr=False)  #: with C = inf, see `least_cost`
    kernel_norm: float | None = None  #: ||w|| in the space of the kernel; None: w is ``coef``

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
    context: FitContext,
    *,
    start: Point | None = None,
    plan: Sequence[Stage] | None = None,
    part: Part = Part(),  # noqa: B008  # frozen
    rows: NDArray[np.intp] | None = None,
) -> Solution:
    """The best primal and dual points, converged if and only if a gap of at most tol was proved.

    ``plan`` lists the solvers to try for tol, where the caller has its own; else they are chosen here, and small
    problems are solved further (`Aims`). ``part`` and ``rows`` are the problem and its training rows for observers.
    """
    settings, observer = context.settings, context.observer
    goal = aim(problem, settings.tol) if plan is None else settings.tol
    limits = Limits(
        settings.tol,
        aim=goal,
        max_iter=settings.max_iter,
        max_time=settings.max_time,
        n_threads=settings.n_threads,
    )
    chosen = choose(problem, settings, goal, context.seed) if plan is None else plan
    judge = _certify(problem)
    if observer is None:
        return run(chosen, problem, limits, judge, start, interrupt=context.interrupt)

    def kept(point: Callable[[], Point]) -> Callable[[], KeptPoint]:
        return lambda: _kept(problem, point(), rows)

    def on_record(record: Record, point: Callable[[], Point]) -> bool | None:
        return observer.step(part, record, kept(point))

    observer.begin(part)
    before = partial(observer.begin_step, part)
    solution = run(chosen, problem, limits, judge, start, on_record, context.interrupt, before)
    last = Point(solution.alpha, solution.w, solution.b)
    observer.end(part, solution.history[-1], solution.status, kept(lambda: last))
    return solution


def fit_problem(
    problem: Problem | KernelProblem,
    context: FitContext,
    *,
    start: Point | None = None,
    plan: Sequence[Stage] | None = None,
    part: Part = Part(),  # noqa: B008  # frozen
    rows: NDArray[np.intp] | None = None,
    sides: tuple[Any, Any] = (1, -1),
    prove: Callable[[Solution], Certificate] | None = None,
) -> BinaryFit:
    """Solve a problem, settle its bias and its alphas, and keep what proves the answer when asked.

    ``sides`` are the names of the positive and the negative class, ``rows`` the training rows of the problem (None:
    all). For the other arguments see `solve`.
    """
    found = solve(problem, context, start=start, plan=plan, part=part, rows=rows)
    settling: Any = settle_kernel if isinstance(problem, KernelProblem) else settle
    solution, interval, slack = settling(problem, found, context.settings.tol)
    proof = Deferred(partial(prove or _unproved, solution))
    return binary_fit(problem, solution, interval, slack, proof, sides, rows)


def binary_fit(
    problem: Problem | KernelProblem,
    solution: Solution,
    interval: tuple[float, float],
    slack: Vector,
    proof: Deferred[Certificate],
    sides: tuple[Any, Any],
    rows: NDArray[np.intp] | None,
    C_hard: Deferred[float] | None = None,
) -> BinaryFit:
    """The record of a settled solution."""
    kernel = isinstance(problem, KernelProblem)
    # With a kernel, solution.w holds the products of w with the rows.
    square = float((solution.alpha * problem.y) @ solution.w) if kernel else 0.0
    return BinaryFit(
        positive=sides[0],
        negative=sides[1],
        rows=np.arange(problem.n_rows) if rows is None else rows,
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
        squared=problem.loss.squared and C_hard is None,
        deferred=proof,
        C_hard=C_hard,
        kernel_norm=math.sqrt(max(0.0, square)) if kernel else None,
    )


def choose(
    problem: Problem | KernelProblem | JointProblem, settings: Settings, goal: float, seed: int
) -> list[Stage]:
    """The solvers to try for a relative gap of ``goal``."""
    if isinstance(problem, JointProblem):
        return joint_stages(problem, settings.solver, goal, seed)
    if isinstance(problem, KernelProblem):
        return kernel_stages(problem, settings.solver, goal, seed, settings.cache_mb)
    return stages(problem, settings.solver, goal, settings.n_threads, seed)


def _certify(problem: Problem | KernelProblem | JointProblem) -> Callable[[Any, Point], Solution]:
    if isinstance(problem, JointProblem):
        return certify_joint
    return certify_kernel if isinstance(problem, KernelProblem) else certify


def _kept(
    problem: Problem | KernelProblem | JointProblem, point: Point, rows: NDArray[np.intp] | None
) -> KeptPoint:
    """A point in arrays of its own; w = sum_i alpha_i y_i x_i where the solver left it out."""
    rows = np.arange(problem.n_rows) if rows is None else rows
    w = point.w
    b: float | Vector = 0.0 if point.b is None else point.b
    if isinstance(problem, JointProblem):
        w, b = (np.empty(0), b) if problem.kernel is not None or w is None else (w[:, :-1], w[:, -1])
    elif isinstance(problem, KernelProblem):
        w = np.empty(0)
    elif w is None:
        w = problem.weighted_sum(point.alpha)
    return KeptPoint(rows, w.copy(), b, problem.C, point.alpha.copy())


def _unproved(solution: Solution) -> Certificate:
    raise ValueError("This fit was not asked to prove its answer.")
