"""The smallest ball around points that are known by their inner products only.

    min_c max_i ||phi_i - c||^2  =  max_beta  sum_i beta_i K_ii - beta^T K beta,     beta >= 0,  sum_i beta_i = 1

with the centre c = sum_i beta_i phi_i. Active set: the farthest point joins, the maximum over the points of the set is
found by one linear system, points whose weight would become negative leave. Finite, as each set is visited once.
The radius returned is the largest distance from the centre found, so that no point is outside, whatever the rounding
of the weights did. Welzl (1991); Fischer, Gaertner, Kutz: Fast smallest-enclosing-ball computation, ESA 2003.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from separatrix.types import Vector

_CLOSE = 1e-12  # relative: how far outside a point may be before it joins


@dataclass(frozen=True, eq=False)
class Ball:
    """Centre sum_i weights_i phi_i, radius that no point exceeds, and a radius that no smaller ball can have."""

    weights: Vector  #: (n,), at least 0, summing to 1
    radius: float
    lower: float  #: the square root of the dual value: radius - lower is the error of the method


def enclosing_ball(K: NDArray[np.float64]) -> Ball:
    """The smallest ball around the points with inner products K (n, n).

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
        if outside[far] <= value + _CLOSE * max(value, float(size.max())) or far in members:
            break
        members = _settle(K, size, weights, [*members, far])
    return Ball(weights, float(np.sqrt(max(0.0, outside[far]))), float(np.sqrt(max(0.0, value))))


def _settle(K: NDArray[np.float64], size: Vector, weights: Vector, members: list[int]) -> list[int]:
    """The maximum over the members, in place; the members that keep a positive weight."""
    ridge = _CLOSE * max(float(size.max()), 1e-300)
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
