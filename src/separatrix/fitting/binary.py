"""One problem from start to finish: choose solvers, run the loop, settle the bias, prove when asked.

`solve` gives the best primal and dual points of any problem, joint ones included; `fit_problem` goes on to the
answer that a model keeps. `SVC`, `separatrix.dask`, the audit and the lab all come through here.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.context import FitContext, aim
from separatrix.fitting.deferred import Deferred
from separatrix.fitting.observer import KeptPoint, Part
from separatrix.fitting.settle import settle, squared_norm
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
from separatrix.proof.duality import certify
from separatrix.solvers.choose import stages
from separatrix.solvers.loop.run import Answer, Certify, Limits, Stage, run
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


def warm_point(
    previous: BinaryFit | KeptPoint | None, problem: Problem, rows: NDArray[np.intp]
) -> Point | None:
    """The point to start from after an earlier fit on as many rows and columns; alphas follow the change of C_i."""
    if previous is None or len(previous.rows) != len(rows):
        return None
    w = None if problem.kernel is not None else previous.coef
    if w is not None and len(w) != problem.n_columns:
        return None
    alpha = np.minimum(previous.alpha * (problem.C / previous.cost), problem.upper)
    return Point(alpha, w, float(previous.intercept))


def solve(
    problem: Problem | JointProblem,
    context: FitContext,
    certify: Certify[Answer],
    *,
    start: Point | JointPoint | None = None,
    plan: Sequence[Stage] | None = None,
    part: Part = Part(),  # noqa: B008  # frozen
    rows: NDArray[np.intp] | None = None,
) -> Answer:
    """The best primal and dual points, converged if and only if ``certify`` proved a gap of at most tol.

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
    if plan is None:
        plan = stages(problem, settings.solver, goal, context.seed, settings.cache_mb)
    if observer is None:
        return run(plan, problem, limits, certify, start, interrupt=context.interrupt)

    def kept(point: Callable[[], Any]) -> Callable[[], KeptPoint]:
        return lambda: _kept(problem, point(), rows)

    def run_piece(limits: Limits, start: Any, steps: int, seconds: float) -> Answer:
        def on_record(record: Record, point: Callable[[], Any]) -> bool | None:
            return observer.step(part, _later(record, steps, seconds), kept(point))

        before = partial(observer.begin_step, part)
        return run(plan, problem, limits, certify, start, on_record, context.interrupt, before_step=before)

    observer.begin(part)
    if observer.piece_steps is None or isinstance(problem, JointProblem):
        solution = run_piece(limits, start, 0, 0.0)
    else:
        save = partial(observer.piece, part)
        solution = _in_pieces(problem, limits, start, rows, run_piece, observer.piece_steps, save)
    observer.end(part, solution.history[-1], solution.status, kept(lambda: solution.point))
    return solution


def _in_pieces(
    problem: Problem,
    limits: Limits,
    start: Any,
    rows: NDArray[np.intp] | None,
    run_piece: Callable[[Limits, Any, int, float], Any],
    piece_steps: int,
    save: Callable[[KeptPoint], None],
) -> Any:
    """Solve piece by piece, each from the point of the last one alone; the history is that of all pieces."""
    records, began, steps = list[Record](), time.perf_counter(), 0
    while True:
        seconds, most = time.perf_counter() - began, piece_steps
        if limits.max_iter is not None:
            most = min(most, limits.max_iter - steps)
        time_left = None if limits.max_time is None else max(0.0, limits.max_time - seconds)
        solution = run_piece(replace(limits, max_iter=most, max_time=time_left), start, steps, seconds)
        records += [_later(record, steps, seconds) for record in solution.history]
        steps += solution.n_iter
        point = _kept(problem, solution.point, rows)
        start = warm_point(point, problem, point.rows)
        assert start is not None
        ended = solution.status is not Status.MAX_ITER or solution.n_iter < most or steps == limits.max_iter
        if solution.status is Status.CONVERGED:
            # As a later process has it, without what the run knows of the point.
            again = certify(problem, start)
            ended = again.gap <= limits.tol
            solution = replace(again, status=solution.status)
        if ended:
            return replace(solution, n_iter=steps, history=History(records))
        save(point)


def _later(record: Record, steps: int, seconds: float) -> Record:
    """The record of a piece, counted from the beginning of the first one."""
    return (
        replace(record, iteration=record.iteration + steps, time=record.time + seconds) if steps else record
    )


def fit_problem(
    problem: Problem,
    context: FitContext,
    *,
    start: Point | None = None,
    plan: Sequence[Stage] | None = None,
    part: Part = Part(),  # noqa: B008  # frozen
    rows: NDArray[np.intp] | None = None,
    sides: tuple[Any, Any] = (1, -1),
    prove: Callable[[Solution], Certificate] | None = None,
    done: bool = False,
) -> BinaryFit:
    """Solve a problem, settle its bias and its alphas, and keep what proves the answer when asked.

    ``sides`` are the names of the positive and the negative class, ``rows`` the training rows of the problem (None:
    all). ``done``: an earlier process took ``start`` for the answer, and it is if it proves to be. For the other
    arguments see `solve`.
    """
    found = _proved_start(problem, context, start, part, rows) if done and start is not None else None
    if found is None:
        found = solve(problem, context, certify, start=start, plan=plan, part=part, rows=rows)
    solution, interval, slack = settle(problem, found, context.settings.tol)
    proof = Deferred(partial(prove or _unproved, replace(solution, scores=None)))  # a proof needs no scores
    return binary_fit(problem, solution, interval, slack, proof, sides, rows)


def _proved_start(
    problem: Problem, context: FitContext, start: Point, part: Part, rows: NDArray[np.intp] | None
) -> Solution | None:
    """The start as a solution, if the data prove its gap to be within tol."""
    began, observer = time.perf_counter(), context.observer
    found = certify(problem, start)
    if not found.gap <= context.settings.tol:
        return None
    seconds = time.perf_counter() - began
    last = Record(seconds, 0, found.primal, found.dual, found.gap, "checkpoint", "solved before", proved=True)
    found = replace(found, status=Status.CONVERGED, n_iter=0, history=History([last]))
    if observer is not None:
        observer.begin(part)
        observer.end(part, last, found.status, lambda: _kept(problem, found.point, rows))
    return found


def binary_fit(
    problem: Problem,
    solution: Solution,
    interval: tuple[float, float],
    slack: Vector,
    proof: Deferred[Certificate],
    sides: tuple[Any, Any],
    rows: NDArray[np.intp] | None,
    C_hard: Deferred[float] | None = None,
) -> BinaryFit:
    """The record of a settled solution."""
    linear = problem.kernel is None
    return BinaryFit(
        positive=sides[0],
        negative=sides[1],
        rows=np.arange(problem.n_rows) if rows is None else rows,
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
        squared=problem.loss.squared and C_hard is None,
        deferred=proof,
        C_hard=C_hard,
        kernel_norm=None if linear else math.sqrt(max(0.0, squared_norm(problem, solution))),
    )


def _kept(
    problem: Problem | JointProblem, point: Point | JointPoint, rows: NDArray[np.intp] | None
) -> KeptPoint:
    """A point in arrays of its own; w = sum_i alpha_i y_i x_i where the solver left it out."""
    rows = np.arange(problem.n_rows) if rows is None else rows
    if isinstance(point, JointPoint):
        alpha, w = point.A, point.W
        b: float | Vector = np.zeros(alpha.shape[1]) if point.b is None else point.b
    else:
        alpha, w, b = point.alpha, point.w, point.b or 0.0
        if w is None and isinstance(problem, Problem) and problem.kernel is None:
            w = problem.weighted_sum(alpha)
    return KeptPoint(rows, np.empty(0) if w is None else w.copy(), b, problem.C, alpha.copy())


def _unproved(solution: Solution) -> Certificate:
    raise ValueError("This fit was not asked to prove its answer.")
