"""The signed rows of several partitions as those of one matrix, without joining them in memory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from separatrix.problem.losses import Vector
from separatrix.solvers.signed_rows import SignedRows


class SignedParts:
    """What the interior point asks of `SignedRows`, part after part."""

    def __init__(self, parts: Sequence[SignedRows]) -> None:
        self._parts = parts
        self.R, self.D, self.free_bias = parts[0].R, parts[0].D, parts[0].free_bias
        self._ends = np.cumsum([0, *(part.n for part in parts)]).tolist()
        self.n = self._ends[-1]

    def margins(self, z: Vector) -> Vector:
        """A z, shape (n,)."""
        return np.concatenate([part.margins(z) for part in self._parts])

    def pull(self, c: Vector) -> Vector:
        """A^T c, shape (D,)."""
        total = np.zeros(self.D)
        for part, (begin, end) in zip(self._parts, pairwise(self._ends), strict=True):
            total += part.pull(c[begin:end])
        return total

    def normal_matrix(self, theta: Vector) -> NDArray[np.float64]:
        """R + A^T Theta A, lower triangle, Fortran order, shape (D, D)."""
        total = np.zeros((self.D, self.D), order="F")
        for part, (begin, end) in zip(self._parts, pairwise(self._ends), strict=True):
            total += part.normal_matrix(theta[begin:end])
        total[np.diag_indices(self.D)] -= (len(self._parts) - 1) * self.R
        return total
