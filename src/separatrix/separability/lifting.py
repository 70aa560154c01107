"""B x = t solved exactly over the rationals, by p-adic lifting or, for small systems, by elimination.

    r_0 = t;   x_k = B^-1 r_k mod p,   r_(k+1) = (r_k - B x_k) / p;   x = sum_k x_k p^k   (mod p^N)

The rational solution is recovered from its residue mod p^N and then checked, so the answer is exact or None.
J. D. Dixon, Exact solution of linear equations using p-adic expansions, Numer. Math. 40 (1982).
E. H. Bareiss, Sylvester's identity and multistep integer-preserving Gaussian elimination, Math. Comp. 22 (1968).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.separability import modular

#: Rows of B up to which elimination is faster than lifting.
_FEW_ROWS = 12
#: Bits of an entry of B beyond which elimination is faster than lifting.
_LONG_ENTRY = 400
#: Bits of an entry of B that one exact float64 product takes.
_LIMB = 20


def eliminate(B: Sequence[Sequence[int]], t: Sequence[int]) -> tuple[list[int], int] | None:
    """Solve B x = t in integers without fractions; best for small systems and for very long numbers.

    Returns (numerators, denominator) of the solution, denominator > 0, or None where B is singular.

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


class Lifter:
    """A square integer matrix B (k, k), prepared for several right-hand sides.

    >>> Lifter(np.array([[2, 1], [1, 3]])).solve([1, 0])
    ([3, -1], 5)
    """

    def __init__(self, B: NDArray[Any]) -> None:
        self.B = B
        self.k = B.shape[0]
        self.p, self.inverse = 0, np.zeros((0, 0))
        self.bits = _bits(B)
        self.direct = self.k <= _FEW_ROWS or self.bits > _LONG_ENTRY
        if self.direct:
            return
        for p in modular.PRIMES[:3]:
            found = modular.inverse(modular.residues(B, p), p)
            if found is not None:
                self.p, self.inverse = p, found
                break
        self.limbs = _limbs(B, self.bits)

    def solve(self, t: Sequence[int]) -> tuple[list[int], int] | None:
        """(numerators, denominator) of the exact solution, denominator > 0; None where B looked singular."""
        if self.direct:
            return eliminate(self.B.tolist(), t)
        if not self.p:
            return None
        if not any(t):
            return [0] * self.k, 1
        p, step = self.p, 16
        residual = [int(a) for a in t]
        digits: list[NDArray[np.int64]] = []
        bound = self._digits_needed(t)
        while True:
            for _ in range(step):
                x = modular.multiply(self.inverse, _column(residual, p), p)[:, 0]
                digits.append(x.astype(np.int64))
                Bx = self._times(x)
                residual = [(r - q) // p for r, q in zip(residual, Bx, strict=True)]
            found = self._recover(digits, t)
            if found is not None:
                return found
            if len(digits) > bound + 2 * step:
                return None
            step = max(16, len(digits) // 2)

    def _digits_needed(self, t: Sequence[int]) -> int:
        """Hadamard's bound on numerator and denominator, in digits of p."""
        entry = self.bits + self.k.bit_length()
        right = max(abs(int(a)) for a in t).bit_length()
        return int((2 * self.k * entry + right + 64) / (self.p.bit_length() - 1)) + 2

    def _times(self, x: NDArray[np.float64]) -> list[int]:
        parts = [(limb @ x).astype(np.int64).tolist() for limb in self.limbs]
        total: list[int] = parts[-1]
        for part in reversed(parts[:-1]):
            total = [(high << _LIMB) + low for high, low in zip(total, part, strict=True)]
        return total

    def _recover(self, digits: list[NDArray[np.int64]], t: Sequence[int]) -> tuple[list[int], int] | None:
        modulus = self.p ** len(digits)
        values = _assemble([d.tolist() for d in digits], self.p)
        limit = isqrt(modulus // 2)
        denominator = 1
        numerators: list[int] = []
        for value in values:
            scaled = value * denominator % modulus
            if scaled > modulus - limit:
                scaled -= modulus
            if scaled > limit:
                pair = _rational(scaled, modulus, limit)
                if pair is None or pair[1] * denominator > limit:
                    return None
                numerators = [a * pair[1] for a in numerators]
                denominator *= pair[1]
                scaled = pair[0]
            numerators.append(scaled)
        return (numerators, denominator) if self._holds(numerators, denominator, t) else None

    def _holds(self, numerators: list[int], denominator: int, t: Sequence[int]) -> bool:
        products = self.B.astype(object) @ np.array(numerators, dtype=object)
        return all(a == denominator * int(right) for a, right in zip(products.tolist(), t, strict=True))


def _bits(B: NDArray[Any]) -> int:
    if B.dtype == object:
        return max((abs(a).bit_length() for a in B.ravel().tolist()), default=1)
    return int(np.max(np.abs(B), initial=1)).bit_length()


def _limbs(B: NDArray[Any], bits: int) -> list[NDArray[np.float64]]:
    """B = sum_l limbs[l] 2^(20 l), each limb signed and below 2^20, as float64."""
    sign = np.sign(B).astype(np.float64)
    magnitude = np.abs(B)
    mask = (1 << _LIMB) - 1
    count = max(1, -(-bits // _LIMB))
    return [((magnitude >> (_LIMB * k)) & mask).astype(np.float64) * sign for k in range(count)]


def _column(values: list[int], p: int) -> NDArray[np.float64]:
    return np.array([[v % p] for v in values], dtype=np.float64)


def _assemble(digits: list[list[int]], p: int) -> list[int]:
    """sum_k digits[k] p^k for every entry, by pairing neighbours: long numbers meet only long numbers."""
    while len(digits) > 1:
        paired = [
            [low + high * p for low, high in zip(digits[k], digits[k + 1], strict=True)]
            for k in range(0, len(digits) - 1, 2)
        ]
        if len(digits) % 2:
            paired.append(digits[-1])
        digits, p = paired, p * p
    return digits[0]


def _rational(a: int, modulus: int, limit: int) -> tuple[int, int] | None:
    """(n, d) with n = a d mod modulus, |n| <= limit, 0 < d <= limit, or None. Wang's algorithm."""
    r0, r1, s0, s1 = modulus, a % modulus, 0, 1
    while r1 > limit:
        q = r0 // r1
        r0, r1, s0, s1 = r1, r0 - q * r1, s1, s0 - q * s1
    if s1 == 0 or abs(s1) > limit or gcd(r1, s1) != 1:
        return None
    return (r1, s1) if s1 > 0 else (-r1, -s1)
