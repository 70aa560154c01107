"""The decision: the rows that can be made strict together, and those that are tied.

Live rows are peeled in layers until every live row is settled, or every live row is proved tied:
    one-sign columns; a strict direction for all; else a circuit (two rows with equal x, or a dependence);
    then, with g the sum of the live rows, either -g lies in their cone (all tied), or a direction settles some.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.proof.integers import Ints, common_scale, nearest_floats
from separatrix.proof.signed_rows import SignedRows
from separatrix.separability import candidates, integer_search, rationalise
from separatrix.separability.candidates import Dependence, Direction, opposite_pair
from separatrix.separability.peeling import Layer, combine, one_sign_layers
from separatrix.separability.rationalise import Balance, Cover, RowSystem
from separatrix.types import Index


@dataclass(frozen=True)
class Decision:
    """An exact decision.

    z (D,) integers with a_i.z > 0 off `tied` and 0 on it; circuit and cover where some rows are tied.
    """

    z: list[int]
    tied: Index
    circuit: Balance | None
    cover: Cover | None


def decide(rows: SignedRows) -> Decision:
    """Peel layers until nothing is live or everything live is tied."""
    live = np.arange(rows.n)
    layers: list[Layer] = []
    circuit: Balance | None = None
    proof: Cover | None = None
    while len(live):
        for layer in one_sign_layers(rows, live):
            layers.append(layer)
            live = np.setdiff1d(live, layer.settled, assume_unique=True)
        if not len(live):
            break
        if circuit is None:
            found = _strict_or_balance(rows, live)
            if not isinstance(found, Balance):
                layers.append(_layer(found, live))
                live = live[:0]
                break
            circuit = found
        answer = _weak_or_cover(rows, live, circuit)
        if isinstance(answer, Cover):
            proof = answer
            break
        settled = live[rows.signs(answer, live) > 0]
        layers.append(_layer(answer, settled))
        live = np.setdiff1d(live, settled, assume_unique=True)
    z = combine(rows, layers)
    _check(rows, z, live)
    return Decision(z, live, circuit if len(live) else None, proof)


def _layer(z: list[int], settled: Index) -> Layer:
    return Layer({j: a for j, a in enumerate(z) if a}, settled)


def _check(rows: SignedRows, z: list[int], tied: Index) -> None:
    expected = np.ones(rows.n, dtype=np.int8)
    expected[tied] = 0
    if not np.array_equal(rows.signs(z), expected):
        raise AssertionError("the combined witness failed its exact check; please report this")


def _strict_or_balance(rows: SignedRows, live: Index) -> list[int] | Balance:
    start = live[:0]
    for softened in (False, True):
        candidate = candidates.strict_direction(rows, live, softened)
        if isinstance(candidate, Direction):
            z = rows.unscaled(candidate.z)
            if np.all(rows.signs(z, live) > 0):
                return z
        pair = None if softened else opposite_pair(rows, live)
        if pair is not None:
            # Two rows at the origin, without a bias: each alone is a contradiction.
            circuit = sorted(pair) if np.any(rows.dense(np.array(pair))) else [min(pair)]
            return Balance(np.array(circuit, dtype=np.intp), [1] * len(circuit))
        if isinstance(candidate, Dependence):
            found = rationalise.balance(RowSystem(rows, candidate.rows))
            if found is not None:
                return found
        if candidate is not None and not softened:
            start = candidate.active if isinstance(candidate, Direction) else candidate.rows
    return integer_search.strict_or_balance(rows, live, start)


def _weak_or_cover(rows: SignedRows, live: Index, circuit: Balance) -> list[int] | Cover:
    total = rows.total(live)
    if not any(total[0]):
        return Cover(live[:0], [], 1)
    found = rationalise.cover_by(RowSystem(rows, circuit.rows), circuit, total)
    return found or weak_or_cover(rows, live, circuit.rows, total)


def weak_or_cover(
    rows: SignedRows, live: Index, start: Index, total: tuple[list[int], Ints]
) -> list[int] | Cover:
    """Find z with a_i.z >= 0 for every live row and total.z > 0, or weights >= 0 with sum weights_i a_i = -total.

    ``start`` are rows that an exact search begins with.
    """
    scaled = nearest_floats(common_scale(total[0], total[1] + rows.scale))
    for softened in (False, True):
        candidate = candidates.weak_direction(rows, live, scaled, softened)
        if isinstance(candidate, Dependence):
            found = rationalise.cover(RowSystem(rows, candidate.rows), total)
            if found is not None:
                return found
            start = candidate.rows
        elif isinstance(candidate, Direction):
            start = candidate.active
            direction = _exact_direction(rows, live, candidate.active, total)
            if direction is not None:
                return direction
    return integer_search.weak_or_cover(rows, live, start, total)


def _exact_direction(
    rows: SignedRows, live: Index, active: Index, total: tuple[list[int], Ints]
) -> list[int] | None:
    z = rationalise.projected_direction(rows, active, total)
    if z is None or not any(z):
        return None
    signs = rows.signs(z, live)
    return z if np.all(signs >= 0) and _product(z, total) > 0 else None


def _product(z: list[int], total: tuple[list[int], Ints]) -> int:
    """total.z, up to a positive factor."""
    return sum(a * b for a, b in zip(z, common_scale(*total), strict=True))
