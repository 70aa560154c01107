"""sum_j c_j exp(-gamma ||x_i - z_j||^2) in single precision with a bound on the error, for rows where that is enough.

A row that no coefficient belongs to matters only if it may lie inside the slab, which four digits mostly rule out.
With v = 2^-24, tiles m columns wide, and sums over tiles in double precision (r = ||x||, s = ||z||):

    exponent       within e = 2 (d + 8) v gamma (r^2 + s^2), and what was lost in double precision
    exponential    relative e + e^2 + 18v, absolute 2^-125
    sum            (m + 16) v more, relative to sum_j K_ij |c_j|

exp of the platform is taken to be right within four units in the last place here too.
"""

from __future__ import annotations

import math

import numpy as np

from separatrix.proof.exponential_kernels import ROOM, ExponentialRows
from separatrix.proof.rigorous import TINY
from separatrix.types import Vector

_UNIT = 2.0**-24  # of its rounding
_TINY = 2.0**-149  # the least float of single precision
_VANISHED = 2.0**-125  # more than an exponential that became zero, or lost digits on the way there
_HEIGHT, _WIDTH = 1024, 128  # rows and columns of a tile: half a MiB; sums of few terms lose less
_USEFUL = 2.0**-8  # an exponent wrong by more says little
_LARGEST = 1e18  # of two such numbers the product is still a float of single precision


class RoughSums:
    """Sums over the same rows z_j, made ready once; the coefficients (m,) are not zero."""

    def __init__(self, others: ExponentialRows, coef: Vector) -> None:
        # As powers of two are taken out exactly, coefficients of any size can be had in single precision.
        self._exponent = math.frexp(float(np.max(np.abs(coef))))[1]
        scaled = np.ldexp(coef, -self._exponent)
        self._weights = np.column_stack([scaled, np.abs(scaled)]).astype(np.float32)
        self._right = others.right.astype(np.float32)
        self._square = float(np.max(others.squares, initial=0.0))

    def of(self, rows: ExponentialRows) -> tuple[Vector, Vector]:
        """The sums of each row and bounds on their errors, each (n,); infinite where single precision is no use."""
        n, m = len(rows), len(self._right)
        lost = self._lost(rows)
        if not np.any(lost <= _USEFUL):
            return np.zeros(n), np.full(n, np.inf)
        left, sums = rows.left.astype(np.float32), np.zeros((n, 2))
        memory = np.empty(_HEIGHT * _WIDTH, dtype=np.float32)
        for top in range(0, n, _HEIGHT):
            block = left[top : top + _HEIGHT]
            for start in range(0, m, _WIDTH):
                others = self._right[start : start + _WIDTH]
                K = memory[: len(block) * len(others)].reshape(len(block), len(others))
                np.exp(np.matmul(block, others.T, out=K), out=K)
                sums[top : top + _HEIGHT] += K @ self._weights[start : start + _WIDTH]
        relative = lost + lost * lost + (18 + (_WIDTH + 16) * (1.0 + 2 * _WIDTH * _UNIT)) * _UNIT
        # Coefficients are at most 1 here; each may have vanished, as may its product.
        error = relative * ROOM * sums[:, 1] + m * (2 * _VANISHED + 4 * _TINY)
        error = np.where(np.isfinite(sums).all(axis=1) & (lost <= _USEFUL), error, np.inf)
        # Put back to their size, both may lose 2^-1075.
        return np.ldexp(sums[:, 0], self._exponent), np.ldexp(error * ROOM, self._exponent) + 2 * TINY

    def _lost(self, rows: ExponentialRows) -> Vector:
        """Error of the exponents of each row, shape (n,); infinite where numbers leave the range."""
        d, gamma = int(rows.X.shape[1]), rows.gamma
        r, s = np.sqrt(rows.squares), math.sqrt(self._square)
        size = gamma * (rows.squares + self._square)
        vanished = 4 * (d + 4) * _TINY * (2.0 + r + 2.0 * (gamma * s) + size)
        lost = 2 * (d + 8) * _UNIT * (1.0 + 2 * (d + 8) * _UNIT) * ROOM * size + vanished
        in_range = (r <= _LARGEST) & (max(s, 2.0 * (gamma * s)) <= _LARGEST)
        return np.where(in_range, lost + rows.lost(self._square), np.inf)
