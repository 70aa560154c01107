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

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from separatrix.problem.conversion import is_sparse, to_dense
from separatrix.problem.kernel_algebra import Combines as Combines
from separatrix.problem.kernel_algebra import Kernel as Kernel
from separatrix.problem.kernel_algebra import Product as Product
from separatrix.problem.kernel_algebra import Scaled as Scaled
from separatrix.problem.kernel_algebra import Sum as Sum
from separatrix.problem.rows import Gram, inner_products, row_blocks, squared_norms
from separatrix.types import Vector

#: gamma: a number, "scale" for 1 / (d var(X)) over all entries of the rows, or "auto" for 1 / d.
Width: TypeAlias = float | Literal["scale", "auto"]


@dataclass(frozen=True)
class Linear(Combines):
    """x.z

    >>> Linear().matrix(np.eye(2), np.ones((1, 2)))
    array([[1.],
           [1.]])
    """

    name: ClassVar[str] = "linear"
    definite: ClassVar[bool] = True

    def matrix(self, X: Any, Z: Any) -> Gram:
        """x_i.z_j, shape (n, m)."""
        return inner_products(X, Z)

    def diagonal(self, X: Any) -> Vector:
        """||x_i||^2, shape (n,)."""
        return squared_norms(X)


class HasWidth(Combines):
    """A kernel with a width gamma, which may follow from the rows."""

    gamma: Width

    def __post_init__(self) -> None:
        check_width(self.gamma)

    def fixed(self, X: Any, weights: Vector | None = None) -> Any:
        """With gamma as a number."""
        return replace(self, gamma=kernel_width(self.gamma, X, weights))  # type: ignore[type-var]


@dataclass(frozen=True)
class Poly(HasWidth):
    """(gamma x.z + coef0)^degree, positive semidefinite for coef0 >= 0."""

    degree: int = 3
    gamma: Width = "scale"
    coef0: float = 0.0
    name: ClassVar[str] = "poly"

    @property
    def definite(self) -> bool:
        """Its power series has no negative coefficient."""
        return self.coef0 >= 0

    def matrix(self, X: Any, Z: Any) -> Gram:
        """(gamma x_i.z_j + coef0)^degree, shape (n, m)."""
        return self._of(inner_products(X, Z))

    def diagonal(self, X: Any) -> Vector:
        """The same for i = j, shape (n,)."""
        return self._of(squared_norms(X))

    def _of(self, products: NDArray[np.float64]) -> NDArray[np.float64]:
        products *= number(self.gamma)
        products += self.coef0
        return whole_power(products, self.degree)


def squared_distances(X: Any, Z: Any) -> Gram:
    """||x_i - z_j||^2 in float64, shape (n, m).

    >>> squared_distances(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]))
    array([[25.]])
    """
    distances = inner_products(X, Z)
    distances *= -2.0
    norms = squared_norms(X)
    distances += norms[:, None]
    distances += (norms if Z is X else squared_norms(Z))[None, :]
    return np.maximum(distances, 0.0, out=distances)  # rounding may leave a distance a little below zero


@dataclass(frozen=True)
class Rbf(HasWidth):
    """exp(-gamma ||x - z||^2)

    >>> Rbf(gamma=1.0).diagonal(np.ones((2, 3)))
    array([1., 1.])
    """

    gamma: Width = "scale"
    name: ClassVar[str] = "rbf"
    definite: ClassVar[bool] = True

    def matrix(self, X: Any, Z: Any) -> Gram:
        """exp(-gamma ||x_i - z_j||^2), shape (n, m)."""
        distances = squared_distances(X, Z)
        distances *= -number(self.gamma)
        return np.asarray(np.exp(distances, out=distances))

    def diagonal(self, X: Any) -> Vector:
        """Ones, shape (n,)."""
        return np.ones(X.shape[0])


@dataclass(frozen=True)
class Sigmoid(HasWidth):
    """tanh(gamma x.z + coef0), which no theorem makes positive semidefinite."""

    gamma: Width = "scale"
    coef0: float = 0.0
    name: ClassVar[str] = "sigmoid"
    definite: ClassVar[bool] = False

    def matrix(self, X: Any, Z: Any) -> Gram:
        """tanh(gamma x_i.z_j + coef0), shape (n, m)."""
        return np.asarray(np.tanh(number(self.gamma) * inner_products(X, Z) + self.coef0))

    def diagonal(self, X: Any) -> Vector:
        """The same for i = j, shape (n,)."""
        return np.asarray(np.tanh(number(self.gamma) * squared_norms(X) + self.coef0))


@dataclass(frozen=True)
class Laplacian(HasWidth):
    """exp(-gamma ||x - z||_1)"""

    gamma: Width = "scale"
    name: ClassVar[str] = "laplacian"
    definite: ClassVar[bool] = True

    def matrix(self, X: Any, Z: Any) -> Gram:
        """exp(-gamma ||x_i - z_j||_1), shape (n, m)."""
        from scipy.spatial.distance import cdist  # slow to import

        return np.asarray(np.exp(-number(self.gamma) * cdist(to_dense(X), to_dense(Z), "cityblock")))

    def diagonal(self, X: Any) -> Vector:
        """Ones, shape (n,)."""
        return np.ones(X.shape[0])


@dataclass(frozen=True)
class Function(Combines):
    """A kernel the caller wrote: ``function(X, Z)`` returns an (n, m) array."""

    function: Callable[[Any, Any], Any]
    name: ClassVar[str] = "function"
    definite: ClassVar[bool] = False

    def matrix(self, X: Any, Z: Any) -> Gram:
        """function(X, Z), shape (n, m)."""
        values = to_dense(self.function(X, Z))
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
class Precomputed(Combines):
    """X holds k(x_i, z_j) itself. Z stands for the training rows and is not read."""

    name: ClassVar[str] = "precomputed"
    definite: ClassVar[bool] = False

    def matrix(self, X: Any, Z: Any) -> Gram:
        """X as it is, shape (n, m)."""
        return to_dense(X)

    def diagonal(self, X: Any) -> Vector:
        """The diagonal of the square matrix of the training rows, shape (n,)."""
        return np.array(to_dense(X).diagonal())


#: The class of each kernel that numbers and other kernels make up: all but a function of the caller's.
KERNELS: dict[str, type[Any]] = {
    kernel.name: kernel
    for kernel in (Linear, Poly, Rbf, Sigmoid, Laplacian, Precomputed, Sum, Product, Scaled)
}


def make_kernel(
    kernel: str | Combines | Callable[[Any, Any], Any],
    X: Any,
    degree: int = 3,
    gamma: Any = "scale",
    coef0: float = 0.0,
    weights: Vector | None = None,
) -> Kernel:
    """The kernel by name or as an object, with gamma worked out from the rows X.

    >>> make_kernel("rbf", np.array([[0.0, 2.0]]), gamma="scale")
    Rbf(gamma=0.5)
    >>> make_kernel(Rbf() + Linear(), np.array([[0.0, 2.0]]))
    Sum(first=Rbf(gamma=0.5), second=Linear())
    """
    if isinstance(kernel, Combines):
        return _as_kernel(kernel).fixed(X, weights)
    if callable(kernel):
        return Function(kernel)
    if kernel == "linear":
        return Linear()
    if kernel == "precomputed":
        return Precomputed()
    width = kernel_width(gamma, X, weights)
    makers: dict[str, Callable[[], Kernel]] = {
        "poly": lambda: Poly(int(degree), width, float(coef0)),
        "rbf": lambda: Rbf(width),
        "sigmoid": lambda: Sigmoid(width, float(coef0)),
        "laplacian": lambda: Laplacian(width),
    }
    if kernel not in makers:
        names = ", ".join(repr(name) for name in ("linear", *makers, "precomputed"))
        raise ValueError(f"kernel must be one of {names} a kernel object or a function; got {kernel!r}.")
    return makers[kernel]()


def _as_kernel(kernel: Any) -> Kernel:
    whole: Kernel = kernel
    return whole


def whole_power(values: NDArray[np.float64], degree: int) -> NDArray[np.float64]:
    """values^degree by repeated products, which is several times faster than a power of floats.

    >>> whole_power(np.array([2.0, -1.0]), 5)
    array([32., -1.])
    """
    if degree == 0:
        return np.ones_like(values)
    result = values
    for bit in bin(degree)[3:]:  # from the second highest
        result = result * result
        result = result * values if bit == "1" else result
    return result


def check_width(gamma: Any) -> None:
    """Raise a sentence unless gamma is a width.

    >>> check_width("wide")
    Traceback (most recent call last):
    ValueError: gamma must be 'scale', 'auto' or a finite number of at least 0; got 'wide'.
    """
    is_number = isinstance(gamma, Real) and not isinstance(gamma, bool) and 0 <= float(gamma) < math.inf
    if not is_number and gamma not in ("scale", "auto"):
        raise ValueError(f"gamma must be 'scale', 'auto' or a finite number of at least 0; got {gamma!r}.")


def number(gamma: Width) -> float:
    """gamma as a number; "scale" and "auto" must have been worked out from the rows before."""
    if isinstance(gamma, str):
        raise ValueError(f"gamma={gamma!r} depends on the rows: call kernel.fixed(X) first.")
    return float(gamma)


def kernel_width(gamma: Any, X: Any, weights: Vector | None = None) -> float:
    """gamma as a number; a weight k counts a row of X k times.

    >>> kernel_width("auto", np.zeros((3, 4)))
    0.25
    >>> X = np.array([[0.0], [2.0]])
    >>> kernel_width("scale", X), kernel_width("scale", X, np.array([1.0, 0.0]))
    (1.0, 1.0)
    """
    columns = max(1, int(X.shape[1]))
    if gamma == "auto":
        return 1.0 / columns
    if gamma != "scale":
        return float(gamma)
    total = mean = square = 0.0
    if weights is None and not is_sparse(X):
        # np.var(X) to the last bit, in half of its time where X is small
        with np.errstate(over="ignore"):  # such rows are refused later, with a sentence
            centred = np.subtract(X, X.sum(dtype=np.float64) / X.size, dtype=np.float64)
            variance = float(np.square(centred, out=centred).sum()) / X.size
        return 1.0 / (columns * variance) if variance > 0 else 1.0
    for rows, block in row_blocks(X):
        counts = np.ones(block.shape[0]) if weights is None else weights[rows]
        squares = block.multiply(block) if is_sparse(block) else block * block
        total += float(counts.sum()) * columns
        mean += float(counts @ np.asarray(block.sum(axis=1)).ravel())
        square += float(counts @ np.asarray(squares.sum(axis=1)).ravel())
    variance = square / total - (mean / total) ** 2
    return 1.0 / (columns * variance) if variance > 1e-14 * square / total else 1.0
