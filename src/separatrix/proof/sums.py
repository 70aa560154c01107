"""Floats that become exact bounds, one by one, as sums, and as sums of the columns of a matrix.

A float that bounds something is read here and nowhere else, and is a finite number ever after: NaN compares as false
with everything and as smaller than nothing, so that ``max(0.0, nan)`` or ``not any(nan > 0)`` would pass for a proof.
Bounds are Fractions; what is added to them and multiplied with them is not rounded.

Sums are exact in a few vector operations. With a power of two sigma >= (n + 2) max |x_i|, the parts
q_i = (sigma + x_i) - sigma and x_i - q_i are exact, and so is the sum of the q_i in any order: all are multiples of
2^-53 sigma below sigma. Repeating this on what is left adds up all bits of all numbers.
Rump, Ogita, Oishi, Accurate floating-point summation, SIAM J. Sci. Comput. 31(1), 2008, section 3.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.checker.numbers import Rejected as Rejected
from separatrix.problem import is_sparse, row_blocks
from separatrix.types import Vector

OUT_OF_RANGE = "The numbers leave the range of floating point; use exact=True."
_FEW = 300  # terms up to which sums of Python floats are faster
_BLOCK_ENTRIES = 1 << 19  # entries of a dense block whose columns are summed: 4 MiB of float64


def finite(bound: float) -> Fraction:
    """A float that bounds something, as it is; raises `Rejected` unless it is finite.

    >>> finite(0.5)
    Fraction(1, 2)
    """
    if not math.isfinite(bound):
        raise Rejected(OUT_OF_RANGE)
    return Fraction(float(bound))


def certain(condition: NDArray[np.bool_], sentence: str = OUT_OF_RANGE) -> None:
    """Raise `Rejected` unless every entry is true; ``{row}`` in the sentence stands for the first that is not.

    Conditions are written so that NaN makes them false.

    >>> certain(np.array([1.0, 2.0]) <= 2.0, "Row {row} is too large.")
    """
    if not np.all(condition):
        raise Rejected(sentence.replace("{row}", str(int(np.argmin(condition)))))


def exact_parts(values: Vector) -> list[float]:
    """A few floats with exactly the same sum as the values (n,), which must be finite.

    >>> sum(exact_parts(np.repeat([1e16, 1.0, -1e16], 100)))
    100.0
    """
    x, parts = values[values != 0], list[float]()
    if len(x) <= _FEW:  # by sums that are rounded once: the rest of each is summed again
        terms: list[float] = x.tolist()
        rest = list(terms)
        try:
            while part := math.fsum(rest):
                parts.append(part)
                rest.append(-part)
        except OverflowError:
            return terms
        return parts
    while len(x):
        largest = max(float(np.max(x)), -float(np.min(x)))
        exponent = math.frexp(largest)[1] + (len(x) + 2).bit_length()
        if exponent > 1023:
            return parts + list(map(float, x))
        sigma = math.ldexp(1.0, exponent)
        q = x + sigma
        q -= sigma
        parts.append(float(np.sum(q)))
        x -= q
        x = x[x != 0]
    return [part for part in parts if part]


def exact_sum(values: Vector) -> Fraction:
    """The sum of floats; raises `Rejected` where one is not finite.

    >>> exact_sum(np.array([1e308, 1e-320, 1e308, -1e308])) == Fraction(1e308) + Fraction(1e-320)
    True
    """
    certain(np.isfinite(values))
    return sum(map(finite, exact_parts(values)), Fraction())


def rounded_sum(values: Vector) -> float:
    """The sum of floats, rounded once. NaN where a value is not finite.

    It is zero if and only if the exact sum is: floats that do not cancel leave at least 2^-1074.

    >>> rounded_sum(np.array([0.1, 0.2, -0.3]))
    2.7755575615628914e-17
    """
    if not np.all(np.isfinite(values)):
        return math.nan
    try:
        return math.fsum(exact_parts(values))
    except OverflowError:
        return math.nan


def exact_column_sums(X: Any, signs: Vector) -> list[Fraction] | None:
    """sum_i signs_i x_ij for every column of X (n, d), dense or CSR; signs are -1 or +1.

    None where the numbers are so large that the method would overflow.

    >>> exact_column_sums(np.array([[1e16], [1.0], [1e16]]), np.array([1.0, 1.0, -1.0]))
    [Fraction(1, 1)]
    """
    n, d = X.shape
    total = [Fraction(0)] * d
    if is_sparse(X):
        return None if (parts := _sparse_parts(X, signs)) is None else _added(total, parts)
    height = max(1, _BLOCK_ENTRIES // max(1, d))
    for start in range(0, n, height):
        stop = min(n, start + height)
        parts = _dense_parts(np.multiply(X[start:stop].T, signs[start:stop], dtype=np.float64, order="C"))
        if parts is None:
            return None
        _added(total, parts)
    return total


def _added(total: list[Fraction], parts: list[Vector]) -> list[Fraction]:
    for part in parts:
        for j in np.flatnonzero(part):
            total[j] += Fraction(float(part[j]))
    return total


def _dense_parts(x: Vector) -> list[Vector] | None:
    """Parts of the sums of the rows of x (d, n), which is overwritten."""
    parts: list[Vector] = []
    while True:
        largest = np.maximum(x.max(axis=1, initial=0.0), -x.min(axis=1, initial=0.0))
        if not np.any(largest):
            return parts
        sigma = _sigma(largest, x.shape[1])
        if sigma is None:
            return None
        q = x + sigma[:, None]
        q -= sigma[:, None]
        parts.append(q.sum(axis=1))
        x -= q


def _sparse_parts(X: Any, signs: Vector) -> list[Vector] | None:
    """Parts of the sums of the columns of CSR, block by block: X may be larger than the memory.

    sigma is that of all rows, so that the q of all blocks add up exactly. Rounding to a multiple of 2^-53 sigma leaves
    at most that, which gives the next sigma without another pass over the data.
    """
    n, d = X.shape
    largest = np.zeros(d)
    for _, block in row_blocks(X, reuse=True):
        np.maximum.at(largest, block.indices, np.abs(block.data))
    sigma = _sigma(largest, n)
    if sigma is None:
        return None
    finer = (n + 2).bit_length() - 53
    parts: list[Vector] = []
    for rows, block in row_blocks(X, reuse=True):
        column, x = block.indices, block.data * np.repeat(signs[rows], np.diff(block.indptr))
        level = 0
        while len(x):
            if level == len(parts):
                parts.append(np.zeros(d))
            at = np.ldexp(sigma, level * finer)[column]
            q = x + at
            q -= at
            parts[level] += np.bincount(column, weights=q, minlength=d)
            x -= q
            left = x != 0
            x, column, level = x[left], column[left], level + 1
    return parts


def _sigma(largest: Vector, n: int) -> Vector | None:
    exponent = np.frexp(largest)[1] + (n + 2).bit_length()
    if exponent.max() > 1000:
        return None
    return np.asarray(np.where(largest > 0, np.ldexp(1.0, exponent), 0.0))
