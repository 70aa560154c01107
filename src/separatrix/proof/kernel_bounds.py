"""Kernel values in double precision with a bound on the error of each, whatever the order of summation.

With u = 2^-53, g_d = d u / (1 - d u), r >= ||x||, s >= ||z||, and v = (d + 1) 2^-1074 for products that vanish:

    x.z                     g_d r s + v                             (Higham, section 3.1, and Cauchy)
    gamma x.z + coef0       D = (g_d + 8u) S + gamma v,  S = gamma r s + |coef0|
    (gamma x.z + coef0)^q   (q D + 2q u S) (S + D)^(q - 1)          (mean value theorem)
    tanh                    D + 8u                                  its slope is at most 1

rbf and laplacian, exp(-gamma ||x - z||^2) and exp(-gamma ||x - z||_1), have one error for a whole block of rows,

    |K^ - K| <= relative K^ + absolute      in every entry, so that  |K^ c - K c| <= relative K^ |c| + absolute ||c||_1

Their exponent is formed in one of two ways:

    (x, 1, -gamma r^2).(2 gamma z, -gamma s^2, 1)       within e = (3d + 32) u gamma (r^2 + s^2): one product
    -gamma sum_j (x_j - z_j)^2, or of |x_j - z_j|       within (d + 12) u of its size: where e would be too large

An exponent wrong by e makes its exponential wrong by the factor expm1(e) <= e + e^2, for e <= 1. With an error of
r t at the exponent -t, the error r t exp(-t) is below 2^-57 (40 r) beyond t = 40; up to there it is relative.
Products that vanish add (d + 1) 2^-1074, times gamma where it multiplies them.

exp and tanh of the platform are taken to be right within four units in the last place; the exact check does not need
that. Rows of small whole numbers have exact products. Matrices that were given are exact by definition. Where numbers
leave the range of floats, the error is infinite.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import is_sparse
from separatrix.problem.kernels import (
    Kernel,
    Laplacian,
    Linear,
    Poly,
    Product,
    Rbf,
    Scaled,
    Sigmoid,
    Sum,
    number,
    whole_power,
)
from separatrix.problem.rows import dense, inner_products, squared_norms
from separatrix.proof.rigorous import TINY, UNIT, factor
from separatrix.proof.sums import OUT_OF_RANGE, Rejected, certain
from separatrix.types import Vector

Gram = NDArray[np.float64]
FUNCTION = 8 * UNIT  #: relative error allowed to exp and tanh: four units in the last place
ROOM = 1.0 + 2.0**-20  #: for the rounding of the bounds themselves
VANISHED = 1e-300  #: more than an exponential that became zero, or lost digits on the way there
_SHARP = 2.0**-36  # an exponent that is wrong by less leaves ten digits of its exponential
_USED = 40.0  # exponents up to here have a relative error
_BEYOND = 2.0**-57  # more than exp(-40)
_DENSE_ENTRIES = 1 << 22  # of sparse rows that are made dense at a time: 32 MiB


@dataclass(frozen=True, eq=False)
class Tile:
    """K^ (n, m), and the errors of its entries: relative K^ + absolute."""

    values: Gram
    relative: float
    absolute: float


@dataclass(frozen=True, eq=False)
class ExponentialRows:
    """Rows (n, d), float64, dense or CSR, with all that depends on them alone.

    >>> rows = ExponentialRows.of(Rbf(1.0), np.array([[0.1], [0.3]]))
    >>> tile = rows.against(rows)
    >>> bool(abs(tile.values[0, 1] - np.exp(-0.04)) < 1e-15), tile.relative < 1e-14
    (True, True)
    """

    kernel: Rbf | Laplacian
    X: Any
    squares: Vector  #: ||x_i||^2
    left: Gram = field(default_factory=lambda: np.empty((0, 0)))  #: (x, 1, -gamma ||x||^2), where dense
    right: Gram = field(
        default_factory=lambda: np.empty((0, 0))
    )  #: (2 gamma x, -gamma ||x||^2, 1), where dense

    @classmethod
    def of(cls, kernel: Rbf | Laplacian, X: Any) -> ExponentialRows:
        """The rows of X, made ready."""
        X = X.astype(np.float64) if is_sparse(X) else np.asarray(X, dtype=np.float64)
        if isinstance(kernel, Laplacian):
            return cls(kernel, X, np.zeros(X.shape[0]))
        squares, gamma = squared_norms(X), number(kernel.gamma)
        if is_sparse(X):
            return cls(kernel, X, squares)
        ones, last = np.ones(len(X)), -gamma * squares
        left = np.column_stack([X, ones, last])
        return cls(kernel, X, squares, left, np.column_stack([2.0 * (gamma * X), last, ones]))

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def part(self, rows: slice) -> ExponentialRows:
        """Some of the rows, in the same memory where dense."""
        return ExponentialRows(
            self.kernel, self.X[rows], self.squares[rows], self.left[rows], self.right[rows]
        )

    @property
    def gamma(self) -> float:
        """The width of the kernel."""
        return number(self.kernel.gamma)

    def lost(self, squares: Vector | float) -> Vector:
        """Error of the exponent from one product of each row with one of this squared length; shape (n,)."""
        d = self.X.shape[1]
        relative = factor(2 * d + 8) + factor(d + 8)
        vanished = 4 * (d + 4) * TINY * (1.0 + self.gamma + np.sqrt(self.squares) + np.sqrt(squares))
        return np.asarray(relative * ROOM * (self.gamma * (self.squares + squares)) + vanished)

    def distant(self) -> NDArray[np.bool_]:
        """Return True for rows so long that one product would lose the exponent; shape (n,)."""
        if isinstance(self.kernel, Laplacian):
            return np.zeros(len(self), dtype=bool)
        return ~(self.lost(self.squares) <= _SHARP)

    def against(self, other: ExponentialRows, out: Gram | None = None) -> Tile:
        """k(x_i, z_j) for all rows x_i of these and z_j of the others; ``out`` is memory for that many."""
        if isinstance(self.kernel, Laplacian):
            return self._by_differences(other)
        lost = float(np.max(self.lost(float(np.max(other.squares, initial=0.0))), initial=0.0))
        if not lost <= _SHARP:
            return self._by_differences(other)
        if len(self.left) and len(other.right):
            t = np.matmul(self.left, other.right.T, out=out)
        else:
            t = inner_products(self.X, other.X)
            t *= self.gamma  # times 2 afterwards: gamma may be so large that twice as much is no float
            t *= 2.0
            t -= self.gamma * self.squares[:, None]
            t -= self.gamma * other.squares[None, :]
        return Tile(np.exp(t, out=t), _relative(lost), VANISHED)

    def _by_differences(self, other: ExponentialRows) -> Tile:
        from scipy.spatial.distance import cdist  # slow to import

        d, gamma = self.X.shape[1], self.gamma
        by_sum = isinstance(self.kernel, Laplacian)
        metric: Literal["cityblock", "sqeuclidean"] = "cityblock" if by_sum else "sqeuclidean"
        t = np.zeros((len(self), len(other)))
        for columns in self._columns(other):
            t += cdist(_dense(self.X, columns), _dense(other.X, columns), metric)
        certain(np.isfinite(t))
        t *= -gamma  # where this overflows, the exponential is zero indeed
        lost = _USED * factor(d + 4) * ROOM + 2 * (d + 4) * TINY * (1.0 + gamma)
        if not lost <= 2.0**-20:
            raise Rejected(OUT_OF_RANGE)
        return Tile(np.exp(t, out=t), _relative(lost), _BEYOND * lost + VANISHED)

    def _columns(self, other: ExponentialRows) -> Iterator[slice]:
        """All columns; few at a time where the rows are sparse, for they are made dense."""
        d = self.X.shape[1]
        sparse = is_sparse(self.X) or is_sparse(other.X)
        step = max(1, _DENSE_ENTRIES // max(1, len(self) + len(other)) if sparse else d)
        yield from (slice(start, min(d, start + step)) for start in range(0, d, step))


def _relative(lost: float) -> float:
    """The relative error of an exponential whose exponent is wrong by so much, and of the function."""
    return (lost + lost * lost + 10 * UNIT + FUNCTION) * ROOM


def _dense(X: Any, columns: slice) -> Gram:
    part = X[:, columns]
    return np.asarray(part.toarray() if is_sparse(part) else part)


def bounded_matrix(kernel: Kernel, X: Any, Z: Any) -> tuple[Gram, Gram]:
    """K^ (n, m) and E >= 0 (n, m) with |K^ - K| <= E in every entry, K_ij = k(x_i, z_j) in exact arithmetic.

    >>> K, E = bounded_matrix(Rbf(1.0), np.array([[0.1]]), np.array([[0.3]]))
    >>> bool(abs(K[0, 0] - np.exp(-0.04)) <= E[0, 0] < 1e-14)
    True
    """
    with np.errstate(all="ignore"):
        K, E = _bounded(kernel, X, Z)
        if not np.isfinite(np.sum(K) + np.sum(E)):
            E[~np.isfinite(K + E)] = np.inf
    return K, E


def _bounded(kernel: Kernel, X: Any, Z: Any) -> tuple[Gram, Gram]:
    if isinstance(kernel, Sum | Product | Scaled):
        return _combined(kernel, X, Z)
    if isinstance(kernel, Rbf | Laplacian):
        tile = ExponentialRows.of(kernel, X).against(ExponentialRows.of(kernel, Z))
        return tile.values, tile.relative * tile.values + tile.absolute
    if isinstance(kernel, Linear | Poly | Sigmoid):
        return _of_products(kernel, X, Z)
    if kernel.name in ("function", "precomputed"):
        K = kernel.matrix(X, Z)
        return K, np.zeros_like(K)
    raise Rejected(f"There are no error bounds for the kernel {kernel!r}.")


def _of_products(kernel: Linear | Poly | Sigmoid, X: Any, Z: Any) -> tuple[Gram, Gram]:
    """The kernels that are functions of x.z alone."""
    products = inner_products(X, Z)
    exact = _whole(X) and _whole(Z)
    relative = 0.0 if exact else factor(X.shape[1])
    vanished = 0.0 if exact else (X.shape[1] + 2) * TINY
    lengths = _lengths(X)[:, None] * _lengths(Z)[None, :]
    if isinstance(kernel, Linear):
        return products, relative * lengths * ROOM + vanished
    gamma = number(kernel.gamma)
    size = (gamma * lengths + abs(kernel.coef0)) * ROOM
    # gamma multiplies what vanished from x.z; two more products may vanish, of gamma with x.z and within the bound.
    error = (relative + 8 * UNIT) * size + (gamma * vanished * ROOM + 8 * TINY)
    inner = gamma * products + kernel.coef0
    if isinstance(kernel, Sigmoid):
        return np.asarray(np.tanh(inner)), (error + FUNCTION) * ROOM
    q = kernel.degree
    if not q >= 0 or q != int(q):
        raise Rejected(f"The degree of a poly kernel must be a whole number of at least 0; got {q!r}.")
    if q == 0:
        return np.ones_like(inner), np.zeros_like(inner)
    reach = size + error
    slope = whole_power(reach, q - 1) * (1.0 + 2 * factor(2 * q)) + 4 * q * TINY
    # Each of the at most 2q products may vanish, from a power of a number below 1: nothing magnifies what is lost.
    return whole_power(inner, q), (q * error + factor(2 * q) * reach) * slope * ROOM + 4 * q * TINY


def _combined(kernel: Sum | Product | Scaled, X: Any, Z: Any) -> tuple[Gram, Gram]:
    """Each product may vanish, below 2^-1075: fewer than 16 are formed for an entry and its error."""
    if isinstance(kernel, Scaled):
        K, E = _bounded(kernel.kernel, X, Z)
        K = kernel.factor * K
        return K, (kernel.factor * E + 2 * UNIT * np.abs(K)) * ROOM + 8 * TINY
    K1, E1 = _bounded(kernel.first, X, Z)
    K2, E2 = _bounded(kernel.second, X, Z)
    if isinstance(kernel, Sum):
        K = K1 + K2
        return K, (E1 + E2 + 2 * UNIT * np.abs(K)) * ROOM + 8 * TINY
    K = K1 * K2
    return K, (np.abs(K1) * E2 + np.abs(K2) * E1 + E1 * E2 + 2 * UNIT * np.abs(K)) * ROOM + 8 * TINY


def _lengths(X: Any) -> Vector:
    """At least ||x_i||, shape (n,); positive, because a square may have vanished."""
    d = X.shape[1]
    return np.asarray(np.sqrt(squared_norms(X) * (1.0 + factor(d + 8)) + (d + 2) * TINY) * (1.0 + 4 * UNIT))


def _whole(X: Any) -> bool:
    """Return True if all products of rows are whole numbers that even single precision holds."""
    return not X.shape[0] or dense(X).dtype == np.float32
