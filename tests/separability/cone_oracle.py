"""Verdicts and estimates from their definitions, by exact linear programs that share no code with separatrix.

One question decides everything: is v a nonnegative combination of the signed rows? (Farkas)

    row i is tied                        if and only if -a_i is
    z_j >= 0 in every direction          if and only if e_j is
    z_j = 0 in every direction           if and only if e_j and -e_j are

The rows of many classes are written out from the likelihoods, in fractions.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

Row = list[int]


def in_cone(rows: list[Row], v: Row) -> dict[int, int] | None:
    """Positive weights {row: weight} with sum weight a = v, up to one positive factor; None if there are none.

    Phase one of the simplex method with Bland's rule. The table has one denominator, so it stays in integers.
    """
    D, n = len(v), len(rows)
    table = []
    for r in range(D):
        sign = -1 if v[r] < 0 else 1
        table.append([sign * a[r] for a in rows] + [sign * v[r]])
    basis = [-1 - r for r in range(D)]  # artificial variables, whose columns are never needed again
    cost = [sum(column) for column in zip(*table, strict=True)] if D else [0] * (n + 1)
    den = 1
    while cost[n]:
        enter = next((j for j in range(n) if cost[j] > 0), -1)
        if enter < 0:
            return None
        leave, best = -1, (0, 1)
        for r in range(D):
            pivot = table[r][enter]
            if pivot > 0:
                right = table[r][n]
                smaller = right * best[1] - best[0] * pivot if leave >= 0 else -1
                if smaller < 0 or (smaller == 0 and basis[r] < basis[leave]):
                    leave, best = r, (right, pivot)
        row = table[leave]
        pivot = row[enter]
        for r in range(D):
            if r != leave:
                other = table[r]
                factor = other[enter]
                if factor:
                    table[r] = [(a * pivot - factor * b) // den for a, b in zip(other, row, strict=True)]
                elif pivot != den:
                    table[r] = [a * pivot // den for a in other]
        factor = cost[enter]
        cost = [(a * pivot - factor * b) // den for a, b in zip(cost, row, strict=True)]
        # An artificial variable that left has no column, and its cost was counted: entering ones have cost 0.
        basis[leave], den = enter, pivot
    return {basis[r]: table[r][n] for r in range(D) if basis[r] >= 0 and table[r][n]}


def whole(row: list[Fraction]) -> Row:
    """The row times a positive number, in small integers."""
    scale = lcm(*(a.denominator for a in row))
    out = [int(a * scale) for a in row]
    shared = gcd(*out)
    return [a // shared for a in out] if shared > 1 else out


def scaled_columns(rows: list[list[Fraction]]) -> list[Row]:
    """Each column divided by its largest entry's magnitude, which changes no sign, then rows in integers."""
    if not rows:
        return []
    largest = [
        max((abs(a) for a in column), default=Fraction(0)) or Fraction(1)
        for column in zip(*rows, strict=True)
    ]
    return [whole([a / s for a, s in zip(row, largest, strict=True)]) for row in rows]


def independent_columns(points: list[list[Fraction]]) -> list[bool]:
    """For each column whether it is no combination of those before it."""
    reduced: list[tuple[int, list[Fraction]]] = []
    out = []
    for column in zip(*points, strict=True):
        v = list(column)
        for place, base in reduced:
            if v[place]:
                factor = v[place] / base[place]
                v = [a - factor * b for a, b in zip(v, base, strict=True)]
        place = next((i for i, a in enumerate(v) if a), None)
        out.append(place is not None)
        if place is not None:
            reduced.append((place, v))
    return out


def rows_of(kind: str, points: list[list[Fraction]], codes: list[int], k: int) -> list[list[Fraction]]:
    """Signed rows; a point is (1, x) with a bias and x without. Ordinal points are x; thresholds come first."""
    out = []
    for x, c in zip(points, codes, strict=True):
        minus = [-a for a in x]
        zero = [Fraction(0)] * len(x)
        if kind == "two":
            out.append(x if c else minus)
        elif kind == "joint":
            for m in range(k):
                if m != c:
                    blocks = [x if b == c else minus if b == m else zero for b in range(1, k)]
                    out.append([a for block in blocks for a in block])
        else:
            cut = [[Fraction(int(b == m)) for b in range(k - 1)] for m in range(k - 1)]
            if c < k - 1:
                out.append(cut[c] + minus)
            if c > 0:
                out.append([-a for a in cut[c - 1]] + x)
    return out


def decide(
    kind: str, X: list[list[float]], codes: list[int], k: int, bias: bool
) -> tuple[str, set[int], list[str]]:
    """(verdict, tied signed rows, a word for each coefficient).

    Coefficients: two, joint: (intercept, columns) for each class but the first; ordinal: thresholds, then columns.
    """
    x = [[Fraction(v) for v in row] for row in X]
    ones = [[Fraction(1)] for _ in x]
    free = independent_columns([a + b for a, b in zip(ones, x, strict=True)] if bias else x)
    if kind == "ordinal":
        keep = [True] * (k - 1) + free[1:]
        points = x
    else:
        keep = free * (1 if kind == "two" else k - 1)
        points = [a + b for a, b in zip(ones, x, strict=True)] if bias else x
    signed = rows_of(kind, points, codes, k)
    rows = scaled_columns([[a for a, used in zip(row, keep, strict=True) if used] for row in signed])
    tied: set[int] = set()
    for i, row in enumerate(rows):
        if i not in tied:
            found = in_cone(rows, [-a for a in row])
            if found is not None:
                tied |= {i, *found}
    n, width = len(rows), sum(keep)
    verdict = "separable" if not tied else "inseparable" if len(tied) == n else "quasi-separable"
    words = []
    unit = iter(range(width))
    for used in keep:
        if not used:
            words.append("aliased")
            continue
        j = next(unit)
        e = [int(j == c) for c in range(width)]
        below = in_cone(rows, e) is not None  # z_j >= 0 everywhere
        above = in_cone(rows, [-a for a in e]) is not None
        words.append(
            "finite" if below and above else "+inf" if below else "-inf" if above else "undetermined"
        )
    return verdict, tied, words
