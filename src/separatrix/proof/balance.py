"""Alphas with sum_i alpha_i y_i exactly zero, as a free bias demands.

A dual point that misses the equality bounds nothing. Solvers meet it to rounding; here it is met in exact
arithmetic, by moving a few alphas by about one unit in the last place.
"""

from __future__ import annotations

from math import fsum

import numpy as np

from separatrix.problem.losses import Vector


def balance(alpha: Vector, y: Vector, upper: Vector) -> Vector:
    """The alphas, changed as little as rounding allows, with sum_i alpha_i y_i = 0 exactly."""
    alpha = alpha.copy()
    excess = fsum(alpha * y)
    if excess == 0.0:
        return alpha
    side = np.sign(excess)
    heavy = (y == side) & (alpha > 0)
    total = fsum(alpha[heavy])
    alpha[heavy] *= max(0.0, 1.0 - abs(excess) / total)
    return alpha
