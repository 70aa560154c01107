"""Certificates of separability: their making, and their check on arrays.

The check redoes the mathematics of `separatrix.checker.separation` on whole arrays: a floating-point filter
with a proved error bound settles the signs it can, integers settle the rest. It is exact, only faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.checker.certificate import Certificate, Source
from separatrix.checker.codec import write_integer, write_real
from separatrix.checker.labels import describe
from separatrix.checker.separation import check_lower, conclusion, quasi_conclusion
from separatrix.checker.separation_claim import (
    InseparableClaim,
    Weights,
    read_inseparable,
    read_quasi,
    read_separating,
    write_integers,
    write_weights,
)
from separatrix.checker.verdict import Proved, Rejected
from separatrix.proof.margin_bounds import half_width, upper_square
from separatrix.proof.signed_rows import Index, SignedRows


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
    w, b = _split(z, source.columns, bias)
    proof: dict[str, Any] = {"z": {"w": write_integers(w), "b": write_integer(b)}}
    bounds = ""
    if margin is not None:
        proof["margin"] = {
            "lower": write_real(margin.lower),
            "upper": write_real(margin.upper),
            "alpha": write_weights(margin.rows, margin.alpha),
        }
        bounds = f", with a maximum margin between {margin.lower!r} and {margin.upper!r}"
    claim = f"A hyperplane strictly separates {_sides(source)}{bounds}."
    return Certificate("separating", claim, source, _problem(bias), proof)


def inseparable(source: Source, bias: bool, found: Contradiction) -> Certificate:
    """The certificate that no hyperplane separates the two sides, not even weakly."""
    claim = f"No hyperplane separates {_sides(source)}: every row is tied."
    return Certificate("inseparable", claim, source, _problem(bias), _written(found))


def quasi_separable(source: Source, bias: bool, z: Sequence[int], found: Contradiction) -> Certificate:
    """The certificate that z separates weakly, and that the rows on its hyperplane can never be strict."""
    w, b = _split(z, source.columns, bias)
    proof = {"z": {"w": write_integers(w), "b": write_integer(b)}, **_written(found)}
    claim = f"A hyperplane separates {_sides(source)} weakly; the rows on it can never be strict."
    return Certificate("quasi-separable", claim, source, _problem(bias), proof)


def _split(z: Sequence[int], d: int, bias: bool) -> tuple[Sequence[int], int]:
    return z[:d], z[d] if bias else 0


def _problem(bias: bool) -> dict[str, Any]:
    return {"bias": "free" if bias else "none"}


def _sides(source: Source) -> str:
    return f"{describe(source.positive)} from {describe(source.negative)}"


def _written(found: Contradiction) -> dict[str, Any]:
    cover = write_weights(found.cover_rows, found.cover)
    return {
        "circuit": write_weights(found.circuit_rows, found.circuit),
        "cover": {**cover, "denominator": write_integer(found.denominator)},
    }


def check_separating(certificate: Certificate, X: Any, side: NDArray[np.int8]) -> Proved:
    """Prove a `separating` certificate on arrays."""
    claim = read_separating(certificate)
    rows, place = _members(X, side, claim.bias)
    z = [*claim.w, claim.b] if claim.bias else claim.w
    wrong = np.flatnonzero(rows.signs(z) <= 0)
    if len(wrong):
        raise Rejected(f"Row {int(np.flatnonzero(side)[wrong[0]])} is not on its side of the hyperplane.")
    if claim.alpha:
        check_lower(claim, half_width(rows, claim.w)[0])
        index = _places(claim.alpha, place, "alpha")
        square = upper_square(rows, index, claim.alpha.values)
        if square is None or Fraction(claim.upper) ** 2 < square:
            raise Rejected("alpha does not prove the claimed upper bound on the margin.")
    return Proved(conclusion(claim))


def check_inseparable(certificate: Certificate, X: Any, side: NDArray[np.int8]) -> Proved:
    """Prove an `inseparable` certificate on arrays."""
    claim = read_inseparable(certificate)
    rows, place = _members(X, side, claim.bias)
    _contradiction(claim, rows, np.arange(rows.n), place)
    return Proved(
        f"Proved: all {rows.n} rows are tied; {len(claim.circuit.rows)} of them contradict each other."
    )


def check_quasi(certificate: Certificate, X: Any, side: NDArray[np.int8]) -> Proved:
    """Prove a `quasi-separable` certificate on arrays."""
    claim = read_quasi(certificate)
    bias = claim.contradiction.bias
    rows, place = _members(X, side, bias)
    signs = rows.signs([*claim.w, claim.b] if bias else claim.w)
    if np.any(signs < 0):
        number = int(np.flatnonzero(side)[np.flatnonzero(signs < 0)[0]])
        raise Rejected(f"Row {number} is on the wrong side of the hyperplane.")
    tied = np.flatnonzero(signs == 0)
    if not 0 < len(tied) < rows.n:
        raise Rejected("A quasi-separable certificate needs rows on the hyperplane and rows off it.")
    _contradiction(claim.contradiction, rows, tied, place)
    return Proved(quasi_conclusion(rows.n, len(tied)))


def _members(X: Any, side: NDArray[np.int8], bias: bool) -> tuple[SignedRows, Index]:
    """The rows that take part, and the place of each of the user's rows among them (-1: none)."""
    members = np.flatnonzero(side)
    place = np.full(len(side), -1, dtype=np.intp)
    place[members] = np.arange(len(members))
    part = X if len(members) == len(side) else X[members]
    return SignedRows(part, side[members].astype(np.float64), bias), place


def _places(weights: Weights, place: Index, name: str) -> Index:
    index = place[np.array(weights.rows, dtype=np.intp)]
    if np.any(index < 0):
        raise Rejected(f"The {name} uses a row that is not tied or takes no part.")
    return index


def _contradiction(claim: InseparableClaim, rows: SignedRows, tied: Index, place: Index) -> None:
    is_tied = np.zeros(rows.n, dtype=bool)
    is_tied[tied] = True
    circuit, cover = _places(claim.circuit, place, "circuit"), _places(claim.cover, place, "cover")
    for index, name in ((circuit, "circuit"), (cover, "cover")):
        if not np.all(is_tied[index]):
            raise Rejected(f"The {name} uses a row that is not tied or takes no part.")
    if any(rows.weighted(circuit, claim.circuit.values)[0]):
        raise Rejected("The weights of the circuit do not balance its rows.")
    sums, e = rows.total(tied)
    more, f = rows.weighted(cover, claim.cover.values)
    for s, k, m, j in zip(sums, e.tolist(), more, f.tolist(), strict=True):
        low = min(k, j)
        if (claim.denominator * s << (k - low)) + (m << (j - low)):
            raise Rejected("The cover does not balance the tied rows.")
