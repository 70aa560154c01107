"""Claims at the very edge of what their numbers prove: the last number inside, or the first one outside.

The point is moved at random first, so that every document has an edge of its own. Outside the edge no checker
may accept; a checker in floating point that loses a term, or rounds it the wrong way, gives itself away here.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

from tests.adversary import oracle
from tests.adversary.document import (
    Malformed,
    integer,
    read_integer,
    read_members,
    read_real,
    read_vector,
    real,
)
from tests.adversary.drafts import Draft, changed_float, is_real
from tests.adversary.makers import above, below
from tests.adversary.optimum import dual
from tests.adversary.perceptron_runs import excludes, places_of

Draws = random.Random
ZERO = Fraction(0)


def _beyond(value: float, up: bool) -> float:
    return math.nextafter(value, math.inf if up else -math.inf)


def _moved(rng: Draws, vector: Any, common: bool) -> None:
    """Move the values of a vector of reals: by one power of two, or one of them alone."""
    values = vector["values"]
    if not values:
        return
    if common:
        factor = rng.choice([1.0, 0.5, 0.25, 2.0**-30, 2.0**-200, 2.0**-600])
        vector["values"] = [real(float.fromhex(v) * factor) for v in values]
        if "indices" in vector:
            kept = [place for place, v in enumerate(vector["values"]) if float.fromhex(v)]
            vector["indices"] = [vector["indices"][place] for place in kept]
            vector["values"] = [vector["values"][place] for place in kept]
    elif "indices" not in vector:
        place = rng.randrange(len(values))
        values[place] = real(changed_float(rng, float.fromhex(values[place])) + 0.0)


def edge(rng: Draws, draft: Draft) -> bool:
    """The bounds of an optimum, a margin or a number of mistakes at their edge."""
    kind, proof = draft.document.get("kind"), draft.place("proof")
    try:
        if kind == "optimal":
            return _optimum(rng, draft, proof)
        if kind == "separating" and "margin" in proof:
            return _margin(rng, draft, proof)
        if kind == "mistakes":
            return _bound(rng, draft, proof)
        if kind in ("separating", "quasi-separable"):
            return _plane(rng, draft, proof)
    except (Malformed, ArithmeticError):
        return False
    return False


def _optimum(rng: Draws, draft: Draft, proof: dict[str, Any]) -> bool:
    members = read_members(draft.document, draft.data)
    machine = oracle.machine_of(draft.document, draft.data, members)
    upper = rng.random() < 0.5
    n, k = len(draft.data.X), max(members.classes, 1)
    if upper:
        name = rng.choice([name for name in ("w", "W", "coef", "b") if name in proof])
        if rng.random() < 0.7 and isinstance(proof[name], dict):
            _moved(rng, proof[name], rng.random() < 0.5)
        elif rng.random() < 0.5 and is_real(proof[name]) and draft.document["problem"]["bias"] != "none":
            proof[name] = real(changed_float(rng, float.fromhex(proof[name])) + 0.0)
        low, high = oracle._point(draft.document, draft.data, members, machine)
        if high is None:
            return False
        inside, outside = above(high), _beyond(above(low), False)
        proof["primal"] = real(inside if rng.random() < 0.4 else outside)
        return read_real(proof["primal"]) >= read_real(proof["dual"])
    name = "beta" if members.classes else "alpha"
    if rng.random() < 0.7:
        _moved(rng, proof[name], True)
    values = read_vector(proof[name], n * k)
    z = [
        values[members.rows[p] * k + m] if members.classes else values[members.rows[p]]
        for p, m in machine.pairs
    ]
    value = dual(machine, z)
    if value is None:
        return False
    inside = below(value - Fraction(1, 2**1060))
    proof["dual"] = real((inside if rng.random() < 0.4 else _beyond(below(value), True)) + 0.0)
    return read_real(proof["dual"]) <= read_real(proof["primal"])


def _root(square: Fraction, up: bool) -> float:
    """The square root of a rational, rounded to binary64 downwards or upwards."""
    scale = max(0, 2400 + square.denominator.bit_length() - square.numerator.bit_length()) // 2 * 2
    root = math.isqrt((square.numerator << scale) // square.denominator)
    return above(Fraction(root + 1, 1 << (scale // 2))) if up else below(Fraction(root, 1 << (scale // 2)))


def _margin(rng: Draws, draft: Draft, proof: dict[str, Any]) -> bool:
    members = read_members(draft.document, draft.data)
    margin, X = proof["margin"], draft.data.X
    free = draft.document["problem"]["bias"] == "free"
    if rng.random() < 0.5:
        w = [Fraction(v) for v in read_vector(proof["w"], draft.data.columns, read_integer)]
        scores = {i: sum((Fraction(v) * u for v, u in zip(X[i], w, strict=True)), ZERO) for i in members.rows}
        if free:
            ups = [scores[i] for i in members.rows if members.side[i] > 0]
            downs = [scores[i] for i in members.rows if members.side[i] < 0]
            reach = (min(ups) - max(downs)) / 2
        else:
            reach = min(members.side[i] * scores[i] for i in members.rows)
        lower = _root(reach * reach / sum((u * u for u in w), ZERO), False)
        margin["lower"] = real(lower if rng.random() < 0.4 else _beyond(lower, True))
        return reach > 0
    alpha = read_vector(margin["alpha"], len(X), read_integer)
    sums = {
        side: sum(alpha[i] for i in members.rows if members.side[i] == side or not free) for side in (1, -1)
    }
    point = [
        sum(
            (
                Fraction(alpha[i] * members.side[i], sums[members.side[i]]) * Fraction(X[i][j])
                for i in members.rows
            ),
            ZERO,
        )
        for j in range(draft.data.columns)
    ]
    square = sum((v * v for v in point), ZERO) / (4 if free else 1)
    upper = _root(square, True)
    if Fraction(_beyond(upper, False)) ** 2 >= square:
        upper = _beyond(upper, False)
    margin["upper"] = real(upper if rng.random() < 0.4 else _beyond(upper, False))
    return True


def _bound(rng: Draws, draft: Draft, proof: dict[str, Any]) -> bool:
    members = read_members(draft.document, draft.data)
    gain, k, d = read_real(draft.place("problem", "gain")), max(members.classes, 1), draft.data.columns
    witness = proof["witness"]
    if rng.random() < 0.6:
        _moved(rng, witness["w"], False)
    w, b = read_vector(witness["w"], k * d), read_vector(witness["b"], k)

    def score(i: int, m: int) -> Fraction:
        return sum((Fraction(v) * w[m * d + j] for j, v in enumerate(draft.data.X[i])), b[m])

    if members.classes:
        least = min(
            score(i, members.side[i]) - score(i, m)
            for i in members.rows
            for m in range(k)
            if m != members.side[i]
        )
    else:
        least = min(members.side[i] * score(i, 0) for i in members.rows)
    if least <= 0:
        return rng.random() < 0.2
    norm = sum((v * v for v in w), ZERO) + (sum((v * v for v in b), ZERO) / gain if gain else ZERO)
    radius = max(sum((Fraction(v) ** 2 for v in draft.data.X[i]), gain) for i in members.rows) * (
        2 if members.classes else 1
    )
    rho = radius * norm / least**2
    pairs = len(places_of(members))
    high = 1
    while not excludes(draft.document["problem"], high + 1, rho, pairs):
        high *= 2
        if high > 2**50:
            return False
    low = 0
    while low < high:
        middle = (low + high) // 2
        if excludes(draft.document["problem"], middle + 1, rho, pairs):
            high = middle
        else:
            low = middle + 1
    proof["bound"] = max(0, low if rng.random() < 0.4 else low - 1)
    return True


def _plane(rng: Draws, draft: Draft, proof: dict[str, Any]) -> bool:
    """A plane that touches a row exactly, or misses it by the least that integers can say."""
    members = read_members(draft.document, draft.data)
    if members.classes or draft.document["problem"]["bias"] != "free":
        return False
    w = read_vector(proof["w"], draft.data.columns, read_integer)
    row = rng.choice(members.rows)
    score = sum((Fraction(v) * u for v, u in zip(draft.data.X[row], w, strict=True)), ZERO)
    size = score.denominator << rng.choice([0, 0, 60, 400])
    if size.bit_length() > 100_000:
        return False
    proof["w"] = {"length": len(w), "values": [integer(u * size) for u in w]}
    proof["b"] = integer(int(-score * size) + rng.choice([0, 0, 1, -1, 2, -2]))
    return True
