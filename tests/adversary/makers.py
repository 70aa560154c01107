"""Genuine documents, made from the exact solutions of the oracle: what every checker must accept."""

from __future__ import annotations

import math
from fractions import Fraction
from math import lcm
from typing import Any

from tests.adversary import oracle
from tests.adversary.document import Data, dense, describe, integer, read_members, real, sealed, sparse
from tests.adversary.kernel_truth import matrix
from tests.adversary.optimum import Machine, coefficients, dual, plane_scores, primal, scores_of, solve
from tests.adversary.perceptron_runs import excludes, least_rho, places_of, products_of
from tests.adversary.separability_truth import signed_rows, split
from tests.adversary.statement import write

ZERO = Fraction(0)


def below(value: Fraction) -> float:
    """The greatest binary64 number not above a rational."""
    near = float(value)
    return near if Fraction(near) <= value else math.nextafter(near, -math.inf)


def above(value: Fraction) -> float:
    return -below(-value) + 0.0


def finished(
    kind: str, about: dict[str, Any], problem: dict[str, Any], proof: dict[str, Any], data: Data
) -> dict[str, Any]:
    """The document with its sentence and its digest."""
    document = {
        "format": "separatrix-certificate", "version": 2, "kind": kind, "claim": "", "data": about,
        "problem": problem, "proof": proof,
    }  # fmt: skip
    document["claim"] = write(document, data)
    return sealed(document)


def whole(values: list[Fraction]) -> list[int]:
    """The values times the least number that makes them integers."""
    scale = lcm(*(v.denominator for v in values))
    return [int(v * scale) for v in values]


def _quantised(machine: Machine, z: list[Fraction]) -> list[Fraction]:
    """The dual point on a grid of powers of two, feasible still: inside its bounds, and in balance for a free bias."""
    largest = max(z, default=ZERO)
    if not largest:
        return z
    grid = Fraction(2) ** (math.frexp(float(largest))[1] - 44)
    z = [(v // grid) * grid for v in z]
    if machine.bias != "free":
        return z
    pairs = machine.pairs
    for _ in range(100):
        A = coefficients(machine, z)
        sums = [sum((row[m] for row in A), ZERO) for m in range(len(A[0]))]
        if not any(sums):
            return z
        for p, pair in enumerate(pairs):
            direction = machine.direction(pair)
            for sign in (1, -1):
                room = z[p] if sign < 0 else _room(machine, z, pair[0])
                wanted = min((abs(s) for s, u in zip(sums, direction, strict=True) if u), default=ZERO)
                better = all(s * u * sign < 0 for s, u in zip(sums, direction, strict=True) if u)
                move = min(room // grid * grid, wanted)
                if better and move > 0:
                    z[p] += sign * move
                    sums = [s + sign * move * u for s, u in zip(sums, direction, strict=True)]
    raise AssertionError("no balance on the grid")


def _room(machine: Machine, z: list[Fraction], row: int) -> Fraction:
    if machine.C is None or machine.squared:
        return Fraction(1)
    return machine.C[row] - sum((v for v, pair in zip(z, machine.pairs, strict=True) if pair[0] == row), ZERO)


def optimal(
    data: Data, about: dict[str, Any], problem: dict[str, Any], short: bool = False, tight: bool = False
) -> dict[str, Any]:
    """An `optimal` document; `short` leaves out what may be left out (W, coef) and writes vectors the sparse way.

    The bounds leave some room for checkers in floating point, unless they are to be `tight` to the last digit.
    """
    members = read_members({"data": about, "problem": problem}, data)
    machine = oracle.machine_of({"problem": problem}, data, members)
    solution = solve(machine)
    z = _quantised(machine, solution.z)
    n, d, k = len(data.X), data.columns, max(members.classes, 1)
    vector = sparse if short else dense
    A = coefficients(machine, z)
    hard = machine.C is None
    b = [Fraction(float(v)) for v in solution.b]
    proof: dict[str, Any] = {}
    linear = problem["kernel"] == "linear"
    if not linear and (hard or not short) and not members.classes:
        stretch = 1 + Fraction(1, 2**30) if hard else Fraction(1)
        A = [[Fraction(float(stretch * v)) for v in row] for row in solution.A]
        b = [Fraction(float(stretch * v)) for v in b]
        full = [ZERO] * n
        for p, i in enumerate(members.rows):
            full[i] = A[p][0]
        proof["coef"] = vector([float(v) for v in full])
    scores, norm = scores_of(machine, A, b)
    if linear and not (short and members.classes):
        w = [
            Fraction(float(sum((A[p][m] * Fraction(data.X[i][j]) for p, i in enumerate(members.rows)), ZERO)))
            for m in range(k)
            for j in range(d)
        ]
        proof["W" if members.classes else "w"] = vector([float(v) for v in w])
        scores, norm = plane_scores([data.X[i] for i in members.rows], w, b)
    _, high = primal(machine, scores, norm, b)
    low = dual(machine, z)
    assert high is not None
    assert low is not None
    exact = all(e[0] == e[1] for row in machine.K for e in row)
    roomy = Fraction(0 if exact else 1, 2**85) if tight else Fraction(1, 2**40)
    top, bottom = above(high * (1 + roomy)), below(low - abs(low) * roomy - Fraction(1, 2**1000))
    if top == 0:
        bottom = 0.0
    proof |= {"primal": real(top), "dual": real(min(bottom, top))}
    if members.classes:
        beta = [ZERO] * (n * k)
        for v, (p, m) in zip(z, machine.pairs, strict=True):
            beta[members.rows[p] * k + m] = v
        proof |= {"beta": vector([float(v) for v in beta]), "b": vector([float(v) for v in b])}
    else:
        alpha = [ZERO] * n
        for v, (p, _) in zip(z, machine.pairs, strict=True):
            alpha[members.rows[p]] = v
        proof |= {"alpha": vector([float(v) for v in alpha]), "b": real(float(b[0]))}
    return finished("optimal", about, problem, proof, data)


def separation(
    data: Data, about: dict[str, Any], problem: dict[str, Any], margin: bool = False
) -> dict[str, Any]:
    """The document of whichever of the three kinds is true, for a linear kernel."""
    members = read_members({"data": about, "problem": problem}, data)
    free = problem["bias"] == "free"
    found = split(signed_rows(data, members, free))
    n, d, k = len(data.X), data.columns, max(members.classes, 1)
    width = d + free
    proof: dict[str, Any] = {}
    z = whole(found.z) if found.z else []
    alpha: list[int] = []
    if margin:
        K = matrix("linear", data, members.rows)
        machine = Machine(K, [members.side[i] for i in members.rows], 0, problem["bias"], False, None)
        solution = solve(machine)
        w = [
            sum((solution.A[p][0] * Fraction(data.X[i][j]) for p, i in enumerate(members.rows)), ZERO)
            for j in range(d)
        ]
        z = whole([*w, solution.b[0]] if free else w)
        square = 1 / (2 * solution.lower)
        near = math.isqrt((square.numerator << 400) // square.denominator)
        lower, upper = below(Fraction(near, 2**200)), above(Fraction(near + 1, 2**200))
        alpha = [0] * n
        for i, v in zip(members.rows, whole(solution.z), strict=True):
            alpha[i] = v
        proof["margin"] = {"lower": real(lower), "upper": real(upper), "alpha": sparse(alpha, integer)}
    if len(found.tied) < len(found.places):
        proof["w"] = dense([z[m * width + j] for m in range(k) for j in range(d)], integer)
        b = [z[m * width + d] if free else 0 for m in range(k)]
        proof["b"] = dense(b, integer) if members.classes else integer(b[0])
    if not found.tied:
        return finished("separating", about, problem, proof, data)
    ordered = sorted(found.tied)
    weights = dict(zip(ordered, whole([found.multipliers[place] for place in ordered]), strict=True))
    least = min(weights.values())
    places = n * (members.classes or 1)
    proof["circuit"] = sparse([weights.get(p, 0) for p in range(places)], integer)
    proof["cover"] = dense([weights[p] - least if p in weights else 0 for p in range(places)], integer)
    proof["denominator"] = integer(least)
    kind = "inseparable" if len(found.tied) == len(found.places) else "quasi-separable"
    return finished(kind, about, problem, proof, data)


def contradiction(
    data: Data, about: dict[str, Any], problem: dict[str, Any], rows: list[int]
) -> dict[str, Any]:
    """`inseparable` in the space of a kernel, from rows that cancel with weights of one."""
    circuit = sparse([int(i in rows) for i in range(len(data.X))], integer)
    return finished("inseparable", about, problem, {"circuit": circuit}, data)


def mistakes(data: Data, about: dict[str, Any], problem: dict[str, Any], updates: bool) -> dict[str, Any]:
    """A bound on mistakes with the best witness rounded to binary64, and the updates of one run."""
    members = read_members({"data": about, "problem": problem}, data)
    gain = Fraction(float.fromhex(problem["gain"]))
    K = [[(e[0] + gain, e[1] + gain) for e in row] for row in matrix("linear", data, members.rows)]
    machine = Machine(K, [members.side[i] for i in members.rows], members.classes, "none", False, None)
    A = solve(machine).A
    k, n = max(members.classes, 1), len(data.X)
    exact = [
        sum((A[p][m] * Fraction(data.X[i][j]) for p, i in enumerate(members.rows)), ZERO)
        for m in range(k)
        for j in range(data.columns)
    ]
    size = max(map(abs, exact), default=ZERO) or Fraction(1)  # of the witness the direction alone matters
    w = [float(v / size) for v in exact]
    b = [float(gain * sum((row[m] for row in A), ZERO) / size) for m in range(k)]
    rho = least_rho(data, members, gain)
    assert rho is not None
    rho *= 1 + Fraction(1, 2**40)
    places = [place for place, _ in places_of(members)]
    bound = 0
    while not excludes(problem, bound + 1, rho, len(places)):
        bound = bound * 2 + 1
    step = (bound + 1) // 2
    while step:
        if bound >= step and excludes(problem, bound - step + 1, rho, len(places)):
            bound -= step
        else:
            step //= 2
    proof: dict[str, Any] = {"witness": {"w": dense(w), "b": dense(b)}, "bound": bound}
    if updates:
        counts, start = _run(problem, products_of(data, members, gain))
        full = [0] * (n * k)
        for place, v in zip(places, counts, strict=True):
            full[place] = v
        if any(full):
            proof["updates"] = sparse(full, integer)
            if start is not None:
                proof["start"] = places[start]
    return finished("mistakes", about, problem, proof, data)


def _run(problem: dict[str, Any], products: Any) -> tuple[list[int], int | None]:
    """How often each row is updated in one run, and where that started."""
    s = Fraction(float.fromhex(problem["step"]))
    start = None if problem["start"] == "zero" else 0
    margins = [ZERO] * len(products) if start is None else list(products[start])
    counts = [0] * len(products)
    while True:
        wrong = [i for i, m in enumerate(margins) if m <= 0]
        if not wrong:
            return counts, start
        for i in wrong if problem["algorithm"] == "gradient" else wrong[:1]:
            counts[i] += 1
            margins = [m + s * p for m, p in zip(margins, products[i], strict=True)]


def about(
    data: Data, positive: list[str], negative: list[str], excluded: list[int] | None = None
) -> dict[str, Any]:
    return describe(data, positive, negative, excluded)
