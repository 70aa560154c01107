"""Checks that a kernel can be used on these rows: a square, symmetric matrix without a negative direction."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from separatrix.errors import IndefiniteKernelError, with_hint
from separatrix.problem.conversion import is_sparse, sum_of_squares, to_dense
from separatrix.problem.kernel_algebra import Product, Scaled, Sum
from separatrix.problem.kernels import Kernel
from separatrix.problem.rows import squared_norms
from separatrix.proof.definiteness import Witness, find_witness
from separatrix.types import Vector

_EXAMINED = 2000  # rows whose kernel matrix is searched for a witness; of more, so many are drawn
_ASYMMETRY = 1e-6  # relative difference of k(x, z) and k(z, x) that rounding may explain


class IndefiniteKernelWarning(UserWarning):
    """The kernel may not be positive semidefinite on other rows than those that were examined."""


def check_kernel(kernel: Kernel, X: Any, weights: Vector | None) -> None:
    """Raise a sentence unless the kernel fits the rows of X of weight above 0; warn where that is not known for all."""
    if kernel.name == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(
            f"Precomputed matrix must be a square matrix of kernel values, one row and one column for each training "
            f"row. Input is a {X.shape[0]}x{X.shape[1]} matrix."
        )
    if kernel.name != "precomputed":
        _check_squares(X)
    if kernel.definite:
        return
    if "sigmoid" in _names(kernel):
        warnings.warn(
            "The sigmoid kernel is not positive semidefinite in general; the fit goes on because no violation was "
            "found so far, and its certificate says what it depends on. Hint: 'rbf' has no such condition.",
            IndefiniteKernelWarning,
            stacklevel=5,
        )
    rows = np.arange(X.shape[0]) if weights is None else np.flatnonzero(weights)
    if len(rows) > _EXAMINED:
        rows = np.sort(np.random.default_rng(0).choice(rows, _EXAMINED, replace=False))
    K = _matrix(kernel, X, rows)
    if not np.all(np.isfinite(K)):
        raise with_hint(
            ValueError,
            "The kernel gives values that are not finite numbers.",
            "scale the columns of X",
        )
    scale = float(np.max(np.abs(K), initial=0.0))
    difference = np.abs(K - K.T)
    if float(difference.max(initial=0.0)) > _ASYMMETRY * scale:
        i, j = np.unravel_index(int(np.argmax(difference)), K.shape)
        raise ValueError(
            f"A kernel must be symmetric; rows {rows[i]} and {rows[j]} give {K[i, j]!r} one way and {K[j, i]!r} the "
            "other."
        )
    # Values that single precision holds were most likely computed in it, and are as rough as it is.
    unit = 2.0**-24 if np.array_equal(K, K.astype(np.float32)) else 2.0**-53
    witness = find_witness(K, max(unit, float(difference.max(initial=0.0)) / scale if scale else 0.0))
    if witness is not None:
        raise with_hint(
            IndefiniteKernelError,
            _sentence(kernel, witness, rows),
            "use a kernel such as 'rbf', change gamma or coef0, or set the negative eigenvalues of a precomputed "
            "matrix to zero",
            rows[witness.rows],
            witness.u,
            witness.value,
        )


def _check_squares(X: Any) -> None:
    entries = X.data if is_sparse(X) else X.ravel()
    # A finite sum has finite parts.
    if math.isfinite(sum_of_squares(entries)):
        return
    with np.errstate(over="ignore"):
        finite = np.isfinite(squared_norms(X))
    if not finite.all():
        raise with_hint(
            ValueError,
            f"Row {int(np.argmin(finite))} of X has values whose squares leave the range of floating point, so that no "
            "kernel of it can be computed.",
            "scale the columns of X",
        )


def _sentence(kernel: Kernel, witness: Witness, rows: Any) -> str:
    shown = ", ".join(map(str, rows[witness.rows][:10].tolist())) + (
        ", ..." if len(witness.rows) > 10 else ""
    )
    return (
        f"The {kernel.name} kernel is not positive semidefinite on these rows: with the weights u = `.vector` on the "
        f"{len(witness.rows)} rows {shown} (`.rows`), sum_ij u_i u_j k(x_i, x_j) = {witness.value:.6g} < 0, which "
        "is the square of no length, so there is no problem to solve."
    )


def _matrix(kernel: Kernel, X: Any, rows: Any) -> Vector:
    part = X[rows]
    if kernel.name == "precomputed":
        part = part[:, rows]
        return to_dense(part)
    return kernel.matrix(part, part)


def _names(kernel: Any) -> set[str]:
    if isinstance(kernel, Sum | Product):
        return _names(kernel.first) | _names(kernel.second)
    return _names(kernel.kernel) if isinstance(kernel, Scaled) else {kernel.name}
