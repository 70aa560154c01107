"""Whether a symmetric matrix is positive semidefinite, and a witness where it is not.

    u on a few rows with  u.K u < 0

K + s I is factored by Cholesky, with s the size of rounding in K: success means that no eigenvalue is below -s.
Otherwise the eigenvector of the least eigenvalue is cut down to as few rows as still give a negative value.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from separatrix.problem.losses import Vector

_ROUNDINGS = 16.0  # units of rounding, times n and the largest entry, that count as zero


@dataclass(frozen=True, eq=False)
class Witness:
    """u (k,) on rows (k,) of the matrix, with u.K u = value < 0."""

    rows: NDArray[np.intp]
    u: Vector
    value: float


def find_witness(K: Vector, unit: float = 2.0**-53) -> Witness | None:
    """A witness that K (n, n) is not positive semidefinite; None if its eigenvalues are >= 0 up to rounding.

    ``unit`` is the relative rounding of the entries of K. The value of a witness is computed in rationals from the
    entries as they are.

    >>> found = find_witness(np.array([[1.0, 2.0], [2.0, 1.0]]))
    >>> found.rows.tolist(), found.value < 0
    ([0, 1], True)
    >>> find_witness(np.ones((3, 3))) is None
    True
    """
    K = 0.5 * (K + K.T)
    shift = _ROUNDINGS * unit * len(K) * float(np.max(np.abs(K), initial=0.0))
    if not shift:  # a matrix of zeros
        return None
    try:
        linalg.cholesky(K + shift * np.eye(len(K)), lower=True, overwrite_a=True, check_finite=False)
        return None
    except linalg.LinAlgError:
        pass
    values, vectors = linalg.eigh(K, subset_by_index=[0, 0])
    if values[0] >= -shift:
        return None
    order = np.argsort(-np.abs(vectors[:, 0]))
    size = 1
    while True:
        rows = np.sort(order[:size])
        least, u = linalg.eigh(K[np.ix_(rows, rows)], subset_by_index=[0, 0])
        # Half of what the whole matrix has is well beyond rounding, and needs far fewer rows.
        if least[0] <= min(-shift, 0.01 * values[0]) or size >= len(K):
            value = quadratic_form(K[np.ix_(rows, rows)], u[:, 0])
            return Witness(rows.astype(np.intp), u[:, 0], float(value)) if value < 0 else None
        size = min(len(K), size + 1 if size < 8 else 2 * size)


def quadratic_form(K: Vector, u: Vector) -> Fraction:
    """u.K u in rationals."""
    exact = [Fraction(float(v)) for v in u]
    return sum(
        (
            a * b * Fraction(float(k))
            for a, line in zip(exact, K, strict=True)
            for b, k in zip(exact, line, strict=True)
        ),
        Fraction(),
    )
