"""Kernels for ``SVC(kernel=...)``, as objects that add and multiply.

>>> import numpy as np
>>> from separatrix import SVC, kernels
>>> X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), [0, 0, 1, 1]
>>> mixed = kernels.Rbf(gamma=1.0) + 0.1 * kernels.Poly(degree=2)
>>> SVC(100.0, kernel=mixed).fit(X, y).predict(X).tolist()
[0, 0, 1, 1]
"""

from separatrix.problem.kernels import (
    Function,
    Kernel,
    Laplacian,
    Linear,
    Poly,
    Precomputed,
    Product,
    Rbf,
    Scaled,
    Sigmoid,
    Sum,
)

__all__ = [
    "Function",
    "Kernel",
    "Laplacian",
    "Linear",
    "Poly",
    "Precomputed",
    "Product",
    "Rbf",
    "Scaled",
    "Sigmoid",
    "Sum",
]
