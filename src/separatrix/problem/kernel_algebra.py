"""Kernels that add, multiply and scale: sums, products and positive multiples of kernels are kernels.

    (k1 + k2)(x, z) = k1(x, z) + k2(x, z)        a k(x, z), a > 0        (k1 * k2)(x, z) = k1(x, z) k2(x, z)

Each is positive semidefinite where its parts are (for the product: Schur, 1911).
Shawe-Taylor, Cristianini, Kernel Methods for Pattern Analysis (2004), proposition 3.22.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Protocol

from separatrix.problem.rows import Gram
from separatrix.types import Vector


class Kernel(Protocol):
    """A kernel, as solvers need it."""

    @property
    def name(self) -> str:
        """As in ``SVC(kernel=...)``."""
        ...

    @property
    def definite(self) -> bool:
        """True if a theorem says that it is positive semidefinite, whatever the rows."""
        ...

    def fixed(self, X: Any, weights: Vector | None = None) -> Kernel:
        """The same kernel with every width that depends on the rows X, repeated by weight, worked out."""
        ...

    def matrix(self, X: Any, Z: Any) -> Gram:
        """k(x_i, z_j), shape (n, m), float64."""
        ...

    def diagonal(self, X: Any) -> Vector:
        """k(x_i, x_i), shape (n,), float64."""
        ...


class Combines:
    """Kernels that can be written with + and *, and that depend on no rows unless they say so.

    >>> from separatrix.problem.kernels import Linear, Rbf
    >>> Rbf(0.5) + 2 * Linear()
    Sum(first=Rbf(gamma=0.5), second=Scaled(factor=2.0, kernel=Linear()))
    """

    def fixed(self, X: Any, weights: Vector | None = None) -> Any:
        """Itself: there is no width to be worked out."""
        return self

    def __add__(self, other: Any) -> Sum:
        return Sum(_part(self), _part(other)) if isinstance(other, Combines) else NotImplemented

    def __mul__(self, other: Any) -> Product | Scaled:
        if isinstance(other, Combines):
            return Product(_part(self), _part(other))
        return Scaled(float(other), _part(self)) if isinstance(other, Real) else NotImplemented

    def __rmul__(self, other: Any) -> Scaled:
        return Scaled(float(other), _part(self)) if isinstance(other, Real) else NotImplemented


def _part(kernel: Any) -> Kernel:
    if kernel.name == "precomputed":
        raise ValueError("A precomputed kernel cannot be combined: add and multiply the matrices instead.")
    part: Kernel = kernel
    return part


@dataclass(frozen=True)
class Pair(Combines):
    """Two kernels combined."""

    first: Kernel
    second: Kernel

    @property
    def definite(self) -> bool:
        """True if both parts are."""
        return self.first.definite and self.second.definite

    def fixed(self, X: Any, weights: Vector | None = None) -> Any:
        """Both parts fixed."""
        return type(self)(self.first.fixed(X, weights), self.second.fixed(X, weights))


class Sum(Pair):
    """k1 + k2"""

    name: ClassVar[str] = "sum"

    def matrix(self, X: Any, Z: Any) -> Gram:
        """k1(x_i, z_j) + k2(x_i, z_j), shape (n, m)."""
        return self.first.matrix(X, Z) + self.second.matrix(X, Z)

    def diagonal(self, X: Any) -> Vector:
        """The same for i = j, shape (n,)."""
        return self.first.diagonal(X) + self.second.diagonal(X)


class Product(Pair):
    """k1 k2"""

    name: ClassVar[str] = "product"

    def matrix(self, X: Any, Z: Any) -> Gram:
        """k1(x_i, z_j) k2(x_i, z_j), shape (n, m)."""
        return self.first.matrix(X, Z) * self.second.matrix(X, Z)

    def diagonal(self, X: Any) -> Vector:
        """The same for i = j, shape (n,)."""
        return self.first.diagonal(X) * self.second.diagonal(X)


@dataclass(frozen=True)
class Scaled(Combines):
    """a k, with a > 0

    >>> from separatrix.problem.kernels import Rbf
    >>> -1 * Rbf(0.5)
    Traceback (most recent call last):
    ValueError: A kernel can be multiplied by a finite number above 0; got -1.0.
    """

    factor: float
    kernel: Kernel
    name: ClassVar[str] = "scaled"

    def __post_init__(self) -> None:
        if not 0 < self.factor < math.inf:
            raise ValueError(f"A kernel can be multiplied by a finite number above 0; got {self.factor!r}.")

    @property
    def definite(self) -> bool:
        """True if the kernel is."""
        return self.kernel.definite

    def fixed(self, X: Any, weights: Vector | None = None) -> Kernel:
        """The kernel fixed."""
        return Scaled(self.factor, self.kernel.fixed(X, weights))

    def matrix(self, X: Any, Z: Any) -> Gram:
        """a k(x_i, z_j), shape (n, m)."""
        return self.factor * self.kernel.matrix(X, Z)

    def diagonal(self, X: Any) -> Vector:
        """The same for i = j, shape (n,)."""
        return self.factor * self.kernel.diagonal(X)
