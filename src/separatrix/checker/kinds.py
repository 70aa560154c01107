"""The kinds of certificate and the exact check of each.

A check gets the certificate, the rows, and the side (+1, -1, or 0: takes no part) of each row. It returns
`Proved`, or raises `Rejected` with a sentence. By then the fingerprint of the data has been compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from separatrix.checker import kernel_contradiction, kernel_optimal, mistakes, optimal, separation
from separatrix.checker.certificate import Certificate
from separatrix.checker.rows import Rows
from separatrix.checker.verdict import Proved

ExactCheck: TypeAlias = Callable[[Certificate, Rows, Sequence[int]], Proved]


def has_kernel(certificate: Certificate) -> bool:
    """Whether the claim is made in the space of a kernel; a linear one is written as a plain word, or not at all."""
    return isinstance(certificate.problem.get("kernel"), dict)


def needs_function(certificate: Certificate) -> bool:
    """Whether the kernel is a function that only its author has."""
    return has_kernel(certificate) and certificate.problem["kernel"].get("name") == "function"


def _optimal(certificate: Certificate, rows: Rows, side: Sequence[int]) -> Proved:
    check = kernel_optimal.check if has_kernel(certificate) else optimal.check
    return check(certificate, rows, side)


def _inseparable(certificate: Certificate, rows: Rows, side: Sequence[int]) -> Proved:
    check = kernel_contradiction.check if has_kernel(certificate) else separation.check_inseparable
    return check(certificate, rows, side)


EXACT_CHECKS: dict[str, ExactCheck] = {
    "optimal": _optimal,
    "separating": separation.check_separating,
    "inseparable": _inseparable,
    "quasi-separable": separation.check_quasi,
    "mistakes": mistakes.check,
}
