"""The two losses of the soft margin with what duality needs to know of them, and the best bias for given scores.

    hinge            loss(m) = max(0, 1 - m)       dual term   alpha                    0 <= alpha <= C
    squared hinge    loss(m) = max(0, 1 - m)^2     dual term   alpha - alpha^2 / (4C)   0 <= alpha

m is the functional margin y (w.x + b). C scales the loss of one row. The squared hinge is LIBLINEAR's
(no factor one half), so C means the same there and here.

For fixed scores f_i = w.x_i the primal objective is a function of b alone,

    phi(b) = sum_i C_i loss(y_i (f_i + b)),

convex and piecewise linear (hinge) or piecewise quadratic (squared hinge), with breakpoints b = y_i - f_i. Its
minimisers form a closed interval, found by one sort and two cumulative sums.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from separatrix.types import Vector

_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Loss:
    """A loss by name; ``squared`` picks the exponent.

    >>> import numpy as np
    >>> HINGE.values(np.array([2.0, 0.5, -1.0]))
    array([0. , 0.5, 2. ])
    >>> SQUARED_HINGE.values(np.array([2.0, 0.5, -1.0]))
    array([0.  , 0.25, 4.  ])
    """

    name: Literal["hinge", "squared_hinge"]
    squared: bool

    def values(self, margins: Vector) -> Vector:
        """Loss of each functional margin, shape (n,)."""
        slack = 1.0 - margins
        np.maximum(slack, 0.0, out=slack)
        return np.multiply(slack, slack, out=slack) if self.squared else slack

    def dual_total(self, alpha: Vector, C: Vector) -> float:
        """The sum of -C_i loss*(-alpha_i / C_i), what the rows add to the dual objective."""
        total = float(np.sum(alpha))
        return total - 0.25 * float((alpha / C) @ alpha) if self.squared else total

    def upper(self, C: Vector) -> Vector:
        """Upper bound of each alpha, shape (n,), to be read: C for the hinge, infinity for the squared hinge."""
        return np.broadcast_to(np.inf, C.shape) if self.squared else C


HINGE = Loss("hinge", squared=False)
SQUARED_HINGE = Loss("squared_hinge", squared=True)
LOSSES: dict[str, Loss] = {loss.name: loss for loss in (HINGE, SQUARED_HINGE)}


def bias_interval(f: Vector, y: Vector, C: Vector, loss: Loss) -> tuple[float, float]:
    """All minimisers of phi, as ``(lower, upper)``.

    Infinite ends mean that phi is flat out to infinity, which needs one class only.

    >>> f, y, C = np.array([2.0, -2.0]), np.array([1.0, -1.0]), np.ones(2)
    >>> bias_interval(f, y, C, HINGE)
    (-1.0, 1.0)
    """
    breaks = y - f
    order = breaks.argsort()  # rows that share a breakpoint may come in any order
    breaks, positive, cost = breaks[order], y[order] > 0, C[order]
    if loss.squared:
        return _squared_interval(breaks, positive, cost)
    # Left of every breakpoint the slope is -sum_{y=+1} C; crossing breakpoint i adds C_i.
    falling = float(cost[positive].sum())
    slopes = cost.cumsum() - falling
    rounding = 8 * _EPS * len(f) * float(cost.max(initial=0.0))
    lower = int(slopes.searchsorted(-rounding))  # first slope that is not clearly negative
    upper = int(slopes.searchsorted(rounding, side="right"))  # first slope that is clearly positive
    ends = np.append(breaks, np.inf)
    return (float(ends[lower]) if falling > 0 else -np.inf), float(ends[upper])


def _squared_interval(breaks: Vector, positive: NDArray[np.bool_], cost: Vector) -> tuple[float, float]:
    """The minimisers of sum over active rows of C (b - break)^2, whose derivative is piecewise linear."""
    # Row i of class +1 is active for b < break_i, of class -1 for b > break_i.
    active = np.where(positive, -1.0, 1.0)
    pull = cost * breaks
    weight = np.sum(cost[positive]) + np.concatenate([[0.0], np.cumsum(active * cost)])
    moment = np.sum(pull[positive]) + np.concatenate([[0.0], np.cumsum(active * pull)])
    slopes = weight[1:] * breaks - moment[1:]
    nothing = 8 * _EPS * len(cost) * np.sum(cost)
    first, last = np.searchsorted(slopes, 0.0), np.searchsorted(slopes, 0.0, side="right")
    ends = np.concatenate([[-np.inf], breaks, [np.inf]])  # piece k lies between ends[k] and ends[k + 1]
    lower = moment[first] / weight[first] if weight[first] > nothing else ends[first]
    upper = moment[last] / weight[last] if weight[last] > nothing else ends[last + 1]
    return float(lower), float(max(lower, upper))


def middle(interval: tuple[float, float]) -> float:
    """The middle of an interval of best biases; where it has no end, the point closest to zero.

    >>> middle((1.0, 2.0)), middle((1.0, np.inf))
    (1.5, 1.0)
    """
    lower, upper = interval
    return 0.5 * (lower + upper) if math.isfinite(upper - lower) else min(max(0.0, lower), upper)


def best_bias(f: Vector, y: Vector, C: Vector, loss: Loss, near: float = 0.0) -> float:
    """The minimiser of phi closest to ``near``.

    >>> f, y, C = np.array([2.0, -2.0]), np.array([1.0, -1.0]), np.ones(2)
    >>> best_bias(f, y, C, HINGE)
    0.0
    """
    lower, upper = bias_interval(f, y, C, loss)
    return min(max(near, lower), upper)
