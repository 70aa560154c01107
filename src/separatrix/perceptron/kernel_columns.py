"""Columns of a kernel matrix, whole where it fits in memory and by column where it does not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.problem.kernels import Kernel
from separatrix.types import Vector


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
        self._kept: dict[int, Vector] = {}
        self._whole: NDArray[np.float64] | None = None
        if self.n <= self._room or kernel.name == "precomputed":
            self._whole = kernel.matrix(X, X) + gain

    def column(self, j: int) -> Vector:
        """Column j."""
        if self._whole is not None:
            return self._whole[:, j]
        if j not in self._kept:
            if len(self._kept) >= self._room:
                self._kept.clear()
            self._kept[j] = self.kernel.matrix(self.X, self.X[j : j + 1])[:, 0] + self.gain
        return self._kept[j]

    def combination(self, rows: NDArray[np.intp], weights: Vector) -> Vector:
        """sum over the given rows j of weights_j column(j), shape (n,)."""
        if self._whole is not None:
            return np.asarray(self._whole[:, rows] @ weights)
        out = np.zeros(self.n)
        width = max(1, self._room // 4)
        for start in range(0, len(rows), width):
            part = rows[start : start + width]
            out += self.kernel.matrix(self.X, self.X[part]) @ weights[start : start + width]
        return out + self.gain * float(weights.sum())
