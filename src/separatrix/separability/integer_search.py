"""The searches of `candidates` in integers: slower, finite, and unable to fail.

Phase one of the simplex method decides on a working set, in integers:

    either  x >= 0 with C x = q,       or  u with u.C <= 0 and u.q > 0       (Farkas)

Its tableau has one common denominator, the last pivot, so every division is exact (Edmonds 1967, Bareiss 1968), and
Bland's rule makes it finite. All rows are then scanned exactly, and rows that disagree join the working set. The
set only grows, so this ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix.proof.integers import Ints, common_scale
from separatrix.proof.signed_rows import SignedRows
from separatrix.separability.rationalise import Balance, Cover
from separatrix.types import Index


def strict_or_balance(rows: SignedRows, live: Index, start: Index) -> list[int] | Balance:
    """Find z with a_i.z > 0 for every live row, or a circuit that forbids it."""
    work = _first_working_set(rows, live, start)
    while True:
        N, e = rows.integers(work)
        answer = feasibility([[*row, 1] for row in N.tolist()], [0] * rows.D + [1])
        if isinstance(answer, Feasible):
            return Balance(work[answer.columns], answer.numerators)
        z = common_scale([-a for a in answer.u[:-1]], -e)
        signs = rows.signs(z, live)
        if np.all(signs > 0):
            return z
        work = _grown(rows, live, work, np.flatnonzero(signs <= 0), z)


def weak_or_cover(
    rows: SignedRows, live: Index, start: Index, total: tuple[list[int], Ints]
) -> list[int] | Cover:
    """Find z with a_i.z >= 0 for every live row and total.z > 0, or a cover that forbids it."""
    work = _first_working_set(rows, live, start)
    sums, exponents = total
    while True:
        N, own = rows.integers(work)
        e = np.where([bool(s) for s in sums], np.minimum(own, exponents), own)
        shift = (own - e).tolist()
        columns = [[a << k for a, k in zip(row, shift, strict=True)] for row in N.tolist()]
        target = [-(s << int(k - f)) if s else 0 for s, k, f in zip(sums, exponents, e, strict=True)]
        answer = feasibility(columns, target)
        if isinstance(answer, Feasible):
            return Cover(work[answer.columns], answer.numerators, answer.denominator)
        z = common_scale([-a for a in answer.u], -e)
        signs = rows.signs(z, live)
        if np.all(signs >= 0):
            return z
        work = _grown(rows, live, work, np.flatnonzero(signs < 0), z)


def _first_working_set(rows: SignedRows, live: Index, start: Index) -> Index:
    if len(live) <= 4 * rows.D + 16:
        return live
    spread = live[np.linspace(0, len(live) - 1, 2 * rows.D + 8).astype(np.intp)]
    return np.union1d(start, spread)


def _grown(rows: SignedRows, live: Index, work: Index, wrong: Index, z: list[int]) -> Index:
    p = rows.products(rows.scaled(z)[0], live[wrong])
    worst = live[wrong[np.argsort(p)[: rows.D + 4]]]
    return np.union1d(work, worst)


@dataclass(frozen=True)
class Feasible:
    """x >= 0 with C x = q: x[columns[k]] = numerators[k] / denominator, zero elsewhere; columns independent."""

    columns: list[int]
    numerators: list[int]
    denominator: int


@dataclass(frozen=True)
class Infeasible:
    """u with u.C <= 0 and u.q > 0, in integers."""

    u: list[int]


def feasibility(columns: Sequence[Sequence[int]], q: Sequence[int]) -> Feasible | Infeasible:
    """Decide in integers whether q is a nonnegative combination of the columns.

    >>> feasibility([[1, 0], [1, 1]], [3, 2])
    Feasible(columns=[0, 1], numerators=[1, 2], denominator=1)
    >>> feasibility([[1, 0], [1, 1]], [2, 3])
    Infeasible(u=[-1, 1])
    """
    m, n = len(q), len(columns)
    flip = [-1 if b < 0 else 1 for b in q]
    # Columns of the tableau: the given ones, one artificial for each row, the right-hand side.
    table = [
        [flip[i] * c[i] for c in columns] + [int(i == k) for k in range(m)] + [flip[i] * q[i]]
        for i in range(m)
    ]
    # Reduced costs of "minimise the sum of the artificials", negated: positive entries may enter.
    price = [sum(row[j] for row in table) for j in range(n)] + [0] * m + [sum(row[-1] for row in table)]
    basis = [n + i for i in range(m)]
    denominator = 1
    while True:
        entering = next((j for j in range(n) if price[j] > 0), None)
        if entering is None or price[-1] == 0:
            break
        leaving = _ratio_test(table, basis, entering)
        assert leaving is not None, "phase one is bounded"
        denominator = _pivot(table, price, leaving, entering, denominator)
        basis[leaving] = entering
    if price[-1] == 0:
        used = sorted((basis[i], table[i][-1]) for i in range(m) if basis[i] < n and table[i][-1] != 0)
        return Feasible([j for j, _ in used], [v for _, v in used], denominator)
    # The cost of artificial k is 1, so its reduced cost gives u_k = 1 + price (over the denominator).
    return Infeasible([flip[k] * (denominator + price[n + k]) for k in range(m)])


def _ratio_test(table: list[list[int]], basis: list[int], entering: int) -> int | None:
    """The row with the least right-hand side / entry over positive entries; least basis index breaks ties."""
    able = [i for i, row in enumerate(table) if row[entering] > 0]
    return min(able, key=lambda i: (Fraction(table[i][-1], table[i][entering]), basis[i]), default=None)


def _pivot(table: list[list[int]], price: list[int], leaving: int, entering: int, denominator: int) -> int:
    """One integer-preserving pivot in place; returns the new common denominator."""
    pivot_row = table[leaving]
    pivot = pivot_row[entering]
    for row in [*(row for i, row in enumerate(table) if i != leaving), price]:
        factor = row[entering]
        row[:] = [(a * pivot - factor * b) // denominator for a, b in zip(row, pivot_row, strict=True)]
    return pivot
