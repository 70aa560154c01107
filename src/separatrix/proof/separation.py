"""Certificates of separability: their making, and their check on arrays.

The check redoes the mathematics of `separatrix.checker.linear` on whole arrays: a floating-point filter
with a proved error bound settles the signs it can, integers settle the rest. It is exact, only faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.checker.classes import functions, thresholds_text
from separatrix.checker.linear import read_fields
from separatrix.checker.numbers import Rejected, fields, integer, real, vector, weights
from separatrix.checker.statement import Claim, Proved, hyperplane
from separatrix.proof.arrays import array_rows
from separatrix.proof.certificate import Certificate, Source, make
from separatrix.proof.margin_bounds import half_width, upper_square
from separatrix.proof.signed_rows import SignedRows
from separatrix.proof.writing import write_integer, write_integers, write_real, write_weights
from separatrix.types import Index


@dataclass(frozen=True)
class Contradiction:
    """sum circuit_i a_i = 0; sum over the tied rows of a_i + sum (cover_i / denominator) a_i = 0."""

    circuit_rows: Sequence[int]
    circuit: Sequence[int]
    cover_rows: Sequence[int]
    cover: Sequence[int]
    denominator: int


@dataclass(frozen=True)
class MarginClaim:
    """Bounds on the maximum margin and the weights behind the upper one."""

    lower: float
    upper: float
    rows: Sequence[int]
    alpha: Sequence[int]


def separating(source: Source, bias: bool, z: Sequence[int], margin: MarginClaim | None) -> Certificate:
    """The certificate that z = (w, b), integers up to a positive factor, separates the two sides strictly."""
    proof, interval = _plane(z, source.columns, bias), None
    if margin is not None:
        alpha = write_weights(margin.rows, margin.alpha, source.rows)
        proof["margin"] = {
            "lower": write_real(margin.lower),
            "upper": write_real(margin.upper),
            "alpha": alpha,
        }
        interval = Fraction(margin.lower), Fraction(margin.upper)
    return make("separating", source, _problem(bias), proof, lambda claim: hyperplane(claim, 0, interval))


def inseparable(source: Source, bias: bool, found: Contradiction) -> Certificate:
    """The certificate that no hyperplane separates the two sides, not even weakly."""
    return make(
        "inseparable",
        source,
        _problem(bias),
        _tied(found, source.rows),
        lambda claim: hyperplane(claim, 0, None),
    )


def quasi_separable(
    source: Source, bias: bool, z: Sequence[int], found: Contradiction, tied: int
) -> Certificate:
    """The certificate that z separates weakly, and that the ``tied`` rows on its hyperplane can never be strict."""
    proof = {**_plane(z, source.columns, bias), **_tied(found, source.rows)}
    return make("quasi-separable", source, _problem(bias), proof, lambda claim: hyperplane(claim, tied, None))


def _plane(z: Sequence[int], d: int, bias: bool) -> dict[str, Any]:
    return {"w": write_integers(z[:d]), "b": write_integer(z[d] if bias else 0)}


def _problem(bias: bool) -> dict[str, Any]:
    return {"bias": "free" if bias else "none", "kernel": "linear", "classes": "two"}


def _tied(found: Contradiction, length: int) -> dict[str, Any]:
    return {
        "circuit": write_weights(found.circuit_rows, found.circuit, length),
        "cover": write_weights(found.cover_rows, found.cover, length),
        "denominator": write_integer(found.denominator),
    }


def check(claim: Claim) -> Proved:
    """Prove a claim of separability on arrays."""
    kind, proof, data, bias = claim.kind, claim.proof, claim.data, claim.problem["bias"] == "free"
    margin = ["margin"] if "margin" in proof else []
    read_fields(claim, *(margin if kind == "separating" else []))
    side = np.array(data.part, dtype=np.int8)
    rows, place = _members(array_rows(claim.data.table), side, bias)
    if kind == "inseparable":
        tied = np.arange(rows.n)
    else:
        entries, b = vector(proof["w"], "w", data.d, integer), integer(proof["b"], "b")
        if b and not bias:
            raise Rejected("The problem has no bias, yet b is not zero.")
        w = [entries.get(j, 0) for j in range(data.d)]
        signs = rows.signs([*w, b] if bias else w)
        if np.any(signs < 0) or (kind == "separating" and not np.all(signs)):
            number = int(np.flatnonzero(side)[np.argmin(signs)])
            raise Rejected(f"Row {number} is not on its side of the hyperplane.")
        tied = np.flatnonzero(signs == 0)
        if kind == "quasi-separable" and not 0 < len(tied) < rows.n:
            raise Rejected("A quasi-separable certificate needs rows on the hyperplane and rows off it.")
    if kind != "separating":
        _contradiction(proof, rows, tied, place)
    interval = _margin(proof["margin"], rows, w, place) if margin else None
    return Proved(hyperplane(claim, len(tied), interval))


def _margin(record: Any, rows: SignedRows, w: list[int], place: Index) -> tuple[Fraction, Fraction]:
    low, high, alpha = fields(record, "margin", "lower", "upper", "alpha")
    lower, upper = Fraction(real(low, "lower")), Fraction(real(high, "upper"))
    chosen = weights(alpha, "alpha", len(place))
    index = _places(chosen, place, "alpha")
    if rows.bias and len(np.unique(rows.y)) < 2:
        raise Rejected("alpha must have weight on each side, and only on rows that take part.")
    half = half_width(rows, w)[0]
    if not (0 <= lower <= upper and half > 0 and half**2 >= lower**2 * sum(a * a for a in w)):
        raise Rejected("w does not prove the claimed lower bound on the margin.")
    square = upper_square(rows, index, list(chosen.values()))
    if square is None or upper**2 < square:
        raise Rejected("alpha does not prove the claimed upper bound on the margin.")
    return lower, upper


def _members(X: Any, side: NDArray[np.int8], bias: bool) -> tuple[SignedRows, Index]:
    """The rows that take part, and the place of each of the user's rows among them (-1: none)."""
    members = np.flatnonzero(side)
    place = np.full(len(side), -1, dtype=np.intp)
    place[members] = np.arange(len(members))
    part = X if len(members) == len(side) else X[members]
    return SignedRows(part, side[members].astype(np.float64), bias), place


def _places(chosen: dict[int, int], place: Index, name: str) -> Index:
    index = place[np.fromiter(chosen, dtype=np.intp, count=len(chosen))]
    if np.any(index < 0):
        raise Rejected(f"The {name} uses a row that is not tied or takes no part.")
    return index


def _contradiction(proof: dict[str, Any], rows: SignedRows, tied: Index, place: Index) -> None:
    circuit = weights(proof["circuit"], "circuit", len(place))
    cover = vector(proof["cover"], "cover", len(place), integer)
    denominator = integer(proof["denominator"], "denominator")
    if denominator <= 0 or min(cover.values(), default=0) < 0:
        raise Rejected("The denominator must be above zero, and no value of the cover below.")
    is_tied = np.zeros(rows.n, dtype=bool)
    is_tied[tied] = True
    of_circuit, of_cover = _places(circuit, place, "circuit"), _places(cover, place, "cover")
    if not np.all(is_tied[of_circuit]) or not np.all(is_tied[of_cover]):
        raise Rejected("The circuit or the cover uses a row that is not tied or takes no part.")
    if any(rows.weighted(of_circuit, list(circuit.values()))[0]):
        raise Rejected("The weights of the circuit do not cancel its rows.")
    sums, e = rows.total(tied)
    more, f = rows.weighted(of_cover, list(cover.values()))
    for s, k, m, j in zip(sums, e.tolist(), more, f.tolist(), strict=True):
        low = min(k, j)
        if (denominator * s << (k - low)) + (m << (j - low)):
            raise Rejected("The cover does not cancel the tied rows.")


def joint_separation(
    source: Source,
    bias: bool,
    verdict: str,
    z: Sequence[int] | None,
    found: Contradiction | None,
    tied: int,
) -> Certificate:
    """The same about all classes at once; z has w_m and b_m of each class in turn, rows are places i k + m of pairs."""
    k, d = len(source.positive), source.columns
    width, proof = d + int(bias), dict[str, Any]()
    if z is not None:
        w = [z[m * width + j] for m in range(k) for j in range(d)]
        b = [z[m * width + d] if bias else 0 for m in range(k)]
        proof = {"w": write_integers(w), "b": write_integers(b)}
    if found is not None:
        proof |= _tied(found, source.rows * k)
    problem = {**_problem(bias), "classes": "joint"}
    return make(verdict, source, problem, proof, lambda claim: functions(claim, tied))


def ordinal_separation(
    source: Source, verdict: str, z: Sequence[int] | None, found: Contradiction | None, tied: int
) -> Certificate:
    """The same about ordered classes; z has w and the thresholds, rows are places i k + m of a row and a neighbour."""
    d, proof = source.columns, dict[str, Any]()
    if z is not None:
        proof = {"w": write_integers(z[:d]), "b": write_integers(z[d:])}
    if found is not None:
        proof |= _tied(found, source.rows * len(source.positive))
    problem = {**_problem(True), "classes": "ordinal"}
    return make(verdict, source, problem, proof, lambda claim: thresholds_text(claim, tied))
