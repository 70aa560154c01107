"""The course of every check: same data, known kind, then the mathematics of that kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from separatrix.checker.certificate import Certificate
from separatrix.checker.fingerprint import fingerprint_labels, fingerprint_rows
from separatrix.checker.kinds import EXACT_CHECKS, parts
from separatrix.checker.rows import Rows
from separatrix.checker.verdict import Proved, Rejected, Verification

Check = TypeVar("Check")


def check_exactly(
    certificate: Certificate, rows: Rows, classes: Sequence[str], codes: Sequence[int]
) -> Verification:
    """Check a certificate in exact arithmetic; ``classes[codes[i]]`` is the label text of row i."""

    def course() -> Proved:
        exact = known(certificate, EXACT_CHECKS)
        source = certificate.data
        compare_shape(certificate, rows.n_rows, rows.n_columns)
        compare_digests(
            certificate, fingerprint_rows(rows), fingerprint_labels(source.labels, classes, codes)
        )
        return exact(certificate, rows, parts(certificate, classes, codes))

    return conclude(certificate.kind, course)


def known(certificate: Certificate, checks: dict[str, Check]) -> Check:
    """The check of the certificate's kind."""
    if certificate.kind not in checks:
        raise Rejected(f"The kind {certificate.kind!r} is not one of {', '.join(checks)}.")
    return checks[certificate.kind]


def compare_shape(certificate: Certificate, n_rows: int, n_columns: int) -> None:
    """Reject data of another shape."""
    source = certificate.data
    if (n_rows, n_columns) != (source.rows, source.columns):
        raise Rejected(
            f"The certificate speaks of {source.rows} rows and {source.columns} columns; "
            f"the data have {n_rows} and {n_columns}."
        )


def compare_digests(certificate: Certificate, X: str, y: str) -> None:
    """Reject data with another fingerprint."""
    if X != certificate.data.X:
        raise Rejected("The rows X are not those of the certificate: their fingerprint differs.")
    if y != certificate.data.y:
        raise Rejected("The labels y are not those of the certificate: their fingerprint differs.")


def conclude(kind: str, course: Callable[[], Proved]) -> Verification:
    """Run a course of checks and turn its end into a Verification."""
    try:
        proved = course()
    except Rejected as rejection:
        return Verification(False, str(rejection), kind)
    return Verification(True, proved.sentence, kind, proved.primal, proved.dual, proved.gap)
