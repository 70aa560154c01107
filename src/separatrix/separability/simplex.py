"""An exact feasibility test that cannot fail: phase one of the simplex method in integers.

    either  x >= 0 with C x = q,       or  u with u.C <= 0 and u.q > 0       (Farkas)

The tableau is kept over one common denominator, the last pivot, so every division is exact (Edmonds 1967,
Bareiss 1968). Bland's rule makes it finite. Meant for small systems and as the last resort of larger ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


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
    """Decide whether q is a nonnegative combination of integer columns.

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
    best: int | None = None
    for i, row in enumerate(table):
        if row[entering] <= 0:
            continue
        if best is None:
            best = i
            continue
        left, right = row[-1] * table[best][entering], table[best][-1] * row[entering]
        if left < right or (left == right and basis[i] < basis[best]):
            best = i
    return best


def _pivot(table: list[list[int]], price: list[int], leaving: int, entering: int, denominator: int) -> int:
    """One integer-preserving pivot in place; returns the new common denominator."""
    pivot_row = table[leaving]
    pivot = pivot_row[entering]
    for row in [*(row for i, row in enumerate(table) if i != leaving), price]:
        factor = row[entering]
        if factor == 0:
            if pivot != denominator:
                row[:] = [a * pivot // denominator for a in row]
            continue
        row[:] = [(a * pivot - factor * b) // denominator for a, b in zip(row, pivot_row, strict=True)]
    return pivot
