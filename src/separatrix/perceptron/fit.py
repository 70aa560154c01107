"""A fit as a whole: its problems (two classes, Kesler's construction, or one class against the rest), each solved."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from separatrix.fitting.results import Deferred
from separatrix.perceptron.algorithm import LabelledRows, PrimalState, column_constant
from separatrix.perceptron.bounds import Theory, theory
from separatrix.perceptron.certificate import Names, SeparabilityProbe, prove_inseparable, prove_mistakes
from separatrix.perceptron.decision import PlaneRule
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.run import RunResult, run
from separatrix.problem import Status
from separatrix.problem.kernels import Kernel
from separatrix.problem.mistakes import MistakeHistory, MistakeRecord
from separatrix.proof.certificate import Certificate
from separatrix.proof.fingerprint import fingerprint
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
    _check_rows(X, kernel, settings)
    constant, names = column_constant(X, kernel, settings.bias), classes.tolist()
    y = Deferred(lambda: classes[codes])
    source = Deferred(lambda: fingerprint(X, y.get()))

    def one(positive: int, place: int, limited: Settings) -> PerceptronResult:
        signs = 2 * (codes == positive).view(np.int8) - np.int8(1)
        rest = tuple(name for code, name in enumerate(names) if code != positive)
        rows = LabelledRows(X, signs, constant, kernel=kernel)
        sides = Names((names[positive],), rest, y, source)
        show = _line(repr(names[positive])) if verbose else None
        return solve(rows, sides, limited, before[place] if before else None, show)

    if len(names) == 2:
        return {names[1]: one(1, 0, settings)}
    if settings.multi_class == "kesler":
        rows = LabelledRows(X, codes.astype(np.int32), constant, len(names), kernel)
        show = _line("all classes") if verbose else None
        every = Names(tuple(names), (), y, source)
        return {tuple(names): solve(rows, every, settings, before[0] if before else None, show)}
    began, results = time.perf_counter(), {}
    for code, name in enumerate(names):
        limited = settings
        if settings.max_time is not None:
            left = max(1e-3, settings.max_time - (time.perf_counter() - began))
            limited = replace(settings, max_time=left / (len(names) - code))
        results[name] = one(code, code, limited)
    return results


def solve(
    rows: LabelledRows,
    names: Names,
    settings: Settings,
    before: PrimalState | None = None,
    show: Callable[[MistakeRecord], None] | None = None,
) -> PerceptronResult:
    """Run one problem and prove how it ended."""
    probe, warm = SeparabilityProbe(rows, names, settings, show), before is not None
    found = run(rows, settings, probe, before)
    status = found.status
    if status in (Status.MAX_ITER, Status.MAX_TIME):
        status = probe.ask() or status
    known = Deferred(lambda: theory(rows, settings, found, warm))
    answer = probe.answer

    def certificate() -> Certificate:
        if status is Status.INSEPARABLE:
            assert answer is not None
            return prove_inseparable(answer, rows, names)
        return prove_mistakes(rows, names, settings, found, known.get(), warm)

    proof = Deferred(certificate)
    return PerceptronResult(names.positive, names.negative, found, status, rows.constant, known, proof)


def publish(estimator: Any) -> None:
    """Set the attributes that cost nothing; the others are properties."""
    results = list(estimator.problems_.values())
    runs: list[RunResult] = [result.run for result in results]
    for name in ("coef_", "intercept_"):
        estimator.__dict__.pop(name, None)
    if runs[0].w is not None:
        # The planes that predict, or the last where votes do.
        planes = [r.rule if isinstance(r.rule, PlaneRule) else PlaneRule(np.asarray(r.w), r.b) for r in runs]
        estimator.coef_ = np.vstack([plane.W for plane in planes])
        estimator.intercept_ = np.concatenate([plane.b for plane in planes])
    estimator.dual_coef_ = np.vstack([r.beta.T for r in runs])
    estimator.alpha_ = runs[0].counts if len(runs) == 1 else np.vstack([r.counts for r in runs])
    estimator.n_updates_ = sum(r.updates for r in runs)
    estimator.n_epochs_ = max(r.epochs for r in runs)
    # A fit of several problems ended as badly as the worst of them.
    ranking = [Status.CONVERGED, Status.INSEPARABLE, Status.MAX_ITER, Status.MAX_TIME, Status.INTERRUPTED]
    estimator.status_ = max((result.status for result in results), key=ranking.index).value


def warn_of_limits(estimator: Any) -> None:
    """Warn, in the name of the caller of `fit`, where a limit came before an answer."""
    if estimator.status_ in (Status.MAX_ITER, Status.MAX_TIME):
        limited = estimator.status_ == Status.MAX_ITER
        warnings.warn(
            "Perceptron made no pass without mistakes before "
            f"{f'max_epochs={int(estimator.max_epochs)}' if limited else 'max_time'} came, and the rows were not shown "
            "to be inseparable. The weights so far are kept. Hint: raise the limit, scale the columns, or use "
            "output='averaged' or 'pocket'.",
            ConvergenceWarning,
            stacklevel=3,
        )


def _check_rows(X: Matrix, kernel: Kernel, settings: Settings) -> None:
    if settings.start is not None and settings.start >= X.shape[0]:
        raise ValueError(f"start must be the number of a row, 0 .. {X.shape[0] - 1}; got {settings.start}.")
    if kernel.name == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(
            f"kernel='precomputed' needs a square X, one value for each pair of rows; got shape {X.shape}."
        )


def _line(name: str) -> Callable[[MistakeRecord], None]:
    def show(record: MistakeRecord) -> None:
        sys.stderr.write(
            f"Perceptron {name}: pass {record.epoch}, {record.mistakes} mistakes, {record.updates} updates, "
            f"{record.time:.2f} s\n"
        )

    return show
