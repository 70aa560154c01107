"""B x = t in integers by fraction-free elimination: best for small systems and for very long numbers.

E. H. Bareiss, Sylvester's identity and multistep integer-preserving Gaussian elimination, Math. Comp. 22 (1968).
"""

from __future__ import annotations

from collections.abc import Sequence


def eliminate(B: Sequence[Sequence[int]], t: Sequence[int]) -> tuple[list[int], int] | None:
    """(numerators, denominator) of the solution, denominator > 0; None where B is singular.

    >>> eliminate([[2, 1], [1, 3]], [1, 0])
    ([3, -1], 5)
    """
    k = len(B)
    rows = [[*map(int, row), int(right)] for row, right in zip(B, t, strict=True)]
    previous = 1
    for c in range(k):
        # The shortest pivot keeps the numbers short.
        found = min((r for r in range(c, k) if rows[r][c]), key=lambda r: abs(rows[r][c]), default=None)
        if found is None:
            return None
        rows[c], rows[found] = rows[found], rows[c]
        pivot_row, pivot = rows[c], rows[c][c]
        for r in range(k):
            if r == c:
                continue
            factor = rows[r][c]
            rows[r] = [(a * pivot - factor * b) // previous for a, b in zip(rows[r], pivot_row, strict=True)]
        previous = pivot
    # Gauss-Jordan in this form leaves every diagonal entry equal to the determinant, up to one sign.
    sign = 1 if previous > 0 else -1
    return [sign * row[-1] for row in rows], sign * previous
