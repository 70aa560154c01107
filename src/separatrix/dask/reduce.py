"""Sums over rows that were added up in several places, as one, with what rounding may have done."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from separatrix.proof.rigorous import TINY, UNIT
from separatrix.proof.sliced import two_sum
from separatrix.types import Vector


def join_plain(parts: Sequence[Vector]) -> Vector:
    """The sum of vectors (d,)."""
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total


def join_bounded(parts: Sequence[tuple[Vector, Vector]]) -> tuple[Vector, Vector]:
    """The sum of vectors (d,) each known to within an error (d,), and the error of that sum.

    Rounding errors of the additions are kept (TwoSum); what is lost in adding those up is bounded.

    >>> value, error = join_bounded([(np.array([1e16]), np.zeros(1)), (np.array([1.0]), np.zeros(1)),
    ...                              (np.array([-1e16]), np.zeros(1))])
    >>> value, bool(0 < error[0] < 1e-14)
    (array([1.]), True)
    """
    total, lost, size, error = np.zeros((4, len(parts[0][0])))
    for value, bound in parts:
        total, away = two_sum(total, value)
        lost = lost + away
        size = size + np.abs(away)
        error = error + bound
    result = total + lost
    count = len(parts) + 8
    # Every sum above has at most `count` terms, none of them negative in the last two.
    grown = (1.0 + 4 * count * UNIT) * (error + 2 * count * UNIT * size + 4 * UNIT * np.abs(result))
    return result, grown + TINY
