"""verify: check a certificate against the data it speaks of, exactly or in rigorous floating point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from separatrix.checker.check import SEPARATION, Verification
from separatrix.checker.check import check as check_document
from separatrix.checker.data import ScaledRows
from separatrix.checker.kernels import DECIDED_ROWS
from separatrix.checker.numbers import Rejected
from separatrix.checker.statement import Claim, Proved
from separatrix.problem import is_sparse
from separatrix.proof import mistakes, optimal, separation
from separatrix.proof.arrays import AFFORDABLE, ArrayRows, array_rows, kernel_effort, linear_effort, read_rows
from separatrix.proof.certificate import Certificate
from separatrix.proof.fingerprint import fingerprint_labels, fingerprint_rows, label_text, read_labels

_LABELS = ("positive", "negative")  # expectations that are labels


def verify(
    certificate: Certificate,
    X: Any,
    y: Any,
    exact: bool | None = None,
    *,
    kernel: Callable[..., Any] | None = None,
    expect: dict[str, Any] | None = None,
) -> Verification:
    """Check a certificate against rows X (n, d) and the labels y (n,) as they were given to the fit.

    The result is true if the claim is proved; ``reason`` is the whole statement, or why it is not proved, and
    ``arithmetic`` says how. Wrong data or a wrong certificate are an answer, never an exception.

    Parameters
    ----------
    exact
        True: in exact arithmetic, without a tolerance, by the code of the stand-alone checker; seconds for millions
        of entries. False: in floating point, where a claim passes only if it holds whatever the rounding; a few
        passes over the data. None: exactly where that takes less than about a second.
    kernel
        A kernel that is a function of yours is in no certificate: give it here; it is called with (X, X).
    expect
        What must be proved, such as ``{"C": 1.0, "rows": "all", "kernel": "linear"}``: a proof of another problem is
        rejected. Keys are kind, positive and negative (labels), rows ("all" or how many take part), gap (the
        largest), and the fields of the problem: loss, bias, kernel, C, classes, algorithm, step, start, gain, and
        scaling ("none", or "given" where the claim is about scaled columns).
    """
    if not isinstance(certificate, Certificate):
        raise TypeError(f"verify needs a Certificate; got {type(certificate).__name__}.")
    try:
        rows, labels = read_rows(X), read_labels(y)
        table, K = ArrayRows(rows), None
        if kernel is not None:
            points = _points(certificate, table)
            K = ArrayRows(read_rows(kernel(points, points)))
        marks = fingerprint_rows(rows), fingerprint_labels(labels)
        wanted = {name: _texts(each) if name in _LABELS else each for name, each in (expect or {}).items()}
        floats = exact is False or (exact is None and not _affordable(certificate, rows))
        document = certificate.body()
    except Exception as error:
        sentence = (
            str(error) if isinstance(error, Rejected | ValueError) else f"{type(error).__name__}: {error}"
        )
        return Verification("rejected", f"The data cannot be checked: {sentence}", certificate.kind)
    if floats and has_float_check(certificate):
        found = check_document(
            document, table, labels.plain(), *marks, wanted, K, in_floats, "rigorous floats"
        )
        if found or certificate.kind != "mistakes":
            return found  # a bound on mistakes is an integer, which floats may be too coarse to decide
    return check_document(document, table, labels.plain(), *marks, wanted, K)


def _points(certificate: Certificate, table: ArrayRows) -> Any:
    """The rows that the claim is about: those given, or these with their columns scaled."""
    scaling = certificate.problem.get("scaling")
    return table.X if scaling is None else array_rows(ScaledRows(table, scaling))


def _texts(labels: Any) -> list[str]:
    return [label_text(label) for label in (labels if isinstance(labels, list | tuple) else [labels])]


def has_float_check(certificate: Certificate) -> bool:
    """True if the claim has a check in rigorous floats.

    Claims about many classes (but for mistakes), about estimates, and contradictions with a kernel have none.
    """
    if certificate.problem.get("classes") != "two" or "estimates" in certificate.proof:
        return certificate.kind == "mistakes"
    return certificate.kind != "inseparable" or not isinstance(certificate.problem.get("kernel"), dict)


def in_floats(claim: Claim) -> Proved:
    """Check a claim in floating point, so that it passes only if it holds whatever the rounding."""
    curved = isinstance(claim.problem.get("kernel"), dict)
    if claim.kind in SEPARATION and curved:
        raise Rejected("In the space of a kernel only inseparable claims about two sides are known.")
    if claim.kind == "optimal":
        return optimal.check(claim)
    return mistakes.check(claim) if claim.kind == "mistakes" else separation.check(claim)


def _affordable(certificate: Certificate, X: Any) -> bool:
    """True if a check should be exact where nobody says so: it is quick, and can decide as much as floats can."""
    kernel = certificate.problem.get("kernel")
    given = isinstance(kernel, dict) and kernel.get("name") in ("precomputed", "function")
    try:
        effort = _effort(certificate, X)
        if is_sparse(X) and certificate.problem.get("scaling", {"shift": {"values": []}})["shift"]["values"]:
            effort *= max(1, X.shape[0] * X.shape[1] // max(1, X.nnz))  # shifted, zeros are zero no longer
    except (TypeError, KeyError):  # malformed, which the exact check says best
        return True
    return effort <= AFFORDABLE and not (given and X.shape[0] > DECIDED_ROWS)


def _effort(certificate: Certificate, X: Any) -> int:
    """The work of an exact check."""
    planes = len(certificate.data.positive) if certificate.problem.get("classes") != "two" else 1
    if certificate.kind != "optimal" or not isinstance(certificate.problem.get("kernel"), dict):
        return linear_effort(X, planes)
    support = max(
        (
            len(certificate.proof[name]["values"])
            for name in ("alpha", "coef", "beta")
            if name in certificate.proof
        ),
        default=0,
    )
    return kernel_effort(X.shape[0], support, X.shape[1])
