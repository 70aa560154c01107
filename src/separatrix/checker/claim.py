"""The content of an `optimal` certificate, read and checked for form.

problem   loss, bias, kernel, C (one number per side, or one per row)
proof     w, b, alpha, and what they prove:  optimum <= primal,  optimum >= dual,  relative gap <= gap
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from separatrix.checker.certificate import Certificate
from separatrix.checker.codec import SparseVector, field, read_real, read_vector, read_word
from separatrix.checker.verdict import Rejected

LOSSES = ("hinge", "squared_hinge")
BIASES = ("free", "augmented", "none")

#: C of the positive and of the negative side, or of every row.
Costs: TypeAlias = "tuple[float, float] | SparseVector"


@dataclass(frozen=True)
class OptimalClaim:
    """What an `optimal` certificate says. ``C`` is (positive, negative), or one number per row."""

    loss: str
    bias: str
    C: Costs
    w: SparseVector
    b: float
    alpha: SparseVector
    primal: float
    dual: float
    gap: float

    def costs(self, side: Sequence[int]) -> list[float]:
        """C_i of every row; 0 for rows that take no part."""
        if isinstance(self.C, SparseVector):
            return [cost if part else 0.0 for cost, part in zip(self.C.dense(), side, strict=True)]
        return list(map((0.0, *self.C).__getitem__, side))  # side -1 picks the last, the negative one


def read_claim(certificate: Certificate) -> OptimalClaim:
    """Read and check everything that does not need the data.

    Raises `Rejected` for anything malformed, for numbers out of range, and where the three claimed numbers
    contradict each other.
    """
    n, d = certificate.data.rows, certificate.data.columns
    problem, proof = certificate.problem, certificate.proof
    exact_names("problem", problem, {"loss", "bias", "kernel", "C"})
    exact_names("proof", proof, {"w", "b", "alpha", "primal", "dual", "gap"})
    read_word(problem["kernel"], "kernel", ("linear",))
    return claim_of(problem, proof, n, read_costs(problem["C"], n), read_vector(proof["w"], "w", d))


def claim_of(
    problem: Mapping[str, Any], proof: Mapping[str, Any], n: int, C: Costs, w: SparseVector
) -> OptimalClaim:
    """The parts that every claim of an optimum has, checked as far as they can be without the data."""
    claim = OptimalClaim(
        loss=read_word(problem["loss"], "loss", LOSSES),
        bias=read_word(problem["bias"], "bias", BIASES),
        C=C,
        w=w,
        b=read_real(proof["b"], "b"),
        alpha=read_vector(proof["alpha"], "alpha", n),
        primal=read_real(proof["primal"], "primal"),
        dual=read_real(proof["dual"], "dual"),
        gap=read_real(proof["gap"], "gap"),
    )
    if claim.bias == "none" and claim.b != 0:
        raise Rejected(f"The problem has no bias, yet b is {claim.b}.")
    if min(claim.alpha.values, default=0.0) < 0:
        raise Rejected("Some alpha is negative.")
    check_gap(claim)
    return claim


def check_bounds(claim: OptimalClaim, side: Sequence[int], costs: Sequence[float]) -> None:
    """Reject an alpha above its C (hinge), or on a row that takes no part. Float comparisons are exact."""
    limited = claim.loss == "hinge"
    for row, alpha in zip(claim.alpha.indices, claim.alpha.values, strict=True):
        if alpha and not side[row]:
            raise Rejected(f"alpha[{row}] is not zero, but the label of that row is on neither side.")
        if (alpha and not costs[row]) or (limited and alpha > costs[row]):
            raise Rejected(f"alpha[{row}] = {alpha} is above its bound C = {costs[row]}.")


def read_costs(record: Any, n: int) -> Costs:
    """One cost for each side, or one for each row."""
    if isinstance(record, dict) and set(record) == {"positive", "negative"}:
        pair = read_real(record["positive"], "C"), read_real(record["negative"], "C")
        if min(pair) <= 0:
            raise Rejected("C must be above 0.")
        return pair
    exact_names("C", record, {"rows"})
    costs = read_vector(field(record, "rows"), "C", n)
    if min(costs.values, default=0.0) < 0:
        raise Rejected("C must not be negative.")
    return costs


def check_gap(claim: OptimalClaim) -> None:
    """primal - dual <= gap * primal in exact arithmetic; where primal is zero the gap is absolute."""
    primal, dual, gap = Fraction(claim.primal), Fraction(claim.dual), Fraction(claim.gap)
    if primal < 0 or gap < 0:
        raise Rejected("The claimed primal value and gap must not be negative.")
    if primal - dual > (gap * primal if primal else gap):
        raise Rejected("The claimed gap is smaller than the claimed primal and dual values allow.")


def exact_names(name: str, record: Any, names: set[str]) -> None:
    """Reject a record that does not have exactly these fields."""
    if not isinstance(record, dict) or set(record) != names:
        raise Rejected(f"The field {name} must have exactly {', '.join(sorted(names))}.")
