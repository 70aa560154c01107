"""The perceptron for many classes, through Kesler's construction.

    f_r(x) = w_r.x + b_r;   where some rival r != y_i has f_r(x_i) >= f_{y_i}(x_i), for the highest-scoring rival:
    w_{y_i} += s x_i,  b_{y_i} += s c^2;   w_r -= s x_i,  b_r -= s c^2

This is the two-class perceptron on the rows z = (.., x_i, .., -x_i, ..) of length k d, one for each row and rival:
||z||^2 = 2 ||x_i||^2, and a clean pass means that every row's own class scores strictly highest.
Duda and Hart (1973), section 5.12; Crammer and Singer (2003).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from separatrix.perceptron.state import LabelledRows, PassState, Settings, core, dense_row, matrix_arguments
from separatrix.solvers.loop.deadline import look_at_the_clock


@dataclass(frozen=True)
class KeslerPasses:
    """Passes over rows with codes 0 .. classes - 1; state.w is (classes, d), state.b (classes,).

    >>> X, codes = np.eye(3), np.arange(3, dtype=np.int32)
    >>> rows, solver = LabelledRows(X, codes, constant=0.0), KeslerPasses(Settings(), classes=3)
    >>> state = solver.init(rows, n_threads=1)
    >>> [solver.step(rows, state) for _ in range(3)]
    [3, 0, 0]
    """

    settings: Settings
    classes: int

    def init(self, rows: LabelledRows, n_threads: int) -> PassState:
        """W = 0, or the start row in its own class and against the first other."""
        d, settings = int(rows.X.shape[1]), self.settings
        state = PassState(
            np.zeros((self.classes, d)),
            np.zeros(self.classes),
            np.random.default_rng(settings.seed),
            n_threads,
        )
        if settings.start is not None:
            own = int(rows.labels[settings.start])
            for code, sign in (
                (own, 1.0),
                (int(own == 0), -1.0),
            ):  # a row z of the construction, rival 0 or 1
                state.w[code] += sign * dense_row(rows.X, settings.start)
                state.b[code] += sign * rows.gain
        if settings.extra == "averaged":
            state.lag, state.lag_b = np.zeros_like(state.w), np.zeros_like(state.b)
        return state

    def step(self, rows: LabelledRows, state: PassState) -> int:
        """One pass over all rows; `OutOfTime` between two portions of them if time is over."""
        before, settings = int(state.tally[1]), self.settings
        order = state.next_order(rows.n_rows, settings.shuffle, rows.run)
        for begin, end in rows.portions():
            self._visit(rows, state, order, begin, end)
            if end < rows.n_rows:
                look_at_the_clock()
        return int(state.tally[1]) - before

    def _visit(
        self, rows: LabelledRows, state: PassState, order: NDArray[np.int64], begin: int, end: int
    ) -> None:
        settings = self.settings
        log = core.kesler_pass(
            *matrix_arguments(rows.X),
            rows.labels,
            order,
            begin,
            end,
            state.w.reshape(-1),
            state.b,
            settings.size,
            rows.gain,
            settings.decreasing,
            state.n_threads,
            state.tally,
            state.lag.reshape(-1),
            state.lag_b,
            True,
        )
        state.log.append(log)
