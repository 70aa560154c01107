"""The order of every check: the data, the mathematics of the kind, the statement, what was expected.

This is the one place where a check ends: in `proved`, in `conditional`, or in `rejected` with a sentence, whatever
went wrong on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, nextafter
from typing import Any, Literal

from separatrix.checker import classes, estimates, kernels, linear, mistakes
from separatrix.checker.data import Labels, ScaledRows, Table, read_data
from separatrix.checker.expectations import compare
from separatrix.checker.numbers import Rejected, count, fields, shown, word
from separatrix.checker.statement import Claim, Proved, complete, relative_gap

SEPARATION = ("separating", "inseparable", "quasi-separable")
_LARGEST = (1 << 32) - 1  # rows and columns
Outcome = Literal["proved", "conditional", "rejected"]


@dataclass(frozen=True)
class Verification:
    """The outcome of a check: true if the claim is proved without a condition.

    >>> bool(Verification("rejected", "The data are not those of the certificate.", "optimal"))
    False
    """

    outcome: Outcome
    reason: str  #: the whole statement that was proved, or why it was not
    kind: str
    arithmetic: str = "exact"  #: "exact", or "rigorous floats"
    primal: float | None = None  #: proved upper bound on the optimum
    dual: float | None = None  #: proved lower bound on the optimum

    def __bool__(self) -> bool:
        return self.outcome == "proved"

    @property
    def proved(self) -> bool:
        """True if the claim is proved without a condition."""
        return bool(self)

    @property
    def gap(self) -> float | None:
        """The proved relative gap, rounded up."""
        if self.primal is None or self.dual is None:
            return None
        gap = relative_gap(Fraction(self.dual), Fraction(self.primal))
        return near if (near := float(gap)) >= gap else nextafter(near, inf)


def check(
    document: dict[str, Any],
    table: Table,
    labels: Labels,
    X: str,
    y: str,
    expect: dict[str, Any] | None = None,
    K: Table | None = None,
    mathematics: Callable[[Claim], Proved] | None = None,
    arithmetic: str = "exact",
) -> Verification:
    """Check a document that was read by `document.load`; X and y are the fingerprints of table and labels.

    K is the matrix of a kernel that is a function of the caller's. ``mathematics`` replaces the exact check of the
    kind by another, which then gives its ``arithmetic``.
    """
    kind = document["kind"]
    try:
        problem = read_problem(kind, document["problem"])
        sides = compare_data(document["data"], table, labels, X, y)
        data, scaled = read_data(*sides, problem["classes"] != "two", table, labels), "scaling" in problem
        if scaled:
            data = replace(data, table=ScaledRows(table, problem["scaling"]))
        if (K is not None) != _is_function(problem.get("kernel")):
            raise Rejected(
                "A matrix of kernel values is needed where, and only where, the kernel is a function."
            )
        if K is not None:
            if (K.n_rows, K.n_columns) != (data.n, data.n):
                raise Rejected(f"The matrix must be {data.n} x {data.n}; got {K.n_rows} x {K.n_columns}.")
            data = replace(data, table=K, d=data.n)
        if not isinstance(document["proof"], dict):
            raise Rejected("The field proof must be an object.")
        proved = (mathematics or exactly)(Claim(kind, problem, document["proof"], data))
        statement = complete(proved.sentence, data, scaled)
        if document["claim"] != statement:
            raise Rejected(
                f"The claim of the certificate is not what its numbers prove, which is: {statement}"
            )
        if expect:
            compare(expect, document, data, proved)
    except Exception as error:
        sentence = (
            str(error)
            if isinstance(error, Rejected)
            else f"The check failed: {type(error).__name__}: {error}"
        )
        return Verification("rejected", sentence, shown(kind).strip("'"), arithmetic)
    how = "in exact arithmetic" if arithmetic == "exact" else "in floating point, whatever the rounding"
    if proved.condition:
        reason = f"Proved {how}, but only if {proved.condition}: {statement}"
        return Verification("conditional", reason, kind, arithmetic, proved.primal, proved.dual)
    return Verification("proved", f"Proved {how}: {statement}", kind, arithmetic, proved.primal, proved.dual)


def compare_data(record: Any, table: Table, labels: Labels, X: str, y: str) -> tuple[Any, Any, Any]:
    """Reject data that are not those of the certificate; returns its labels of the two sides, and excluded rows."""
    names = ("rows", "columns", "type", "X", "y", "labels", "positive", "negative", "excluded")
    rows, columns, kind, mark_X, mark_y, form, *sides = fields(record, "data", *names)
    word(kind, "data.type", "float64", "float32")
    shape, given = (count(rows, "data.rows"), count(columns, "data.columns")), (table.n_rows, table.n_columns)
    if shape != given or max(shape) > _LARGEST or len(labels.codes) != given[0]:
        raise Rejected(
            f"The certificate speaks of {rows} rows and {columns} columns; the data have {given[0]} and {given[1]}, "
            f"and {len(labels.codes)} labels."
        )
    if word(form, "data.labels", "number", "text") != labels.kind:
        raise Rejected(f"The certificate has labels of the kind {form}; those of the data are {labels.kind}.")
    if mark_X != X:
        raise Rejected("The rows X are not those of the certificate: their fingerprint differs.")
    if mark_y != y:
        raise Rejected("The labels y are not those of the certificate: their fingerprint differs.")
    return sides[0], sides[1], sides[2]


def read_problem(kind: Any, problem: Any) -> Any:
    """The question, once its words are known ones."""
    word(kind, "kind", "optimal", "mistakes", *SEPARATION)
    scaling = ["scaling"] if isinstance(problem, dict) and "scaling" in problem else []
    if kind == "mistakes":
        fields(problem, "problem", "algorithm", "gain", "step", "start", "classes")
    elif kind == "optimal":
        fields(problem, "problem", "loss", "bias", "kernel", "C", "classes", *scaling)
        word(problem["loss"], "loss", "hinge", "squared_hinge")
        word(problem["bias"], "bias", "free", "augmented", "none")
    else:
        fields(problem, "problem", "bias", "kernel", "classes", *scaling)
        word(problem["bias"], "bias", "free", "none")
    word(problem["classes"], "classes", "two", "joint", *(["ordinal"] if kind in SEPARATION else []))
    if not isinstance(problem.get("kernel", "linear"), dict):
        word(problem.get("kernel", "linear"), "kernel", "linear")
    elif scaling and problem["kernel"].get("name") == "precomputed":
        raise Rejected("Kernel values that are given have no columns to scale.")
    return problem


def _is_function(kernel: Any) -> bool:
    return isinstance(kernel, dict) and kernel.get("name") == "function"


def exactly(claim: Claim) -> Proved:
    """Check in exact arithmetic what a certificate claims of its data."""
    if claim.kind == "mistakes":
        return mistakes.check(claim)
    curved, joint = isinstance(claim.problem["kernel"], dict), claim.data.joint
    if claim.kind == "optimal":
        return (classes.optimal if joint else kernels.optimal if curved else linear.optimal)(claim)
    if curved:
        return kernels.contradiction(claim)
    if "estimates" in claim.proof:
        return estimates.separation(claim)
    return (classes.separation if joint else linear.separation)(claim)
