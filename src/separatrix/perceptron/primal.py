"""The perceptron algorithm in the primal, and what its runs have in common.

    one step = one pass over the rows:   for each row with y_i f(x_i) <= 0:   w += s y_i x_i,  b += s y_i c^2

c is the constant of the fictitious column (0: no bias, 1: `unit`, R: `radius`), s the step, fixed or 1 / sqrt(t) at
update t. A pass without a mistake ends the run. Rows are scored in blocks, and by threads when mistakes are rare;
the updates are those of the sequential algorithm, bit for bit. Rosenblatt (1958); Gallant (1990) for the pocket.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from separatrix.perceptron.state import LabelledRows, PassState, Settings, core, dense_row, matrix_arguments
from separatrix.solvers.loop.deadline import look_at_the_clock


@dataclass(frozen=True)
class PrimalPasses:
    """The perceptron algorithm for two classes on w itself.

    >>> rows = LabelledRows(np.array([[2.0], [-1.0]]), np.array([1, -1], dtype=np.int8), constant=1.0)
    >>> solver = PrimalPasses(Settings())
    >>> state = solver.init(rows, n_threads=1)
    >>> [solver.step(rows, state) for _ in range(2)]
    [1, 0]
    >>> state.w, state.b, state.counts
    (array([2.]), array([1.]), array([1, 0]))
    """

    settings: Settings

    def init(self, rows: LabelledRows, n_threads: int) -> PassState:
        """w = 0, or y_j x_j where a start row was given."""
        d, settings = int(rows.X.shape[1]), self.settings
        state = PassState(np.zeros(d), np.zeros(1), np.random.default_rng(settings.seed), n_threads)
        state.counts = np.zeros(rows.n_rows, dtype=np.int64)
        if settings.start is not None:
            sign = float(rows.labels[settings.start])
            state.w += sign * dense_row(rows.X, settings.start)
            state.b += sign * rows.gain
        if settings.extra == "averaged":
            state.lag, state.lag_b = np.zeros(d), np.zeros(1)
        if settings.extra == "pocket":
            state.pocket_w, state.pocket_b = np.zeros(d), np.zeros(1)
        return state

    def step(self, rows: LabelledRows, state: PassState) -> int:
        """One pass over all rows; `OutOfTime` between two portions of them if time is over."""
        order = state.next_order(rows.n_rows, self.settings.shuffle, rows.run)
        updates = 0
        for begin, end in rows.portions():
            updates += self._visit(rows, state, order, begin, end)
            if end < rows.n_rows:
                look_at_the_clock()
        return updates

    def advance(self, rows: LabelledRows, state: PassState, begin: int, end: int) -> int:
        """Part of a pass, for who wants to stop on the way; a shuffled pass must be whole."""
        order = state.next_order(rows.n_rows, self.settings.shuffle)
        return self._visit(rows, state, order, begin, end)

    def _visit(
        self, rows: LabelledRows, state: PassState, order: NDArray[np.int64], begin: int, end: int
    ) -> int:
        """The positions begin .. end - 1 of an order; how many updates there were."""
        before, settings = int(state.tally[1]), self.settings
        logged = settings.extra == "voted" or settings.decreasing
        log = core.perceptron_pass(
            *matrix_arguments(rows.X),
            rows.labels,
            order,
            begin,
            end,
            state.w,
            state.b,
            settings.size,
            rows.gain,
            settings.decreasing,
            rows.reach,
            state.n_threads,
            state.tally,
            state.counts,
            state.lag,
            state.lag_b,
            state.pocket_w,
            state.pocket_b,
            state.pocket,
            logged,
        )
        if logged:
            state.log.append(log)
        return int(state.tally[1]) - before

    def force(self, rows: LabelledRows, state: PassState, row: int) -> None:
        """An update on a row that is misclassified exactly, though rounding hides it."""
        scale = float(self.settings.sizes(int(state.tally[1]), 1)[0]) * float(rows.labels[row])
        x = dense_row(rows.X, row)
        state.w += scale * x
        state.b += scale * rows.gain
        if state.lag.size:
            missing = scale * float(state.tally[0])
            state.lag += missing * x
            state.lag_b += missing * rows.gain
        state.counts[row] += 1
        if self.settings.extra == "voted" or self.settings.decreasing:
            state.log.append(np.array([[row, state.tally[0], 0]], dtype=np.int64))
        state.tally += np.array([1, 1, -state.tally[2]])
