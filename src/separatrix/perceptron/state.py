"""What every perceptron run has in common: labelled rows, settings, the state of a pass.

A solver has ``init`` (takes the memory) and ``step`` (one pass over the rows, or one step of descent; returns how
many rows were misclassified), so that an estimator and an animation drive the same step. A step that returns 0 ends
the run: every row is classified correctly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix import _core
from separatrix.problem import is_mapped
from separatrix.types import Matrix, Vector

Signs = NDArray[np.int8]
Counts = NDArray[np.int64]
State = TypeVar("State")
_RUN_BYTES = 1 << 20  # of a mapped file, which may have to come from the disk
_PORTION_BYTES = 1 << 27  # a few hundredths of a second
#: The compiled module; its overloads cannot be matched through ``*arguments``, hence Any.
core: Any = _core


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows X (n, d) with labels: -1 or +1 (int8) for two classes, codes 0 .. k-1 (int32) for many.

    ``constant`` is c, the value of the fictitious column that carries the bias.
    """

    X: Matrix
    labels: NDArray[Any]
    constant: float

    @property
    def n_rows(self) -> int:
        """n."""
        return int(self.X.shape[0])

    @property
    def gain(self) -> float:
        """c^2, by which an update moves the bias."""
        return self.constant * self.constant

    @cached_property
    def run(self) -> int:
        """How many rows a shuffled order keeps together: one, but of a mapped file as many as are read in one piece."""
        return max(1, _RUN_BYTES // self._row_bytes) if is_mapped(self.X) else 1

    def portions(self) -> Iterator[tuple[int, int]]:
        """The positions of a pass in pieces, begin and end, between which it may look at the clock."""
        height = max(1, _PORTION_BYTES // self._row_bytes)
        yield from ((begin, min(self.n_rows, begin + height)) for begin in range(0, self.n_rows, height))

    @property
    def _row_bytes(self) -> int:
        X = self.X
        total = X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes
        return max(1, int(total) // max(1, self.n_rows))

    @cached_property
    def reach(self) -> float:
        """At least max ||x_i||^2 where rows are scored in float first (dense float32), else infinite."""
        return float(core.reach(*matrix_arguments(self.X), 1))


@dataclass(frozen=True)
class Settings:
    """How rows are visited and what is kept of the run.

    ``step`` is a number or "decreasing"; ``start`` is None (zero) or the row j whose y_j x_j the run starts at;
    ``extra`` is None, "averaged", "voted" or "pocket".
    """

    step: float | str = 1.0
    shuffle: bool = False
    seed: int = 0
    start: int | None = None
    extra: str | None = None

    @property
    def size(self) -> float:
        """The fixed step, or the first of a decreasing schedule."""
        return 1.0 if isinstance(self.step, str) else self.step

    @property
    def decreasing(self) -> bool:
        """Whether update t is divided by sqrt(t)."""
        return self.step == "decreasing"

    def sizes(self, first: int, count: int) -> Vector:
        """The steps of the updates first, first + 1, ... (counted from 0), shape (count,)."""
        steps = np.full(count, self.size)
        return steps / np.sqrt(np.arange(first + 1, first + count + 1)) if self.decreasing else steps


class PassSolver(Protocol[State]):
    """``init`` takes the memory, ``step`` makes one pass and returns how many updates it made."""

    def init(self, rows: LabelledRows, n_threads: int) -> State:
        """The state before the first pass."""
        ...

    def step(self, rows: LabelledRows, state: State) -> int:
        """One pass; 0 means that every row is classified correctly."""
        ...


def matrix_arguments(X: Any) -> tuple[Any, ...]:
    """X as the compiled functions take it: the array, or the three arrays of CSR and the number of columns."""
    if not sparse.issparse(X):
        return (X,)
    csr: Any = X
    same = csr.indices.dtype == csr.indptr.dtype and csr.indices.dtype in (np.int32, np.int64)
    indices, starts = (
        (csr.indices, csr.indptr) if same else (csr.indices.astype(np.int64), csr.indptr.astype(np.int64))
    )
    return csr.data, indices, starts, int(csr.shape[1])


@dataclass(eq=False)
class PassState:
    """Where a primal run is. ``tally`` is (rows visited, updates, rows right since the last update)."""

    w: Vector
    b: Vector
    rng: np.random.Generator
    n_threads: int
    tally: Counts = field(default_factory=lambda: np.zeros(3, dtype=np.int64))
    counts: Counts = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    lag: Vector = field(default_factory=lambda: np.empty(0))
    lag_b: Vector = field(default_factory=lambda: np.empty(0))
    pocket_w: Vector = field(default_factory=lambda: np.empty(0))
    pocket_b: Vector = field(default_factory=lambda: np.empty(0))
    pocket: Counts = field(default_factory=lambda: np.array([-1, -1, 1]))
    log: list[NDArray[np.int64]] = field(default_factory=list)

    def average(self) -> tuple[Vector, Vector]:
        """The mean of w and b over all visits."""
        visits = max(1, int(self.tally[0]))
        return self.w - self.lag / visits, self.b - self.lag_b / visits

    def next_order(self, n: int, shuffle: bool, run: int = 1) -> NDArray[np.int64]:
        """The order of the next pass; empty means row after row.

        Shuffled, runs of consecutive rows come in a random order and so do the rows of each.
        """
        if not shuffle:
            return np.empty(0, dtype=np.int64)
        if run == 1:
            return self.rng.permutation(n)
        begins = run * self.rng.permutation(-(-n // run))
        return np.concatenate(
            [begin + self.rng.permutation(min(run, n - begin)) for begin in begins.tolist()]
        )


def dense_row(X: Any, row: int) -> Vector:
    """Row of X as a float64 vector, shape (d,)."""
    is_sparse = bool(sparse.issparse(X))
    part = X[row : row + 1]
    return np.asarray(part.toarray() if is_sparse else part, dtype=np.float64).ravel()


def measure_rows(X: Any) -> tuple[int, float]:
    """The first row whose norm is not a finite number (-1: none), and the largest squared norm before it.

    >>> measure_rows(np.array([[3.0, 4.0], [1.0, 0.0]]))
    (-1, 25.0)
    """
    bad, largest = core.measure_rows(*matrix_arguments(X))
    return int(bad), float(largest)
