"""Candidates: a direction or a dependence among rows, found in floating point on a growing set of rows.

On the working set a dual active-set method finds the least-norm z with a_i.z >= c_i, or a circuit of rows
that forbids one. All rows are then scanned and the worst join the set. Nothing found here is believed.

The least norm grows without bound as a contradiction is approached, and in hundreds of columns the weights drown
in rounding. The softened question always has an answer of moderate size:

    min 1/2 ||z||^2 + 1/2 t^2   s.t.   a_i.z + t >= 1,

with z = 0 exactly where the rows contradict each other; its multipliers are then the weights (Lawson and Hanson's
nonnegative least squares). It is asked second, because it resolves a thin margin less well.

The cheapest contradiction, the same x with opposite labels, is found by hashing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.memory import require_memory
from separatrix.problem import row_blocks
from separatrix.proof.signed_rows import SignedRows
from separatrix.solvers.active_set import ActiveSet
from separatrix.types import Index, Vector

#: Entries up to which all rows join the working set at once.
_SMALL_PROBLEM = 1 << 17
#: Rows whose normal matrix is computed at a time.
_ROWS_AT_ONCE = 1024
#: Outcomes of the active-set engine.
_OPTIMAL, _INFEASIBLE = 0, 1
#: Ratio |z| / t of the softened question below which the rows are taken to contradict each other.
_VANISHED = 1e-8
#: Weight relative to the largest below which it is rounding.
_NOISE = 1e-11


@dataclass(frozen=True)
class Direction:
    """z (D,) in scaled coordinates, and the active rows (a_i.z at its bound)."""

    z: Vector
    active: Index


@dataclass(frozen=True)
class Dependence:
    """Independent rows but for one: sum weights_i a_i + target = 0 in floats, weights > 0."""

    rows: Index
    weights: Vector


def strict_direction(rows: SignedRows, live: Index, softened: bool = False) -> Direction | Dependence | None:
    """Find z with a_i.z > 0 for the live rows, or a dependence with positive weights; None where floats fail."""
    start = _ridge(rows, live)
    p = rows.products(start, live)
    if np.all(p > rows.error(start)):
        return Direction(start, live[:0])
    return _Search(rows, live, None, softened).run(p)


def weak_direction(
    rows: SignedRows, live: Index, total: Vector, softened: bool = False, first: Index | None = None
) -> Direction | Dependence | None:
    """Find z with a_i.z >= 0 for the live rows and total.z > 0, or weights >= 0 with sum weights_i a_i = -total.

    total (D,) is in scaled coordinates. ``first`` are positions within live of the first working set, if known.
    """
    unit = total / np.linalg.norm(total)
    return _Search(rows, live, unit, softened).run(rows.products(unit, live), first)


def opposite_pair(rows: SignedRows, live: Index) -> tuple[int, int] | None:
    """Find two live rows with equal x and opposite labels; None where hashing finds none.

    The two rows are compared entry by entry, so a pair is a fact.
    """
    keys = _hashes(rows)[live]
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    opposite = same[rows.y[live[order[same]]] != rows.y[live[order[same + 1]]]]
    for k in opposite[:16]:
        p, q = int(live[order[k]]), int(live[order[k + 1]])
        if not np.any(rows.dense(np.array([p, q])).sum(axis=0)):  # a - b is zero only where a = b
            return p, q
    return None


def _hashes(rows: SignedRows) -> NDArray[np.uint64]:
    """A 64-bit hash of each row of X: a random linear form of the bit patterns, modulo 2^64."""
    weights = np.random.default_rng(0).integers(1, 1 << 63, size=rows.d, dtype=np.uint64) | np.uint64(1)
    out = np.zeros(rows.n, dtype=np.uint64)
    for some, block in row_blocks(rows.X):
        if rows.is_sparse:
            row = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
            np.add.at(out[some], row, _mixed(block.data) * weights[block.indices])
        else:
            out[some] = (_mixed(block) * weights).sum(axis=1, dtype=np.uint64)
    return out


def _mixed(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Bit patterns of float64 values, -0 made 0, high bits folded down. Zero stays zero."""
    bits = (values + 0.0).view(np.uint64)
    return bits ^ (bits >> np.uint64(29))


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

    def run(self, p: Vector, first: Index | None = None) -> Direction | Dependence | None:
        everything = len(self.live) * self.rows.D <= _SMALL_PROBLEM
        start = _lowest(p, 3 * self.rows.D) if first is None else first
        self._join(np.arange(len(self.live)) if everything else start)
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
                return Direction(z, self._rows_of(np.asarray(self.engine.active)))
            self._join(worst[_lowest(p[worst], max(32, self.rows.D))])
        return None

    def _join(self, positions: Index) -> None:
        # The block, the engine's copy of it, and the memory from which that copy grows.
        require_memory(4.0 * 8 * len(positions) * self.rows.D, f"The exact verdict on {self.rows.D} columns")
        self.members += positions.tolist()
        self.joined[positions] = True
        self._add(self.rows.take(self.live[positions]), self.rhs)

    def _add(self, block: Vector, bound: float) -> None:
        if self.softened:
            block = np.hstack([block, np.full((len(block), 1), bound)])
        self.engine.add(np.ascontiguousarray(block), np.full(len(block), bound))

    def _rows_of(self, engine_rows: Index) -> Index:
        own = engine_rows[engine_rows >= self.offset] - self.offset
        return self.live[np.array(self.members, dtype=np.intp)[own]]

    def _dependence(self, index: Index, weights: Vector) -> Dependence | None:
        if self.offset:
            if 0 not in index:
                return None
            weights = weights / weights[index == 0][0]
        # A weight that is nothing but rounding would bring in a row that does not belong to the circuit.
        used = weights > _NOISE * weights.max()
        index, weights = index[used], weights[used]
        return Dependence(self._rows_of(index), weights[index >= self.offset])
