"""F = K c with a bound on the error of each entry, by one sweep over the kernel values.

    |F^_i - F_i| <= sum_j E_ij |c_j| + g sum_j |K^_ij| |c_j| + underflow,       g = m u / (1 - m u) for m terms

rbf and laplacian values are not negative and have one error for a whole tile, so that K^ (c, |c|) is all that is
needed, and those among the support vectors are computed once for both of their rows.

A row that no coefficient belongs to matters only if it may lie inside the slab, which four digits mostly rule out: for
rbf its sum is formed in single precision first. With v = 2^-24, tiles m columns wide, and sums over tiles in double
precision (r = ||x||, s = ||z||):

    exponent       within e = 2 (d + 8) v gamma (r^2 + s^2), and what was lost in double precision
    exponential    relative e + e^2 + 18v, absolute 2^-125
    sum            (m + 16) v more, relative to sum_j K_ij |c_j|

exp of the platform is taken to be right within four units in the last place here too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import KernelSpace
from separatrix.problem.kernels import Laplacian, Rbf
from separatrix.proof.kernel_bounds import ROOM, ExponentialRows, Tile, bounded_matrix
from separatrix.proof.rigorous import TINY, factor
from separatrix.proof.sums import certain
from separatrix.types import Index, Vector

_BLOCK = 1 << 20  # kernel values in memory at a time: 8 MiB, and as much for their errors
_HEIGHT, _WIDTH = 256, 512  # rows and columns of a tile: 1 MiB, which the cache of a core holds
_SPAN = 1 << 22  # entries of rows made ready at a time: 32 MiB

_SINGLE_UNIT = 2.0**-24  # of the rounding of single precision
_SINGLE_TINY = 2.0**-149  # the least float of single precision
_SINGLE_VANISHED = 2.0**-125  # more than an exponential that became zero, or lost digits on the way there
_ROUGH_HEIGHT, _ROUGH_WIDTH = 1024, 128  # rows and columns of a tile: half a MiB; sums of few terms lose less
_USEFUL = 2.0**-8  # an exponent wrong by more says little
_LARGEST = 1e18  # of two such numbers the product is still a float of single precision

#: Of rows without a coefficient, given by index, F and its error: for which of them these are enough.
Enough = Callable[[Index, Vector, Vector], NDArray[np.bool_]]


def bounded_scores(space: KernelSpace, coef: Vector, enough: Enough | None = None) -> tuple[Vector, Vector]:
    """F = K c, shape (n,), and a bound on the error of each entry; raises `Rejected` unless all are finite.

    Where rough values may be ``enough`` for some rows, they are tried first.
    """
    support = np.flatnonzero(coef)
    if not len(support):
        return np.zeros(len(coef)), np.zeros(len(coef))
    with np.errstate(all="ignore"):
        if isinstance(space.kernel, Rbf | Laplacian):
            F, error = _ExponentialSums(space, space.kernel, support, coef[support]).scores(enough)
        else:
            F, error = _with_error(*_sums(space, support, coef[support]), len(support))
    certain(np.isfinite(F) & np.isfinite(error))
    return F, error


def _with_error(F: Vector, missed: Vector, size: Vector, m: int) -> tuple[Vector, Vector]:
    """F and its error, from K^ c, E |c| and |K^| |c|, each a sum of m products."""
    g = factor(m + 2)
    return F, (missed + g * size) * (1.0 + 2 * g) + 2 * (m + 4) * TINY


def _sums(space: KernelSpace, support: Index, c: Vector) -> tuple[Vector, Vector, Vector]:
    """K^ c, E |c| and |K^| |c|, each (n,), for any kernel."""
    n = int(space.X.shape[0])
    out, size = np.zeros((3, n)), np.abs(c)
    precomputed, X = space.kernel.name == "precomputed", space.X
    vectors = None if precomputed else X[support]
    for rows in _slices(0, n, max(1, _BLOCK // len(support))):
        if precomputed:
            K = space.gram(np.arange(rows.start, rows.stop), support)
        else:
            K, E = bounded_matrix(space.kernel, X[rows], vectors)
            out[1, rows] = E @ size
        out[0, rows], out[2, rows] = K @ c, np.abs(K) @ size
    return out[0], out[1], out[2]


class _ExponentialSums:
    """The same for kernels whose values are known within relative K^ + absolute."""

    def __init__(self, space: KernelSpace, kernel: Rbf | Laplacian, support: Index, c: Vector) -> None:
        self._X, self._kernel = space.X, kernel
        ready = ExponentialRows.of(kernel, space.X[support])
        # Rows too long for one product come last, so that few tiles are computed in the slower way for a few of them.
        distant = ready.distant()
        if np.any(distant):
            order = np.argsort(distant, kind="stable")
            support, c = support[order], c[order]
            ready = ExponentialRows.of(kernel, space.X[support])
        self._support, self._ready, self._c = support, ready, c
        self._weights = np.column_stack([c, np.abs(c)])
        self._memory = np.empty(_HEIGHT * max(_HEIGHT, _WIDTH))

    def scores(self, enough: Enough | None) -> tuple[Vector, Vector]:
        """F and its error, each (n,)."""
        F, error = np.zeros((2, int(self._X.shape[0])))
        F[self._support], error[self._support] = self._among_support()
        others = np.ones(len(F), dtype=bool)
        others[self._support] = False
        rough = None
        if enough is not None and len(self._ready.right):
            rough = _RoughSums(self._ready, self._c)
        height = max(_HEIGHT, _SPAN // max(1, int(self._X.shape[1])))
        indices = np.flatnonzero(others)
        for span in _slices(0, len(indices), height):
            rows = indices[span]
            ready = ExponentialRows.of(self._kernel, self._X[rows])
            if rough is not None and enough is not None:
                F[rows], error[rows] = rough.of(ready)
                rows = rows[~(np.isfinite(error[rows]) & enough(rows, F[rows], error[rows]))]
                ready = ExponentialRows.of(self._kernel, self._X[rows])
            F[rows], error[rows] = self._of(ready)
        return F, error

    def _among_support(self) -> tuple[Vector, Vector]:
        """Each tile serves its rows and, turned over, its columns."""
        totals = _Totals(len(self._support))
        for rows in _slices(0, len(self._support), _HEIGHT):
            mine = self._ready.part(rows)
            own = self._tile(mine, mine)
            totals.add(rows, own.values @ self._weights[rows], own)
            for others in _slices(rows.stop, len(self._support), _WIDTH):
                both = self._tile(mine, self._ready.part(others))
                totals.add(rows, both.values @ self._weights[others], both)
                totals.add(others, both.values.T @ self._weights[rows], both)
        return totals.scores(self._weights[:, 1])

    def _of(self, ready: ExponentialRows) -> tuple[Vector, Vector]:
        """F and its error for other rows."""
        totals = _Totals(len(ready))
        for rows in _slices(0, len(ready), _HEIGHT):
            mine = ready.part(rows)
            for others in _slices(0, len(self._support), _WIDTH):
                tile = self._tile(mine, self._ready.part(others))
                totals.add(rows, tile.values @ self._weights[others], tile)
        return totals.scores(self._weights[:, 1])

    def _tile(self, rows: ExponentialRows, others: ExponentialRows) -> Tile:
        shape = len(rows), len(others)
        return rows.against(others, self._memory[: shape[0] * shape[1]].reshape(shape))


class _RoughSums:
    """Sums over the same rows z_j, made ready once; the coefficients (m,) are not zero."""

    def __init__(self, others: ExponentialRows, coef: Vector) -> None:
        # As powers of two are taken out exactly, coefficients of any size can be had in single precision.
        self._exponent = math.frexp(float(np.max(np.abs(coef))))[1]
        scaled = np.ldexp(coef, -self._exponent)
        self._weights = np.column_stack([scaled, np.abs(scaled)]).astype(np.float32)
        self._right = others.right.astype(np.float32)
        self._square = float(np.max(others.squares, initial=0.0))

    def of(self, rows: ExponentialRows) -> tuple[Vector, Vector]:
        """The sums of each row and bounds on their errors, each (n,); infinite where single precision is no use."""
        n, m = len(rows), len(self._right)
        lost = self._lost(rows)
        if not np.any(lost <= _USEFUL):
            return np.zeros(n), np.full(n, np.inf)
        left, sums = rows.left.astype(np.float32), np.zeros((n, 2))
        memory = np.empty(_ROUGH_HEIGHT * _ROUGH_WIDTH, dtype=np.float32)
        for top in range(0, n, _ROUGH_HEIGHT):
            block = left[top : top + _ROUGH_HEIGHT]
            for start in range(0, m, _ROUGH_WIDTH):
                others = self._right[start : start + _ROUGH_WIDTH]
                K = memory[: len(block) * len(others)].reshape(len(block), len(others))
                np.exp(np.matmul(block, others.T, out=K), out=K)
                sums[top : top + _ROUGH_HEIGHT] += K @ self._weights[start : start + _ROUGH_WIDTH]
        relative = (
            lost
            + lost * lost
            + (18 + (_ROUGH_WIDTH + 16) * (1.0 + 2 * _ROUGH_WIDTH * _SINGLE_UNIT)) * _SINGLE_UNIT
        )
        # Coefficients are at most 1 here; each may have vanished, as may its product.
        error = relative * ROOM * sums[:, 1] + m * (2 * _SINGLE_VANISHED + 4 * _SINGLE_TINY)
        error = np.where(np.isfinite(sums).all(axis=1) & (lost <= _USEFUL), error, np.inf)
        # Put back to their size, both may lose 2^-1075.
        return np.ldexp(sums[:, 0], self._exponent), np.ldexp(error * ROOM, self._exponent) + 2 * TINY

    def _lost(self, rows: ExponentialRows) -> Vector:
        """Error of the exponents of each row, shape (n,); infinite where numbers leave the range."""
        d, gamma = int(rows.X.shape[1]), rows.gamma
        r, s = np.sqrt(rows.squares), math.sqrt(self._square)
        size = gamma * (rows.squares + self._square)
        vanished = 4 * (d + 4) * _SINGLE_TINY * (2.0 + r + 2.0 * (gamma * s) + size)
        lost = 2 * (d + 8) * _SINGLE_UNIT * (1.0 + 2 * (d + 8) * _SINGLE_UNIT) * ROOM * size + vanished
        in_range = (r <= _LARGEST) & (max(s, 2.0 * (gamma * s)) <= _LARGEST)
        return np.where(in_range, lost + rows.lost(self._square), np.inf)


class _Totals:
    """K^ (c, |c|) and sum_j relative_ij K^_ij |c_j| of some rows, as tiles are added."""

    def __init__(self, n: int) -> None:
        self._products, self._missed, self._absolute = np.zeros((n, 2)), np.zeros(n), 0.0

    def add(self, rows: slice, products: Vector, tile: Tile) -> None:
        """Add to these rows what a tile gives them: its products (h, 2) with c and |c|."""
        self._products[rows] += products
        self._missed[rows] += tile.relative * products[:, 1]
        self._absolute = max(self._absolute, tile.absolute)

    def scores(self, size: Vector) -> tuple[Vector, Vector]:
        """F and its error, where size (m,) is |c|."""
        beyond = self._absolute * float(np.sum(size)) * (1.0 + factor(len(size)))
        F, reach = self._products.T
        return _with_error(F, self._missed + beyond, reach, len(size))


def _slices(start: int, stop: int, step: int) -> Iterator[slice]:
    return (slice(at, min(stop, at + step)) for at in range(start, stop, step))
