"""Exact linear dependences among columns: aliased columns, null spaces, rows that span.

A column is aliased if it is a linear combination of the bias and of the columns before it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from separatrix.proof.integers import common_scale
from separatrix.proof.signed_rows import SignedRows
from separatrix.separability import modular
from separatrix.separability.rationalise import RowSystem
from separatrix.types import Index


def aliased_by_rank(rows: SignedRows) -> Index | None:
    """Columns that are exact combinations of the bias and of earlier columns; None where that needs `dependences`."""
    order = _bias_first(rows)
    if rows.n > rows.D:
        return None
    # Rows that are independent modulo a prime are independent: the pivot columns then span everything.
    p = modular.PRIMES[0]
    echelon = modular.reduce_rows(modular.exact_residues(rows, np.arange(rows.n), order, p), p)
    return np.sort(np.delete(order, echelon.columns)) if echelon.rank == rows.n else None


def dependences(rows: SignedRows) -> tuple[list[dict[int, int]], Index]:
    """(null vectors, aliased columns): each vector {column: entry} is nonzero at one of them, zero at the others."""
    return _dependent(rows, np.arange(rows.n), _bias_first(rows))


def null_vectors(rows: SignedRows, index: Index, order: Index) -> list[dict[int, int]]:
    """An integer basis {column: entry} of the null space of some rows on the columns ``order``."""
    return _dependent(rows, index, order)[0]


def independent_rows(rows: SignedRows, tied: Index, order: Index, n_tied: int) -> tuple[int, Index]:
    """(p, index): rows whose square matrix on the columns ``order`` is regular modulo p, ``n_tied`` of them tied."""
    everything = np.arange(rows.n)
    for p in modular.PRIMES:
        first = _spanning_rows(rows, tied, order, p) if len(tied) else tied
        # Pivots are sought in the order of the rows: the tied ones come first.
        chosen = np.r_[first, np.setdiff1d(_spanning_rows(rows, everything, order, p), first)]
        chosen = chosen[_independent(modular.exact_residues(rows, chosen, order, p), p)]
        if len(chosen) == len(order) and int(np.isin(chosen, tied).sum()) == n_tied:
            return p, chosen
    raise AssertionError("no prime gave the rank; please report this")


def _bias_first(rows: SignedRows) -> Index:
    return np.r_[rows.d, 0 : rows.d] if rows.bias else np.arange(rows.d)


def _dependent(rows: SignedRows, index: Index, order: Index) -> tuple[list[dict[int, int]], Index]:
    """An integer basis {column: entry} of the null space of some rows, and its free columns, both exact.

    Pivots are found modulo a prime on enough rows to give the full rank; each null vector is then solved
    for exactly and tested on every row. A vector that fails shows the rank was taken too low: try again.
    """
    for p in modular.PRIMES:
        chosen = _spanning_rows(rows, index, order, p)
        system = RowSystem(rows, chosen, order, p)
        free = np.setdiff1d(np.arange(len(order)), system.columns)
        basis = [_null_vector(system, order, int(j)) for j in free]
        if all(z is not None and _vanishes(rows, index, z) for z in basis):
            return [z for z in basis if z is not None], order[free]
    raise AssertionError("no prime gave the rank; please report this")


def _spanning_rows(rows: SignedRows, index: Index, order: Index, p: int) -> Index:
    """Rows whose rank modulo p is that of all given rows, with high probability."""
    generator = np.random.default_rng(0)
    count = min(len(index), 2 * len(order) + 16)
    chosen = np.sort(generator.choice(index, size=count, replace=False))
    while True:
        table = modular.exact_residues(rows, chosen, order, p)
        basis, _ = modular.null_basis(table, p)
        if not basis.shape[1]:
            return chosen[_independent(table, p)]
        # A random null vector of the chosen rows: rows that it misses are outside their span.
        mixed = modular.multiply(basis, generator.integers(1, p, size=(basis.shape[1], 1)).astype(float), p)
        missed = modular.nonzero_products(rows, index, order, mixed[:, 0], p)
        if not len(missed):
            return chosen[_independent(table, p)]
        chosen = np.union1d(chosen[_independent(table, p)], missed[: len(order)])


def _independent(table: NDArray[np.float64], p: int) -> Index:
    return np.sort(modular.reduce_rows(table.T.copy(), p).columns)


def _null_vector(system: RowSystem, order: Index, free: int) -> dict[int, int] | None:
    """The null vector that is nonzero at one free column and zero at the others."""
    found = system.solve_columns(free)
    if found is None:
        return None
    numerators, denominator = found
    columns = [*system.columns.tolist(), free]
    values = common_scale([*(-x for x in numerators), denominator], -system.e[columns])
    return {int(order[c]): v for c, v in zip(columns, values, strict=True) if v}


def _vanishes(rows: SignedRows, index: Index, z: dict[int, int]) -> bool:
    full = [z.get(j, 0) for j in range(rows.D)]
    return not np.any(rows.signs(full, index))
