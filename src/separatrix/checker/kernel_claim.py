"""The content of an `optimal` certificate with a kernel, read and checked for form.

problem   loss, bias, kernel (name, parameters, parts), C (as without a kernel, or "hard": no slack at all)
proof     alpha, b, what they prove (primal, dual, gap); coef where the primal point is not that of alpha
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from separatrix.checker.certificate import Certificate
from separatrix.checker.claim import OptimalClaim, claim_of, exact_names, read_costs
from separatrix.checker.codec import SparseVector, read_count, read_real, read_vector, read_word
from separatrix.checker.verdict import Rejected

_FIELDS: dict[str, tuple[str, ...]] = {
    "linear": (),
    "poly": ("degree", "gamma", "coef0"),
    "rbf": ("gamma",),
    "laplacian": ("gamma",),
    "sigmoid": ("gamma", "coef0"),
    "precomputed": (),
    "function": (),
    "sum": ("parts",),
    "product": ("parts",),
    "scaled": ("factor", "parts"),
}
_PARTS = {"sum": 2, "product": 2, "scaled": 1}
_DEEPEST = 16  # kernels within kernels
_LARGEST_DEGREE = 1000
INFINITE = float("inf")


@dataclass(frozen=True)
class KernelSpec:
    """A kernel by its numbers."""

    name: str
    degree: int = 1
    gamma: float = 1.0
    coef0: float = 0.0
    factor: float = 1.0
    parts: tuple[KernelSpec, ...] = ()

    @property
    def definite(self) -> bool:
        """Whether a theorem says that it is positive semidefinite, whatever the rows."""
        if self.parts:
            return all(part.definite for part in self.parts)
        return self.name in ("linear", "rbf", "laplacian") or (self.name == "poly" and self.coef0 >= 0)

    def names(self) -> set[str]:
        """The names of all kernels in it."""
        return {self.name}.union(*(part.names() for part in self.parts))


@dataclass(frozen=True)
class KernelClaim:
    """An `optimal` claim whose w is sum_i coef_i phi(x_i); a coef of None is alpha_i y_i."""

    kernel: KernelSpec
    hard: bool
    coef: SparseVector | None
    optimal: OptimalClaim


def read_kernel(record: Any, depth: int = 0) -> KernelSpec:
    """The kernel of a certificate; raises `Rejected` where it is malformed or out of range.

    >>> read_kernel({"name": "rbf", "gamma": "0x1.0p+0"}).gamma
    1.0
    """
    name = read_word(record.get("name") if isinstance(record, dict) else None, "The kernel", _FIELDS)
    exact_names(f"kernel {name}", record, {"name", *_FIELDS[name]})
    if depth > _DEEPEST:
        raise Rejected(f"Kernels are nested more than {_DEEPEST} deep.")
    numbers: dict[str, Any] = {
        each: read_real(record[each], each) for each in ("gamma", "coef0", "factor") if each in record
    }
    if numbers.get("gamma", 1.0) < 0 or numbers.get("factor", 1.0) <= 0:
        raise Rejected("gamma must be at least 0, and the factor of a kernel above 0.")
    if "degree" in record:
        numbers["degree"] = read_count(record["degree"], "degree")
        if numbers["degree"] > _LARGEST_DEGREE:
            raise Rejected(f"The degree must be at most {_LARGEST_DEGREE}.")
    parts = record.get("parts", [])
    if not isinstance(parts, list) or len(parts) != _PARTS.get(name, 0):
        raise Rejected(f"The kernel {name} must have {_PARTS.get(name, 0)} parts.")
    inner = tuple(read_kernel(part, depth + 1) for part in parts)
    if any(part.name in ("precomputed", "function") for part in inner):
        raise Rejected("A kernel that was given as a matrix or a function cannot be part of another.")
    return KernelSpec(name, parts=inner, **numbers)


def read_kernel_claim(certificate: Certificate) -> KernelClaim:
    """Read and check everything that does not need the data."""
    n = certificate.data.rows
    problem, proof = certificate.problem, certificate.proof
    exact_names("problem", problem, {"loss", "bias", "kernel", "C"})
    given = {"coef"} if "coef" in proof else set[str]()
    exact_names("proof", proof, {"b", "alpha", "primal", "dual", "gap"} | given)
    hard = problem["C"] == "hard"
    C = (INFINITE, INFINITE) if hard else read_costs(problem["C"], n)
    claim = claim_of(problem, proof, n, C, SparseVector(0, (), ()))
    coef = read_vector(proof["coef"], "coef", n) if given else None
    return KernelClaim(read_kernel(problem["kernel"]), hard, coef, claim)


def condition(kernel: KernelSpec) -> str:
    """What a proof about this kernel depends on, as the end of a sentence; empty where a theorem settles it."""
    if kernel.definite:
        return ""
    return " This holds if the kernel matrix is positive semidefinite, which no theorem says of this kernel."
