"""What a perceptron run leaves, read out of the state of its solver: weights, coefficients, counts, what predicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.perceptron.budget import Ledger
from separatrix.perceptron.decision import ExpansionRule, PlaneRule, Rule, VoteRule
from separatrix.perceptron.dual import DualState, signed_counts
from separatrix.perceptron.exact_recheck import misclassified
from separatrix.perceptron.gradient import GradientState
from separatrix.perceptron.loop import PassRun
from separatrix.perceptron.parameters import Choice
from separatrix.perceptron.state import Counts, LabelledRows, PassState
from separatrix.problem import Status, weighted_sum
from separatrix.problem.kernels import Kernel
from separatrix.problem.mistakes import MistakeHistory
from separatrix.types import Vector


@dataclass(frozen=True, eq=False)
class Found:
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
    state: PassState | None  #: of a primal run: where partial_fit goes on
    support: tuple[Any, Any, Any, int] | None = (
        None  #: of a dual run: rows, beta, lag, visits, for partial_fit
    )
    pairs: Counts | None = None  #: (n, k) updates on each row against each rival, with many classes
    ledger: Ledger | None = None  #: of a run with a budget


def of_primal(
    rows: LabelledRows, kernel: Kernel, choice: Choice, classes: int, run: PassRun[PassState]
) -> Found:
    """The answer of passes on w itself."""
    state, settings = run.state, choice.settings
    W, b = state.w.reshape(-1, rows.X.shape[1]), state.b.copy()
    log = np.concatenate(state.log) if state.log else np.empty((0, 3), dtype=np.int64)
    beta, counts = _coefficients(rows, state, choice, classes, log)
    rule: Rule = PlaneRule(W.copy(), b)
    if settings.extra == "averaged":
        mean, mean_b = state.average()
        rule = PlaneRule(mean.reshape(W.shape), mean_b)
    elif settings.extra == "pocket" and state.pocket[0] >= 0:
        rule = PlaneRule(state.pocket_w.reshape(W.shape), state.pocket_b)
    elif settings.extra == "voted":
        rule = _votes(rows, kernel, choice, classes, log, int(state.tally[0]))
    pairs = _pairs(rows, classes, log)
    return Found(
        run.status,
        run.epochs,
        int(state.tally[1]),
        run.history,
        W.copy(),
        b,
        beta,
        counts,
        rule,
        state,
        pairs=pairs,
    )


def _pairs(rows: LabelledRows, classes: int, log: NDArray[np.int64]) -> Counts | None:
    if classes == 2:
        return None
    pairs = np.zeros((rows.n_rows, classes), dtype=np.int64)
    np.add.at(pairs, (log[:, 0], log[:, 2]), 1)
    return pairs


def _coefficients(
    rows: LabelledRows, state: PassState, choice: Choice, classes: int, log: NDArray[np.int64]
) -> tuple[NDArray[np.float64], Counts]:
    """beta (n, p) with w = sum_i beta_i x_i, and the updates on each row (n,)."""
    settings = choice.settings
    if classes == 2 and not settings.decreasing:
        return signed_counts(state.counts, rows.labels, settings)[:, None], state.counts
    counts = np.bincount(log[:, 0], minlength=rows.n_rows).astype(np.int64)
    sizes = settings.sizes(0, len(log))
    beta = np.zeros((rows.n_rows, 1 if classes == 2 else classes))
    if classes == 2:
        np.add.at(beta[:, 0], log[:, 0], sizes * rows.labels[log[:, 0]])
    else:
        np.add.at(beta, (log[:, 0], rows.labels[log[:, 0]]), sizes)
        np.add.at(beta, (log[:, 0], log[:, 2]), -sizes)
    _add_start(beta, rows, settings.start, classes)
    return beta, counts


def _add_start(beta: NDArray[np.float64], rows: LabelledRows, start: int | None, classes: int) -> None:
    if start is None:
        return
    label = int(rows.labels[start])
    if classes == 2:
        beta[start, 0] += label
    else:
        beta[start, label] += 1.0
        beta[start, int(label == 0)] -= 1.0


def of_dual(
    rows: LabelledRows, kernel: Kernel, choice: Choice, classes: int, run: PassRun[DualState]
) -> Found:
    """The answer of passes on the dual coefficients."""
    state, settings = run.state, choice.settings
    log = np.array(state.log, dtype=np.int64).reshape(-1, 3)
    beta = state.beta
    if settings.extra == "averaged":
        beta = state.average()
    elif settings.extra == "pocket" and state.pocket is not None:
        beta = state.pocket
    rule = (
        _votes(rows, kernel, choice, classes, log, state.visits)
        if settings.extra == "voted"
        else _expansion(rows, kernel, beta)
    )
    w, b = _planes(rows, kernel, state.beta)
    status = _honest(rows, classes, run.status, w, b)
    pairs = _pairs(rows, classes, log)
    return Found(
        status,
        run.epochs,
        state.updates,
        run.history,
        w,
        b,
        state.beta,
        state.counts,
        rule,
        None,
        None if kernel.name == "precomputed" else _kept(rows, state, classes),
        pairs,
        state.ledger,
    )


def _kept(rows: LabelledRows, state: DualState, classes: int) -> tuple[Any, Any, Any, int]:
    """Support rows, their coefficients and lags, and the visits; with a budget one row an update, oldest first."""
    if state.ledger is None:
        places = np.flatnonzero(np.any(state.beta != 0, axis=1))
        return rows.X[places], state.beta[places], state.lag[places], state.visits
    places = np.array([row for row, _, _ in state.kept], dtype=np.intp)
    beta = np.zeros((len(places), state.beta.shape[1]))
    for line, (row, rival, size) in zip(beta, state.kept, strict=True):
        if classes == 2:
            line[0] = size * rows.labels[row]
        else:
            line[rows.labels[row]], line[rival] = size, -size
    return rows.X[places], beta, np.zeros_like(beta), state.visits


def of_gradient(rows: LabelledRows, kernel: Kernel, choice: Choice, run: PassRun[GradientState]) -> Found:
    """The answer of gradient descent."""
    state, extra = run.state, choice.settings.extra
    last = state.beta[:, None]
    w, b = _planes(rows, kernel, last) if state.w is None else (state.w[None, :], np.array([state.b]))
    beta = last
    if extra == "averaged":
        beta = (state.beta_sum / max(1, state.visits))[:, None]
    elif extra == "pocket":
        beta = state.pocket[:, None]
    chosen = (w, b) if extra is None else _planes(rows, kernel, beta)
    rule = _expansion(rows, kernel, beta) if chosen[0] is None else PlaneRule(chosen[0], chosen[1])
    status = _honest(rows, 2, run.status, w, b)
    return Found(status, run.epochs, state.steps, run.history, w, b, last, state.counts, rule, None)


def _honest(
    rows: LabelledRows, classes: int, status: Status, w: NDArray[np.float64] | None, b: Vector
) -> Status:
    """No claim of a clean end if the weights, as they are published, misclassify a row exactly."""
    if status is not Status.CONVERGED or w is None or classes > 2:
        return status
    wrong = misclassified(rows, w[0], float(b[0]))
    return Status.MAX_ITER if len(wrong) else status


def _planes(
    rows: LabelledRows, kernel: Kernel, beta: NDArray[np.float64]
) -> tuple[NDArray[np.float64] | None, Vector]:
    """w = sum_i beta_i x_i where the kernel is linear, and b."""
    b = rows.gain * beta.sum(axis=0)
    if kernel.name != "linear":
        return None, b
    return np.array([weighted_sum(rows.X, column) for column in np.ascontiguousarray(beta.T)]), b


def _expansion(rows: LabelledRows, kernel: Kernel, beta: NDArray[np.float64]) -> Rule:
    if kernel.name == "linear":
        w, b = _planes(rows, kernel, beta)
        assert w is not None
        return PlaneRule(w, b)
    places = np.flatnonzero(np.any(beta != 0, axis=1))
    return ExpansionRule(kernel, _support(rows, kernel, places), places, beta[places], rows.gain)


def _support(rows: LabelledRows, kernel: Kernel, places: NDArray[np.intp]) -> Any:
    return None if kernel.name == "precomputed" else rows.X[places]


def _votes(
    rows: LabelledRows, kernel: Kernel, choice: Choice, classes: int, log: NDArray[np.int64], visits: int
) -> Rule:
    settings, labels = choice.settings, rows.labels
    amounts, survivals = settings.sizes(0, len(log)), np.diff(log[:, 1], append=visits).astype(np.float64)
    own, rival = labels[log[:, 0]].astype(np.intp), log[:, 2].astype(np.intp)
    who = log[:, 0]
    if settings.start is not None:  # the start is the first vector of all
        label = int(labels[settings.start])
        first = float(log[0, 1]) if len(log) else float(visits)
        who, amounts = np.concatenate([[settings.start], who]), np.concatenate([[1.0], amounts])
        own, rival = np.concatenate([[label], own]), np.concatenate([[int(label == 0)], rival])
        survivals = np.concatenate([[first], survivals])
    places, position = np.unique(who, return_inverse=True)
    if classes == 2:
        amounts, own, rival = amounts * own, np.zeros_like(own), np.zeros_like(own)
    support = _support(rows, kernel, places)
    planes = 1 if classes == 2 else classes
    return VoteRule(kernel, support, places, rows.gain, position, amounts, own, rival, survivals, planes)
