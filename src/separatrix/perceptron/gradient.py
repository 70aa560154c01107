"""Gradient descent on the perceptron risk.

    R(w) = sum over misclassified i of -y_i f(x_i) = sum_i max(0, -y_i f(x_i)),      f(x) = w.x + b
    M = {i: y_i f(x_i) <= 0},    g = sum over M of y_i xt_i = -grad R,    wt += s g,     xt = (x, c)

The step s is fixed, or 1 / sqrt(t) at step t, or the exact minimiser of R along the ray w + s g: there R is convex
and piecewise linear with a crease wherever a row's product y_i (f_i + s g_i) changes sign, so the minimiser is
the crease at which the slope turns. On its own that search can stop for good at a crease, where no point further
along the ray is lower although rows are still misclassified; so s is kept within [1, n] / |M|, the range in which
`problem.mistake_bounds` proves that the run ends on separable data. Descent ends when M is empty, not on a plateau.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from separatrix.perceptron.kernel_columns import Columns
from separatrix.perceptron.state import Counts, LabelledRows, Settings, dense_row
from separatrix.problem.kernels import Kernel, Linear
from separatrix.problem.rows import scores, weighted_sum
from separatrix.types import Vector


def minimise_on_ray(margins: Vector, slopes: Vector) -> tuple[float, float]:
    """All minimisers s >= 0 of sum_i max(0, -(margins_i + s slopes_i)), as (lower, upper); upper may be infinite.

    >>> minimise_on_ray(np.array([-1.0, -2.0]), np.array([1.0, 1.0]))
    (2.0, inf)
    >>> minimise_on_ray(np.array([-1.0, 3.0]), np.array([1.0, -2.0]))
    (1.0, 1.5)
    """
    moving = slopes != 0
    m, d = margins[moving], slopes[moving]
    # Just right of s = 0 a row counts if its product is negative, or zero and falling.
    slope = -float(np.sum(d[(m < 0) | ((m == 0) & (d < 0))]))
    creases = -m / d
    ahead = (creases > 0) & (m != 0)
    order = np.argsort(creases[ahead], kind="stable")
    places, changes = creases[ahead][order], np.abs(d[ahead][order])
    after = slope + np.cumsum(changes)  # the slope right of each crease
    rounding = 16 * np.finfo(float).eps * float(np.abs(d).sum())
    path = np.concatenate([[slope], after])
    points = np.concatenate([[0.0], places])
    first = int(np.argmax(path >= -rounding))  # the last piece never falls: R >= 0 is bounded below
    rising = path > rounding
    last = int(np.argmax(rising)) if rising.any() else -1
    return float(points[first]), (float(points[last]) if last >= 0 else np.inf)


@dataclass(eq=False)
class GradientState:
    """f (n,) of the current weights; w and b in the primal, beta (n,) always."""

    f: Vector
    beta: Vector
    counts: Counts
    w: Vector | None
    b: float
    columns: Columns | None
    steps: int = 0
    visits: int = 0
    risk: float = 0.0
    sizes: list[float] = field(default_factory=list)
    beta_sum: Vector = field(default_factory=lambda: np.empty(0))
    pocket: Vector = field(default_factory=lambda: np.empty(0))
    pocket_errors: int = -1
    path: list[tuple[Vector, float]] = field(default_factory=list)


@dataclass(frozen=True)
class GradientSteps:
    """One step a pass; ``kernel`` of None works on w itself.

    >>> rows = LabelledRows(np.array([[2.0], [-1.0]]), np.array([1, -1], dtype=np.int8), constant=1.0)
    >>> solver = GradientSteps(Settings(step="line-search", start=0))
    >>> state = solver.init(rows, n_threads=1)
    >>> [solver.step(rows, state) for _ in range(2)], state.w
    ([0, 0], array([2.]))
    """

    settings: Settings
    kernel: Kernel | None = None

    def init(self, rows: LabelledRows, n_threads: int) -> GradientState:
        """beta = 0, or one at the start row."""
        n = rows.n_rows
        state = GradientState(
            f=np.zeros(n),
            beta=np.zeros(n),
            counts=np.zeros(n, dtype=np.int64),
            w=np.zeros(rows.X.shape[1]) if self.kernel is None else None,
            b=0.0,
            columns=None if self.kernel is None else Columns(self.kernel, rows.X, rows.gain),
        )
        state.beta_sum = np.zeros(n)
        start = self.settings.start
        if start is not None:
            sign = float(rows.labels[start])
            state.beta[start] = sign
            if state.w is not None:
                state.w += sign * dense_row(rows.X, start)
                state.b = sign * rows.gain
            state.f = self._scores(rows, state)
        return state

    def step(self, rows: LabelledRows, state: GradientState) -> int:
        """One step of descent; the number of misclassified rows before it, 0 if there were none."""
        y = rows.labels
        margins = y * state.f
        wrong = np.flatnonzero(~(margins > 0))
        state.visits += 1
        state.risk = float(-margins[wrong].sum())
        self._keep(state, len(wrong))
        if len(wrong) == 0:
            return 0
        signs = y[wrong].astype(np.float64)
        if state.w is not None:
            direction = np.zeros(rows.n_rows)
            direction[wrong] = signs
            g = weighted_sum(rows.X, direction)
            g_b = rows.gain * float(signs.sum())
            size = self._size(rows, state, margins, len(wrong), lambda: scores(rows.X, g) + g_b)
            state.w += size * g
            state.b += size * g_b
            state.f = self._scores(rows, state)
        else:
            assert state.columns is not None
            change = state.columns.combination(wrong, signs)
            size = self._size(rows, state, margins, len(wrong), lambda: change)
            state.f += size * change
        state.beta[wrong] += size * signs
        state.counts[wrong] += 1
        state.sizes.append(size)
        state.steps += 1
        return len(wrong)

    def _size(
        self, rows: LabelledRows, state: GradientState, margins: Vector, wrong: int, change: object
    ) -> float:
        if self.settings.step != "line-search":
            return float(self.settings.sizes(state.steps, 1)[0])
        assert callable(change)
        lower, upper = minimise_on_ray(margins, rows.labels * change())
        # On a flat stretch the risk is zero, or equal: its middle is furthest from the creases.
        best = 0.5 * (lower + upper) if np.isfinite(upper) else 2.0 * lower
        return float(np.clip(best, 1.0 / wrong, rows.n_rows / wrong))

    def _scores(self, rows: LabelledRows, state: GradientState) -> Vector:
        if state.w is not None:
            return scores(rows.X, state.w) + state.b
        assert state.columns is not None
        used = np.flatnonzero(state.beta)
        return state.columns.combination(used, state.beta[used])

    def _keep(self, state: GradientState, errors: int) -> None:
        if self.settings.extra == "averaged":
            state.beta_sum += state.beta
        if self.settings.extra == "pocket" and not 0 <= state.pocket_errors <= errors:
            state.pocket, state.pocket_errors = state.beta.copy(), errors


def perceptron_risk(X: NDArray[np.float64], y: Vector, W: NDArray[np.float64]) -> Vector:
    """R(w) for each row w of W (m, d), bias left out, shape (m,): for pictures of the risk over w-space.

    >>> perceptron_risk(np.array([[1.0, 0.0]]), np.array([1.0]), np.array([[-2.0, 5.0], [2.0, 5.0]]))
    array([2., 0.])
    """
    return np.asarray(np.maximum(0.0, -(Linear().matrix(W, X) * y)).sum(axis=1))
