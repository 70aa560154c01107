"""Exact check of what a separation means for the estimates of a logistic regression (section 6 of the format).

With R = {z : a.z >= 0 for every a} and N = {z : a.z = 0 for every tied a}, aliased columns left out:

    aliased       a null vector of every a shows the column as a combination of earlier ones
    finite        z_j = 0 in N, of which a basis is given; rows that are independent show that N is no larger
    +inf, -inf    factor z_j = sum c_i a_i.z in N, with weights c >= 0 on rows that are not tied
    undetermined  two given directions of R have different signs
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import gcd
from typing import Any

from separatrix.checker import classes, linear
from separatrix.checker.linear import Row, add, check_signs, dot
from separatrix.checker.numbers import Rejected, count, fields, integer, vector, weights
from separatrix.checker.statement import Claim, Proved

WORDS = ("finite", "+inf", "-inf", "undetermined", "aliased")
MOST = 1024  #: coefficients of which the estimates may be claimed
_NAMED = 10  # coefficients named in a statement for each word
_MODULI = 1 << 26  # so that products of two residues stay below 2^53, where JavaScript's numbers are exact
Sparse = dict[int, int]


class Model:
    """The signed rows of a claim, and its coefficients: their columns in the order in which aliases are sought."""

    length: int  #: of a vector over columns
    places: int  #: of a vector over signed rows
    order: dict[int, int]  #: column -> rank
    names: list[str]  #: by rank

    def __init__(self, claim: Claim) -> None:
        self.claim, data = claim, claim.data
        bias, k, d = claim.problem["bias"] == "free", len(data.positive), data.d
        labels = [json.dumps(each) if data.labels.kind == "text" else each for each in data.positive]
        columns = [f"column {j}" for j in range(d)]
        self.places, self.length = data.n * (k if data.joint else 1), d + 1
        order, names = [*[d][: int(bias)], *range(d)], [*["bias"][: int(bias)], *columns]
        if claim.problem["classes"] == "ordinal":
            self.length, order = d + k - 1, [*range(d, d + k - 1), *range(d)]
            names = [f"threshold {a}|{b}" for a, b in pairwise(labels)] + columns
        elif data.joint:
            self.length = k * d + k
            order = [k * d + m for m in range(1, k) if bias] + list(range(d, k * d))
            names = [f"bias of {each}" for each in labels[1:] if bias]
            names += [f"{column} of {each}" for each in labels[1:] for column in columns]
        self.order, self.names = {column: rank for rank, column in enumerate(order)}, names

    def rows(self) -> Iterator[Row]:
        """The signed rows times 2^scale."""
        claim = self.claim
        if claim.data.joint:
            return classes.signed_rows(claim)
        return linear.signed(claim.data, claim.problem["bias"] == "free")

    def tied(self) -> set[int]:
        """Places of the rows that are tied, once the claim itself is proved."""
        kind, proof, data = self.claim.kind, self.claim.proof, self.claim.data
        if kind == "inseparable":
            return {place for place, _, _ in self.rows()}
        many = data.joint and self.claim.problem["classes"] != "ordinal"
        w = vector(proof["w"], "w", len(data.positive) * data.d if many else data.d, integer)
        start = len(data.positive) * data.d if many else data.d
        b = (
            vector(proof["b"], "b", self.length - start, integer)
            if data.joint
            else {0: integer(proof["b"], "b")}
        )
        return check_signs(kind, self.rows(), w | {start + m: each for m, each in b.items()}, self.length)


def separation(claim: Claim) -> Proved:
    """Check a claim of separability and the estimates that it adds."""
    proof = dict(claim.proof)
    record = proof.pop("estimates")
    plain = claim._replace(proof=proof)
    proved = (classes.separation if claim.data.joint else linear.separation)(plain)
    model = Model(plain)
    words = check(record, model, model.tied())
    return replace(proved, sentence=f"{proved.sentence}; {summary(words, model)}")


def summary(words: list[str], model: Model) -> str:
    """The words of all coefficients, by rank, as part of a statement."""
    parts = []
    for word in WORDS:
        named = [name for name, each in zip(model.names, words, strict=True) if each == word]
        if named:
            more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
            which = "" if word == "finite" else f" ({', '.join(named[:_NAMED])}{more})"
            parts.append(f"{len(named)} {word}{which}")
    return f"maximum-likelihood estimates: {', '.join(parts)}"


def check(record: Any, model: Model, tied: set[int]) -> list[str]:
    """The word of each coefficient, by rank, once it is proved."""
    modulus, chosen, *rest = fields(
        record, "estimates", "modulus", "independent", "aliased", "null", "signs", "directions"
    )
    if len(model.order) > MOST:
        raise Rejected(f"Estimates can be proved of at most {MOST} coefficients.")
    aliases = _vectors(rest[0], "aliased", model, set())
    gone = {max(each, key=model.order.__getitem__) for each in aliases}
    if len(gone) < len(aliases):
        raise Rejected("Two null vectors show the same column to be aliased.")
    kept = [column for column in model.order if column not in gone]
    null = _vectors(rest[1], "null", model, gone)
    directions = _vectors(rest[3], "directions", model, gone)
    dimension = len(null) if tied else len(kept)
    _check_basis(null, bool(tied))
    signs = _signs(rest[2], model, tied)
    sums, table = _pass(model, tied, aliases, null, directions, signs, _places(chosen, model))
    known = sum(place in tied for place in table)
    if len(table) != len(kept) or known != len(kept) - dimension:
        raise Rejected("The independent rows are not as many as show which columns are aliased or finite.")
    _check_independent([[row.get(c, 0) for c in kept] for row in table.values()], modulus)
    basis = null if tied else [{column: 1} for column in kept]
    used = {column for each in basis for column in each}
    for column, (_, factor) in signs.items():
        if column not in used:
            raise Rejected(f"The estimate of {_name(model, column)} is finite or aliased, and has no sign.")
        whole = factor << model.claim.data.scale
        if any(
            dot(each.keys(), each.values(), sums[column]) != whole * each.get(column, 0) for each in basis
        ):
            raise Rejected(f"The weights do not prove the sign of {_name(model, column)}.")
    out = []
    for column in model.order:
        seen = {each.get(column, 0) > 0 for each in directions if each.get(column, 0)}
        if column in gone:
            out.append("aliased")
        elif column not in used:
            out.append("finite")
        elif column in signs:
            out.append("+inf" if signs[column][1] > 0 else "-inf")
        elif len(seen) == 2:
            out.append("undetermined")
        else:
            raise Rejected(f"Nothing is proved about the estimate of {_name(model, column)}.")
    return out


def _name(model: Model, column: int) -> str:
    return model.names[model.order[column]]


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list) or len(value) > MOST * 2:
        raise Rejected(f"The field {name} must be a list of at most {MOST * 2}.")
    return value


def _vectors(value: Any, name: str, model: Model, gone: set[int]) -> list[Sparse]:
    """Vectors over coefficients, none of them zero, zero at the columns that are gone."""
    out = [vector(each, name, model.length, integer) for each in _list(value, name)]
    for each in out:
        if not each or not model.order.keys() >= each.keys() or not gone.isdisjoint(each):
            raise Rejected(f"A vector of {name} is zero, or has a value at a column that it cannot have.")
    return out


def _check_basis(null: list[Sparse], tied: bool) -> None:
    if null and not tied:
        raise Rejected("Where no row is tied, null is empty.")
    for each in null:
        others = {column for other in null if other is not each for column in other}
        if others.issuperset(each):
            raise Rejected("Each vector of null must have a value at a column where all others have none.")


def _signs(value: Any, model: Model, tied: set[int]) -> dict[int, tuple[Sparse, int]]:
    """Weights and factor of each column whose sign is claimed."""
    out: dict[int, tuple[Sparse, int]] = {}
    for each in _list(value, "signs"):
        column, given, factor = fields(each, "signs", "column", "weights", "factor")
        chosen, number = weights(given, "weights", model.places), integer(factor, "factor")
        if count(column, "column") not in model.order or column in out or not number:
            raise Rejected("A sign is claimed twice, of no coefficient, or with a factor of zero.")
        if not tied.isdisjoint(chosen):
            raise Rejected("The weights of a sign must be on rows that are not tied.")
        out[column] = chosen, number
    return out


def _places(chosen: Any, model: Model) -> list[int]:
    places = [count(each, "independent") for each in _list(chosen, "independent")]
    if any(a >= b for a, b in pairwise(places)):
        raise Rejected("The places of independent rows must increase.")
    return places


def _pass(
    model: Model,
    tied: set[int],
    aliases: list[Sparse],
    null: list[Sparse],
    directions: list[Sparse],
    signs: dict[int, tuple[Sparse, int]],
    chosen: list[int],
) -> tuple[dict[int, Sparse], dict[int, Sparse]]:
    """One pass over the rows: weighted sums for each sign, and the independent rows; rejects a wrong product."""
    sums, table, wanted = {column: Sparse() for column in signs}, dict[int, Sparse](), set(chosen)
    met = dict.fromkeys(signs, 0)
    for place, columns, entries in model.rows():
        zero = [*aliases, *null] if place in tied else aliases
        if any(dot(columns, entries, each) for each in zero):
            raise Rejected(f"A vector of aliased or null is not zero on row {place}.")
        if any(dot(columns, entries, each) < 0 for each in directions):
            raise Rejected(f"A given direction has row {place} on its wrong side.")
        for column, (chosen_rows, _) in signs.items():
            if place in chosen_rows:
                add(sums[column], columns, entries, chosen_rows[place])
                met[column] += 1
        if place in wanted:
            table[place] = dict(zip(columns, entries, strict=True))
    if len(table) < len(wanted) or any(met[column] < len(rows) for column, (rows, _) in signs.items()):
        raise Rejected("A weight or an independent row is at a place where there is no row.")
    return sums, table


def _check_independent(table: list[list[int]], modulus: Any) -> None:
    """Reject unless elimination modulo a number ends with pivots that have inverses: the determinant is not zero."""
    p = count(modulus, "modulus")
    if not 2 <= p < _MODULI:
        raise Rejected(f"The modulus must be from 2 to {_MODULI - 1}.")
    rows = [[each % p for each in row] for row in table]
    for c in range(len(rows)):
        at = next((r for r in range(c, len(rows)) if gcd(rows[r][c], p) == 1), None)
        if at is None:
            raise Rejected("The rows are not shown to be independent.")
        rows[c], rows[at] = rows[at], rows[c]
        inverse = pow(rows[c][c], -1, p)
        pivot = [each * inverse % p for each in rows[c]]
        for r in range(c + 1, len(rows)):
            factor = rows[r][c]
            if factor:
                rows[r] = [(a - factor * b) % p for a, b in zip(rows[r], pivot, strict=True)]
