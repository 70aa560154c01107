"""The signed rows of several partitions as those of one matrix, without joining them in memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from separatrix.solvers.interior_point.signed_rows import SignedRows
from separatrix.types import Vector


class SignedParts:
    """What the interior point asks of `SignedRows`, part after part."""

    def __init__(self, parts: Sequence[SignedRows]) -> None:
        self._parts = parts
        self.R, self.D, self.free_bias = parts[0].R, parts[0].D, parts[0].free_bias
        self._ends = np.cumsum([0, *(part.n for part in parts)]).tolist()
        self.n = self._ends[-1]

    @property
    def spans(self) -> list[slice]:
        """Some rows of one part at a time."""
        return [
            slice(begin + span.start, begin + span.stop)
            for part, begin in zip(self._parts, self._ends, strict=False)
            for span in part.spans
        ]

    def _place(self, span: slice) -> tuple[SignedRows, slice]:
        """The part that has these rows, and where."""
        part = bisect_right(self._ends, span.start) - 1
        begin = self._ends[part]
        return self._parts[part], slice(span.start - begin, span.stop - begin)

    def margins(self, z: Vector, span: slice) -> Vector:
        """A z of the rows in a span of one part."""
        part, place = self._place(span)
        return part.margins(z, place)

    def pull(self, c: Vector, span: slice) -> Vector:
        """A^T c, shape (D,), over the rows in a span of one part."""
        part, place = self._place(span)
        return part.pull(c, place)

    def normal_matrix(self, theta: Vector) -> NDArray[np.float64]:
        """R + A^T Theta A, lower triangle, Fortran order, shape (D, D)."""
        total = np.zeros((self.D, self.D), order="F")
        for part, (begin, end) in zip(self._parts, pairwise(self._ends), strict=True):
            total += part.normal_matrix(theta[begin:end])
        total[np.diag_indices(self.D)] -= (len(self._parts) - 1) * self.R
        return total
