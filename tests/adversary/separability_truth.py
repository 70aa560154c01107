"""Which signed rows can be strict, decided exactly by one linear program, and the margin by a quadratic one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tests.adversary.document import Data, Members
from tests.adversary.pivoting import maximise

ZERO = Fraction(0)


@dataclass
class Split:
    """The tied places, and what proves them so: z makes all others strict, the multipliers cancel the tied ones."""

    places: list[int]
    tied: set[int]
    z: list[Fraction]
    multipliers: dict[int, Fraction]


def signed_rows(data: Data, members: Members, bias: bool) -> dict[int, list[Fraction]]:
    """The a of section 6 by their places."""
    rows: dict[int, list[Fraction]] = {}
    for i in members.rows:
        x = [Fraction(v) for v in data.X[i]] + ([Fraction(1)] if bias else [])
        if not members.classes:
            rows[i] = [members.side[i] * v for v in x]
            continue
        for m in range(members.classes):
            if m != members.side[i]:
                line = [ZERO] * (len(x) * members.classes)
                line[members.side[i] * len(x) : (members.side[i] + 1) * len(x)] = x
                line[m * len(x) : (m + 1) * len(x)] = [-v for v in x]
                rows[i * members.classes + m] = line
    return rows


def split(rows: dict[int, list[Fraction]]) -> Split:
    """max sum t with a.z >= t and 0 <= t <= 1: the strict rows reach 1, the tied ones stay at 0."""
    places = list(rows)
    if not places:
        return Split([], set(), [], {})
    width = len(rows[places[0]])
    n = len(places)
    constraints, right = [], []
    for p, place in enumerate(places):
        a = rows[place]
        constraints.append([-v for v in a] + list(a) + [Fraction(int(p == q)) for q in range(n)])
        right.append(ZERO)
    for p in range(n):
        constraints.append([ZERO] * (2 * width) + [Fraction(int(p == q)) for q in range(n)])
        right.append(Fraction(1))
    x, multipliers = maximise([ZERO] * (2 * width) + [Fraction(1)] * n, constraints, right)
    z = [u - v for u, v in zip(x[:width], x[width : 2 * width], strict=True)]
    products = {place: sum((u * v for u, v in zip(rows[place], z, strict=True)), ZERO) for place in places}
    tied = {place for place in places if products[place] == 0}
    weights = dict(zip(places, multipliers[:n], strict=True))
    # Both halves are proved here: z for the strict rows, positive weights that cancel for the tied ones.
    if any(v < 0 for v in products.values()) or any(v < 0 for v in multipliers):
        raise AssertionError("the linear program gave no answer")
    if any(sum((weights[place] * rows[place][c] for place in places), ZERO) for c in range(width)):
        raise AssertionError("the multipliers do not cancel")
    if any(weights[place] <= 0 for place in tied) or any(
        weights[place] for place in places if place not in tied
    ):
        raise AssertionError("the multipliers do not cover the tied rows")
    return Split(places, tied, z, {place: weights[place] for place in tied})
