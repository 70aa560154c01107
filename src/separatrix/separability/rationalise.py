"""From floating-point candidates to exact statements, or None where the candidate was wrong.

Three statements about signed rows a_i, each checked in integers before it is returned:
    Balance      lambda_i > 0 with sum lambda_i a_i = 0 on a circuit of rows (Gordan)
    Cover        mu_i >= 0 with sum of all live rows + sum mu_i a_i = 0 (so every live row is tied)
    a direction  z with a_i.z >= 0 for all live rows, > 0 for some
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.proof.integers import Ints, common_scale, narrowest
from separatrix.proof.signed_rows import SignedRows
from separatrix.separability import modular
from separatrix.separability.lifting import Lifter
from separatrix.types import Index


@dataclass(frozen=True)
class Balance:
    """sum_k weights[k] a_rows[k] = 0 exactly; weights are positive integers."""

    rows: Index
    weights: list[int]


@dataclass(frozen=True)
class Cover:
    """sum over the live rows of a_i + sum_k (weights[k] / denominator) a_rows[k] = 0 exactly."""

    rows: Index
    weights: list[int]
    denominator: int


class RowSystem:
    """A few rows in integers, reduced modulo a prime, with one lifter shared by all solves on them.

    `order` picks and orders the columns (all by default); `columns` are then positions within it.
    """

    def __init__(
        self, rows: SignedRows, index: Index, order: Index | None = None, p: int = modular.PRIMES[0]
    ) -> None:
        self.index = index
        self.N, self.e = rows.integers(index)
        if order is not None:
            self.N, self.e = self.N[:, order], self.e[order]
        table = modular.residues(self.N, p)
        if order is None:
            # Pivots by rows: the dependent rows are the last ones.
            echelon = modular.reduce_rows(table.T.copy(), p)
            self.independent, self.columns = echelon.columns, echelon.rows
        else:
            echelon = modular.reduce_rows(table, p)
            self.independent, self.columns = echelon.rows, echelon.columns
        self._lifter: Lifter | None = None

    @property
    def rank(self) -> int:
        """Rank modulo a prime: never more than the true rank."""
        return len(self.independent)

    def solve(self, target: Sequence[int]) -> tuple[list[int], int] | None:
        """Find x on the independent rows with sum x_i N_i = target on every column, as (numerators, denominator)."""
        if self.rank == 0:
            return None if any(target) else ([], 1)
        if self._lifter is None:
            self._lifter = Lifter(np.ascontiguousarray(self._block().T))
        found = self._lifter.solve([target[j] for j in self.columns])
        if found is None or not self._holds(found[0], found[1], target):
            return None
        return found

    def solve_columns(self, j: int) -> tuple[list[int], int] | None:
        """Find x on the pivot columns with sum_c x_c N_c = N_j on the independent rows."""
        if self.rank == 0:
            return [], 1
        if self._lifter is None:
            self._lifter = Lifter(np.ascontiguousarray(self._block()))
        return self._lifter.solve([int(a) for a in self.N[self.independent, j]])

    def _block(self) -> NDArray[Any]:
        return self.N[np.ix_(self.independent, self.columns)]

    def _holds(self, x: Sequence[int], denominator: int, target: Sequence[int]) -> bool:
        """True if sum x_i N_i = denominator * target in every column."""
        sums = np.array(x, dtype=object) @ self.N[self.independent].astype(object)
        return all(s == denominator * t for s, t in zip(sums.tolist(), target, strict=True))


def balance(system: RowSystem) -> Balance | None:
    """The circuit among the rows of the system, if there is exactly one and its weights have one sign."""
    if system.rank != len(system.index) - 1:
        return None
    odd = int(np.setdiff1d(np.arange(len(system.index)), system.independent)[0])
    found = system.solve([-int(a) for a in system.N[odd]])
    if found is None:
        return None
    weights = {int(i): x for i, x in zip(system.independent, found[0], strict=True) if x}
    weights[odd] = found[1]
    if any(x < 0 for x in weights.values()):
        return None
    keep = sorted(weights, key=lambda i: int(system.index[i]))
    return Balance(system.index[keep], [weights[i] for i in keep])


def cover_by(system: RowSystem, circuit: Balance, total: tuple[list[int], Ints]) -> Cover | None:
    """A cover whose weights sit on a circuit: any solution will do, for multiples of the circuit may be added."""
    found = system.solve([-t for t in align(system, total)])
    if found is None:
        return None
    numerators, denominator = found
    x = dict(zip(system.index[system.independent].tolist(), numerators, strict=True))
    weight = dict(zip(circuit.rows.tolist(), circuit.weights, strict=True))
    if any(i not in weight for i, value in x.items() if value < 0):
        return None
    # Least whole t with x_i / denominator + t lambda_i >= 0 for all i.
    t = max((-(value // (denominator * weight[i])) for i, value in x.items() if value < 0), default=0)
    lifted = {i: x.get(i, 0) + t * denominator * weight.get(i, 0) for i in {*x, *weight}}
    keep = sorted(i for i, value in lifted.items() if value)
    return Cover(np.array(keep, dtype=np.intp), [lifted[i] for i in keep], denominator)


def cover(system: RowSystem, total: tuple[list[int], Ints]) -> Cover | None:
    """Find mu >= 0 on independent rows of the system with sum mu_i a_i = -total; None if some mu_i < 0."""
    found = system.solve([-t for t in align(system, total)])
    if found is None or any(x < 0 for x in found[0]):
        return None
    pairs = [(int(i), x) for i, x in zip(system.index[system.independent], found[0], strict=True) if x]
    return Cover(np.array([i for i, _ in pairs], dtype=np.intp), [x for _, x in pairs], found[1])


def align(system: RowSystem, total: tuple[list[int], Ints]) -> list[int]:
    """The total in the units 2^(e_j) of the system, whose columns are refined in place where the total is finer."""
    sums, exponents = total
    used = np.array([bool(s) for s in sums])
    finer = np.where(used, np.minimum(system.e, exponents), system.e)
    if np.any(finer < system.e):
        shift = (system.e - finer).tolist()
        wide = np.empty(system.N.shape, dtype=object)
        wide[...] = [[a << k for a, k in zip(row, shift, strict=True)] for row in system.N.tolist()]
        system.N, system.e, system._lifter = narrowest(wide), finer, None
    return [s << int(k - f) if s else 0 for s, k, f in zip(sums, exponents, system.e, strict=True)]


def projected_direction(rows: SignedRows, active: Index, total: tuple[list[int], Ints]) -> list[int] | None:
    """The total without its part in the span of the active rows: an exact z with a_i.z = 0 on those.

    In scaled coordinates, z = g - A^T (A A^T)^-1 A g. Returned in the original coordinates.
    """
    g = common_scale(total[0], total[1] + rows.scale)
    if len(active):
        N, e = rows.integers(active)
        shift = e + rows.scale - int((e + rows.scale).min())
        A = narrowest(N.astype(object) << shift.astype(object))
        right = A.astype(object) @ np.array(g, dtype=object)
        found = Lifter(_gram(A)).solve(right.tolist())
        if found is None:
            return None
        v, denominator = found
        along = A.T.astype(object) @ np.array(v, dtype=object)
        g = [denominator * t - a for t, a in zip(g, along.tolist(), strict=True)]
    return common_scale(g, rows.scale.astype(np.int64))


def _gram(A: NDArray[Any]) -> NDArray[Any]:
    if A.dtype != object:
        bits = 2 * int(np.max(np.abs(A), initial=1)).bit_length() + A.shape[1].bit_length()
        if bits <= 52:
            return (A.astype(np.float64) @ A.T.astype(np.float64)).astype(np.int64)
        if bits <= 62:
            return np.asarray(A @ A.T)
    wide = A.astype(object)
    return narrowest(wide @ wide.T)
