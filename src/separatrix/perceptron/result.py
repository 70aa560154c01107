"""The result of a run: its last weights, its counts, and the rule that scores new rows.

planes       W x + b                                      last, averaged and pocket on the weights
expansion    sum_i beta_i (k(x_i, x) + c^2)               the same on the dual coefficients
votes        sum_k survival_k sign f_k(x)                 voted: every weight vector of the run
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from separatrix._core import PerceptronState
from separatrix.fitting.predicting import raw_scores
from separatrix.perceptron.budget import Ledger
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.rows import Counts, LabelledRows, misclassified
from separatrix.problem import Status, weighted_sum
from separatrix.problem.kernels import Kernel
from separatrix.problem.mistakes import MistakeHistory
from separatrix.types import Vector

# Kernel values and scores in memory at a time while votes are counted: 16 MiB of float64.
_CHUNK = 1 << 21


class Rule(Protocol):
    """Scores of new rows: (m, 1) for two classes, positive for the second; (m, k) for many."""

    def scores(self, X: Any) -> NDArray[np.float64]:
        """One column a plane."""
        ...


@dataclass(frozen=True, eq=False)
class PlaneRule:
    """W (p, d) and b (p,)."""

    W: NDArray[np.float64]
    b: Vector

    def scores(self, X: Any) -> NDArray[np.float64]:
        """W x + b."""
        return raw_scores(X, self.W, self.b)


@dataclass(frozen=True, eq=False)
class ExpansionRule:
    """Support rows with coefficients beta (s, p); ``places`` are their numbers among the training rows."""

    kernel: Kernel
    support: Any
    places: NDArray[np.intp]
    beta: NDArray[np.float64]
    gain: float

    def scores(self, X: Any) -> NDArray[np.float64]:
        """sum_i beta_i (k(x_i, x) + c^2)."""
        block = kernel_block(self.kernel, X, self.support, self.places)
        total: NDArray[np.float64] = block @ self.beta
        return np.asarray(total + self.gain * self.beta.sum(axis=0))


def kernel_block(kernel: Kernel, X: Any, support: Any, places: NDArray[np.intp]) -> NDArray[np.float64]:
    """k(x, x_i) for the support rows, shape (m, s); a precomputed X has a column for every training row."""
    if kernel.name == "precomputed":
        return kernel.matrix(X, support)[:, places]
    return kernel.matrix(X, support)


@dataclass(frozen=True, eq=False)
class VoteRule:
    """Every weight vector of the run, as the updates that made them.

    Update k adds ``amounts[k]`` times support row ``rows[k]`` to plane ``gains[k]`` and, with many classes, takes
    it from plane ``losses[k]``; the vector it makes then survives ``survivals[k]`` rows. Freund and Schapire (1999).
    """

    kernel: Kernel
    support: Any
    places: NDArray[np.intp]
    gain: float
    rows: NDArray[np.intp]
    amounts: Vector
    gains: NDArray[np.intp]
    losses: NDArray[np.intp]
    survivals: Vector
    planes: int

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Votes divided by the number of rows visited: within [-1, 1] for two classes, [0, 1] for many."""
        out = np.zeros((X.shape[0], self.planes))
        height = max(1, _CHUNK // max(1, len(self.rows) + len(self.places)))
        for start in range(0, X.shape[0], height):
            block = (
                kernel_block(self.kernel, X[start : start + height], self.support, self.places) + self.gain
            )
            out[start : start + height] = self._two(block) if self.planes == 1 else self._many(block)
        return out / max(1.0, float(self.survivals.sum()))

    def _two(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        scores = np.cumsum(block[:, self.rows] * self.amounts, axis=1)
        return np.asarray(np.sign(scores) @ self.survivals)[:, None]

    def _many(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        scores, votes = np.zeros((len(block), self.planes)), np.zeros((len(block), self.planes))
        each = np.arange(len(block))
        for row, amount, up, down, survival in zip(
            self.rows, self.amounts, self.gains, self.losses, self.survivals, strict=True
        ):
            scores[:, up] += amount * block[:, row]
            scores[:, down] -= amount * block[:, row]
            votes[each, scores.argmax(axis=1)] += survival
        return votes


@dataclass(frozen=True, eq=False)
class PrimalState:
    """Weights, counts and the generator of the order after some passes over n_rows rows: enough to go on."""

    run: PerceptronState
    rng: np.random.Generator
    n_rows: int


@dataclass(frozen=True, eq=False)
class RunResult:
    """The last weights, the dual coefficients, the counts, and the rule that predicts.

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
    state: PrimalState | None = None  #: of a primal run, where a warm start and partial_fit go on
    support: tuple[Any, Any, Any, int] | None = (
        None  #: of a dual run, for partial_fit: rows, beta, lag, visits
    )
    pairs: Counts | None = None  #: (n, k) updates on each row against each rival, with many classes
    ledger: Ledger | None = None  #: of a run with a budget


def planes_of(rows: LabelledRows, beta: NDArray[np.float64]) -> tuple[NDArray[np.float64] | None, Vector]:
    """w = sum_i beta_i x_i, shape (p, d), where the kernel is linear; and b = c^2 sum_i beta_i, shape (p,)."""
    b = rows.gain * beta.sum(axis=0)
    if not rows.is_linear:
        return None, b
    return np.array([weighted_sum(rows.X, column) for column in np.ascontiguousarray(beta.T)]), b


def rule_of(rows: LabelledRows, beta: NDArray[np.float64]) -> Rule:
    """The rule of coefficients beta (n, p): planes where the kernel is linear, else an expansion."""
    w, b = planes_of(rows, beta)
    if w is not None:
        return PlaneRule(w, b)
    places = np.flatnonzero(np.any(beta != 0, axis=1))
    return ExpansionRule(rows.kernel, rows.support(places), places, beta[places], rows.gain)


def votes_of(rows: LabelledRows, settings: Settings, log: Counts, visits: int) -> VoteRule:
    """Every weight vector of a run, from the log of its updates: (row, visits before, rival) of each."""
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
    support, planes = rows.support(places), rows.n_planes
    return VoteRule(rows.kernel, support, places, rows.gain, position, amounts, own, rival, survivals, planes)


def exact_status(rows: LabelledRows, status: Status, w: NDArray[np.float64] | None, b: Vector) -> Status:
    """The status, but no clean end if the weights, as they are published, misclassify a row exactly."""
    if status is not Status.CONVERGED or w is None or rows.classes > 2:
        return status
    return Status.MAX_ITER if len(misclassified(rows, w[0], float(b[0]))) else status
