"""The kinds of certificate and the exact check of each.

A check gets the certificate, the rows, and the part of each row: its side (+1, -1), or 1 + its class where the claim is
about all classes at once; 0 takes no part. It returns
`Proved`, or raises `Rejected` with a sentence. By then the fingerprint of the data has been compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from separatrix.checker import joint, kernel_contradiction, kernel_optimal, mistakes, optimal, separation
from separatrix.checker.certificate import Certificate
from separatrix.checker.labels import places, sides
from separatrix.checker.rows import Rows
from separatrix.checker.verdict import Proved

ExactCheck: TypeAlias = Callable[[Certificate, Rows, Sequence[int]], Proved]


def has_kernel(certificate: Certificate) -> bool:
    """Whether the claim is made in the space of a kernel; a linear one is written as a plain word, or not at all."""
    return isinstance(certificate.problem.get("kernel"), dict)


def needs_function(certificate: Certificate) -> bool:
    """Whether the kernel is a function that only its author has."""
    return has_kernel(certificate) and certificate.problem["kernel"].get("name") == "function"


def only_exact(certificate: Certificate) -> bool:
    """Whether the claim has no check in rigorous floats: joint ones, and contradictions in the space of a kernel."""
    return joint.is_joint(certificate) or (has_kernel(certificate) and certificate.kind == "inseparable")


def parts(certificate: Certificate, classes: Sequence[str], codes: Sequence[int]) -> list[int]:
    """The part of each row, whose label text is ``classes[codes[i]]``, in the claim."""
    source = certificate.data
    if joint.is_joint(certificate):
        by_class = places(classes, source.positive)
    else:
        by_class = sides(classes, source.positive, source.negative)
    out = [by_class[code] for code in codes]
    for row in source.excluded:
        out[row] = 0
    return out


def _optimal(certificate: Certificate, rows: Rows, part: Sequence[int]) -> Proved:
    if joint.is_joint(certificate):
        return joint.check(certificate, rows, part)
    check = kernel_optimal.check if has_kernel(certificate) else optimal.check
    return check(certificate, rows, part)


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
