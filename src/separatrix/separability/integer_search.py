"""The searches of `candidates` done again in integers: slower, finite, and unable to fail.

An exact simplex method decides on a working set; all rows are scanned exactly; rows that disagree join.
The set only grows, so this ends.
"""

from __future__ import annotations

import numpy as np

from separatrix.proof.integers import Ints, common_scale
from separatrix.proof.signed_rows import SignedRows
from separatrix.separability.rationalise import Balance, Cover
from separatrix.separability.simplex import Feasible, feasibility
from separatrix.types import Index


def strict_or_balance(rows: SignedRows, live: Index, start: Index) -> list[int] | Balance:
    """z with a_i.z > 0 for every live row, or a circuit that forbids it."""
    work = _beginning(rows, live, start)
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
    """z with a_i.z >= 0 for every live row and total.z > 0, or a cover that forbids it."""
    work = _beginning(rows, live, start)
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


def _beginning(rows: SignedRows, live: Index, start: Index) -> Index:
    if len(live) <= 4 * rows.D + 16:
        return live
    spread = live[np.linspace(0, len(live) - 1, 2 * rows.D + 8).astype(np.intp)]
    return np.union1d(start, spread)


def _grown(rows: SignedRows, live: Index, work: Index, wrong: Index, z: list[int]) -> Index:
    p = rows.products(rows.scaled(z)[0], live[wrong])
    worst = live[wrong[np.argsort(p)[: rows.D + 4]]]
    return np.union1d(work, worst)
