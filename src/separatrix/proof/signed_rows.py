"""The signed rows a_i = y_i (x_i, 1), seen two ways: a scaled float view that proposes, integers that decide.

The float view multiplies column j by 2^(c_j) (and, when exponents are extreme, row i by 2^(r_i)), which
changes neither signs nor zeros of products with z as long as z is scaled back. D = d + 1 with a bias, whose
column is the last; D = d without.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.problem import is_mapped, is_sparse, row_blocks, scores
from separatrix.proof.integers import (
    Ints,
    column_integers,
    decompose,
    dot_signs,
    float_integers,
    nearest_floats,
)
from separatrix.proof.sums import exact_column_sums
from separatrix.types import Index, Vector

_SAFE_EXPONENT = 200  # beyond 2^200 products and sums of squares could leave the range of float64
_MANY = 8  # reading eight times as many rows of a mapped file costs less than the memory for those that count
_EPS = float(np.finfo(np.float64).eps)


class SignedRows:
    """Signed rows of X (n, d), dense or CSR, with labels y of -1.0 and +1.0."""

    def __init__(self, X: Any, y: Vector, bias: bool) -> None:
        self.X, self.y, self.bias = X, y, bias
        self.n, self.d = int(X.shape[0]), int(X.shape[1])
        self.D = self.d + int(bias)
        self.is_sparse = is_sparse(X)
        self.terms = 1 + (int(np.diff(X.indptr).max(initial=0)) if self.is_sparse else self.d)
        self.scale, extreme = _column_exponents(X, self.D)
        self.view: Any = X
        self.shift: NDArray[np.int32] | None = None
        if extreme:
            self.view, self.shift = _scaled_copy(X, self.scale[: self.d], bias)

    # -- the float view ---------------------------------------------------------------------------------

    def take(self, rows: Index) -> Vector:
        """Rows of the float view as a dense (k, D) array, signed and divided by their norms."""
        block = self.view[rows]
        block = np.asarray(block.toarray() if self.is_sparse else block, dtype=np.float64)
        out = np.empty((len(rows), self.D))
        out[:, : self.d] = block if self.shift is not None else np.ldexp(block, self.scale[: self.d])
        if self.bias:
            out[:, self.d] = 1.0 if self.shift is None else np.ldexp(1.0, self.shift[rows])
        norms = np.linalg.norm(out, axis=1)
        out *= (self.y[rows] / np.where(norms > 0, norms, 1.0))[:, None]
        return out

    def products(self, z: Vector, rows: Index | None = None) -> Vector:
        """a_i.z for z (D,) in scaled coordinates, each within `error(z)` of the truth (times 2^(r_i))."""
        w = z[: self.d] if self.shift is not None else np.ldexp(z[: self.d], self.scale[: self.d])
        if rows is not None and self._is_all(rows):
            rows = None
        if rows is not None and self._too_many(rows):
            return self.products(z)[rows]
        X, y = (self.view, self.y) if rows is None else (self.view[rows], self.y[rows])
        f = scores(X, w)
        if self.bias:
            shift = 0 if self.shift is None else self.shift if rows is None else self.shift[rows]
            f += np.ldexp(z[self.d], shift)
        f *= y
        return f

    def error(self, z: Vector) -> float:
        """A bound on the rounding of `products(z)`: scaled entries are at most 1, so ||z||_1 bounds the sum.

        gamma_(k+4), k terms in a row, also covers a z whose entries were themselves rounded once. The last
        term covers underflow.
        """
        return (self.terms + 8) * _EPS * float(np.sum(np.abs(z))) * 1.01 + self.D * 2.0**-900

    # -- the exact view ---------------------------------------------------------------------------------

    def dense(self, rows: Index) -> Vector:
        """The original rows, signed, with the bias column: exact, (k, D)."""
        block = self.X[rows]
        block = np.asarray(block.toarray() if self.is_sparse else block, dtype=np.float64)
        out = np.ones((len(rows), self.D))
        out[:, : self.d] = block
        return out * self.y[rows][:, None]

    def integers(self, rows: Index) -> tuple[NDArray[Any], Ints]:
        """(N, e) with a_ij = N_ij 2^(e_j) for the given rows, exactly."""
        return column_integers(self.dense(rows))

    def total(self, rows: Index) -> tuple[list[int], Ints]:
        """(G, e): the exact sum of the given rows is G_j 2^(e_j)."""
        if self._is_all(rows):
            X, y = self.X, self.y
        elif self._too_many(rows):
            X, y = self.X, np.zeros(self.n)
            y[rows] = self.y[rows]  # the others count for nothing
        else:
            X, y = self.X[rows], self.y[rows]
        sums = exact_column_sums(X, y)
        if sums is None:  # numbers near the end of the range: in integers
            N, e = self.integers(rows)
            return N.astype(object).sum(axis=0).tolist(), e
        if self.bias:
            sums.append(Fraction(int(y.sum())))
        e = np.array([1 - s.denominator.bit_length() for s in sums], dtype=np.int64)
        return [s.numerator for s in sums], e

    def _is_all(self, rows: Index) -> bool:
        return len(rows) == self.n and bool(np.array_equal(rows, np.arange(self.n)))

    def _too_many(self, rows: Index) -> bool:
        """Return True if a copy of these rows is better avoided by reading all: they lie in a file that may not fit."""
        return _MANY * len(rows) > self.n and is_mapped(self.view)

    def weighted(self, rows: Index, weights: Sequence[int]) -> tuple[list[int], Ints]:
        """(S, e): sum_k weights_k a_rows[k] is S_j 2^(e_j), exactly."""
        if not len(rows):
            return [0] * self.D, np.zeros(self.D, dtype=np.int64)
        if self.is_sparse:
            return self._sparse_weighted(rows, weights)
        N, e = self.integers(rows)
        return (np.array(weights, dtype=object) @ N.astype(object)).tolist(), e

    def _sparse_weighted(self, rows: Index, weights: Sequence[int]) -> tuple[list[int], Ints]:
        part = self.X[rows]
        m, exponent = decompose(part.data.astype(np.float64))
        e = np.full(self.D, 1 << 40, dtype=np.int64)
        np.minimum.at(e, part.indices[m != 0], exponent[m != 0])
        e[e == 1 << 40] = 0
        sums = [0] * self.D
        factors = [int(y) * w for y, w in zip(self.y[rows], weights, strict=True)]
        owner = np.repeat(np.arange(len(rows)), np.diff(part.indptr)).tolist()
        shift = (exponent - e[part.indices]).tolist()
        for i, j, a, k in zip(owner, part.indices.tolist(), m.tolist(), shift, strict=True):
            if a:
                sums[j] += factors[i] * (a << k)
        if self.bias:
            e[self.d] = 0
            sums[self.d] = sum(factors)
        return sums, e

    def values(self, rows: Index, w: Sequence[int]) -> list[Fraction]:
        """y_i x_i.w for an integer w (d,), exactly."""
        if not self.is_sparse:
            N, e = self.integers(rows)
            low = int(e[: self.d].min(initial=0))
            moved = [a << (k - low) for a, k in zip(w, e[: self.d].tolist(), strict=True)]
            totals = (N[:, : self.d].astype(object) @ np.array(moved, dtype=object)).tolist()
            return [int(total) * Fraction(2) ** low for total in totals]
        part = self.X[rows]
        m, exponent = decompose(part.data.astype(np.float64))
        low = int(exponent.min(initial=0))
        terms = [
            (a << k) * w[j]
            for a, k, j in zip(m.tolist(), (exponent - low).tolist(), part.indices.tolist(), strict=True)
        ]
        unit = Fraction(2) ** low
        ends = part.indptr.tolist()
        return [
            int(y) * sum(terms[begin:end]) * unit
            for y, (begin, end) in zip(self.y[rows].tolist(), pairwise(ends), strict=True)
        ]

    def signs(self, z: Sequence[int], rows: Index | None = None) -> NDArray[np.int8]:
        """sign(a_i.z) for an integer z (D,), exactly: a float filter first, integers for what it leaves."""
        every = np.arange(self.n) if rows is None else rows
        if not any(z):
            return np.zeros(len(every), dtype=np.int8)
        near, _ = self.scaled(z)
        p, error = self.products(near, rows), self.error(near)
        out = np.sign(p).astype(np.int8)
        left = np.flatnonzero(~(np.abs(p) > error))
        for start in range(0, len(left), self._block):
            some = left[start : start + self._block]
            out[some] = self._exact_signs(every[some], z)
        return out

    def scaled(self, z: Sequence[int]) -> tuple[Vector, int]:
        """(f, k): an integer z in scaled coordinates is f 2^k, f rounded once, its largest entry about 1."""
        used = [int(s) for a, s in zip(z, self.scale, strict=True) if a]
        top = max(used, default=0)
        moved = [a << (top - int(s)) if a else 0 for a, s in zip(z, self.scale, strict=True)]
        return nearest_floats(moved), max((abs(a).bit_length() for a in moved), default=0) - top

    def unscaled(self, z: Vector) -> list[int]:
        """Integers proportional to the z of the original columns, from a float z in scaled coordinates."""
        return float_integers(z, self.scale.astype(np.int64))

    @property
    def _block(self) -> int:
        return max(1, (1 << 22) // max(1, self.D))

    def _exact_signs(self, rows: Index, z: Sequence[int]) -> NDArray[np.int8]:
        used = np.flatnonzero([bool(a) for a in z])
        part = self.X[rows][:, used[used < self.d]]
        block = np.asarray(part.toarray() if self.is_sparse else part, dtype=np.float64)
        if self.bias and z[self.d]:
            block = np.column_stack([block, np.ones(len(rows))])
        N, e = column_integers(block)
        low = int(e.min()) if len(e) else 0
        moved = [z[j] << (int(k) - low) for j, k in zip(used.tolist(), e, strict=True)]
        return (dot_signs(N, moved) * self.y[rows]).astype(np.int8)


def _column_exponents(X: Any, D: int) -> tuple[NDArray[np.int32], bool]:
    """(c, extreme): c_j with max_i |x_ij| 2^(c_j) in [1/2, 1), and whether exponents risk over- or underflow."""
    d = X.shape[1]
    largest = np.ones(D)
    smallest = np.inf
    if is_sparse(X):
        largest[:d] = 0.0
        for _, block in row_blocks(X):  # X may be larger than the memory
            magnitudes = abs(block)
            largest[:d] = np.maximum(largest[:d], magnitudes.max(axis=0).toarray().ravel())
            entries = magnitudes.data
            smallest = min(smallest, float(np.min(entries, initial=np.inf, where=entries > 0)))
    elif X.size:
        largest[:d] = _largest(X)
        smallest = _smallest_nonzero(X)
    c = np.where(largest > 0, -np.frexp(largest)[1], 0).astype(np.int32)
    c[d:] = 0  # the bias column is 1 as it is
    # Small columns are harmless unless an entry, scaled with its column, would vanish.
    extreme = bool(np.abs(c).max(initial=0) > _SAFE_EXPONENT) or smallest < 2.0**-_SAFE_EXPONENT
    return c, extreme


def _largest(X: NDArray[Any]) -> Vector:
    """max_i |x_ij| of each column."""
    if X.shape[1] <= 64 and not is_mapped(X):  # a reduction over rows is slow where rows are short
        return np.array([max(float(X[:, j].max()), -float(X[:, j].min())) for j in range(X.shape[1])])
    return np.asarray(np.maximum(X.max(axis=0), -X.min(axis=0)), dtype=np.float64)


def _smallest_nonzero(X: NDArray[Any]) -> float:
    smallest = np.inf
    height = max(1, (1 << 18) // max(1, X.shape[1]))
    for start in range(0, X.shape[0], height):
        block = np.abs(X[start : start + height])
        smallest = min(smallest, float(np.min(block, initial=np.inf, where=block > 0)))
    return smallest


def _scaled_copy(X: Any, c: NDArray[np.int32], bias: bool) -> tuple[Any, NDArray[np.int32]]:
    """(V, r): V_ij = x_ij 2^(c_j + r_i) with every row's largest entry (bias included) in [1/2, 1)."""
    n = X.shape[0]
    if is_sparse(X):
        row = np.repeat(np.arange(n), np.diff(X.indptr))
        fraction, exponent = np.frexp(X.data.astype(np.float64))
        exponent = exponent + c[X.indices]
        top = np.full(n, 1 if bias else -(1 << 20), dtype=np.int64)
        np.maximum.at(top, row[fraction != 0], exponent[fraction != 0])
        top[top == -(1 << 20)] = 0
        data = np.ldexp(fraction, np.maximum(exponent - top[row], -1100).astype(np.int32))
        return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape), -top.astype(np.int32)
    fraction, exponent = np.frexp(np.asarray(X, dtype=np.float64))
    exponent = np.where(fraction == 0, -(1 << 20), exponent + c)
    top = np.max(exponent, axis=1, initial=1 if bias else -(1 << 20))
    top = np.where(top == -(1 << 20), 0, top)
    V = np.ldexp(fraction, np.maximum(exponent - top[:, None], -1100).astype(np.int32))
    return V, -top.astype(np.int32)
