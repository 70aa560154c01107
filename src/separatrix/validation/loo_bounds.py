"""Bounds on the leave-one-out error from the dual of one fit.

Let alpha_i fall to zero while every other row stays optimal. On the way y_i f(x_i) falls at a rate that is the squared
distance of phi(x_i) from the span of the rows then on the margin (affine span for a free bias), so at most

    rate_i =  k(x_i, x_i) [+ 1]            bias none [augmented]
              max_j ||phi_i - phi_j||^2    bias free

plus the terms of the squared hinge: 1 / (2 C_i), and for a free bias 1 / (2 C_j). With the residual r_i (the slack
xi_i of a row with alpha_i = C_i, else 0) row i can be a leave-one-out error only if

    support vectors   alpha_i > 0
    xi-alpha          alpha_i rate_i + r_i >= 1                    Joachims (2000), with each row's own rate
    span              alpha_i S_i sqrt(rate_i) >= 1 - r_i          Vapnik, Chapelle (2000), extended to slack
    radius-margin     the sum of alpha_i rate + r_i over all rows, with rate <= 4 R^2 and R the radius of the
                      smallest ball around the rows (free), or rate <= max_i k(x_i, x_i) (+ 1)    Vapnik (1998)

1/2 alpha_i^2 S_i^2 is what the dual loses beyond alpha_i r_i when row i is pushed out and the rows on the margin make
room; it bounds the area under the path from above, the rate bounds it from below. Proof sketch and a worked case
are in docs/validation.md.

For hinge loss and a free bias the last three assume that the problem without row i has one best bias (Joachims calls
that stable); otherwise the middle of the interval is taken, and no bound knows it. ``conditions`` says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.types import Vector
from separatrix.validation.dual_view import DualView, dual_view

#: Distance from a condition within which a row is counted.
_ROUNDING = 1e-9
#: Squared distance outside the ball, relative to the squared sizes, beyond which a point joins the active set.
_OUTSIDE = 1e-12


@dataclass(frozen=True, eq=False)
class LooBound:
    """An upper bound on the leave-one-out error rate of a fitted model."""

    name: str
    value: float  #: errors / n; may exceed 1
    errors: float  #: at most this many leave-one-out errors
    n: int
    conditions: str  #: assumptions of the theorem beyond a solved problem; empty: none

    @property
    def vacuous(self) -> bool:
        """True if the bound is 1 or more, which says nothing."""
        return self.value >= 1.0

    def __str__(self) -> str:
        said = "vacuous" if self.vacuous else f"at most {self.errors:.4g} of {self.n} rows"
        return f"{self.name}: {self.value:.4f} ({said})" + (f"; {self.conditions}" if self.conditions else "")


@dataclass(frozen=True, eq=False)
class LooBounds:
    """All four bounds; each is at least the exact leave-one-out error rate."""

    support_vectors: LooBound
    xi_alpha: LooBound
    span: LooBound
    radius_margin: LooBound

    def __iter__(self) -> Iterator[LooBound]:
        return iter((self.support_vectors, self.xi_alpha, self.span, self.radius_margin))

    @property
    def best(self) -> LooBound:
        """The smallest."""
        return min(self, key=lambda bound: bound.value)

    def __str__(self) -> str:
        return "\n".join(map(str, self))


def leave_one_out_bounds(model: Any, X: Any, y: Any, key: Any = None) -> LooBounds:
    """Upper bounds on the leave-one-out error rate of a fitted `SVC` on its training data.

    ``key`` names one of the binary problems of a model for many classes.

    >>> import separatrix as sx
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> print(leave_one_out_bounds(sx.SVC(C=1.0).fit(X, y == 0), X, y == 0).span)
    span: 0.0133 (at most 2 of 150 rows); if every problem without a row has one best bias
    """
    return bounds_of(dual_view(model, X, y, key))


def bounds_of(view: DualView) -> LooBounds:
    """The bounds of one binary problem."""
    residual, rate = _residuals(view), _rates(view)
    support = (view.alpha > 0) | _limits_the_bias(view)
    xi_alpha = support & (view.alpha * rate + residual >= 1.0 - _ROUNDING)
    span = xi_alpha.copy()
    for i in np.flatnonzero(xi_alpha & (residual < 1.0)):
        # alpha S sqrt(rate) >= 1 - r, squared: S^2 = 2 lost / alpha^2
        span[i] = (
            2.0 * _lost(view, int(i), float(residual[i])) * rate[i] >= (1.0 - residual[i]) ** 2 - _ROUNDING
        )
    condition = ""
    if view.bias == "free" and not view.squared and not view.hard:
        condition = "if every problem without a row has one best bias"
    total = float(np.sum(view.alpha * _largest_rates(view)) + np.sum(residual[support]))
    return LooBounds(
        _counted("support vectors", support, ""),
        _counted("xi-alpha", xi_alpha, condition),
        _counted("span", span, condition),
        LooBound("radius-margin", total / view.n, total, view.n, condition),
    )


def _counted(name: str, rows: NDArray[np.bool_], conditions: str) -> LooBound:
    count = int(np.count_nonzero(rows))
    return LooBound(name, count / len(rows), count, len(rows), conditions)


def _residuals(view: DualView) -> Vector:
    """1 - y_i f(x_i) - alpha_i diagonal_i of each row with alpha_i > 0, at the worse of the best biases; else 0."""
    biases = np.array(view.interval)
    worst = np.min(view.y[:, None] * (view.scores[:, None] + biases), axis=1)
    residual = 1.0 - worst - view.alpha * _diagonal(view)
    return np.where(view.alpha > 0, np.maximum(0.0, residual), 0.0)


def _diagonal(view: DualView) -> Vector:
    return 1.0 / (2.0 * view.cost) if view.squared and not view.hard else np.zeros(view.n)


def _rates(view: DualView) -> Vector:
    """Largest rate at which y_i f(x_i) can fall as alpha_i falls, shape (n,)."""
    own = _diagonal(view)
    if view.bias != "free":
        return view.K.diagonal() + view.gain + own
    rates: Vector = np.max(view.squared_distances + own, axis=1) + own
    return rates


def _largest_rates(view: DualView) -> Vector:
    """The same from one number for all rows, the radius of the data."""
    own = _diagonal(view)
    if view.bias != "free":
        return float(view.K.diagonal().max() + view.gain) + own
    return 4.0 * enclosing_ball(view.K).radius ** 2 + float(own.max()) + own


def _lost(view: DualView, row: int, residual: float) -> float:
    """Loss of the dual beyond alpha_i r_i when the row is pushed out: 1/2 alpha_i^2 S_i^2."""
    if np.count_nonzero(view.y == view.y[row]) == 1:
        return np.inf
    full = view.qp.start(view.alpha)
    try:
        without = view.qp.push_out(full.copy(), row)
    except ArithmeticError:
        return np.inf  # counted: a bound may say too much, never too little
    return (
        float((full.alpha - without.alpha) @ (full.g + without.g)) / 2.0 - float(view.alpha[row]) * residual
    )


def _limits_the_bias(view: DualView) -> NDArray[np.bool_]:
    """Rows without weight at an end of the interval of best biases: without them it may be longer."""
    low, high = view.interval
    if view.bias != "free" or view.squared or view.hard or high <= low:
        return np.zeros(view.n, dtype=bool)
    breaks = view.y - view.scores
    near = _ROUNDING * max(1.0, abs(low), abs(high))
    return (np.abs(breaks - low) <= near) | (np.abs(breaks - high) <= near)


@dataclass(frozen=True, eq=False)
class Ball:
    """Centre sum_i weights_i phi_i, radius that no point exceeds, and a radius that no smaller ball can have."""

    weights: Vector  #: (n,), at least 0, summing to 1
    radius: float
    lower: float  #: the square root of the dual value: radius - lower is the error of the method


def enclosing_ball(K: NDArray[np.float64]) -> Ball:
    """The smallest ball around points that are known by their inner products K (n, n).

        min_c max_i ||phi_i - c||^2  =  max_beta  sum_i beta_i K_ii - beta^T K beta,     beta >= 0,  sum_i beta_i = 1

    with the centre c = sum_i beta_i phi_i. Active set: the farthest point joins, the maximum over the points of the
    set is found by one linear system, points whose weight would become negative leave. Finite, as each set is visited
    once. The radius is the largest distance from the centre, so that no point is outside, whatever the rounding of
    the weights did. Welzl (1991); Fischer, Gaertner, Kutz: Fast smallest-enclosing-ball computation, ESA 2003.

    >>> points = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5]])
    >>> ball = enclosing_ball(points @ points.T)
    >>> round(ball.radius, 12), (ball.weights @ points).tolist()
    (1.0, [1.0, 0.0])
    """
    size = K.diagonal()
    weights = np.zeros(len(K))
    weights[0] = 1.0
    members = [0]
    for _ in range(10 * len(K) + 100):
        products = weights @ K
        outside = size - 2.0 * products + float(weights @ products)
        far = int(np.argmax(outside))
        value = float(weights @ size - weights @ products)
        if outside[far] <= value + _OUTSIDE * max(value, float(size.max())) or far in members:
            break
        members = _settle(K, size, weights, [*members, far])
    return Ball(weights, float(np.sqrt(max(0.0, outside[far]))), float(np.sqrt(max(0.0, value))))


def _settle(K: NDArray[np.float64], size: Vector, weights: Vector, members: list[int]) -> list[int]:
    """Maximise over the members, in place; return the members that keep a positive weight."""
    ridge = _OUTSIDE * max(float(size.max()), 1e-300)
    while True:
        m = len(members)
        A = np.ones((m + 1, m + 1))
        A[:m, :m], A[m, m] = 2.0 * K[np.ix_(members, members)], 0.0
        A[range(m), range(m)] += ridge  # dependent points then move until one of them leaves
        target = np.linalg.solve(A, np.append(size[members], 1.0))[:m]
        now = weights[members]
        if np.all(target >= 0):
            weights[members] = target / target.sum()
            return [member for member in members if weights[member] > 0]
        falling = target < now
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(falling & (target < 0), now / (now - target), np.inf)
        first = int(np.argmin(room))
        moved = np.maximum(0.0, now + min(1.0, float(room[first])) * (target - now))
        moved[first] = 0.0
        weights[members] = moved / moved.sum()
        members = [member for place, member in enumerate(members) if place != first]
