"""One run from its first pass to what it leaves: the loop around the passes, and the result read out of their state."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from separatrix.perceptron.algorithm import Counts, LabelledRows, PrimalPasses, PrimalState, misclassified
from separatrix.perceptron.budget import Ledger
from separatrix.perceptron.decision import ExpansionRule, PlaneRule, Rule, VoteRule
from separatrix.perceptron.dual import DualPasses
from separatrix.perceptron.gradient import GradientSteps
from separatrix.perceptron.parameters import Settings
from separatrix.problem import Status, weighted_sum
from separatrix.problem.mistakes import MistakeHistory, MistakeRecord
from separatrix.solvers.loop.deadline import InterruptFlag, OutOfTime, deadline
from separatrix.types import Vector

#: Sees each record as it is made; a status ends the run with it.
OnRecord = Callable[[MistakeRecord], Status | None]


class Passes(Protocol):
    """A variant of the algorithm: ``step`` makes one pass and returns the rows misclassified; 0 ends the run."""

    rows: LabelledRows

    @property
    def updates(self) -> int:
        """Updates so far."""
        ...

    def step(self) -> int:
        """One pass."""
        ...


def run_passes(
    passes: Passes, settings: Settings, on_record: OnRecord | None = None
) -> tuple[Status, MistakeHistory]:
    """Pass after pass until one makes no mistake, or a limit ends the run.

    A pass that the time limit or Ctrl-C cuts short leaves its updates in the state, and no record.
    """
    began, records = time.perf_counter(), list[MistakeRecord]()
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
            records.append(MistakeRecord(elapsed, epoch, visited, mistakes, passes.updates, float("nan")))
            asked = on_record(records[-1]) if on_record is not None else None
            if mistakes == 0:
                status = Status.CONVERGED
            elif interrupt.raised:
                status = Status.INTERRUPTED
            elif asked is not None:
                status = asked
            elif epoch >= settings.max_epochs:
                status = Status.MAX_ITER
            elif settings.max_time is not None and elapsed >= settings.max_time:
                status = Status.MAX_TIME
    return status, MistakeHistory(records)


@dataclass(frozen=True, eq=False)
class RunResult:
    """What a run leaves: the last weights, the dual coefficients, the counts, and what predicts.

    w (p, d) and b (p,) are None and zero where the kernel has no weights; beta is (n, p).
    """

    status: Status
    epochs: int
    updates: int
    history: MistakeHistory
    w: NDArray[np.float64] | None
    b: Vector
    beta: NDArray[np.float64]
    counts: Counts
    rule: Rule
    state: PrimalState | None = None  #: of a primal run: where partial_fit goes on
    support: tuple[Any, Any, Any, int] | None = (
        None  #: of a dual run: rows, beta, lag, visits, for partial_fit
    )
    pairs: Counts | None = None  #: (n, k) updates on each row against each rival, with many classes
    ledger: Ledger | None = None  #: of a run with a budget


def run(
    rows: LabelledRows,
    settings: Settings,
    on_record: OnRecord | None = None,
    before: PrimalState | None = None,
) -> RunResult:
    """Run the variant that the settings choose; ``before`` is a state to go on from."""
    if settings.algorithm == "gradient":
        steps = GradientSteps(rows, settings)
        return _of_gradient(steps, *run_passes(steps, settings, on_record))
    if settings.dual:
        dual = DualPasses(rows, settings)
        return _of_dual(dual, *run_passes(dual, settings, on_record))
    passes = PrimalPasses(rows, settings, before)
    return _of_primal(passes, *run_passes(passes, settings, on_record))


def _of_primal(passes: PrimalPasses, status: Status, history: MistakeHistory) -> RunResult:
    rows, settings, state = passes.rows, passes.settings, passes.state
    W, b, log = state.w.copy(), state.b.copy(), state.log
    beta, counts = _coefficients(rows, settings, log, state.counts)
    rule: Rule = PlaneRule(W, b)
    if settings.output == "averaged":
        visits = max(1, state.visits)
        rule = PlaneRule(W - state.lag / visits, b - state.lag_b / visits)
    elif settings.output == "pocket" and state.pocket_run >= 0:
        rule = PlaneRule(state.pocket_w.copy(), state.pocket_b.copy())
    elif settings.output == "voted":
        rule = _votes(rows, settings, log, state.visits)
    found = RunResult(status, len(history), state.updates, history, W, b, beta, counts, rule)
    return replace(found, state=PrimalState(state, passes.rng), pairs=_pairs(rows, log))


def _coefficients(
    rows: LabelledRows, settings: Settings, log: Counts, counted: Counts
) -> tuple[NDArray[np.float64], Counts]:
    """beta (n, p) with w = sum_i beta_i x_i, and the updates on each row (n,)."""
    who, labels = log[:, 0], rows.labels
    beta = np.zeros((rows.n_rows, rows.n_planes))
    counts = counted.copy() if counted.size else np.bincount(who, minlength=rows.n_rows).astype(np.int64)
    if rows.classes > 2:
        sizes = settings.sizes(0, len(log))
        np.add.at(beta, (who, labels[who]), sizes)
        np.add.at(beta, (who, log[:, 2]), -sizes)
    elif settings.decreasing:
        np.add.at(beta[:, 0], who, settings.sizes(0, len(log)) * labels[who])
    else:
        updated = np.flatnonzero(counts)
        beta[updated, 0] = counts[updated] * labels[updated].astype(np.float64) * settings.size
    if settings.start is not None:
        for plane, amount in rows.shares(settings.start):
            beta[settings.start, plane] += amount
    return beta, counts


def _pairs(rows: LabelledRows, log: Counts) -> Counts | None:
    if rows.classes == 2:
        return None
    pairs = np.zeros((rows.n_rows, rows.classes), dtype=np.int64)
    np.add.at(pairs, (log[:, 0], log[:, 2]), 1)
    return pairs


def _of_dual(passes: DualPasses, status: Status, history: MistakeHistory) -> RunResult:
    rows, settings, beta = passes.rows, passes.settings, passes.beta
    log = np.array(passes.log, dtype=np.int64).reshape(-1, 3)
    voted = settings.output == "voted"
    rule = _votes(rows, settings, log, passes.visits) if voted else _expansion(rows, passes.output())
    w, b = _planes(rows, beta)
    status = _exact_status(rows, status, w, b)
    support = None if rows.kernel.name == "precomputed" else _support(passes)
    found = RunResult(status, len(history), passes.updates, history, w, b, beta, passes.counts, rule)
    return replace(found, support=support, pairs=_pairs(rows, log), ledger=passes.ledger)


def _support(passes: DualPasses) -> tuple[Any, Any, Any, int]:
    """Support rows, their coefficients and lags, and the visits; with a budget one row an update, oldest first."""
    rows = passes.rows
    if passes.ledger is None:
        places = np.flatnonzero(np.any(passes.beta != 0, axis=1))
        return rows.X[places], passes.beta[places], passes.lag[places], passes.visits
    places = np.array([row for row, _, _ in passes.support], dtype=np.intp)
    beta = np.zeros((len(places), rows.n_planes))
    for line, (row, rival, size) in zip(beta, passes.support, strict=True):
        for plane, amount in rows.shares(row, size, rival):
            line[plane] = amount
    return rows.X[places], beta, np.zeros_like(beta), passes.visits


def _of_gradient(steps: GradientSteps, status: Status, history: MistakeHistory) -> RunResult:
    rows, beta = steps.rows, steps.beta[:, None]
    w, b = (steps.w[None, :], np.array([steps.b])) if steps.w is not None else _planes(rows, beta)
    last = steps.w is not None and steps.settings.output == "last"
    rule = PlaneRule(np.asarray(w), b) if last else _expansion(rows, steps.output()[:, None])
    status = _exact_status(rows, status, w, b)
    return RunResult(status, len(history), steps.updates, history, w, b, beta, steps.counts, rule)


def _exact_status(rows: LabelledRows, status: Status, w: NDArray[np.float64] | None, b: Vector) -> Status:
    """No claim of a clean end if the weights, as they are published, misclassify a row exactly."""
    if status is not Status.CONVERGED or w is None or rows.classes > 2:
        return status
    return Status.MAX_ITER if len(misclassified(rows, w[0], float(b[0]))) else status


def _planes(rows: LabelledRows, beta: NDArray[np.float64]) -> tuple[NDArray[np.float64] | None, Vector]:
    """w = sum_i beta_i x_i where the kernel is linear, and b."""
    b = rows.gain * beta.sum(axis=0)
    if not rows.is_linear:
        return None, b
    return np.array([weighted_sum(rows.X, column) for column in np.ascontiguousarray(beta.T)]), b


def _expansion(rows: LabelledRows, beta: NDArray[np.float64]) -> Rule:
    w, b = _planes(rows, beta)
    if w is not None:
        return PlaneRule(w, b)
    places = np.flatnonzero(np.any(beta != 0, axis=1))
    return ExpansionRule(rows.kernel, _rows_at(rows, places), places, beta[places], rows.gain)


def _rows_at(rows: LabelledRows, places: NDArray[np.intp]) -> Any:
    return None if rows.kernel.name == "precomputed" else rows.X[places]


def _votes(rows: LabelledRows, settings: Settings, log: Counts, visits: int) -> Rule:
    """Every weight vector of the run, from the log of its updates."""
    who, labels = log[:, 0], rows.labels
    amounts, survivals = settings.sizes(0, len(log)), np.diff(log[:, 1], append=visits).astype(np.float64)
    own, rival = labels[who].astype(np.intp), log[:, 2].astype(np.intp)
    if settings.start is not None:  # the start is the first vector of all
        label = int(labels[settings.start])
        first = float(log[0, 1]) if len(log) else float(visits)
        who, amounts = np.concatenate([[settings.start], who]), np.concatenate([[1.0], amounts])
        own, rival = np.concatenate([[label], own]), np.concatenate([[int(label == 0)], rival])
        survivals = np.concatenate([[first], survivals])
    places, position = np.unique(who, return_inverse=True)
    if rows.classes == 2:
        amounts, own, rival = amounts * own, np.zeros_like(own), np.zeros_like(own)
    support, planes = _rows_at(rows, places), rows.n_planes
    return VoteRule(rows.kernel, support, places, rows.gain, position, amounts, own, rival, survivals, planes)
