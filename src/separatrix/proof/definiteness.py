"""Positive semidefinite matrices: a proof that a symmetric matrix is one, and a witness where it is not.

    u on a few rows with  u.K u < 0

K + s I is factored by Cholesky, with s the size of rounding in K: success means that no eigenvalue is below -s.
Otherwise the eigenvector of the least eigenvalue is cut down to as few rows as still give a negative value.

A proof that K is definite is the success of Cholesky for K - c I: in floating point its factor R has

    |R^T R - (K - c I)| <= g d d^T + underflow,    d_j^2 = K_jj,    g = (n + 1) u / (1 - 2 (n + 1) u)

in every entry, so that all eigenvalues of K are above c - g trace(K) - underflow.
Rump, Verification of positive definiteness, BIT 46, 2006.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from separatrix.checker import kernels as exact
from separatrix.checker.data import Data, Labels
from separatrix.checker.numbers import Rejected
from separatrix.errors import with_hint
from separatrix.problem.conversion import to_dense
from separatrix.problem.kernels import Kernel
from separatrix.proof.arrays import ArrayRows, read_rows
from separatrix.proof.rigorous import TINY, factor
from separatrix.types import Vector

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


def surely_definite(K: Vector) -> bool:
    """Return True if K (n, n) is proved to be symmetric and positive definite; singular matrices are not.

    >>> surely_definite(np.array([[2.0, 1.0], [1.0, 2.0]])), surely_definite(np.ones((2, 2)))
    (True, False)
    """
    n = len(K)
    K = np.array(K, dtype=np.float64)
    if K.shape != (n, n) or not np.all(np.isfinite(K)) or not np.array_equal(K, K.T):
        return False
    diagonal = np.diag(K).copy()
    if not np.all(diagonal > 0):
        return False
    with np.errstate(over="ignore"):
        trace, largest = float(np.sum(diagonal)), float(np.max(diagonal, initial=0.0))
        # Twice the bound: divisions may be by reciprocals, and K - c I is itself rounded, by u times its diagonal.
        # Fewer than 2n products below 2^-1074 go into an entry, and a quotient that is multiplied by d <= 1 + K_jj.
        shift = 2.0 * factor(n + 8) * trace + 8.0 * n * (n + 2.0 + largest) * TINY
    if not math.isfinite(shift):
        return False
    K[np.diag_indices(n)] = diagonal - shift
    try:
        R = linalg.cholesky(K, lower=True, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError:
        return False
    return bool(np.all(np.isfinite(R)) and np.all(np.diag(R) > 0))


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


def require_kernel_matrix(kernel: Kernel, X: Any) -> None:
    """Raise a sentence where the matrix of a given kernel is surely none, so that no certificate could be proved."""
    if kernel.name not in ("precomputed", "function"):
        return
    K = read_rows(kernel.matrix(X, X) if kernel.name == "function" else X)
    try:
        _check_symmetric(dense := to_dense(K))
        if len(dense) <= exact.DECIDED_ROWS and not surely_definite(dense):
            data = table_data(ArrayRows(K), [1] * K.shape[0])
            exact.check_definite(exact.matrix_of(exact.points_of(data)))
    except Rejected as rejection:
        raise with_hint(
            ValueError,
            f"This fit cannot be certified: {rejection} Rounding alone can do that to a matrix, and then there is no "
            "optimum to be near to.",
            "K = (K + K.T) / 2, and a little more on its diagonal",
        ) from None


def condition_of(kernel: exact.Kernel, data: Data, X: Any) -> str:
    """The condition that a proof depends on: none where a theorem, elimination or a factor of the matrix settles it."""
    if not kernel.given:
        return "" if kernel.definite else exact.CONDITION
    if data.n != data.d:
        raise Rejected(f"A kernel matrix must be square; got {data.n} rows and {data.d} columns.")
    members = np.flatnonzero(np.array(data.part))
    if len(members) <= exact.DECIDED_ROWS:
        return exact.condition(kernel, data, exact.points_of(data))
    K = to_dense(X[members][:, members])
    _check_symmetric(K)
    return "" if surely_definite(K) else exact.CONDITION


def table_data(table: ArrayRows, part: list[int]) -> Data:
    """Rows without labels as data, with the side, -1 or +1, on which each takes part."""
    return Data(table, Labels("number", [], []), [], [], [], False, part, len(part), table.n_columns)


def _check_symmetric(K: NDArray[np.float64]) -> None:
    if not np.array_equal(K, K.T):
        raise Rejected("The kernel matrix is not symmetric.")
