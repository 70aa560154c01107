"""The perceptron algorithm in the dual: w = sum_i beta_i x_i is never formed, so any kernel will do.

    f(x) = sum_i beta_i (k(x_i, x) + c^2);     where y_i f(x_i) <= 0:   beta_i += s y_i,  counts_i += 1

The scores F_i = f(x_i) of all rows are kept and an update adds one kernel column to them. With the linear kernel
the run makes the updates of the primal run, in the same order; on data whose sums are exact (integers, say) the
two agree bit for bit. For many classes beta and F have one column a class (Kesler).
Aizerman, Braverman and Rozonoer (1964).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.perceptron.budget import Ledger, relative_product
from separatrix.perceptron.kernel_columns import Columns
from separatrix.perceptron.state import Counts, LabelledRows, Settings
from separatrix.problem.kernels import Kernel
from separatrix.solvers.loop.deadline import look_at_the_clock
from separatrix.types import Vector

_LOOK = 512  # rows tested at a time for the next mistake


@dataclass(eq=False)
class DualState:
    """beta and F are (n, classes), one column for two classes; ``log`` holds (row, visits before, rival)."""

    columns: Columns
    beta: NDArray[np.float64]
    F: NDArray[np.float64]
    rng: np.random.Generator
    counts: Counts
    lag: NDArray[np.float64]
    visits: int = 0
    updates: int = 0
    run: int = 0
    log: list[tuple[int, int, int]] = field(default_factory=list)
    pocket: NDArray[np.float64] | None = None
    pocket_run: int = -1
    pocket_errors: int = -1
    ledger: Ledger | None = None
    kept: list[tuple[int, int, float]] = field(
        default_factory=list
    )  #: with a budget: (row, rival, size), oldest first
    squared_radius: float = 0.0

    def average(self) -> NDArray[np.float64]:
        """The mean of beta over all visits."""
        return self.beta - self.lag / max(1, self.visits)


@dataclass(frozen=True)
class DualPasses:
    """Passes on the dual coefficients; ``classes`` of 2 means labels of -1 and +1.

    ``budget`` is the most updates that are kept at a time (`perceptron_budget`); a row updated twice counts twice.

    >>> from separatrix.problem.kernels import Rbf
    >>> X, signs = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), np.array([1, 1, -1, -1], dtype=np.int8)
    >>> rows, solver = LabelledRows(X, signs, constant=0.0), DualPasses(Settings(), Rbf(1.0))
    >>> state = solver.init(rows, n_threads=1)
    >>> [solver.step(rows, state) for _ in range(3)], state.counts
    ([3, 1, 0], array([1, 1, 1, 1]))
    """

    settings: Settings
    kernel: Kernel
    classes: int = 2
    budget: int | None = None

    def init(self, rows: LabelledRows, n_threads: int) -> DualState:
        """beta = 0, or one at the start row."""
        n, width = rows.n_rows, 1 if self.classes == 2 else self.classes
        state = DualState(
            columns=Columns(self.kernel, rows.X, rows.gain),
            beta=np.zeros((n, width)),
            F=np.zeros((n, width)),
            rng=np.random.default_rng(self.settings.seed),
            counts=np.zeros(n, dtype=np.int64),
            lag=np.zeros((n, width)),
        )
        if self.settings.start is not None:
            own = int(rows.labels[self.settings.start])
            self._add(rows, state, self.settings.start, 1.0, int(own == 0))
        if self.budget is not None:
            longest = float(np.max(self.kernel.diagonal(rows.X), initial=0.0)) + rows.gain
            state.ledger, state.squared_radius = (
                Ledger(self.budget),
                longest * (1 if self.classes == 2 else 2),
            )
        return state

    def step(self, rows: LabelledRows, state: DualState) -> int:
        """One pass over all rows."""
        n = rows.n_rows
        if state.ledger is not None and state.ledger.dropped:  # removals leave rounding behind in F
            used = np.flatnonzero(np.any(state.beta != 0, axis=1))
            for place in range(state.F.shape[1]):
                state.F[:, place] = state.columns.combination(used, state.beta[used, place])
        return self.advance(rows, state, state.rng.permutation(n) if self.settings.shuffle else np.arange(n))

    def advance(self, rows: LabelledRows, state: DualState, order: NDArray[np.intp]) -> int:
        """The given rows in turn: part of a pass, for who wants to stop on the way; `OutOfTime` before an update."""
        n, before, position = len(order), state.updates, 0
        while position < n:
            ahead = order[position : position + _LOOK]
            wrong, rivals = self._mistakes(rows, state, ahead)
            first = int(np.argmax(wrong))
            found = bool(wrong[first])
            passed = first if found else len(ahead)
            state.visits += passed
            state.run += passed
            position += passed
            if not found:
                continue
            look_at_the_clock()  # an update may cost a column of the kernel's matrix
            self._offer(rows, state)
            self._update(rows, state, int(ahead[first]), int(rivals[first]))
            position += 1
        self._offer(rows, state)
        return state.updates - before

    def _mistakes(
        self, rows: LabelledRows, state: DualState, which: NDArray[Any]
    ) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """Which of the given rows are misclassified, and by which rival."""
        F = state.F[which]
        if self.classes == 2:
            return ~(rows.labels[which] * F[:, 0] > 0), np.zeros(len(which), dtype=np.intp)
        each, own = np.arange(len(which)), rows.labels[which]
        own_scores = F[each, own]
        F[each, own] = -np.inf
        rivals = np.argmax(F, axis=1)
        return ~(own_scores > F[each, rivals]), rivals

    def _update(self, rows: LabelledRows, state: DualState, row: int, rival: int) -> None:
        scale = float(self.settings.sizes(state.updates, 1)[0])
        self._add(rows, state, row, scale, rival)
        self._add_lag(rows, state, row, scale * state.visits, rival)
        state.counts[row] += 1
        state.log.append((row, state.visits, rival))
        state.visits += 1
        state.updates += 1
        state.run = 0
        if state.ledger is not None:
            state.kept.append((row, rival, scale))
            if len(state.kept) > state.ledger.budget:
                self._drop_oldest(rows, state, state.ledger)

    def _drop_oldest(self, rows: LabelledRows, state: DualState, ledger: Ledger) -> None:
        row, rival, size = state.kept[0]
        step = self.settings.size
        product = sum(
            sign * float(state.F[row, place]) for place, sign in self._shares(rows, row, 1.0, rival)
        )
        product = relative_product(self.kernel, product / step, state.squared_radius)
        phi = ledger.make_room(size / step, product, state.updates)
        state.F *= phi
        state.beta *= phi
        self._add(rows, state, row, -phi * size, rival)
        state.kept = [(place, other, phi * amount) for place, other, amount in state.kept[1:]]
        state.beta[row] = 0.0  # exactly, where nothing of the row is left
        for place, other, amount in state.kept:
            for column, share in self._shares(rows, row, amount, other) if place == row else ():
                state.beta[row, column] += share

    def _add(self, rows: LabelledRows, state: DualState, row: int, scale: float, rival: int) -> None:
        column = state.columns.column(row)
        for place, amount in self._shares(rows, row, scale, rival):
            state.beta[row, place] += amount
            state.F[:, place] += amount * column

    def _add_lag(self, rows: LabelledRows, state: DualState, row: int, amount: float, rival: int) -> None:
        for place, share in self._shares(rows, row, amount, rival):
            state.lag[row, place] += share

    def _shares(self, rows: LabelledRows, row: int, scale: float, rival: int) -> list[tuple[int, float]]:
        label = int(rows.labels[row])
        return [(0, scale * label)] if self.classes == 2 else [(label, scale), (rival, -scale)]

    def _offer(self, rows: LabelledRows, state: DualState) -> None:
        """Keep beta if its run is the longest and its errors on all rows the fewest (Gallant's ratchet)."""
        if self.settings.extra != "pocket" or state.run <= state.pocket_run:
            return
        wrong, _ = self._mistakes(rows, state, np.arange(rows.n_rows))
        errors = int(wrong.sum())
        if 0 <= state.pocket_errors <= errors:
            return
        state.pocket, state.pocket_run, state.pocket_errors = state.beta.copy(), state.run, errors


def signed_counts(counts: Counts, signs: NDArray[Any], settings: Settings) -> Vector:
    """beta of a run with a fixed step: s y_i counts_i, plus the start row, shape (n,)."""
    beta = np.zeros(len(counts))
    updated = np.flatnonzero(counts)
    beta[updated] = counts[updated] * signs[updated].astype(np.float64) * settings.size
    if settings.start is not None:
        beta[settings.start] += float(signs[settings.start])
    return beta
