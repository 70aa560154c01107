"""The perceptron algorithm in the dual: w = sum_i beta_i x_i is never formed, so any kernel will do.

    for each row with y_i f(x_i) <= 0:     beta_i += s y_i,  counts_i += 1         f(x) = sum_i beta_i (k(x_i, x) + c^2)

The scores F_i = f(x_i) of all rows are kept and an update adds one kernel column to them. With the linear kernel
the run makes the updates of the primal run, in the same order; on data whose sums are exact (integers, say) the
two agree bit for bit. For many classes beta and F have one column a class (Kesler).
Aizerman, Braverman and Rozonoer (1964).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.perceptron.budget import Ledger, relative_product
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.result import RunResult, exact_status, planes_of, rule_of, votes_of
from separatrix.perceptron.rows import LabelledRows
from separatrix.problem import Status
from separatrix.problem.kernels import Kernel
from separatrix.problem.mistakes import MistakeHistory
from separatrix.solvers.loop.deadline import look_at_the_clock
from separatrix.types import Vector

# Rows tested together for the next mistake: enough to amortise the calls, few enough to be thrown away at a mistake.
_TESTED = 512


class Columns:
    """k(x_i, x_j) + c^2 over the training rows; ``column(j)`` is shape (n,).

    The whole matrix is built at once if it needs at most ``budget_mb``; otherwise columns are made when they are
    asked for, and forgotten all together when they fill the budget.

    >>> from separatrix.problem.kernels import Linear
    >>> Columns(Linear(), np.array([[1.0], [2.0]]), gain=1.0).column(1)
    array([3., 5.])
    """

    def __init__(self, kernel: Kernel, X: Any, gain: float, budget_mb: float = 256.0) -> None:
        self.kernel, self.X, self.gain = kernel, X, gain
        self.n = int(X.shape[0])
        self._room = max(1, int(budget_mb * 2**20 / (8 * self.n)))
        self._made: dict[int, Vector] = {}
        self._whole: NDArray[np.float64] | None = None
        if self.n <= self._room or kernel.name == "precomputed":
            self._whole = kernel.matrix(X, X) + gain

    def column(self, j: int) -> Vector:
        """Column j."""
        if self._whole is not None:
            return self._whole[:, j]
        if j not in self._made:
            if len(self._made) >= self._room:
                self._made.clear()
            self._made[j] = self.kernel.matrix(self.X, self.X[j : j + 1])[:, 0] + self.gain
        return self._made[j]

    def combination(self, beta: Vector) -> Vector:
        """sum_j beta_j column(j), shape (n,)."""
        used = np.flatnonzero(beta)
        weights = beta[used]
        if self._whole is not None:
            return np.asarray(self._whole[:, used] @ weights)
        out = np.zeros(self.n)
        width = max(1, self._room // 4)
        for start in range(0, len(used), width):
            part = used[start : start + width]
            out += self.kernel.matrix(self.X, self.X[part]) @ weights[start : start + width]
        return out + self.gain * float(weights.sum())


class DualPasses:
    """Passes on the dual coefficients beta (n, p), with the scores F (n, p).

    ``settings.budget`` is the most updates that are kept at a time (`budget.py`); a row updated twice counts twice.
    ``log`` holds (row, visits before, rival) of each update; ``support``, with a budget, (row, rival, size) of
    those that are kept, oldest first.

    >>> from separatrix.problem.kernels import Rbf
    >>> X, signs = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), np.array([1, 1, -1, -1], dtype=np.int8)
    >>> passes = DualPasses(LabelledRows(X, signs, constant=0.0, kernel=Rbf(1.0)), Settings())
    >>> [passes.step() for _ in range(3)], passes.counts
    ([3, 1, 0], array([1, 1, 1, 1]))
    """

    def __init__(self, rows: LabelledRows, settings: Settings) -> None:
        n, p = rows.n_rows, rows.n_planes
        self.rows, self.settings = rows, settings
        self.columns = Columns(rows.kernel, rows.X, rows.gain)
        self.beta, self.F, self.lag = np.zeros((n, p)), np.zeros((n, p)), np.zeros((n, p))
        self.counts = np.zeros(n, dtype=np.int64)
        self.rng = np.random.default_rng(settings.seed)
        self.visits = self.updates = self.run = 0
        self.log: list[tuple[int, int, int]] = []
        self.pocket: NDArray[np.float64] | None = None
        self.pocket_run = self.pocket_errors = -1
        self.ledger: Ledger | None = None
        self.support: list[tuple[int, int, float]] = []
        self.squared_radius = 0.0
        if settings.start is not None:
            self._add(settings.start, rows.shares(settings.start))
        if settings.budget is not None:
            self.ledger = Ledger(settings.budget)
            longest = float(np.max(rows.kernel.diagonal(rows.X), initial=0.0)) + rows.gain
            self.squared_radius = longest * (1 if rows.classes == 2 else 2)

    def output(self) -> NDArray[np.float64]:
        """The coefficients that predict, shape (n, p): the last, their mean over all visits, or the pocket's."""
        if self.settings.output == "averaged":
            return self.beta - self.lag / max(1, self.visits)
        return self.beta if self.pocket is None else self.pocket

    def next_order(self) -> NDArray[np.intp]:
        """The rows of the next pass in turn."""
        n = self.rows.n_rows
        return self.rng.permutation(n) if self.settings.shuffle else np.arange(n)

    def step(self) -> int:
        """One pass over all rows; the number of updates."""
        if self.ledger is not None and self.ledger.dropped:  # removals leave rounding behind in F
            for plane in range(self.rows.n_planes):
                self.F[:, plane] = self.columns.combination(self.beta[:, plane])
        return self.visit(self.next_order())

    def visit(self, order: NDArray[np.intp]) -> int:
        """The given rows in turn: a pass or part of one; `OutOfTime` before an update."""
        before, position = self.updates, 0
        while position < len(order):
            ahead = order[position : position + _TESTED]
            wrong, rivals = self._mistakes(ahead)
            first = int(np.argmax(wrong))
            found = bool(wrong[first])
            passed = first if found else len(ahead)
            self.visits += passed
            self.run += passed
            position += passed
            if not found:
                continue
            look_at_the_clock()  # an update may cost a column of the kernel's matrix
            self._offer()
            self._update(int(ahead[first]), int(rivals[first]))
            position += 1
        self._offer()
        return self.updates - before

    def _mistakes(self, which: NDArray[Any]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """A mask of the given rows that are misclassified, and the rival of each."""
        F, labels = self.F[which], self.rows.labels[which]
        if self.rows.classes == 2:
            return ~(labels * F[:, 0] > 0), np.zeros(len(which), dtype=np.intp)
        each = np.arange(len(which))
        own_scores = F[each, labels]
        F[each, labels] = -np.inf
        rivals = np.argmax(F, axis=1)
        return ~(own_scores > F[each, rivals]), rivals

    def _update(self, row: int, rival: int) -> None:
        scale = float(self.settings.sizes(self.updates, 1)[0])
        self._add(row, self.rows.shares(row, scale, rival))
        for plane, amount in self.rows.shares(row, scale * self.visits, rival):
            self.lag[row, plane] += amount
        self.counts[row] += 1
        self.log.append((row, self.visits, rival))
        self.visits += 1
        self.updates += 1
        self.run = 0
        if self.ledger is not None:
            self.support.append((row, rival, scale))
            if len(self.support) > self.ledger.budget:
                self._drop_oldest(self.ledger)

    def _drop_oldest(self, ledger: Ledger) -> None:
        rows, step = self.rows, self.settings.size
        row, rival, size = self.support[0]
        product = sum(sign * float(self.F[row, plane]) for plane, sign in rows.shares(row, 1.0, rival))
        product = relative_product(rows.kernel, product / step, self.squared_radius)
        phi = ledger.make_room(size / step, product, self.updates)
        self.F *= phi
        self.beta *= phi
        self._add(row, rows.shares(row, -phi * size, rival))
        self.support = [(each, other, phi * amount) for each, other, amount in self.support[1:]]
        self.beta[row] = 0.0  # exactly, where nothing of the row is left
        for each, other, amount in self.support:
            for plane, share in rows.shares(row, amount, other) if each == row else ():
                self.beta[row, plane] += share

    def _add(self, row: int, shares: list[tuple[int, float]]) -> None:
        column = self.columns.column(row)
        for plane, amount in shares:
            self.beta[row, plane] += amount
            self.F[:, plane] += amount * column

    def _offer(self) -> None:
        """Keep beta if its run is the longest and its errors on all rows the fewest (Gallant's ratchet)."""
        if self.settings.output != "pocket" or self.run <= self.pocket_run:
            return
        errors = int(self._mistakes(np.arange(self.rows.n_rows))[0].sum())
        if not 0 <= self.pocket_errors <= errors:
            self.pocket, self.pocket_run, self.pocket_errors = self.beta.copy(), self.run, errors

    def result(self, status: Status, history: MistakeHistory) -> RunResult:
        """The result after the last pass."""
        rows, settings, beta = self.rows, self.settings, self.beta
        log = np.array(self.log, dtype=np.int64).reshape(-1, 3)
        voted = settings.output == "voted"
        rule = votes_of(rows, settings, log, self.visits) if voted else rule_of(rows, self.output())
        w, b = planes_of(rows, beta)
        status = exact_status(rows, status, w, b)
        found = RunResult(status, len(history), self.updates, history, w, b, beta, self.counts, rule)
        support = None if rows.kernel.name == "precomputed" else self._support()
        return replace(found, support=support, pairs=rows.pair_counts(log), ledger=self.ledger)

    def _support(self) -> tuple[Any, Any, Any, int]:
        """Support rows, their coefficients and lags, and the visits; with a budget one row an update, oldest first."""
        rows = self.rows
        if self.ledger is None:
            places = np.flatnonzero(np.any(self.beta != 0, axis=1))
            return rows.X[places], self.beta[places], self.lag[places], self.visits
        places = np.array([row for row, _, _ in self.support], dtype=np.intp)
        beta = np.zeros((len(places), rows.n_planes))
        for line, (row, rival, size) in zip(beta, self.support, strict=True):
            for plane, amount in rows.shares(row, size, rival):
                line[plane] = amount
        return rows.X[places], beta, np.zeros_like(beta), self.visits
