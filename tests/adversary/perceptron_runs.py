"""Runs of the perceptron in fractions, and the least bound that section 7 could prove with the best witness."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

from tests.adversary.document import Data, Members, read_real
from tests.adversary.kernel_truth import matrix
from tests.adversary.optimum import Machine, solve
from tests.adversary.pivoting import Stuck

ZERO = Fraction(0)
Products = list[list[Fraction]]


def places_of(members: Members) -> list[tuple[int, int]]:
    """The rows, or the pairs of a row and another class than its own: (place, row)."""
    k = members.classes
    if not k:
        return [(i, i) for i in members.rows]
    return [(i * k + m, i) for i in members.rows for m in range(k) if m != members.side[i]]


def products_of(data: Data, members: Members, gain: Fraction) -> Products:
    """The inner products of all signed rows, the fictitious column included: all that a run depends on."""
    k = members.classes
    inner = {}
    for i in members.rows:
        for j in members.rows:
            inner[i, j] = sum(
                (Fraction(u) * Fraction(v) for u, v in zip(data.X[i], data.X[j], strict=True)), gain
            )
    places = places_of(members)
    table = []
    for p, i in places:
        line = []
        for q, j in places:
            if not k:
                sign = members.side[i] * members.side[j]
            else:
                own, other, own2, other2 = members.side[i], p % k, members.side[j], q % k
                sign = (own == own2) - (own == other2) - (other == own2) + (other == other2)
            line.append(sign * inner[i, j])
        table.append(line)
    return table


def least_rho(data: Data, members: Members, gain: Fraction) -> Fraction | None:
    """R times the inverse square of the greatest margin: no witness has a smaller rho; None where there is none."""
    K = [[(e[0] + gain, e[1] + gain) for e in row] for row in matrix("linear", data, members.rows)]
    side = [members.side[i] for i in members.rows]
    try:
        solution = solve(Machine(K, side, members.classes, "none", False, None))
    except Stuck:
        return None
    largest = max(K[i][i][0] for i in range(len(K))) * (2 if members.classes else 1)
    return largest * 2 * solution.lower


def excludes(problem: dict[str, Any], number: int, rho: Fraction, pairs: int) -> bool:
    """Whether the table of section 7 excludes this number of updates."""
    k, e = number, 0 if problem["start"] == "zero" else 1
    gradient, step = problem["algorithm"] == "gradient", problem["step"]
    if step == "decreasing":
        reach = pairs if gradient else 1
        t = Fraction(math.isqrt((k + 1) << 128), 2**64)
        j = k.bit_length() - 1
        log = Fraction(6931471806, 10**10) * j + Fraction(k, 2**j) - 1
        r, q = 2 * (t - 1) + e, reach**2 * (1 + log) + e
        return r > 0 and (r > reach * rho or r * r > rho * q)
    s = Fraction(1) if step == "line-search" else read_real(step)
    if not gradient:
        if not e:
            return k > rho
        return 2 * (1 + s * k) >= rho * s and (1 + s * k) ** 2 > rho * (1 + s * s * k)
    low, high = s, pairs * s
    if e and step != "line-search":
        low, high = min(Fraction(1), s), max(Fraction(1), pairs * s)
    return 4 * low * high * (k + e) > (low + high) ** 2 * rho


def _step(problem: dict[str, Any], t: int) -> Fraction:
    """The step of update t; 1 / sqrt(t) is taken to 60 digits, which callers allow for."""
    if problem["step"] == "decreasing":
        return Fraction(math.isqrt((1 << 400) // t), 1 << 200)
    return read_real(problem["step"])


def _line_search(margins: list[Fraction], change: list[Fraction], updated: int) -> Fraction | None:
    """The clamped minimiser of sum max(0, -margin) along the ray; None where the minimum is not at one point."""
    breaks = sorted({-m / c for m, c in zip(margins, change, strict=True) if c and -m / c > 0})
    risks = [
        (sum((max(ZERO, -(m + s * c)) for m, c in zip(margins, change, strict=True)), ZERO), s)
        for s in [ZERO, *breaks]
    ]
    least = min(risks)[0]
    at = [s for risk, s in risks if risk == least]
    if len(at) != 1 or (at[0] == ([ZERO, *breaks])[-1] and all(c >= 0 for c in change)):
        return None
    return min(max(at[0], Fraction(1, updated)), Fraction(len(margins), updated))


def longest_run(problem: dict[str, Any], products: Products, limit: int, seed: int) -> int:
    """The most updates that some runs made, each cut off beyond `limit`."""
    rng = random.Random(seed)
    n = len(products)
    starts: list[int | None] = [None] if problem["start"] == "zero" else list(range(n))
    if problem["algorithm"] == "gradient":
        return max(_gradient(problem, products, start, limit) for start in starts)
    orders = ["cycle", "worst", "mildest", "random", "random"]
    return max(
        _perceptron(problem, products, start, limit, order, rng) for start in starts for order in orders
    )


def _initial(products: Products, start: int | None) -> list[Fraction]:
    return [ZERO] * len(products) if start is None else list(products[start])


def _undecided(problem: dict[str, Any], margins: list[Fraction], updates: int) -> bool:
    """True after decreasing steps, whose roots are rounded, if the sign of some margin may be rounding."""
    least = Fraction(1, 10**30) * (1 + max(map(abs, margins)))
    return problem["step"] == "decreasing" and updates > 0 and any(abs(m) < least for m in margins)


def _perceptron(
    problem: dict[str, Any], products: Products, start: int | None, limit: int, order: str, rng: Any
) -> int:
    margins = _initial(products, start)
    updates, last = 0, -1
    while updates <= limit:
        wrong = [i for i, m in enumerate(margins) if m <= 0]
        if not wrong or _undecided(problem, margins, updates):
            return updates
        if order == "cycle":
            chosen = next((i for i in wrong if i > last), wrong[0])
        elif order == "random":
            chosen = rng.choice(wrong)
        else:
            chosen = (min if order == "worst" else max)(wrong, key=lambda i: margins[i])
        last = chosen
        updates += 1
        s = _step(problem, updates)
        margins = [m + s * p for m, p in zip(margins, products[chosen], strict=True)]
    return updates


def _gradient(problem: dict[str, Any], products: Products, start: int | None, limit: int) -> int:
    margins = _initial(products, start)
    updates = 0
    while updates <= limit:
        wrong = [i for i, m in enumerate(margins) if m <= 0]
        if not wrong or _undecided(problem, margins, updates):
            return updates
        change = [sum((products[i][j] for i in wrong), ZERO) for j in range(len(products))]
        s = (
            _line_search(margins, change, len(wrong))
            if problem["step"] == "line-search"
            else _step(problem, updates + 1)
        )
        if s is None:
            return updates
        updates += 1
        margins = [m + s * c for m, c in zip(margins, change, strict=True)]
    return updates
