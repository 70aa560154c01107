"""Gradient descent on the perceptron risk.

    R(w) = sum over misclassified i of -y_i f(x_i) = sum_i max(0, -y_i f(x_i)),      f(x) = w.x + b
    M = {i: y_i f(x_i) <= 0},    g = sum over M of y_i xt_i = -grad R,    wt += s g,     xt = (x, c)

The step s is fixed, or 1 / sqrt(t) at step t, or the exact minimiser of R along the ray w + s g: there R is convex
and piecewise linear with a crease wherever a row's product y_i (f_i + s g_i) changes sign, so the minimiser is
the crease at which the slope turns. On its own that search can stop for good at a crease, where no point further
along the ray is lower although rows are still misclassified; so s is kept within [1, n] / |M|, the range in which
`problem.mistakes` proves that the run ends on separable data. Descent ends when M is empty, not on a plateau.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from separatrix.perceptron.dual import Columns
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.result import PlaneRule, RunResult, exact_status, planes_of, rule_of
from separatrix.perceptron.rows import LabelledRows, dense_row
from separatrix.problem import Status
from separatrix.problem.kernels import Linear
from separatrix.problem.mistakes import MistakeHistory
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


class GradientSteps:
    """One step of descent a pass: the scores f (n,), beta (n,) and, in the primal, w and b.

    >>> rows = LabelledRows(np.array([[2.0], [-1.0]]), np.array([1, -1], dtype=np.int8), constant=1.0)
    >>> steps = GradientSteps(rows, Settings(step="line-search", start=0))
    >>> [steps.step() for _ in range(2)], steps.w
    ([0, 0], array([2.]))
    """

    def __init__(self, rows: LabelledRows, settings: Settings) -> None:
        n, start = rows.n_rows, settings.start
        self.rows, self.settings = rows, settings
        self.f, self.beta, self.beta_sum = np.zeros(n), np.zeros(n), np.zeros(n)
        self.counts = np.zeros(n, dtype=np.int64)
        self.w, self.b = None if settings.dual else np.zeros(rows.X.shape[1]), 0.0
        self.columns = Columns(rows.kernel, rows.X, rows.gain) if settings.dual else None
        self.updates = self.visits = 0
        self.sizes: list[float] = []
        self.pocket, self.pocket_errors = self.beta, -1
        if start is not None:
            self.beta[start] = sign = float(rows.labels[start])
            if self.w is not None:
                self.w += sign * dense_row(rows.X, start)
                self.b = sign * rows.gain
            self.f = self.scores()

    def step(self) -> int:
        """One step of descent; the number of misclassified rows before it, 0 if there were none."""
        rows = self.rows
        margins = rows.labels * self.f
        wrong = np.flatnonzero(~(margins > 0))
        self.visits += 1
        self._record(len(wrong))
        if len(wrong) == 0:
            return 0
        direction = np.zeros(rows.n_rows)
        direction[wrong] = rows.labels[wrong]
        if self.w is not None:
            g = weighted_sum(rows.X, direction)
            g_b = rows.gain * float(direction[wrong].sum())
            size = self._size(margins, len(wrong), lambda: scores(rows.X, g) + g_b)
            self.w += size * g
            self.b += size * g_b
            self.f = self.scores()
        else:
            assert self.columns is not None
            change = self.columns.combination(direction)
            size = self._size(margins, len(wrong), lambda: change)
            self.f += size * change
        self.beta[wrong] += size * direction[wrong]
        self.counts[wrong] += 1
        self.sizes.append(size)
        self.updates += 1
        return len(wrong)

    def _size(self, margins: Vector, wrong: int, change: Callable[[], Vector]) -> float:
        if self.settings.step != "line-search":
            return float(self.settings.sizes(self.updates, 1)[0])
        lower, upper = minimise_on_ray(margins, self.rows.labels * change())
        # On a flat stretch the risk is zero, or equal: its middle is furthest from the creases.
        best = 0.5 * (lower + upper) if np.isfinite(upper) else 2.0 * lower
        return float(np.clip(best, 1.0 / wrong, self.rows.n_rows / wrong))

    def output(self) -> Vector:
        """The coefficients that predict, shape (n,): the last, their mean over all steps, or the pocket's."""
        if self.settings.output == "averaged":
            return self.beta_sum / max(1, self.visits)
        return self.pocket if self.settings.output == "pocket" else self.beta

    def scores(self) -> Vector:
        """f of all rows, computed anew, shape (n,)."""
        if self.w is not None:
            return scores(self.rows.X, self.w) + self.b
        assert self.columns is not None
        return self.columns.combination(self.beta)

    def _record(self, errors: int) -> None:
        if self.settings.output == "averaged":
            self.beta_sum += self.beta
        if self.settings.output == "pocket" and not 0 <= self.pocket_errors <= errors:
            self.pocket, self.pocket_errors = self.beta.copy(), errors

    def result(self, status: Status, history: MistakeHistory) -> RunResult:
        """The result after the last step."""
        rows, beta = self.rows, self.beta[:, None]
        w, b = (self.w[None, :], np.array([self.b])) if self.w is not None else planes_of(rows, beta)
        last = self.w is not None and self.settings.output == "last"
        rule = PlaneRule(np.asarray(w), b) if last else rule_of(rows, self.output()[:, None])
        status = exact_status(rows, status, w, b)
        return RunResult(status, len(history), self.updates, history, w, b, beta, self.counts, rule)


def perceptron_risk(X: NDArray[np.float64], y: Vector, W: NDArray[np.float64]) -> Vector:
    """R(w) for each row w of W (m, d), bias left out, shape (m,): for pictures of the risk over w-space.

    >>> perceptron_risk(np.array([[1.0, 0.0]]), np.array([1.0]), np.array([[-2.0, 5.0], [2.0, 5.0]]))
    array([2., 0.])
    """
    return np.asarray(np.maximum(0.0, -(Linear().matrix(W, X) * y)).sum(axis=1))
