"""A fit from its labels to its results: the problems that the classes make, and pass after pass on each of them.

    two classes                 one problem
    many, Kesler                one problem, with a plane for each class
    many, one against the rest  one problem for each class

A variant (`passes.py`, `dual.py`, `gradient.py`) makes one pass at a time; the run ends with a pass without mistakes,
at a limit, or with the proof that no hyperplane separates the rows (`certificate.py`).
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.results import Deferred
from separatrix.perceptron.certificate import (
    Names,
    SeparabilityProbe,
    Theory,
    prove_inseparable,
    prove_mistakes,
    theory,
)
from separatrix.perceptron.dual import DualPasses
from separatrix.perceptron.gradient import GradientSteps
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.passes import PrimalPasses
from separatrix.perceptron.result import PrimalState, RunResult
from separatrix.perceptron.rows import LabelledRows, column_constant
from separatrix.problem import Status
from separatrix.problem.kernels import Kernel
from separatrix.problem.mistakes import MistakeHistory, MistakeRecord
from separatrix.proof.certificate import Certificate
from separatrix.proof.fingerprint import fingerprint
from separatrix.solvers.loop.deadline import InterruptFlag, OutOfTime, deadline
from separatrix.types import Matrix


@dataclass(frozen=True, eq=False)
class PerceptronResult:
    """One problem's answer. ``positive`` is the class, or classes, where f(x) > 0."""

    positive: tuple[Any, ...]
    negative: tuple[Any, ...]
    run: RunResult
    status: Status
    constant: float  #: of the fictitious column
    theory: Deferred[Theory] = field(repr=False)
    deferred: Deferred[Certificate] = field(repr=False)

    @property
    def history(self) -> MistakeHistory:
        """Mistakes and updates, pass by pass, against the bound."""
        return self.run.history.with_bound(self.theory.get().bound)

    @property
    def certificate(self) -> Certificate:
        """`mistakes` after a clean pass, `inseparable` or `quasi-separable` where that was proved."""
        return self.deferred.get()


def fit_problems(
    X: Matrix,
    classes: NDArray[Any],
    codes: NDArray[np.intp],
    kernel: Kernel,
    settings: Settings,
    before: list[PrimalState] | None = None,
    verbose: bool = False,
) -> dict[Any, PerceptronResult]:
    """The result of each problem by name: the positive class, or all classes for Kesler."""
    if settings.start is not None and settings.start >= X.shape[0]:
        raise ValueError(f"start must be the number of a row, 0 .. {X.shape[0] - 1}; got {settings.start}.")
    if kernel.name == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(
            f"kernel='precomputed' needs a square X, one value for each pair of rows; got shape {X.shape}."
        )
    constant, names = column_constant(X, kernel, settings.bias), classes.tolist()
    y = Deferred(lambda: classes[codes])
    source = Deferred(lambda: fingerprint(X, y.get()))

    if len(names) > 2 and settings.multi_class == "kesler":
        rows = LabelledRows(X, codes.astype(np.int32), constant, len(names), kernel)
        every = Names(tuple(names), (), y, source)
        return {tuple(names): solve(rows, every, settings, before[0] if before else None, verbose)}
    began, results = time.perf_counter(), {}
    positives = [1] if len(names) == 2 else range(len(names))
    for place, code in enumerate(positives):
        limited = settings
        if settings.max_time is not None and len(names) > 2:
            left = max(1e-3, settings.max_time - (time.perf_counter() - began))
            limited = replace(settings, max_time=left / (len(names) - code))
        rows = LabelledRows(X, 2 * (codes == code).view(np.int8) - np.int8(1), constant, kernel=kernel)
        sides = Names((names[code],), (*names[:code], *names[code + 1 :]), y, source)
        results[names[code]] = solve(rows, sides, limited, before[place] if before else None, verbose)
    return results


def solve(
    rows: LabelledRows,
    names: Names,
    settings: Settings,
    before: PrimalState | None,
    verbose: bool,
) -> PerceptronResult:
    """Run one problem and prove how it ended; ``before`` is a state to go on from."""
    passes: PrimalPasses | DualPasses | GradientSteps
    if settings.algorithm == "gradient":
        passes = GradientSteps(rows, settings)
    else:
        passes = DualPasses(rows, settings) if settings.dual else PrimalPasses(rows, settings, before)
    probe, warm = SeparabilityProbe(rows, names, settings), before is not None
    run = passes.result(*_run_passes(passes, probe, verbose))
    status = run.status
    if status in (Status.MAX_ITER, Status.MAX_TIME):
        status = probe.ask() or status
    known = Deferred(lambda: theory(rows, settings, run, warm))
    answer = probe.answer

    def certificate() -> Certificate:
        if status is Status.INSEPARABLE:
            assert answer is not None
            return prove_inseparable(answer, rows, names)
        return prove_mistakes(rows, names, settings, run, known.get(), warm)

    proof = Deferred(certificate)
    return PerceptronResult(names.positive, names.negative, run, status, rows.constant, known, proof)


def _run_passes(
    passes: PrimalPasses | DualPasses | GradientSteps, probe: SeparabilityProbe, verbose: bool
) -> tuple[Status, MistakeHistory]:
    """Pass after pass until one makes no mistake, or a limit ends the run.

    A pass that the time limit or Ctrl-C cuts short leaves its updates in the state, and no record.
    """
    began, records, settings = time.perf_counter(), list[MistakeRecord](), passes.settings
    status: Status | None = None
    with InterruptFlag() as interrupt, deadline(settings.max_time, interrupt):
        while status is None:
            try:
                mistakes = passes.step()
            except OutOfTime:
                status = Status.INTERRUPTED if interrupt.raised else Status.MAX_TIME
                break
            epoch, elapsed = len(records) + 1, time.perf_counter() - began
            visited = epoch * passes.rows.n_rows
            record = MistakeRecord(elapsed, epoch, visited, mistakes, passes.updates, float("nan"))
            records.append(record)
            if verbose:
                who = repr(probe.names.positive[0]) if passes.rows.classes == 2 else "all classes"
                sys.stderr.write(
                    f"Perceptron {who}: pass {epoch}, {mistakes} mistakes, {passes.updates} updates, {elapsed:.2f} s\n"
                )
            proved = probe.after(record)
            if mistakes == 0:
                status = Status.CONVERGED
            elif interrupt.raised:
                status = Status.INTERRUPTED
            elif proved is not None:
                status = proved
            elif epoch >= settings.max_epochs:
                status = Status.MAX_ITER
            elif settings.max_time is not None and elapsed >= settings.max_time:
                status = Status.MAX_TIME
    return status, MistakeHistory(records)
