"""Exact sums of the columns of a matrix, a few vector operations long.

With a power of two sigma_j >= (n + 2) max_i |x_ij|, the parts q_ij = (sigma_j + x_ij) - sigma_j and x_ij - q_ij are
exact, and so is the sum of the q_ij in any order: all are multiples of 2^-53 sigma_j below sigma_j. Repeating this
on what is left adds up all bits of all numbers.
Rump, Ogita, Oishi, Accurate floating-point summation, SIAM J. Sci. Comput. 31(1), 2008, section 3.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import row_blocks
from separatrix.proof.arrays import is_sparse

_BLOCK_ENTRIES = 1 << 19


def exact_column_sums(X: Any, signs: NDArray[np.float64]) -> list[Fraction] | None:
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


def _added(total: list[Fraction], parts: list[NDArray[np.float64]]) -> list[Fraction]:
    for part in parts:
        for j in np.flatnonzero(part):
            total[j] += Fraction(float(part[j]))
    return total


def _dense_parts(x: NDArray[np.float64]) -> list[NDArray[np.float64]] | None:
    """Parts of the sums of the rows of x (d, n), which is overwritten."""
    parts: list[NDArray[np.float64]] = []
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


def _sparse_parts(X: Any, signs: NDArray[np.float64]) -> list[NDArray[np.float64]] | None:
    """Parts of the sums of the columns of CSR, block by block: X may be larger than the memory.

    sigma is that of all rows, so that the q of all blocks add up exactly. Rounding to a multiple of 2^-53 sigma leaves
    at most that, which gives the next sigma without another look at the data.
    """
    n, d = X.shape
    largest = np.zeros(d)
    for _, block in row_blocks(X, reuse=True):
        np.maximum.at(largest, block.indices, np.abs(block.data))
    sigma = _sigma(largest, n)
    if sigma is None:
        return None
    finer = (n + 2).bit_length() - 53
    parts: list[NDArray[np.float64]] = []
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


def _sigma(largest: NDArray[np.float64], n: int) -> NDArray[np.float64] | None:
    exponent = np.frexp(largest)[1] + (n + 2).bit_length()
    if exponent.max() > 1000:
        return None
    return np.asarray(np.where(largest > 0, np.ldexp(1.0, exponent), 0.0))
