"""Linear programs and linear complementarity problems, solved exactly in integers by pivoting.

A tableau holds integers over one common denominator (Bareiss), so nothing is rounded. Both solvers are slow
and meant for a dozen rows. Their callers check what they answer (weak duality, Gordan), so that a mistake
here cannot decide anything.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm


class Stuck(ArithmeticError):
    """No solution was reached: the problem has none, or there were too many pivots."""


def _whole(row: list[Fraction]) -> tuple[list[int], int]:
    scale = lcm(*(v.denominator for v in row)) if row else 1
    return [v.numerator * (scale // v.denominator) for v in row], scale


def _pivot(table: list[list[int]], row: int, column: int, denominator: int) -> int:
    """One exchange; the entry must be above zero, and is the new common denominator."""
    source = table[row]
    entry = source[column]
    for i, line in enumerate(table):
        if i != row:
            factor = line[column]
            if factor:
                table[i] = [
                    (v * entry - factor * s) // denominator for v, s in zip(line, source, strict=True)
                ]
            elif entry != denominator:
                table[i] = [v * entry // denominator for v in line]
    return entry


def maximise(
    objective: list[Fraction], rows: list[list[Fraction]], right: list[Fraction]
) -> tuple[list[Fraction], list[Fraction]]:
    """max objective.x with rows x <= right (>= 0) and x >= 0: the solution and its multipliers, by Bland's rule."""
    m, n = len(rows), len(objective)
    table, scales = [], []
    for i, row in enumerate(rows):
        line, scale = _whole([*row, right[i]])
        table.append(line[:n] + [int(i == j) for j in range(m)] + line[n:])
        scales.append(scale)
    line, objective_scale = _whole(list(objective))
    table.append([-v for v in line] + [0] * (m + 1))
    basis = [n + i for i in range(m)]
    denominator = 1
    for _ in range(20_000):
        entering = next((j for j in range(n + m) if table[m][j] < 0), None)
        if entering is None:
            break
        best = None
        for i in range(m):
            if table[i][entering] > 0:
                ratio = Fraction(table[i][-1], table[i][entering])
                if best is None or (ratio, basis[i]) < best[:2]:
                    best = (ratio, basis[i], i)
        if best is None:
            raise Stuck("the program is unbounded")
        denominator = _pivot(table, best[2], entering, denominator)
        basis[best[2]] = entering
    else:
        raise Stuck("too many pivots")
    x = [Fraction(0)] * (n + m)
    for i, j in enumerate(basis):
        x[j] = Fraction(table[i][-1], denominator)
    multipliers = [Fraction(table[m][n + i] * scales[i], denominator * objective_scale) for i in range(m)]
    return x[:n], multipliers


def complementary(M: list[list[Fraction]], q: list[Fraction]) -> list[Fraction]:
    """z >= 0 with M z + q >= 0 and z.(M z + q) = 0, by Lemke's method with the lexicographic rule."""
    n = len(q)
    if all(v >= 0 for v in q):
        return [Fraction(0)] * n
    table = []
    for i in range(n):
        line, _ = _whole([-v for v in M[i]] + [q[i]])
        common = gcd(*line) or 1
        line = [v // common for v in line]
        # columns: w (n), z (n), z0, right-hand side; the factors of the rows scale w, which does not matter
        table.append([int(i == j) for j in range(n)] + line[:n] + [-1, line[n]])
    artificial = 2 * n
    basis = list(range(n))
    row = min(
        range(n), key=lambda i: [Fraction(v, -table[i][artificial]) for v in [table[i][-1], *table[i][:n]]]
    )
    table[row] = [-v for v in table[row]]
    denominator = _pivot(table, row, artificial, 1)
    basis[row], leaving = artificial, row
    for _ in range(5_000):
        entering = leaving + n if leaving < n else leaving - n
        ahead = [i for i in range(n) if table[i][entering] > 0]
        if not ahead:
            raise Stuck("a ray: the problem has no solution")
        row = _lexicographic(table, ahead, entering, n)
        if basis[row] != artificial and any(
            basis[i] == artificial
            and Fraction(table[i][-1], table[i][entering]) == Fraction(table[row][-1], table[row][entering])
            for i in ahead
        ):
            row = basis.index(artificial)
        leaving = basis[row]
        denominator = _pivot(table, row, entering, denominator)
        basis[row] = entering
        if leaving == artificial:
            z = [Fraction(0)] * n
            for i, j in enumerate(basis):
                if n <= j < 2 * n:
                    z[j - n] = Fraction(table[i][-1], denominator)
            return z
    raise Stuck("too many pivots")


def _lexicographic(table: list[list[int]], ahead: list[int], entering: int, n: int) -> int:
    """The row of the least ratio, ties being broken by the columns of the inverse basis one after the other."""
    for column in [-1, *range(n)]:
        if len(ahead) == 1:
            break
        ratios = [Fraction(table[i][column], table[i][entering]) for i in ahead]
        least = min(ratios)
        ahead = [i for i, ratio in zip(ahead, ratios, strict=True) if ratio == least]
    return ahead[0]
