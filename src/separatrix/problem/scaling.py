"""Columns shifted and scaled before a problem is posed: every entry x of column j becomes (x - shift[j]) * factor[j].

    "standard"   shift is the mean, factor 1 / standard deviation        sparse rows: shift 0, the same factor
    "range"      shift is the least value, factor 1 / (greatest - least)  sparse rows: shift 0, factor 1 / max |x|

Both operations are those of binary64, rounded to nearest, whatever the type of the rows: anybody who has shift and
factor computes the very same rows, and a certificate that holds them speaks of these rows. A column of one value has
the factor 1. A row of weight k counts k times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.errors import with_hint
from separatrix.problem.conversion import is_sparse
from separatrix.problem.rows import row_blocks
from separatrix.types import Matrix, Vector

KINDS = ("standard", "range")
_LARGEST = np.finfo(np.float64).max


@dataclass(frozen=True, eq=False)
class Scaling:
    """Shift (d,) and factor (d,) > 0 of every column, and the kind of statistics that they were made of.

    >>> scaling = scaling_of(np.array([[1.0, 5.0], [3.0, 5.0]]), "standard")
    >>> scaling.shift, scaling.factor, scaling.apply(np.array([[3.0, 5.0]]))
    (array([2., 5.]), array([1., 1.]), array([[1., 0.]]))
    """

    kind: str
    shift: Vector
    factor: Vector

    def __repr__(self) -> str:
        return f"Scaling({self.kind!r}, {len(self.factor)} columns)"

    def apply(self, X: Any) -> Matrix:
        """The rows fl(fl(x - shift) * factor) in float64; sparse rows stay sparse where nothing is shifted."""
        scaled: Matrix
        values: Any
        if X.shape[1] != len(self.factor):
            raise ValueError(f"The scaling is of {len(self.factor)} columns; X has {X.shape[1]}.")
        with np.errstate(over="ignore", invalid="ignore"):
            if not is_sparse(X):
                dense = np.subtract(X, self.shift, dtype=np.float64, order="C")
                scaled = np.multiply(dense, self.factor, out=dense)
                values = scaled
            elif self.shift.any():
                return self.apply(X.toarray())
            else:
                values = np.multiply(X.data, self.factor[X.indices], dtype=np.float64)
                scaled = sparse.csr_array((values, X.indices, X.indptr), shape=X.shape)
        if not np.isfinite(values).all():
            raise ValueError(
                "A scaled entry of X is beyond the largest double; X holds values of too different sizes."
            )
        return scaled


def scaling_of(X: Any, kind: str, weights: NDArray[np.float64] | None = None) -> Scaling:
    """The scaling of checked rows X (n, d), dense or CSR; rows of weight 0 do not count."""
    if weights is not None and not weights.all():
        X, weights = X[weights > 0], weights[weights > 0]
    n, d = X.shape
    low, high = _extremes(X, is_sparse(X))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        if kind == "range":
            shift = np.zeros(d) if is_sparse(X) else low
            spread = np.maximum(-low, high) if is_sparse(X) else high - low
        else:
            share = np.full(n, 1.0 / n) if weights is None else weights / weights.sum()
            mean, spread = _moments(X, share, np.maximum(-low, high))
            shift = np.zeros(d) if is_sparse(X) else np.where(low == high, low, mean)
        factor = np.where((low == high) | (spread == 0), 1.0, np.minimum(1.0 / spread, _LARGEST))
    bad = ~(np.isfinite(shift) & np.isfinite(factor) & (factor > 0))
    if bad.any():
        column = int(np.argmax(bad))
        raise with_hint(
            ValueError,
            f"Column {column} of X runs from {low[column]:g} to {high[column]:g}; doubles cannot hold its scaling.",
            "divide the column by a power of ten first",
        )
    return Scaling(kind, shift, factor)


def _extremes(X: Any, is_sparse: bool) -> tuple[Vector, Vector]:
    """The least and the greatest value of each column, as float64."""
    if is_sparse:
        return tuple(end(axis=0).toarray().ravel().astype(np.float64) for end in (X.min, X.max))
    return X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)


def _moments(X: Any, share: Vector, largest: Vector) -> tuple[Vector, Vector]:
    """Mean and standard deviation of each column over rows of these shares, in two passes.

    Columns are divided by a power of two near their largest value, so that no square overflows or vanishes.
    """
    _, exponent = np.frexp(largest)
    mean, d = np.zeros(X.shape[1]), X.shape[1]
    for rows, block in row_blocks(X):
        mean += _weighted(_halved(block, exponent), share[rows])
    square, rest = np.zeros(d), np.zeros(d)
    for rows, block in row_blocks(X):
        part = _halved(block, exponent)
        if is_sparse(part):  # of the entries that are stored; the others are all at -mean
            part, stored = part.tocsr(), share[rows]
            away = part.data - mean[part.indices]
            heavy = np.repeat(stored, np.diff(part.indptr))
            known = np.bincount(part.indices, heavy, minlength=d)
            square += (
                np.bincount(part.indices, heavy * away * away, minlength=d) + (stored.sum() - known) * mean**2
            )
        else:
            away = part - mean
            square += _weighted(away * away, share[rows])
            rest += _weighted(away, share[rows])
    deviation = np.sqrt(np.maximum(0.0, square - rest * rest))
    return np.ldexp(mean, exponent), np.ldexp(deviation, exponent)


def _weighted(part: Any, share: Vector) -> Vector:
    """sum_i share_i x_i; dense rows one after the other, because BLAS adds in an order that follows its threads."""
    return np.asarray(part.T @ share if is_sparse(part) else (part * share[:, None]).sum(axis=0))


def _halved(block: Any, exponent: NDArray[Any]) -> Any:
    """The block in float64 with every column times 2^-exponent."""
    if not is_sparse(block):
        return np.ldexp(np.asarray(block, dtype=np.float64), -exponent)
    part: Any = block.tocsr()
    return sparse.csr_array(
        (np.ldexp(part.data.astype(np.float64), -exponent[part.indices]), part.indices, part.indptr),
        shape=part.shape,
    )
