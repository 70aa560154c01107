"""One perceptron run from start to finish: choose the solver, drive it, and drive it on where rounding deceived it."""

from __future__ import annotations

import time
from dataclasses import replace

from separatrix.perceptron.dual import DualPasses, DualState
from separatrix.perceptron.exact_recheck import misclassified
from separatrix.perceptron.gradient import GradientState, GradientSteps
from separatrix.perceptron.kesler import KeslerPasses
from separatrix.perceptron.loop import OnRecord, PassLimits, PassRun, run_passes
from separatrix.perceptron.parameters import Choice
from separatrix.perceptron.primal import PrimalPasses
from separatrix.perceptron.run_result import Found, of_dual, of_gradient, of_primal
from separatrix.perceptron.state import LabelledRows, PassState
from separatrix.problem import Status
from separatrix.problem.kernels import Kernel
from separatrix.problem.mistakes import MistakeHistory


def find(
    rows: LabelledRows,
    kernel: Kernel,
    choice: Choice,
    classes: int,
    on_record: OnRecord | None,
    before: PassState | None = None,
) -> Found:
    """Run the variant that the parameters choose; ``before`` is a state to go on from."""
    limits = PassLimits(choice.max_epochs, choice.max_time, choice.n_threads)
    settings = choice.settings
    if choice.algorithm == "gradient":
        steps = GradientSteps(settings, kernel if choice.dual else None)
        return of_gradient(rows, kernel, choice, run_passes(steps, rows, limits, _steps, on_record))
    if choice.dual:
        dual = DualPasses(settings, kernel, classes, choice.budget)
        return of_dual(rows, kernel, choice, classes, run_passes(dual, rows, limits, _updates, on_record))
    if classes > 2:
        kesler = KeslerPasses(settings, classes)
        run = run_passes(kesler, rows, limits, _tally, on_record, before)
    else:
        run = _certain(PrimalPasses(settings), rows, limits, on_record, before)
    return of_primal(rows, kernel, choice, classes, run)


def _certain(
    solver: PrimalPasses,
    rows: LabelledRows,
    limits: PassLimits,
    on_record: OnRecord | None,
    before: PassState | None,
) -> PassRun[PassState]:
    """Passes until one is clean in exact arithmetic too: a row that rounding flattered gets its update."""
    began = time.perf_counter()
    run = run_passes(solver, rows, limits, _tally, on_record, before)
    while run.status is Status.CONVERGED:
        wrong = misclassified(rows, run.state.w, float(run.state.b[0]), limits.n_threads)
        if len(wrong) == 0:
            return run
        if run.epochs >= limits.max_epochs:
            return replace(run, status=Status.MAX_ITER)
        solver.force(rows, run.state, int(wrong[0]))
        left = None if limits.max_time is None else limits.max_time - (time.perf_counter() - began)
        if left is not None and left <= 0:
            return replace(run, status=Status.MAX_TIME)
        rest = replace(limits, max_epochs=limits.max_epochs - run.epochs, max_time=left)
        more = run_passes(solver, rows, rest, _tally, on_record, run.state)
        history = MistakeHistory([*run.history, *more.history])
        run = replace(more, epochs=run.epochs + more.epochs, history=history)
    return run


def _tally(state: PassState) -> int:
    return int(state.tally[1])


def _updates(state: DualState) -> int:
    return state.updates


def _steps(state: GradientState) -> int:
    return state.steps
