"""One problem from start to finish: choose solvers, run the loop, settle the bias, prove when asked.

`solve` gives the best primal and dual points of any problem, joint ones included; `fit_problem` goes on to the
answer that a model keeps. `SVC`, `separatrix.dask`, the audit and the lab all come through here.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.context import FitContext, aim
from separatrix.fitting.observer import KeptPoint, Part
from separatrix.fitting.results import BinaryFit, Deferred
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
    solution, slack = settle(problem, found, context.settings.tol)
    return BinaryFit.of(
        solution,
        sides,
        rows=np.arange(problem.n_rows) if rows is None else rows,
        cost=problem.C,
        slack=slack,
        squared=problem.loss.squared,
        kernel_norm=kernel_norm(problem, solution),
        deferred=Deferred(
            partial(prove or _unproved, replace(solution, scores=None))
        ),  # a proof needs no scores
    )


def kernel_norm(problem: Problem, solution: Solution) -> float | None:
    """||w|| in the space of the kernel; None without one."""
    return None if problem.kernel is None else math.sqrt(max(0.0, squared_norm(problem, solution)))


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


def _kept(
    problem: Problem | JointProblem, point: Point | JointPoint, rows: NDArray[np.intp] | None
) -> KeptPoint:
    """A copy of a point; w = sum_i alpha_i y_i x_i where the solver left it out."""
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
