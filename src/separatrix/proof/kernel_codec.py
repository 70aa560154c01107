"""A kernel as a certificate writes it, and back (docs/certificate-format.md, section 5)."""

from __future__ import annotations

from typing import Any

from separatrix.checker import kernels as exact
from separatrix.checker.numbers import Rejected
from separatrix.problem.kernel_width import number
from separatrix.problem.kernels import (
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
from separatrix.proof.writing import write_real


def write_kernel(kernel: Kernel) -> dict[str, Any]:
    """The JSON form; a function of the caller's has a name and nothing else. Raises a sentence where there is none.

    >>> write_kernel(2 * Linear())
    {'name': 'scaled', 'factor': '0x1.0000000000000p+1', 'parts': [{'name': 'linear'}]}
    """
    record = _written(kernel)
    try:
        exact.read_kernel(record)
    except Rejected as rejection:
        raise ValueError(f"No certificate can be made with this kernel: {rejection}") from None
    return record


def _written(kernel: Kernel) -> dict[str, Any]:
    if isinstance(kernel, Sum | Product):
        return {"name": kernel.name, "parts": [_written(kernel.first), _written(kernel.second)]}
    if isinstance(kernel, Scaled):
        return {"name": "scaled", "factor": write_real(kernel.factor), "parts": [_written(kernel.kernel)]}
    record: dict[str, Any] = {"name": kernel.name}
    if isinstance(kernel, Poly):
        record["degree"] = int(kernel.degree)
    if isinstance(kernel, Poly | Rbf | Sigmoid | Laplacian):
        record["gamma"] = write_real(number(kernel.gamma))
    if isinstance(kernel, Poly | Sigmoid):
        record["coef0"] = write_real(float(kernel.coef0))
    return record


def build_kernel(kernel: exact.Kernel) -> Kernel:
    """The kernel that a certificate speaks of."""
    parts = [build_kernel(part) for part in kernel.parts]
    if kernel.name == "sum":
        return Sum(*parts)
    if kernel.name == "product":
        return Product(*parts)
    if kernel.name == "scaled":
        return Scaled(kernel.factor, *parts)
    if kernel.name == "poly":
        return Poly(kernel.degree, kernel.gamma, kernel.coef0)
    if kernel.name == "sigmoid":
        return Sigmoid(kernel.gamma, kernel.coef0)
    if kernel.name == "rbf":
        return Rbf(kernel.gamma)
    if kernel.name == "laplacian":
        return Laplacian(kernel.gamma)
    return Linear() if kernel.name == "linear" else Precomputed()
