"""Proved lower bounds on the robustness radius of kernel models; the formulas are in `robustness`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist

from separatrix.problem.kernels import Laplacian, Poly, Rbf
from separatrix.proof.rigorous import UNIT
from separatrix.types import Vector
from separatrix.validation.dual_view import fitted_kernel


def kernel_radii(model: Any, X: Any, norm: str) -> Vector:
    """A radius within which the prediction of each row of X (n, d) stands, rounding included; shape (n,)."""
    if len(model.classes_) != 2:
        raise ValueError("The robustness radius of a kernel model is known for two classes only.")
    rows, vectors = dense(X), dense(model.support_vectors_)
    c = np.asarray(model.dual_coef_, dtype=np.float64).ravel()
    kernel = fitted_kernel(model)
    if not isinstance(kernel, Rbf | Laplacian | Poly):
        raise ValueError(
            f"The robustness radius is known for linear, rbf, laplacian and poly kernels; got {kernel.name!r}."
        )
    score, error = _combination(kernel, rows, vectors, c)
    intercept = float(np.ravel(model.intercept_)[0])
    size = np.abs(score + intercept) - error - 4 * UNIT * (np.abs(score) + abs(intercept))
    inner, inner_error = _combination(kernel, vectors, vectors, c)
    length = math.sqrt(
        max(0.0, float(c @ inner) + float(np.abs(c) @ (inner_error + len(c) * UNIT * np.abs(inner))))
    )
    ratio = np.maximum(0.0, size) / (length * (1 + 16 * UNIT)) if length > 0 else np.full(len(size), np.inf)
    d = max(1, rows.shape[1])
    if isinstance(kernel, Poly):
        radius = np.array(
            [
                _poly_radius(kernel, float(np.linalg.norm(x)) * (1 + 1e-12), r)
                for x, r in zip(rows, ratio, strict=True)
            ]
        )
        own = "l2"
    else:
        with np.errstate(divide="ignore"):
            reach = -np.log1p(-np.minimum(1.0, 0.5 * ratio * ratio)) / float(kernel.gamma)
        radius, own = (np.sqrt(reach), "l2") if isinstance(kernel, Rbf) else (reach, "l1")
    shrink = {
        "l2": {"l2": 1.0, "l1": 1.0, "linf": math.sqrt(d)},
        "l1": {"l2": math.sqrt(d), "l1": 1.0, "linf": float(d)},
    }
    return radius / shrink[own][norm] * (1.0 - 1e-12)


def _combination(
    kernel: Rbf | Laplacian | Poly, X: NDArray[np.float64], Z: NDArray[np.float64], c: Vector
) -> tuple[Vector, Vector]:
    """sum_j c_j k(x_i, z_j) and a bound on its rounding error, each (n,)."""
    d, m = X.shape[1], len(c)
    if isinstance(kernel, Poly):
        sizes = np.abs(X) @ np.abs(Z).T * float(kernel.gamma) + abs(kernel.coef0)
        values = (X @ Z.T * float(kernel.gamma) + kernel.coef0) ** kernel.degree
        errors = 2.0 * kernel.degree * (d + 8) * UNIT * sizes**kernel.degree
    else:
        distances = cdist(X, Z, "sqeuclidean") if isinstance(kernel, Rbf) else cdist(X, Z, "cityblock")
        exponent = float(kernel.gamma) * distances
        values = np.exp(-exponent)
        errors = values * (exponent * (d + 8) + 8) * 2.0 * UNIT
    size = np.abs(values) @ np.abs(c)
    return values @ c, (errors @ np.abs(c)) * 1.01 + 2.0 * (m + 4) * UNIT * size


def _poly_radius(kernel: Poly, length: float, ratio: float) -> float:
    """The largest r found with r sqrt(h'(s^2) + h''(s^2) s^2) <= ratio, s = ||x|| + r; h must be increasing."""
    if not (float(kernel.gamma) > 0 and kernel.coef0 >= 0 and kernel.degree >= 1):
        raise ValueError("The robustness radius of a poly kernel needs gamma > 0 and coef0 >= 0.")
    if math.isinf(ratio):
        return math.inf
    p, g = kernel.degree, float(kernel.gamma)

    def moved(r: float) -> float:
        s2 = (length + r) ** 2
        t = g * s2 + kernel.coef0
        rate = p * g * t ** (p - 1) + (p * (p - 1) * g * g * t ** (p - 2) * s2 if p > 1 else 0.0)
        return r * math.sqrt(rate) * (1 + 1e-12)

    low, high = 0.0, 1.0
    while moved(high) <= ratio and high < 1e150:
        low, high = high, 2.0 * high
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if moved(middle) <= ratio else (low, middle)
    return low


def dense(X: Any) -> NDArray[np.float64]:
    """X as a float64 array."""
    is_sparse = bool(sparse.issparse(X))
    return np.asarray(X.toarray() if is_sparse else X, dtype=np.float64)
