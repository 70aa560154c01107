"""verify: check a certificate against the data it speaks of, in rigorous floating point or exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from separatrix.checker.certificate import Certificate
from separatrix.checker.check import compare_digests, compare_shape, conclude, known
from separatrix.checker.kinds import EXACT_CHECKS, has_kernel, needs_function, only_exact, parts
from separatrix.checker.verdict import Proved, Rejected, Verification
from separatrix.proof import kernel_optimal, mistakes, optimal, separation
from separatrix.proof.arrays import ArrayRows, read_rows
from separatrix.proof.fingerprint import fingerprint_labels, fingerprint_rows
from separatrix.proof.labels import read_labels

#: Gets the certificate, X (dense or CSR, finite) and each row's side; a kind without one is checked exactly.
RigorousCheck: TypeAlias = Callable[[Certificate, Any, NDArray[np.int8]], Proved]


def _optimal(certificate: Certificate, X: Any, side: NDArray[np.int8]) -> Proved:
    check = kernel_optimal.check if has_kernel(certificate) else optimal.check
    return check(certificate, X, side)


RIGOROUS_CHECKS: dict[str, RigorousCheck] = {
    "optimal": _optimal,
    "separating": separation.check_separating,
    "inseparable": separation.check_inseparable,
    "quasi-separable": separation.check_quasi,
    "mistakes": mistakes.check,
}


def verify(
    certificate: Certificate, X: Any, y: Any, exact: bool = False, *, kernel: Callable[..., Any] | None = None
) -> Verification:
    """Check a certificate against rows X (n, d) and the labels y (n,) as they were given to the fit.

    With ``exact=False`` the claim passes only if it holds whatever the rounding; a few passes over the data.
    With ``exact=True`` floats are rationals and no tolerance is used; seconds for millions of entries.
    A kernel that is a function of yours is in no certificate: give it as ``kernel``, called with (X, X).
    The result is true if the claim is proved; ``reason`` says why, or why not. Wrong data or a wrong
    certificate are an answer, never an exception.
    """
    if not isinstance(certificate, Certificate):
        raise TypeError(f"verify needs a Certificate; got {type(certificate).__name__}.")

    def course() -> Proved:
        exact_check = known(certificate, EXACT_CHECKS)
        rows = read_rows(X)
        try:
            labels = read_labels(y)
        except ValueError as error:
            raise Rejected(str(error)) from None
        if len(labels.codes) != rows.shape[0]:
            raise Rejected(f"X has {rows.shape[0]} rows and y has {len(labels.codes)} labels.")
        compare_shape(certificate, *rows.shape)
        compare_digests(certificate, fingerprint_rows(rows), fingerprint_labels(labels))
        if kernel is not None:
            rows = read_rows(kernel(rows, rows))
        elif needs_function(certificate):
            raise Rejected("The kernel is a function that the certificate does not hold; give it as kernel=.")
        part = parts(certificate, labels.classes, labels.codes.tolist())
        rigorous_check = RIGOROUS_CHECKS.get(certificate.kind)
        if exact or rigorous_check is None or only_exact(certificate):
            return exact_check(certificate, ArrayRows(rows), part)
        return rigorous_check(certificate, rows, np.array(part, dtype=np.int8))

    return conclude(certificate.kind, course)
