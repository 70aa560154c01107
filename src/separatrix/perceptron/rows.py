"""The rows of a run with their labels, and the fictitious column that carries the bias.

    f(x) = w.x + b = wt.xt        xt = (x, c),  wt = (w, b / c)        c = 0: no bias, 1: `unit`, max ||x_i||: `radius`

In this larger space every run goes through the origin; an update that adds s y xt to wt adds s y c^2 to b.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix import _core
from separatrix.problem import is_mapped
from separatrix.problem.kernels import Kernel, Linear
from separatrix.solvers.compiled import compiled_rows
from separatrix.types import Matrix, Vector

Counts = NDArray[np.int64]
# Bytes of a mapped file that a shuffled order keeps together: less would be read from the disk several times over.
_RUN_BYTES = 1 << 20
# Bytes that a pass reads before it checks the time limit again: a few hundredths of a second.
_PORTION_BYTES = 1 << 27


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows X (n, d) with labels: -1 or +1 (int8) for two classes, codes 0 .. k-1 (int32) for many.

    ``constant`` is c, the value of the fictitious column that carries the bias.
    """

    X: Matrix
    labels: NDArray[Any]
    constant: float
    classes: int = 2
    kernel: Kernel = field(default_factory=Linear)

    @property
    def n_rows(self) -> int:
        """n."""
        return int(self.X.shape[0])

    @property
    def n_planes(self) -> int:
        """One for two classes, else one a class."""
        return 1 if self.classes == 2 else self.classes

    @property
    def gain(self) -> float:
        """c^2, by which an update moves the bias."""
        return self.constant * self.constant

    @property
    def is_linear(self) -> bool:
        """True if f has weights w in the space of the rows."""
        return self.kernel.name == "linear"

    def shares(self, row: int, amount: float = 1.0, rival: int | None = None) -> list[tuple[int, float]]:
        """The planes that an update on a row moves, and by how much; the rival is the first other class by default."""
        label = int(self.labels[row])
        if self.classes == 2:
            return [(0, amount * label)]
        return [(label, amount), (int(label == 0) if rival is None else rival, -amount)]

    def pair_counts(self, log: Counts) -> Counts | None:
        """Updates on each row against each rival, shape (n, k), from the log; None for two classes."""
        if self.classes == 2:
            return None
        pairs = np.zeros((self.n_rows, self.classes), dtype=np.int64)
        np.add.at(pairs, (log[:, 0], log[:, 2]), 1)
        return pairs

    def support(self, places: NDArray[np.intp]) -> Matrix | None:
        """The rows at some places; None where the kernel is precomputed, which knows rows by their place."""
        return None if self.kernel.name == "precomputed" else self.X[places]

    def portions(self) -> Iterator[tuple[int, int]]:
        """The positions of a pass in pieces, begin and end, between which it checks the time limit."""
        height = max(1, _PORTION_BYTES // self._row_bytes)
        for begin in range(0, self.n_rows, height):
            yield begin, min(self.n_rows, begin + height)

    @cached_property
    def run_length(self) -> int:
        """Number of rows that a shuffled order keeps together: one, or of a mapped file as many as are read at once."""
        return max(1, _RUN_BYTES // self._row_bytes) if is_mapped(self.X) else 1

    @property
    def _row_bytes(self) -> int:
        X = self.X
        total = X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes
        return max(1, int(total) // max(1, self.n_rows))

    @cached_property
    def compiled(self) -> _core.Rows:
        """The rows as the compiled core reads them."""
        return compiled_rows(self.X)

    @cached_property
    def norm_bound(self) -> float:
        """At least max ||x_i||^2 where rows are scored in float first (two classes, dense float32), else infinite."""
        return _core.squared_norm_bound(self.compiled) if self.classes == 2 else float("inf")


def misclassified(rows: LabelledRows, w: Vector, b: float, n_threads: int = 1) -> NDArray[np.intp]:
    """Rows with y_i (w.x_i + b) <= 0 exactly, among those that rounding leaves in doubt.

    Every row that is not in doubt is taken to have been found correct already.

    >>> rows = LabelledRows(np.array([[0.1, 0.2], [1.0, 1.0]]), np.array([1, 1], dtype=np.int8), constant=0.0)
    >>> misclassified(rows, np.array([0.2, -0.1]), 0.0)
    array([0])
    """
    doubtful = _core.doubtful_rows(rows.compiled, rows.labels, w, b, rows.norm_bound, n_threads)
    weights = [Fraction(value) for value in w] if len(doubtful) else []
    wrong = []
    for row in doubtful:
        x = dense_row(rows.X, int(row))
        score = Fraction(b) + sum((Fraction(float(x[j])) * weights[j] for j in np.flatnonzero(x)), Fraction())
        if int(rows.labels[row]) * score <= 0:
            wrong.append(int(row))
    return np.array(wrong, dtype=np.intp)


def largest_squared_norm(X: Matrix) -> float:
    """max ||x_i||^2.

    >>> largest_squared_norm(np.array([[3.0, 4.0], [1.0, 0.0]]))
    25.0
    """
    return float(_core.measure_rows(compiled_rows(X))[1])


def column_constant(X: Matrix, kernel: Kernel, bias: str) -> float:
    """c: the value of the fictitious column that carries the bias."""
    if bias != "radius":
        return 1.0 if bias == "unit" else 0.0
    linear = kernel.name == "linear"
    squared = largest_squared_norm(X) if linear else float(np.max(kernel.diagonal(X), initial=0.0))
    return float(np.sqrt(squared)) or 1.0  # rows that are all zero: any constant will do


def dense_row(X: Any, row: int) -> Vector:
    """Row of X as a float64 vector, shape (d,)."""
    is_sparse = bool(sparse.issparse(X))
    part = X[row : row + 1]
    return np.asarray(part.toarray() if is_sparse else part, dtype=np.float64).ravel()
