"""The exact check of every claim about hyperplanes: optimal, separating, inseparable, quasi-separable.

Rows, w, b and alpha are integers times a power of two, so that sums and products are those of integers. The
formulas are those of docs/certificate-format.md, sections 5 and 6. No tolerance anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import repeat
from operator import mul
from typing import Any

from separatrix.checker.data import Data, integers
from separatrix.checker.numbers import Rejected, fields, integer, real, vector, weights
from separatrix.checker.statement import Claim, Proved, between, hyperplane, optimum

QUOTIENT_BITS = 2200  # alpha^2 / 4C is rounded up to a multiple of 2^-2200
Row = tuple[int, Sequence[int], Sequence[int]]


def dot(columns: Iterable[int], entries: Iterable[int], w: dict[int, int]) -> int:
    """x.w"""
    return sum(map(mul, entries, map(w.get, columns, repeat(0))))


def add(total: dict[int, int], columns: Iterable[int], entries: Iterable[int], factor: int) -> None:
    """total += factor x"""
    for column, entry in zip(columns, entries, strict=True):
        total[column] = total.get(column, 0) + factor * entry


def square(vector: dict[int, int]) -> int:
    """||v||^2"""
    return sum(each * each for each in vector.values())


def optimal(claim: Claim) -> Proved:
    """Bound the optimum by the values of (w, b) and of alpha."""
    fields(claim.proof, "proof", "w", "b", "alpha", "primal", "dual")
    return conclude(claim, *values(claim))


def values(claim: Claim) -> tuple[list[float], Fraction, Fraction]:
    """C_i of every row, the primal value of (w, b) and the dual value of alpha."""
    proof, data = claim.proof, claim.data
    weight, bias = vector(proof["w"], "w", data.d, real), real(proof["b"], "b")
    costs = read_costs(claim.problem["C"], data)
    alpha, a_scale = read_alpha(claim, costs)
    numbers, scale = integers([*weight.values(), bias])
    w, b = dict(zip(weight, numbers, strict=False)), numbers[-1] << data.scale
    one, pull, slacks = 1 << (scale + data.scale), dict[int, int](), list[tuple[int, int]]()
    for i, y, columns, x in data.rows():
        slacks.append((i, one - y * (dot(columns, x, w) + b)))
        if i in alpha:
            add(pull, columns, x, y * alpha[i])
    primal = Fraction(square(w), 2 << 2 * scale) + losses(claim, costs, slacks, scale + data.scale)
    dual = dual_value(claim, costs, alpha, a_scale) - Fraction(square(pull), 2 << 2 * (a_scale + data.scale))
    return costs, *with_bias(claim, primal, dual, bias, alpha, a_scale)


def read_costs(record: Any, data: Data) -> list[float]:
    """C_i of every row, above zero for those that take part and zero for the others."""
    if isinstance(record, dict) and "rows" in record:
        by_row = vector(fields(record, "C", "rows")[0], "C", data.n, real)
        if min(by_row.values(), default=0) <= 0 or set(by_row) != {i for i, y in enumerate(data.part) if y}:
            raise Rejected("C must be above 0 for the rows that take part, and 0 for the others.")
        return list(map(by_row.get, range(data.n), repeat(0.0)))
    positive, negative = (real(each, "C") for each in fields(record, "C", "positive", "negative"))
    if min(positive, negative) <= 0 or (data.joint and positive != negative):
        raise Rejected("C must be above 0, and for all classes at once the same on both sides.")
    of_part = [0.0, *[positive] * len(data.positive), negative]  # -1 is the last
    return list(map(of_part.__getitem__, data.part))


def read_alpha(claim: Claim, costs: list[float]) -> tuple[dict[int, int], int]:
    """alpha within its bounds, in integers, and its scale."""
    alpha, data = vector(claim.proof["alpha"], "alpha", claim.data.n, real), claim.data
    for row, each in alpha.items():
        if each < 0 or not data.part[row] or (claim.problem["loss"] == "hinge" and each > costs[row]):
            raise Rejected(f"alpha[{row}] = {each} is not between 0 and C = {costs[row]}.")
    numbers, scale = integers(list(alpha.values()))
    return dict(zip(alpha, numbers, strict=True)), scale


def losses(claim: Claim, costs: list[float], slacks: Iterable[tuple[int, int]], scale: int) -> Fraction:
    """sum_i C_i loss(m_i) from (i, 1 - m_i), the latter integers times 2^-scale."""
    (cost, cost_scale), power = integers(costs), 2 if claim.problem["loss"] == "squared_hinge" else 1
    total = sum(cost[row] * slack**power for row, slack in slacks if slack > 0)
    return Fraction(total, 1 << (cost_scale + power * scale))


def dual_value(claim: Claim, costs: list[float], alpha: dict[int, int], scale: int) -> Fraction:
    """sum_i alpha_i [- alpha_i^2 / 4 C_i]"""
    total = Fraction(sum(alpha.values()), 1 << scale)
    if claim.problem["loss"] == "squared_hinge":
        cost, cost_scale = integers(costs)
        shift = QUOTIENT_BITS + cost_scale - 2 * scale
        quotients = sum(-((-each * each << shift) // (4 * cost[row])) for row, each in alpha.items())
        total -= Fraction(quotients, 1 << QUOTIENT_BITS)
    return total


def with_bias(
    claim: Claim, primal: Fraction, dual: Fraction, b: float, alpha: dict[int, int], scale: int
) -> tuple[Fraction, Fraction]:
    """Both values with what the bias adds to them; rejects what the bias forbids."""
    bias, part = claim.problem["bias"], claim.data.part
    imbalance = Fraction(sum(part[row] * each for row, each in alpha.items()), 1 << scale)
    if (bias == "free" and imbalance) or (bias == "none" and b):
        raise Rejected("The bias is free and sum alpha_i y_i not zero, or there is none and b not zero.")
    if bias == "augmented":
        return primal + Fraction(b) ** 2 / 2, dual - imbalance**2 / 2
    return primal, dual


def conclude(
    claim: Claim, costs: list[float], primal: Fraction, dual: Fraction, kernel: str = "linear"
) -> Proved:
    """Compare the values of the two points with the claimed ones."""
    upper, lower = real(claim.proof["primal"], "primal"), real(claim.proof["dual"], "dual")
    if primal > upper or dual < lower:
        raise Rejected(f"The points prove an optimum {between(dual, primal)}, not the claimed one.")
    if upper < 0 or lower > upper or dual > primal or (upper == 0 and lower < 0):
        raise Rejected(
            "The primal value is below zero or the dual one, or the dual one below a primal of zero."
        )
    return Proved(optimum(claim, costs, Fraction(lower), Fraction(upper), kernel), upper, lower)


def separation(claim: Claim) -> Proved:
    """Check a hyperplane, or why there is none."""
    kind, problem, proof, data = claim
    bias, z, margin = problem["bias"] == "free", dict[int, int](), ["margin"] if "margin" in proof else []
    read_fields(claim, *(margin if kind == "separating" else []))
    if kind != "inseparable":
        z = vector(proof["w"], "w", data.d, integer) | {data.d: integer(proof["b"], "b")}
    tied = check_signs(kind, signed(data, bias), z, data.d if bias else data.d - 1)
    if kind != "separating":
        check_tied(proof, data.n, signed(data, bias), tied)
    interval = check_margin(proof["margin"], z, data, bias) if margin else None
    return Proved(hyperplane(claim, len(tied), interval))


def read_fields(claim: Claim, *more: str) -> None:
    """Reject a proof that has not just the fields of its kind."""
    plane = () if claim.kind == "inseparable" else ("w", "b")
    tied = () if claim.kind == "separating" else ("circuit", "cover", "denominator")
    fields(claim.proof, "proof", *plane, *tied, *more)


def signed(data: Data, bias: bool) -> Iterator[Row]:
    """The signed rows a_i = y_i (x_i, 1) times 2^scale: place, columns, entries. The bias is column d."""
    for number, y, columns, x in data.rows():
        x = x if y > 0 else [-each for each in x]
        yield (number, [*columns, data.d], [*x, y << data.scale]) if bias else (number, columns, x)


def check_signs(kind: str, rows: Iterable[Row], z: dict[int, int], last: int) -> set[int]:
    """The places of the rows with a.z = 0; rejects a product with the wrong sign, and a b beyond the last column."""
    tied, strict = set[int](), False
    for place, columns, entries in rows:
        product = dot(columns, entries, z)
        if product < 0 or (kind == "separating" and not product):
            raise Rejected(f"Row {place} is not on its side of the hyperplane.")
        if product:
            strict = True
        else:
            tied.add(place)
    if any(each for column, each in z.items() if column > last):
        raise Rejected("The problem has no bias, yet b is not zero.")
    if kind == "quasi-separable" and not (tied and strict):
        raise Rejected("A quasi-separable certificate needs rows on the hyperplane and rows off it.")
    return tied


def check_tied(proof: dict[str, Any], length: int, rows: Iterable[Row], tied: set[int]) -> None:
    """Reject unless circuit and cover cancel over the tied rows."""
    circuit = weights(proof["circuit"], "circuit", length)
    cover = vector(proof["cover"], "cover", length, integer)
    q = integer(proof["denominator"], "denominator")
    if q <= 0 or min(cover.values(), default=0) < 0 or not tied.issuperset([*circuit, *cover]):
        raise Rejected("Circuit or cover has a weight that is negative, or on a row that is not tied.")
    balance, total = dict[int, int](), dict[int, int]()
    for place, columns, entries in rows:
        if place in tied:
            add(total, columns, entries, q + cover.get(place, 0))
        if place in circuit:
            add(balance, columns, entries, circuit[place])
    if any(balance.values()) or any(total.values()):
        raise Rejected("The weights of the circuit, or of the cover, do not cancel the rows.")


def check_margin(record: Any, z: dict[int, int], data: Data, bias: bool) -> tuple[Fraction, Fraction]:
    """Both claimed bounds on the maximum margin, once they are proved."""
    low, high, record = fields(record, "margin", "lower", "upper", "alpha")
    lower, upper = Fraction(real(low, "lower")), Fraction(real(high, "upper"))
    alpha, least, apart = weights(record, "alpha", data.n), dict[int, int](), dict[int, int]()
    total = {y: sum(each for row, each in alpha.items() if data.part[row] == y) for y in (-1, 0, 1)}
    for i, y, columns, x in data.rows():
        product = y * dot(columns, x, z)
        least[y] = min(product, least.get(y, product))
        if i in alpha:
            add(apart, columns, x, y * alpha[i] * (total[-y] if bias else 1))
    divisor = total[1] * total[-1] if bias else total[1] + total[-1]
    if not divisor or total[0] or (bias and len(least) < 2):
        raise Rejected("alpha must have weight on each side, and only on rows that take part.")
    # With a bias twice the margin is the width of the slab. Products have the scale of the rows.
    factor, width = (2, sum(least.values())) if bias else (1, min(least.values()))
    norm = square(z) - z[data.d] ** 2
    reached = width > 0 and (factor * lower) ** 2 * norm <= Fraction(width, 1 << data.scale) ** 2
    if not (0 <= lower <= upper and reached):
        raise Rejected("w does not prove the claimed lower bound on the margin.")
    if (factor * upper) ** 2 < Fraction(square(apart), divisor**2 << 2 * data.scale):
        raise Rejected("alpha does not prove the claimed upper bound on the margin.")
    return lower, upper
