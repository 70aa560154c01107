"""Scores in a kernel's space: sum_j coef_j k(x_i, s_j), block by block in the compiled core.

float32 points are multiplied in float32 and summed in float64; float64 points are treated in float64
throughout. Kernels that the core does not know (functions, sums, products, precomputed) go through their own
``matrix``, a block of rows at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix import _core
from separatrix.problem.kernels import Kernel, Laplacian, Linear, Poly, Rbf, Sigmoid
from separatrix.solvers.compiled import compiled_rows

_BLOCK = 1 << 21  # kernel values held at a time where the core does not know the kernel: 16 MiB


def kernel_scores(
    kernel: Kernel, X: Any, support: Any, coef: NDArray[np.float64], n_threads: int = 1
) -> NDArray[np.float64]:
    """sum_j coef_j k(x_i, s_j), shape (n,) for coef (m,) and (n, c) for coef (m, c), in float64.

    X (n, d) and support (m, d) are both dense or both CSR. With a precomputed kernel X (n, m) holds the values
    and support is not read.

    >>> kernel_scores(Rbf(1.0), np.array([[0.0], [1.0]]), np.array([[0.0]]), np.array([2.0])).round(6)
    array([2.      , 0.735759])
    """
    columns = np.ascontiguousarray(coef[:, None] if coef.ndim == 1 else coef, dtype=np.float64)
    out = np.zeros((X.shape[0], columns.shape[1]))
    formula = core_formula(kernel)
    if formula is None:
        _by_matrix(kernel, X, support, columns, out)
    elif len(columns):
        wide = X.dtype != np.float32 or support.dtype != np.float32
        targets, sources = core_points(X), core_points(support)
        _core.kernel_scores(formula, targets, sources, columns, out, wide=wide, n_threads=n_threads)
    return out[:, 0] if coef.ndim == 1 else out


def _by_matrix(
    kernel: Kernel, X: Any, support: Any, coef: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    height = max(1, _BLOCK // max(1, len(coef)))
    for start in range(0, X.shape[0], height):
        rows = slice(start, min(start + height, X.shape[0]))
        out[rows] = kernel.matrix(X[rows], support) @ coef


def core_formula(kernel: Kernel) -> _core.KernelFormula | None:
    """The kernel as the core knows it, or None where it does not."""
    if isinstance(kernel, Linear):
        return _core.KernelFormula("linear")
    if isinstance(kernel, Poly):
        return _core.KernelFormula("poly", float(kernel.gamma), float(kernel.coef0), int(kernel.degree))
    if isinstance(kernel, Rbf):
        return _core.KernelFormula("rbf", float(kernel.gamma))
    if isinstance(kernel, Sigmoid):
        return _core.KernelFormula("sigmoid", float(kernel.gamma), float(kernel.coef0))
    if isinstance(kernel, Laplacian):
        return _core.KernelFormula("laplacian", float(kernel.gamma))
    return None


def core_points(X: Any) -> _core.KernelPoints:
    """The rows of X as points of a kernel; the arrays are shared where their type and layout allow it."""
    return _core.KernelPoints(compiled_rows(X))
