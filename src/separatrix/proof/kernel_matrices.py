"""Kernel values in double precision with a bound on the error of each, whatever the order of summation.

With u = 2^-53, g_d = d u / (1 - d u), r = ||x||, s = ||z||:

    x.z                     g_d r s                      (Higham, Accuracy and Stability, section 3.1, and Cauchy)
    ||x - z||^2             (2 g_d + 8u) (r^2 + s^2)     by r^2 + s^2 - 2 x.z
    exp(-t), t within e     exp(-t) (expm1(e) + 10u)
    (gamma x.z + coef0)^q   q (g_d + 8u) T^q,  T = |gamma| r s + |coef0|

exp and tanh of the platform are taken to be right within 4 units in the last place; the exact check does not
need that. Rows of small whole numbers have exact products. Matrices that were given are exact by definition.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from separatrix.checker.verdict import Rejected
from separatrix.problem.inner_products import dense, inner_products, squared_norms
from separatrix.problem.kernel_width import number
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
    whole_power,
)
from separatrix.proof.rigorous import TINY, UNIT, factor

Gram: TypeAlias = NDArray[np.float64]
_FUNCTION = 8 * UNIT  # relative error allowed to exp and tanh: four units in the last place
_ROOM = 1.0 + 2.0**-20  # for the rounding of the bounds themselves
_VANISHED = 1e-300  # more than an exponential that became zero


def bounded_matrix(kernel: Kernel, X: Any, Z: Any) -> tuple[Gram, Gram]:
    """K^ (n, m) and E >= 0 (n, m) with |K^ - K| <= E in every entry, K_ij = k(x_i, z_j) in exact arithmetic.

    >>> K, E = bounded_matrix(Rbf(1.0), np.array([[0.1]]), np.array([[0.3]]))
    >>> bool(abs(K[0, 0] - np.exp(-0.04)) <= E[0, 0] < 1e-14)
    True
    """
    if isinstance(kernel, Sum | Product | Scaled):
        return _combined(kernel, X, Z)
    if isinstance(kernel, Laplacian):
        t = number(kernel.gamma) * cdist(_wide(X), _wide(Z), "cityblock")
        return _exponential(t, (factor(X.shape[1] + 2) + 4 * UNIT) * t)
    if kernel.name in ("function", "precomputed"):
        K = kernel.matrix(X, Z)
        return K, np.zeros_like(K)
    products, relative = inner_products(X, Z), _relative_error(X, Z)
    r2, s2 = squared_norms(X), squared_norms(Z)
    if isinstance(kernel, Rbf):
        size = r2[:, None] + s2[None, :]
        distances = np.maximum(size - 2.0 * products, 0.0)
        gamma = number(kernel.gamma)
        reach = (2.0 * relative + (8 * UNIT if relative else 0.0)) * gamma
        t = gamma * distances
        return _exponential(t, reach * size + 4 * UNIT * t)
    lengths = np.sqrt(r2)[:, None] * np.sqrt(s2)[None, :] * (1.0 + factor(X.shape[1] + 8))
    vanished = (X.shape[1] + 1) * TINY
    if isinstance(kernel, Linear):
        return products, relative * lengths * _ROOM + (vanished if relative else 0.0)
    if isinstance(kernel, Poly | Sigmoid):
        gamma = abs(number(kernel.gamma))
        size = gamma * lengths + abs(kernel.coef0)
        error = (relative + 8 * UNIT) * size
        inner = number(kernel.gamma) * products + kernel.coef0
        if isinstance(kernel, Sigmoid):
            return np.asarray(np.tanh(inner)), (error + _FUNCTION) * _ROOM
        power, q = whole_power(inner, kernel.degree), kernel.degree
        return power, q * (relative + 8 * UNIT) * whole_power(size, q) * _ROOM + q * vanished
    raise Rejected(f"There are no error bounds for the kernel {kernel!r}.")


def _exponential(t: Gram, error: Gram) -> tuple[Gram, Gram]:
    """exp(-t) for t >= 0 known within ``error``."""
    K = np.exp(-t)
    bound = K * (np.expm1(error) + 10 * UNIT + _FUNCTION) * _ROOM + _VANISHED
    return K, np.minimum(bound, 1.0 + _FUNCTION)  # both lie in [0, 1]


def _combined(kernel: Sum | Product | Scaled, X: Any, Z: Any) -> tuple[Gram, Gram]:
    if isinstance(kernel, Scaled):
        K, E = bounded_matrix(kernel.kernel, X, Z)
        K = kernel.factor * K
        return K, (kernel.factor * E + 2 * UNIT * np.abs(K)) * _ROOM + TINY
    K1, E1 = bounded_matrix(kernel.first, X, Z)
    K2, E2 = bounded_matrix(kernel.second, X, Z)
    if isinstance(kernel, Sum):
        K = K1 + K2
        return K, (E1 + E2 + 2 * UNIT * np.abs(K)) * _ROOM
    K = K1 * K2
    return K, (np.abs(K1) * E2 + np.abs(K2) * E1 + E1 * E2 + 2 * UNIT * np.abs(K)) * _ROOM + TINY


def _relative_error(X: Any, Z: Any) -> float:
    """g_d, or 0 where all products are whole numbers that even single precision holds."""
    return 0.0 if _whole(X) and _whole(Z) else factor(X.shape[1])


def _whole(X: Any) -> bool:
    return not X.shape[0] or dense(X).dtype == np.float32


def _wide(X: Any) -> Gram:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
