"""Candidates in floating point: a direction or a dependence among rows, by growing a set of rows.

On the working set a dual active-set method finds the least-norm z with a_i.z >= c_i, or a circuit of rows
that forbids one. All rows are then scanned and the worst join the set. Nothing found here is believed.

The least norm grows without bound as a contradiction is approached, and in hundreds of columns the weights drown
in rounding. The softened question always has an answer of moderate size:

    min 1/2 ||z||^2 + 1/2 t^2   s.t.   a_i.z + t >= 1,

with z = 0 exactly where the rows contradict each other; its multipliers are then the weights (Lawson and Hanson's
nonnegative least squares). It is asked second, because it resolves a thin margin less well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.memory import require_memory
from separatrix.proof.signed_rows import SignedRows
from separatrix.solvers.active_set import ActiveSet
from separatrix.types import Index, Vector

_ALL_AT_ONCE = 1 << 17  # entries: up to this size the whole set is handed over
_ROWS_AT_ONCE = 1024
_OPTIMAL, _INFEASIBLE = 0, 1
_VANISHED = (
    1e-8  # |z| / t below which the softened question is taken to say that the rows contradict each other
)
_NOISE = 1e-11


@dataclass(frozen=True)
class Direction:
    """z (D,) in scaled coordinates, and the rows that hold it (a_i.z at its bound)."""

    z: Vector
    active: Index


@dataclass(frozen=True)
class Dependence:
    """Independent rows but for one: sum weights_i a_i + target = 0 in floats, weights > 0."""

    rows: Index
    weights: Vector


def strict_direction(rows: SignedRows, live: Index, softened: bool = False) -> Direction | Dependence | None:
    """z with a_i.z > 0 for the live rows, or a dependence with positive weights; None when floats give up."""
    start = _ridge(rows, live)
    p = rows.products(start, live)
    if np.all(p > rows.error(start)):
        return Direction(start, live[:0])
    return _Search(rows, live, None, softened).run(p)


def weak_direction(
    rows: SignedRows, live: Index, total: Vector, softened: bool = False
) -> Direction | Dependence | None:
    """z with a_i.z >= 0 for the live rows and total.z > 0, or weights >= 0 with sum weights_i a_i = -total.

    total (D,) is the sum of the live rows in scaled coordinates.
    """
    unit = total / np.linalg.norm(total)
    return _Search(rows, live, unit, softened).run(rows.products(unit, live))


def _ridge(rows: SignedRows, live: Index) -> Vector:
    """The least-squares direction V z = 1 on a sample of rows, barely regularised."""
    count = min(len(live), max(256, 8 * rows.D))
    sample = live[np.linspace(0, len(live) - 1, count).astype(np.intp)]
    if count < rows.D:
        require_memory(3.0 * 8 * count * rows.D, f"The exact verdict on {rows.D} columns")
        V = rows.take(sample)
        K = V @ V.T
        K.flat[:: count + 1] += 1e-6
        return np.asarray(V.T @ np.linalg.solve(K, np.ones(count)))
    require_memory(3.0 * 8 * rows.D**2, f"The exact verdict on {rows.D} columns")
    H, total = np.zeros((rows.D, rows.D)), np.zeros(rows.D)
    for start in range(0, count, _ROWS_AT_ONCE):
        V = rows.take(sample[start : start + _ROWS_AT_ONCE])
        H += V.T @ V
        total += V.sum(axis=0)
    H.flat[:: rows.D + 1] += 1e-6 * max(1.0, float(np.trace(H)) / rows.D)
    return np.asarray(np.linalg.solve(H, total))


def _lowest(p: Vector, count: int) -> Index:
    return np.arange(len(p)) if len(p) <= count else np.argpartition(p, count)[:count]


class _Search:
    """The working set of one search; row 0 of the engine is the target when there is one.

    Softened, the engine has one column more, for t: 1 in the rows of right-hand side 1, else 0.
    """

    def __init__(self, rows: SignedRows, live: Index, target: Vector | None, softened: bool) -> None:
        self.rows, self.live, self.softened = rows, live, softened
        self.engine = ActiveSet(rows.D + softened, False)
        self.rhs = 0.0 if target is not None else 1.0
        self.offset = 0 if target is None else 1
        self.members: list[int] = []  # positions within live
        self.joined = np.zeros(len(live), dtype=bool)
        if target is not None:
            self._add(target[None, :], 1.0)

    def run(self, p: Vector) -> Direction | Dependence | None:
        everything = len(self.live) * self.rows.D <= _ALL_AT_ONCE
        self._join(np.arange(len(self.live)) if everything else _lowest(p, 3 * self.rows.D))
        for _ in range(200):
            outcome = self.engine.solve(50 * self.rows.D + 1000)
            if outcome == _INFEASIBLE:
                return self._dependence(np.asarray(self.engine.dependent), np.asarray(self.engine.dependence))
            if outcome != _OPTIMAL:
                return None
            point: Vector = np.asarray(self.engine.point)
            z = point[: self.rows.D]
            if not np.all(np.isfinite(z)):
                return None
            if self.softened and float(np.linalg.norm(z)) < _VANISHED * float(point[-1]):
                return self._dependence(np.asarray(self.engine.active), np.asarray(self.engine.multipliers))
            if not np.any(z):
                return None
            z = z / np.max(np.abs(z))
            p, error = self.rows.products(z, self.live), self.rows.error(z)
            # A strict direction is wanted as soon as it is strict; a weak one may rest on its active rows.
            short = p <= error if self.offset == 0 else p < -64 * error
            worst = np.flatnonzero(short & ~self.joined)
            if not len(worst):
                return Direction(z, self._active())
            self._join(worst[_lowest(p[worst], max(32, self.rows.D))])
        return None

    def _join(self, positions: Index) -> None:
        # The block, the engine's copy of it, and what its memory grows from.
        require_memory(4.0 * 8 * len(positions) * self.rows.D, f"The exact verdict on {self.rows.D} columns")
        self.members += positions.tolist()
        self.joined[positions] = True
        self._add(self.rows.take(self.live[positions]), self.rhs)

    def _add(self, block: Vector, bound: float) -> None:
        if self.softened:
            block = np.hstack([block, np.full((len(block), 1), bound)])
        self.engine.add(np.ascontiguousarray(block), np.full(len(block), bound))

    def _active(self) -> Index:
        return self._rows_of(np.asarray(self.engine.active))

    def _rows_of(self, engine_rows: Index) -> Index:
        own = engine_rows[engine_rows >= self.offset] - self.offset
        return self.live[np.array(self.members, dtype=np.intp)[own]]

    def _dependence(self, index: Index, weights: Vector) -> Dependence | None:
        if self.offset:
            if 0 not in index:
                return None
            weights = weights / weights[index == 0][0]
        # A weight that is nothing but rounding would bring in a row that does not belong to the circuit.
        index, weights = index[weights > _NOISE * weights.max()], weights[weights > _NOISE * weights.max()]
        own = index >= self.offset
        return Dependence(self._rows_of(index), weights[own])
