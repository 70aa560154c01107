"""Kernel values in double precision with a bound on the error of each, whatever the order of summation.

With u = 2^-53, g_d = d u / (1 - d u), r >= ||x||, s >= ||z||, and v = (d + 1) 2^-1074 for products that vanish:

    x.z                     g_d r s + v                             (Higham, section 3.1, and Cauchy)
    gamma x.z + coef0       D = (g_d + 8u) S + gamma v,  S = gamma r s + |coef0|
    (gamma x.z + coef0)^q   (q D + 2q u S) (S + D)^(q - 1)          (mean value theorem)
    tanh                    D + 8u                                  its slope is at most 1

rbf and laplacian are in `exponential_kernels`. tanh of the platform is taken to be right within 4 units in the last
place; the exact check does not need that. Rows of small whole numbers have exact products. Matrices that were given are
exact by definition. Where numbers leave the range of floats, the error is infinite.
"""

from __future__ import annotations

from typing import Any

import numpy as np

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
from separatrix.proof.exponential_kernels import FUNCTION, ROOM, ExponentialRows, Gram
from separatrix.proof.outward import Rejected
from separatrix.proof.rigorous import TINY, UNIT, factor
from separatrix.types import Vector


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
