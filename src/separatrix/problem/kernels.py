"""Kernel functions: inner products in a space that is never built.

    linear       x.z
    poly         (gamma x.z + coef0)^degree
    rbf          exp(-gamma ||x - z||^2)
    sigmoid      tanh(gamma x.z + coef0)          not positive semidefinite in general
    laplacian    exp(-gamma ||x - z||_1)
    function     any function(X, Z) -> (n, m) array
    precomputed  X already holds the values

Each kernel is a small frozen object with ``matrix(X, Z)`` (n, m) and ``diagonal(X)`` (n,), both float64, for
dense arrays and CSR. gamma "scale" is 1 / (d var(X)), "auto" is 1 / d; both are fixed by `make_kernel`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist

from separatrix.problem.rows import row_blocks

Vector = NDArray[np.float64]
Gram = NDArray[np.float64]


class Kernel(Protocol):
    """What a solver needs of a kernel."""

    @property
    def name(self) -> str:
        """As in ``SVC(kernel=...)``."""
        ...

    def matrix(self, X: Any, Z: Any) -> Gram:
        """k(x_i, z_j), shape (n, m)."""
        ...

    def diagonal(self, X: Any) -> Vector:
        """k(x_i, x_i), shape (n,)."""
        ...


def inner_products(X: Any, Z: Any) -> Gram:
    """x_i.z_j in float64, shape (n, m), without widening X as a whole.

    >>> inner_products(np.array([[1, 2]], dtype=np.float32), np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([[11.,  2.]])
    """
    other = Z.astype(np.float64)
    out = np.empty((X.shape[0], Z.shape[0]))
    for rows, block in row_blocks(X):
        out[rows] = _dense(block @ other.T)
    return out


def squared_norms(X: Any) -> Vector:
    """||x_i||^2 in float64, shape (n,).

    >>> squared_norms(np.array([[3.0, 4.0]]))
    array([25.])
    """
    out = np.empty(X.shape[0])
    for rows, block in row_blocks(X):
        is_sparse = bool(sparse.issparse(block))
        squares = block.multiply(block) if is_sparse else block * block
        out[rows] = np.asarray(squares.sum(axis=1)).ravel()
    return out


@dataclass(frozen=True)
class Linear:
    """x.z

    >>> Linear().matrix(np.eye(2), np.ones((1, 2)))
    array([[1.],
           [1.]])
    """

    name: str = "linear"

    def matrix(self, X: Any, Z: Any) -> Gram:
        """x_i.z_j, shape (n, m)."""
        return inner_products(X, Z)

    def diagonal(self, X: Any) -> Vector:
        """||x_i||^2, shape (n,)."""
        return squared_norms(X)


@dataclass(frozen=True)
class Poly:
    """(gamma x.z + coef0)^degree"""

    degree: int
    gamma: float
    coef0: float
    name: str = "poly"

    def matrix(self, X: Any, Z: Any) -> Gram:
        """(gamma x_i.z_j + coef0)^degree, shape (n, m)."""
        return self._of(inner_products(X, Z))

    def diagonal(self, X: Any) -> Vector:
        """The same for i = j, shape (n,)."""
        return self._of(squared_norms(X))

    def _of(self, products: NDArray[np.float64]) -> NDArray[np.float64]:
        products *= self.gamma
        products += self.coef0
        return np.asarray(products**self.degree)


@dataclass(frozen=True)
class Rbf:
    """exp(-gamma ||x - z||^2)

    >>> Rbf(gamma=1.0).diagonal(np.ones((2, 3)))
    array([1., 1.])
    """

    gamma: float
    name: str = "rbf"

    def matrix(self, X: Any, Z: Any) -> Gram:
        """exp(-gamma ||x_i - z_j||^2), shape (n, m)."""
        distances = inner_products(X, Z)
        distances *= -2.0
        distances += squared_norms(X)[:, None]
        distances += squared_norms(Z)[None, :]
        np.maximum(distances, 0.0, out=distances)  # rounding may leave a distance a little below zero
        distances *= -self.gamma
        return np.asarray(np.exp(distances, out=distances))

    def diagonal(self, X: Any) -> Vector:
        """Ones, shape (n,)."""
        return np.ones(X.shape[0])


@dataclass(frozen=True)
class Sigmoid:
    """tanh(gamma x.z + coef0)"""

    gamma: float
    coef0: float
    name: str = "sigmoid"

    def matrix(self, X: Any, Z: Any) -> Gram:
        """tanh(gamma x_i.z_j + coef0), shape (n, m)."""
        return np.asarray(np.tanh(self.gamma * inner_products(X, Z) + self.coef0))

    def diagonal(self, X: Any) -> Vector:
        """The same for i = j, shape (n,)."""
        return np.asarray(np.tanh(self.gamma * squared_norms(X) + self.coef0))


@dataclass(frozen=True)
class Laplacian:
    """exp(-gamma ||x - z||_1)"""

    gamma: float
    name: str = "laplacian"

    def matrix(self, X: Any, Z: Any) -> Gram:
        """exp(-gamma ||x_i - z_j||_1), shape (n, m)."""
        return np.asarray(np.exp(-self.gamma * cdist(_dense(X), _dense(Z), "cityblock")))

    def diagonal(self, X: Any) -> Vector:
        """Ones, shape (n,)."""
        return np.ones(X.shape[0])


@dataclass(frozen=True)
class Function:
    """A kernel the caller wrote: ``function(X, Z)`` returns an (n, m) array."""

    function: Callable[[Any, Any], Any]
    name: str = "function"

    def matrix(self, X: Any, Z: Any) -> Gram:
        """function(X, Z), shape (n, m)."""
        values = np.asarray(self.function(X, Z), dtype=np.float64)
        if values.shape != (X.shape[0], Z.shape[0]):
            raise ValueError(
                f"The kernel function must return an array of shape {(X.shape[0], Z.shape[0])}, one value "
                f"for each pair of rows; got shape {values.shape}."
            )
        return values

    def diagonal(self, X: Any) -> Vector:
        """function(x_i, x_i), shape (n,), one row at a time."""
        return np.array([self.matrix(X[i : i + 1], X[i : i + 1])[0, 0] for i in range(X.shape[0])])


@dataclass(frozen=True)
class Precomputed:
    """X holds k(x_i, z_j) itself. Z stands for the training rows and is not read."""

    name: str = "precomputed"

    def matrix(self, X: Any, Z: Any) -> Gram:
        """X as it is, shape (n, m)."""
        return _dense(X)

    def diagonal(self, X: Any) -> Vector:
        """The diagonal of the square matrix of the training rows, shape (n,)."""
        return np.array(_dense(X).diagonal())


def make_kernel(
    kernel: str | Callable[[Any, Any], Any], X: Any, degree: int = 3, gamma: Any = "scale", coef0: float = 0.0
) -> Kernel:
    """The kernel by name, with gamma worked out from the rows X.

    >>> make_kernel("rbf", np.array([[0.0, 2.0]]), gamma="scale")
    Rbf(gamma=0.5, name='rbf')
    """
    if callable(kernel):
        return Function(kernel)
    if kernel == "linear":
        return Linear()
    if kernel == "precomputed":
        return Precomputed()
    width = kernel_width(gamma, X)
    makers: dict[str, Callable[[], Kernel]] = {
        "poly": lambda: Poly(int(degree), width, float(coef0)),
        "rbf": lambda: Rbf(width),
        "sigmoid": lambda: Sigmoid(width, float(coef0)),
        "laplacian": lambda: Laplacian(width),
    }
    if kernel not in makers:
        names = ", ".join(repr(name) for name in ("linear", *makers, "precomputed"))
        raise ValueError(f"kernel must be one of {names} or a function; got {kernel!r}.")
    return makers[kernel]()


def kernel_width(gamma: Any, X: Any) -> float:
    """gamma as a number: "scale" is 1 / (d var(X)), "auto" is 1 / d.

    >>> kernel_width("auto", np.zeros((3, 4)))
    0.25
    """
    columns = max(1, int(X.shape[1]))
    if gamma == "auto":
        return 1.0 / columns
    if gamma != "scale":
        return float(gamma)
    entries = X.shape[0] * columns
    is_sparse = bool(sparse.issparse(X))
    if is_sparse:
        mean = float(X.sum(dtype=np.float64)) / entries
        variance = float(np.sum(X.data.astype(np.float64) ** 2)) / entries - mean * mean
    else:
        variance = float(np.var(X, dtype=np.float64))
    return 1.0 / (columns * variance) if variance > 0 else 1.0


def _dense(X: Any) -> NDArray[np.float64]:
    is_sparse = bool(sparse.issparse(X))
    return np.asarray(X.toarray() if is_sparse else X, dtype=np.float64)
