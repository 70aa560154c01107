"""The perceptron algorithm on the weights themselves.

    for each row with y_i f(x_i) <= 0:     w += s y_i x_i,     b += s y_i c^2                 f(x) = w.x + b

c is the constant of the fictitious column (0: no bias, 1: `unit`, R: `radius`), s the step, fixed or 1 / sqrt(t) at
update t. A pass without a mistake ends the run. With many classes (Kesler's construction) each class has a plane, and a
row whose own class y does not score highest is added to it and taken from the highest-scoring rival r:

    for each row with f_y(x_i) <= f_r(x_i):     w_y += s x_i,  b_y += s c^2;     w_r -= s x_i,  b_r -= s c^2

which is the two-class perceptron on the rows z = (.., x_i, .., -x_i, ..), ||z||^2 = 2 ||x_i||^2.

Rows are scored in blocks, and by threads when mistakes are rare; the updates are those of the sequential algorithm, bit
for bit. Rosenblatt (1958); Duda and Hart (1973), section 5.12, and Crammer and Singer (2003) for many classes;
Gallant (1990) for the pocket.
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
from separatrix.errors import ParameterError, with_hint
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.state import PerceptronState, fill, to_arrays
from separatrix.problem import is_mapped
from separatrix.problem.kernels import Kernel, Linear
from separatrix.solvers.compiled import compiled_rows
from separatrix.solvers.loop.deadline import look_at_the_clock
from separatrix.types import Matrix, Vector

Counts = NDArray[np.int64]
# Bytes of a mapped file that a shuffled order keeps together: less would be read from the disk several times over.
_RUN_BYTES = 1 << 20
# Bytes that a pass reads between two looks at the clock: a few hundredths of a second.
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
        """Whether f has weights w in the space of the rows."""
        return self.kernel.name == "linear"

    def shares(self, row: int, amount: float = 1.0, rival: int | None = None) -> list[tuple[int, float]]:
        """The planes that an update on a row moves, and by how much; the rival is the first other class by default."""
        label = int(self.labels[row])
        if self.classes == 2:
            return [(0, amount * label)]
        return [(label, amount), (int(label == 0) if rival is None else rival, -amount)]

    def portions(self) -> Iterator[tuple[int, int]]:
        """The positions of a pass in pieces, begin and end, between which it may look at the clock."""
        height = max(1, _PORTION_BYTES // self._row_bytes)
        yield from ((begin, min(self.n_rows, begin + height)) for begin in range(0, self.n_rows, height))

    @cached_property
    def run(self) -> int:
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


@dataclass(frozen=True, eq=False)
class PrimalState:
    """Weights, counts and the generator of the order after some passes: enough to go on."""

    run: _core.PerceptronState
    rng: np.random.Generator


def new_state(
    planes: int, columns: int, gain: float, settings: Settings, *, rows: int = 0, online: bool = False
) -> PerceptronState:
    """Planes w = 0; ``rows`` is the number of rows whose updates are counted.

    Online there is no log, and no ratchet of the pocket, which would have to see all rows again.
    """
    return PerceptronState(
        planes,
        columns,
        step=settings.size,
        gain=gain,
        decreasing=settings.decreasing,
        averaged=settings.output == "averaged",
        pocket=settings.output == "pocket",
        ratchet=not online,
        logged=not online and (planes > 1 or settings.output == "voted" or settings.decreasing),
        rows=rows,
    )


def resumed(
    old: PerceptronState, gain: float, settings: Settings, *, rows: int = 0, online: bool = False
) -> PerceptronState:
    """A copy that goes on with these settings; updates are counted anew for another number of rows."""
    new, arrays = new_state(old.planes, old.columns, gain, settings, rows=rows, online=online), to_arrays(old)
    if new.lag.size > old.lag.size or new.pocket_w.size > old.pocket_w.size or new.logged > old.logged:
        raise with_hint(
            ParameterError,
            f"output={settings.output!r} with step={settings.step!r} needs the run from its first row on, "
            "and the fit to go on from had other parameters.",
            "fit again",
        )
    if rows != len(old.counts):
        arrays |= {"counts": new.counts, "log": new.log}
    fill(new, arrays)
    return new


class PrimalPasses:
    """Passes over rows; ``before`` is a state to go on from.

    >>> rows = LabelledRows(np.array([[2.0], [-1.0]]), np.array([1, -1], dtype=np.int8), constant=1.0)
    >>> passes = PrimalPasses(rows, Settings())
    >>> [passes.step() for _ in range(2)]
    [1, 0]
    >>> passes.state.w, passes.state.b, passes.state.counts.tolist()
    (array([[2.]]), array([1.]), [1, 0])
    """

    def __init__(self, rows: LabelledRows, settings: Settings, before: PrimalState | None = None) -> None:
        self.rows, self.settings = rows, settings
        counted, columns = rows.n_rows if rows.classes == 2 else 0, int(rows.X.shape[1])
        if before is not None:
            if before.run.columns != columns:
                raise ValueError(
                    f"warm_start=True goes on from weights of {before.run.columns} columns; X has {columns}."
                )
            self.rng, self.state = before.rng, resumed(before.run, rows.gain, settings, rows=counted)
            return
        self.rng = np.random.default_rng(settings.seed)
        self.state = new_state(rows.n_planes, columns, rows.gain, settings, rows=counted)
        if settings.start is not None:
            for plane, sign in rows.shares(settings.start):
                self.state.w[plane] += sign * dense_row(rows.X, settings.start)
                self.state.b[plane] += sign * rows.gain

    @property
    def updates(self) -> int:
        """Updates so far."""
        return self.state.updates

    def step(self) -> int:
        """One pass, the number of updates; 0 only if every row is classified correctly in exact arithmetic.

        Where a pass made no update, a row that only rounding put on its side gets one. Many classes are not rechecked:
        their certificate is made exactly, or not at all.
        """
        made = self.sweep()
        if made or self.rows.classes > 2:
            return made
        wrong = misclassified(self.rows, self.state.w[0], float(self.state.b[0]), self.settings.n_threads)
        if len(wrong):
            self.update(int(wrong[0]))
        return min(1, len(wrong))

    def sweep(self) -> int:
        """One pass in floating point, the number of updates; `OutOfTime` between two portions if time is over."""
        order, made = self.next_order(), 0
        for begin, end in self.rows.portions():
            made += self.visit(order, begin, end)
            if end < self.rows.n_rows:
                look_at_the_clock()
        return made

    def visit(self, order: NDArray[np.int64] | None, begin: int, end: int) -> int:
        """The positions begin .. end - 1 of an order (None: row after row); the number of updates."""
        rows = self.rows
        return self.state.visit(
            rows.compiled, rows.labels, order, begin, end, rows.norm_bound, self.settings.n_threads
        )

    def next_order(self) -> NDArray[np.int64] | None:
        """The order of the next pass; None means row after row.

        Shuffled, runs of consecutive rows come in a random order and so do the rows of each.
        """
        if not self.settings.shuffle:
            return None
        n, run = self.rows.n_rows, self.rows.run
        if run == 1:
            return self.rng.permutation(n)
        begins = run * self.rng.permutation(-(-n // run))
        return np.concatenate(
            [begin + self.rng.permutation(min(run, n - begin)) for begin in begins.tolist()]
        )

    def update(self, row: int) -> None:
        """An update on a row of two classes that is misclassified exactly, though rounding hides it."""
        state, x = self.state, dense_row(self.rows.X, row)
        scale = float(self.settings.sizes(state.updates, 1)[0]) * float(self.rows.labels[row])
        state.w[0] += scale * x
        state.b[0] += scale * self.rows.gain
        if state.lag.size:
            missing = scale * float(state.visits)
            state.lag[0] += missing * x
            state.lag_b[0] += missing * self.rows.gain
        state.counts[row] += 1
        if state.logged:
            state.log = np.vstack([state.log, [[row, state.visits, 0]]])
        state.visits, state.updates, state.run = state.visits + 1, state.updates + 1, 0


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
