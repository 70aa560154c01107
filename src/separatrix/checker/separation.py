"""The exact checks of `separating`, `inseparable` and `quasi-separable` certificates.

With signed rows a_i = y_i (x_i, 1), or y_i x_i without a bias:

    separating        every a_i.z > 0; where a margin is claimed, its bounds (see `_margin`)
    inseparable       sum lambda_i a_i = 0, lambda > 0, on at most D + 1 rows; and the cover
                      sum_i a_i + sum mu_i a_i = 0, mu >= 0: with 1 + mu > 0 on every row, none can be strict
    quasi-separable   every a_i.z >= 0, some > 0; circuit and cover on the rows where a_i.z = 0

Everything is an integer up to one common power of two. No tolerance anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isqrt, nextafter

from separatrix.checker.certificate import Certificate
from separatrix.checker.dyadic import scale_for, to_integers
from separatrix.checker.rows import Rows
from separatrix.checker.separation_claim import (
    InseparableClaim,
    SeparatingClaim,
    read_inseparable,
    read_quasi,
    read_separating,
)
from separatrix.checker.verdict import Proved, Rejected


def check_separating(certificate: Certificate, rows: Rows, side: Sequence[int]) -> Proved:
    """Prove that (w, b) separates strictly, and the claimed bounds on the margin."""
    claim = read_separating(certificate)
    x_scale = max(0, scale_for(rows.smallest()))
    b = claim.b << x_scale
    ends: dict[int, int] = {}
    wanted = claim.alpha.table() if claim.alpha else {}
    sums, totals = [0] * rows.n_columns, {1: 0, -1: 0}
    for row in _signed(rows, side, x_scale):
        score = row.dot(claim.w)  # y_i w.x_i
        if score + row.y * b <= 0:
            raise Rejected(f"Row {row.number} is not on its side of the hyperplane.")
        ends[row.y] = min(score, ends.get(row.y, score))
        weight = wanted.get(row.number, 0)
        if weight:
            totals[row.y] += weight
    if claim.alpha:
        for row in _signed(rows, side, x_scale, wanted):
            factor = totals[-row.y] if claim.bias else 1
            row.add_to(sums, factor * wanted[row.number])
        _margin(claim, ends, sums, totals, x_scale)
    return Proved(conclusion(claim))


def conclusion(claim: SeparatingClaim) -> str:
    """What a proved separating certificate says."""
    sentence = "Proved: the hyperplane has every row strictly on its side"
    if not claim.alpha:
        return sentence + "."
    return f"{sentence}; the maximum margin lies in [{claim.lower!r}, {claim.upper!r}]."


def _margin(
    claim: SeparatingClaim, ends: dict[int, int], sums: list[int], totals: dict[int, int], x_scale: int
) -> None:
    """Compare the claimed bounds with those that w and alpha prove."""
    unit = Fraction(1, 1 << x_scale)
    half = Fraction(ends[1] + ends[-1], 2) if claim.bias else Fraction(min(ends.values()))
    check_lower(claim, half * unit)
    divisor = 2 * totals[1] * totals[-1] if claim.bias else totals[1] + totals[-1]
    if not divisor:
        raise Rejected("alpha must have weight on each side.")
    if Fraction(claim.upper) ** 2 < Fraction(sum(a * a for a in sums), divisor**2) * unit**2:
        raise Rejected("alpha does not prove the claimed upper bound on the margin.")


def check_lower(claim: SeparatingClaim, half: Fraction) -> None:
    """Reject a claimed lower bound above half / ||w||, half being half the slab's width along w."""
    if half <= 0 or half**2 < Fraction(claim.lower) ** 2 * sum(a * a for a in claim.w):
        raise Rejected("w does not prove the claimed lower bound on the margin.")


def check_inseparable(certificate: Certificate, rows: Rows, side: Sequence[int]) -> Proved:
    """Prove that no (w, b) other than those with all products zero has every product >= 0."""
    claim = read_inseparable(certificate)
    x_scale = max(0, scale_for(rows.smallest()))
    tied = {i for i, y in enumerate(side) if y}
    _contradiction(claim, rows, side, x_scale, tied)
    return Proved(
        f"Proved: all {len(tied)} rows are tied; {len(claim.circuit.rows)} of them contradict each other."
    )


def check_quasi(certificate: Certificate, rows: Rows, side: Sequence[int]) -> Proved:
    """Prove that (w, b) has every product >= 0, and that the rows with product 0 can never be strict."""
    claim = read_quasi(certificate)
    x_scale = max(0, scale_for(rows.smallest()))
    b, tied, count = claim.b << x_scale, set[int](), 0
    for row in _signed(rows, side, x_scale):
        value = row.dot(claim.w) + row.y * b
        if value < 0:
            raise Rejected(f"Row {row.number} is on the wrong side of the hyperplane.")
        count += 1
        if value == 0:
            tied.add(row.number)
    if not 0 < len(tied) < count:
        raise Rejected("A quasi-separable certificate needs rows on the hyperplane and rows off it.")
    _contradiction(claim.contradiction, rows, side, x_scale, tied)
    return Proved(quasi_conclusion(count, len(tied)))


def quasi_conclusion(count: int, tied: int) -> str:
    """What a proved quasi-separable certificate says."""
    return f"Proved: {count - tied} rows are strictly on their side, the other {tied} are tied to the hyperplane."


def _contradiction(
    claim: InseparableClaim, rows: Rows, side: Sequence[int], x_scale: int, tied: set[int]
) -> None:
    """The circuit, and the cover of the tied rows."""
    bias_unit = 1 << x_scale
    for weights, name in ((claim.circuit, "circuit"), (claim.cover, "cover")):
        if not set(weights.rows) <= tied:
            raise Rejected(f"The {name} uses a row that is not tied or takes no part.")
    circuit, cover = claim.circuit.table(), claim.cover.table()
    width = rows.n_columns + 1
    balance, total = [0] * width, [0] * width
    for row in _signed(rows, side, x_scale, tied):
        for sums, weight in (
            (balance, circuit.get(row.number, 0)),
            (total, claim.denominator + cover.get(row.number, 0)),
        ):
            if weight:
                row.add_to(sums, weight)
                if claim.bias:
                    sums[-1] += row.y * weight * bias_unit
    if any(balance):
        raise Rejected("The weights of the circuit do not balance its rows.")
    if any(total):
        raise Rejected("The cover does not balance the tied rows.")


@dataclass(frozen=True)
class _Row:
    """Row `number`: its label y, and its entries as integers times 2^-scale."""

    number: int
    y: int
    columns: Sequence[int] | None
    entries: list[int]

    def dot(self, w: Sequence[int]) -> int:
        """y x.w"""
        chosen: Iterable[int] = w if self.columns is None else map(w.__getitem__, self.columns)
        return self.y * sum(a * b for a, b in zip(self.entries, chosen, strict=False) if a and b)

    def add_to(self, sums: list[int], weight: int) -> None:
        """sums += weight y x"""
        factor = self.y * weight
        for j, a in (
            enumerate(self.entries) if self.columns is None else zip(self.columns, self.entries, strict=True)
        ):
            if a:
                sums[j] += factor * a


def _signed(rows: Rows, side: Sequence[int], scale: int, only: Iterable[int] | None = None) -> Iterator[_Row]:
    wanted = None if only is None else set(only)
    for number, ((columns, entries), y) in enumerate(zip(rows.rows(), side, strict=True)):
        if y and (wanted is None or number in wanted):
            yield _Row(number, y, columns, to_integers(entries, scale))


def root_down(square: Fraction) -> float:
    """A float at most sqrt(square).

    >>> root_down(Fraction(2)) ** 2 < 2 < root_up(Fraction(2)) ** 2
    True
    """
    return nextafter(_root(square), 0.0)


def root_up(square: Fraction) -> float:
    """A float at least sqrt(square)."""
    return nextafter(_root(square), inf)


def _root(square: Fraction) -> float:
    """sqrt(square), rounded: within one unit in the last place."""
    if square <= 0:
        return 0.0
    shift = 140 - (square.numerator.bit_length() - square.denominator.bit_length())
    shift += shift % 2
    up, down = max(0, shift), max(0, -shift)
    root = isqrt((square.numerator << up) // (square.denominator << down))
    try:
        return float(Fraction(root) / Fraction(2) ** (shift // 2))
    except OverflowError:
        return nextafter(inf, 0.0)
