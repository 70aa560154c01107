"""The verdict from the definition, by brute force in fractions.

A row is tied if and only if it is in a positive circuit: a minimal linearly dependent set of signed rows whose
dependence has weights of one sign. All subsets of at most D + 1 rows are tried.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np


def signed_fractions(X: np.ndarray, y: np.ndarray, bias: bool) -> list[list[Fraction]]:
    return [
        [int(s) * Fraction(float(v)) for v in row] + ([Fraction(int(s))] if bias else [])
        for row, s in zip(X, y, strict=True)
    ]


def _dependence(rows: list[list[Fraction]]) -> list[Fraction] | None:
    """The one dependence among rows if its space has dimension 1 and no weight is zero."""
    k, width = len(rows), len(rows[0])
    table = [[rows[i][j] for i in range(k)] for j in range(width)]
    pivots: list[int] = []
    for c in range(k):
        r = next((r for r in range(len(pivots), width) if table[r][c]), None)
        if r is None:
            continue
        at = len(pivots)
        table[at], table[r] = table[r], table[at]
        table[at] = [v / table[at][c] for v in table[at]]
        for other in range(width):
            if other != at and table[other][c]:
                factor = table[other][c]
                table[other] = [a - factor * b for a, b in zip(table[other], table[at], strict=True)]
        pivots.append(c)
    if len(pivots) != k - 1:
        return None
    free = next(c for c in range(k) if c not in pivots)
    weights = [Fraction(0)] * k
    weights[free] = Fraction(1)
    for at, c in enumerate(pivots):
        weights[c] = -table[at][free]
    return weights if all(weights) else None


def tied_rows(X: np.ndarray, y: np.ndarray, bias: bool) -> set[int]:
    A = signed_fractions(X, y, bias)
    tied: set[int] = set()
    for size in range(1, len(A[0]) + 2):
        for subset in combinations(range(len(A)), size):
            if set(subset) <= tied:
                continue
            weights = _dependence([A[i] for i in subset])
            if weights is not None and (min(weights) > 0 or max(weights) < 0):
                tied |= set(subset)
    return tied


def verdict_of(tied: set[int], n: int) -> str:
    return "separable" if not tied else "inseparable" if len(tied) == n else "quasi-separable"
