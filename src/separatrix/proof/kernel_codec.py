"""A kernel as a certificate writes it, and back.

{"name": "rbf", "gamma": real}                         {"name": "sum", "parts": [kernel, kernel]}
{"name": "poly", "degree": count, "gamma": real, "coef0": real}   ...   docs/certificate-format.md, section 5
"""

from __future__ import annotations

from typing import Any

from separatrix.checker.codec import write_real
from separatrix.checker.kernel_claim import KernelSpec
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


def write_kernel(kernel: Kernel) -> dict[str, Any]:
    """The JSON form; a function of the caller's has a name and nothing else.

    >>> write_kernel(2 * Linear())
    {'name': 'scaled', 'factor': '0x1.0000000000000p+1', 'parts': [{'name': 'linear'}]}
    """
    if isinstance(kernel, Sum | Product):
        return {"name": kernel.name, "parts": [write_kernel(kernel.first), write_kernel(kernel.second)]}
    if isinstance(kernel, Scaled):
        return {"name": "scaled", "factor": write_real(kernel.factor), "parts": [write_kernel(kernel.kernel)]}
    record: dict[str, Any] = {"name": kernel.name}
    if isinstance(kernel, Poly):
        record["degree"] = int(kernel.degree)
    if isinstance(kernel, Poly | Rbf | Sigmoid | Laplacian):
        record["gamma"] = write_real(number(kernel.gamma))
    if isinstance(kernel, Poly | Sigmoid):
        record["coef0"] = write_real(float(kernel.coef0))
    return record


def build_kernel(spec: KernelSpec) -> Kernel:
    """The kernel that a certificate speaks of."""
    parts = [build_kernel(part) for part in spec.parts]
    if spec.name == "sum":
        return Sum(*parts)
    if spec.name == "product":
        return Product(*parts)
    if spec.name == "scaled":
        return Scaled(spec.factor, *parts)
    if spec.name == "poly":
        return Poly(spec.degree, spec.gamma, spec.coef0)
    if spec.name == "sigmoid":
        return Sigmoid(spec.gamma, spec.coef0)
    if spec.name == "rbf":
        return Rbf(spec.gamma)
    if spec.name == "laplacian":
        return Laplacian(spec.gamma)
    return Linear() if spec.name == "linear" else Precomputed()
