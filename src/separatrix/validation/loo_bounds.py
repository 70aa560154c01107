"""Bounds on the leave-one-out error that cost one fit: from the dual alone.

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
from separatrix.validation.ball import enclosing_ball
from separatrix.validation.dual_view import DualView, dual_view

_ROUNDING = 1e-9  # a row this close to a condition is counted


@dataclass(frozen=True, eq=False)
class LooBound:
    """An upper bound on the leave-one-out error rate of a fitted model."""

    name: str
    value: float  #: errors / n; may exceed 1
    errors: float  #: at most this many leave-one-out errors
    n: int
    conditions: str  #: what the theorem assumes beyond a solved problem; empty: nothing

    @property
    def vacuous(self) -> bool:
        """Whether it says nothing: an error rate is at most 1 anyway."""
        return self.value >= 1.0

    def __str__(self) -> str:
        said = "vacuous" if self.vacuous else f"at most {self.errors:.4g} of {self.n} rows"
        return f"{self.name}: {self.value:.4f} ({said})" + (f"; {self.conditions}" if self.conditions else "")


@dataclass(frozen=True, eq=False)
class LooBounds:
    """All four; each at least the exact leave-one-out error rate."""

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
    """How fast y_i f(x_i) can fall at most as alpha_i falls; shape (n,)."""
    own = _diagonal(view)
    if view.bias != "free":
        return view.K.diagonal() + view.gain + own
    rates: Vector = np.max(view.squared_distances + own, axis=1) + own
    return rates


def _largest_rates(view: DualView) -> Vector:
    """The same by one number for all rows: the radius of the data."""
    own = _diagonal(view)
    if view.bias != "free":
        return float(view.K.diagonal().max() + view.gain) + own
    return 4.0 * enclosing_ball(view.K).radius ** 2 + float(own.max()) + own


def _lost(view: DualView, row: int, residual: float) -> float:
    """What the dual loses beyond alpha_i r_i when the row is pushed out: 1/2 alpha_i^2 S_i^2."""
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
