"""Maximum-likelihood estimates of a logistic regression: which are finite, which infinite, in which direction.

Along a sequence of coefficients whose likelihood tends to its supremum, a_i.z tends to infinity for every row that is
not tied, and to a limit for every tied one. With R = {z : a_i.z >= 0 for every row} (the directions of recession) and
N = {z : a_i.z = 0 for every tied row}, the span of R,

    aliased       the column is a linear combination of the intercepts and of earlier columns; it is left out below
    finite        z_j = 0 for all z in R, hence in N:  every such sequence has one and the same limit
    +inf (-inf)   z_j >= 0 (<= 0) for all z in R, not always 0:  every such sequence goes to +inf (-inf)
    undetermined  z_j has both signs in R:  such sequences go to +inf, to -inf, or stay where they are

The third line holds by Farkas: z_j = sum_i c_i a_i.z for all z in N, with weights c >= 0 on rows that are not tied.
Albert and Anderson, Biometrika 71 (1984); Geyer, Likelihood inference in exponential families and directions of
recession, Electronic Journal of Statistics 3 (2009).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import frexp
from typing import Literal

import numpy as np

from separatrix.checker.estimates import MOST
from separatrix.proof.signed_rows import SignedRows
from separatrix.separability import columns as dependent
from separatrix.separability.candidates import Direction, weak_direction
from separatrix.separability.outcomes import Question
from separatrix.separability.overlap import Decision, weak_or_cover
from separatrix.separability.peeling import without_powers_of_two
from separatrix.separability.rationalise import Cover
from separatrix.types import Index, Vector

Word = Literal["finite", "+inf", "-inf", "undetermined", "aliased"]
Sparse = dict[int, int]
_EPS = float(np.finfo(np.float64).eps)
#: Share of a coefficient by which a shift must be able to pass zero; rounding is far below.
_LEAST_SHIFT = 2.0**-30
#: Rows for each column, of those nearest to the boundary of R, with which the first search begins.
_NEAR = 4
#: Rows whose distances to the boundary of R are computed at a time.
_ROWS_AT_ONCE = 4096


@dataclass(frozen=True)
class Weights:
    """factor z_j = sum_i values[i] a_rows[i].z on N, with values > 0: the sign of the factor is that of z_j on R."""

    rows: Index
    values: list[int]
    factor: int


@dataclass(frozen=True)
class Evidence:
    """Proof of every word: see docs/certificate-format.md, section 6. Vectors are {column: entry}."""

    modulus: int
    independent: Index
    aliased: list[Sparse]
    null: list[Sparse]
    signs: dict[int, Weights]
    directions: list[Sparse]


@dataclass
class _Found:
    """Facts about signs: columns that some direction of recession raises or lowers, and weights that forbid it."""

    up: set[int] = field(default_factory=set)
    down: set[int] = field(default_factory=set)
    directions: list[list[int]] = field(default_factory=list)
    weights: dict[int, Weights] = field(default_factory=dict)

    def add(self, z: list[int]) -> None:
        up, down = {j for j, a in enumerate(z) if a > 0}, {j for j, a in enumerate(z) if a < 0}
        if not (up <= self.up and down <= self.down):
            self.directions.append(without_powers_of_two(z))
        self.up |= up
        self.down |= down


class Estimates:
    """The estimates behind one decision. Columns are those of the signed rows."""

    def __init__(self, question: Question, decision: Decision) -> None:
        self.question, self.decision = question, decision
        self.rows = question.rows
        self._near: Index | None = None  # rows that have bounded R so far: the next search begins with them

    @cached_property
    def aliased(self) -> Index:
        """Columns that are combinations of the intercepts and of earlier columns."""
        own = dependent.aliased_by_rank(self.question.plain)
        if own is None:
            own = self._dependences[1]
        return np.array(sorted(c for j in own.tolist() for c in self.question.blocks[j]), dtype=np.intp)

    @cached_property
    def _dependences(self) -> tuple[list[Sparse], Index]:
        return dependent.dependences(self.question.plain)

    @cached_property
    def aliases(self) -> list[Sparse]:
        """A null vector of all rows for each aliased column, zero at all other aliased ones."""
        if not len(self.aliased):
            return []
        return [lifted for vector in self._dependences[0] for lifted in self.question.lifted(vector)]

    @cached_property
    def kept(self) -> Index:
        """Columns that are not aliased, in the order of the question."""
        return self.question.order[~np.isin(self.question.order, self.aliased)]

    @cached_property
    def null(self) -> list[Sparse]:
        """A basis of N without aliased columns, each with a column of its own; empty where no row is tied."""
        tied = self.decision.tied
        if not len(tied) or self._overlap:
            return []
        return dependent.null_vectors(self.rows, tied, self.kept)

    @property
    def _overlap(self) -> bool:
        return len(self.decision.tied) == self.rows.n

    @cached_property
    def direction(self) -> list[int]:
        """A direction that is strict on every row that is not tied, zero at aliased columns, in integers."""
        z = self.decision.z
        if self._overlap or not any(z[j] for j in self.aliased):
            return z
        exact = [Fraction(a) for a in z]
        aliased = set(self.aliased.tolist())
        for vector in self.aliases:
            own = next(c for c in vector if c in aliased)
            factor = exact[own] / vector[own]
            for c, a in vector.items():
                exact[c] -= factor * a
        denominator = np.lcm.reduce(np.array([a.denominator for a in exact], dtype=object))
        return without_powers_of_two([int(a * denominator) for a in exact])

    @cached_property
    def infinite(self) -> Index:
        """Columns that are neither aliased nor finite."""
        if self._overlap:
            return self.kept[:0]
        if not len(self.decision.tied):
            return self.kept
        used = {c for vector in self.null for c in vector}
        return np.array([c for c in self.kept.tolist() if c in used], dtype=np.intp)

    @cached_property
    def words(self) -> list[Word]:
        """One word for each column."""
        out: list[Word] = ["finite"] * self.rows.D
        for c in self.aliased:
            out[c] = "aliased"
        found = self.found
        for c in self.infinite.tolist():
            out[c] = "undetermined" if c in found.up & found.down else "+inf" if c in found.up else "-inf"
        return out

    def proof(self) -> Evidence:
        """The numbers that prove every word; raises where there are more coefficients than a certificate may have."""
        if len(self.question.order) > MOST:
            raise ValueError(
                f"The estimates of at most {MOST} coefficients can be certified; there are {len(self.question.order)}."
            )
        tied = self.decision.tied
        known = len(self.kept) - len(self.null) if len(tied) else 0
        modulus, independent = dependent.independent_rows(self.rows, tied, self.kept, known)
        free = {c for c in self.infinite.tolist() if c not in self.found.weights}
        directions = _enough(self.found.directions, free)
        return Evidence(modulus, independent, self.aliases, self.null, self.found.weights, directions)

    # -- signs ------------------------------------------------------------------------------------------

    @cached_property
    def found(self) -> _Found:
        """Directions and weights that decide the sign of every infinite column."""
        found = _Found()
        if not len(self.infinite):
            return found
        found.add(self.direction)
        if len(self.null) == 1:  # R is a ray, and each of its rows measures it
            i = int(np.setdiff1d(np.arange(self.rows.n), self.decision.tied)[0])
            ray = self.null[0]
            length = _product(self.rows, i, ray)
            if length < 0:
                ray, length = {c: -a for c, a in ray.items()}, -length
            for c in self.infinite.tolist():
                a = ray[c]
                # length z_c = ray_c (a_i.z)
                factor = length / abs(a) * (1 if a > 0 else -1)
                found.weights[c] = Weights(np.array([i]), [factor.denominator], factor.numerator)
            return found
        inner, places = self._without_aliases()
        if not len(self.decision.tied):
            self._shift(inner, places, found)
        for c in self.infinite.tolist():
            for sign, known in ((1, found.up), (-1, found.down)):
                if c not in known and c not in found.weights:
                    self._search(inner, places, c, sign, found)
        return found

    def _without_aliases(self) -> tuple[SignedRows, Index]:
        """The signed rows without aliased columns, and the columns that are left."""
        rows = self.rows
        if not len(self.aliased):
            return rows, np.arange(rows.D)
        places = np.sort(self.kept)
        own = places[places < rows.d]
        return SignedRows(rows.X[:, own], rows.y, rows.bias), places

    def _shift(self, rows: SignedRows, places: Index, found: _Found) -> None:
        """Move the direction along each column alone, as far as every row stays strict: often its sign changes.

        Floats decide, with a bound on their error: what they leave open is left to `_search`.
        """
        z = [self.direction[c] for c in places]
        near, _ = rows.scaled(z)
        room = _room(rows, near)
        for k, c in enumerate(places.tolist()):
            a = float(near[k])
            side = 0 if a > 0 else 1  # lowered, or raised
            if not a or not room[side][k] > abs(a):
                continue
            # The shift ends at -a, or at -a 2^-halvings: within the room, and of the other sign.
            beyond = min(1.0, (room[side][k] / abs(a) - 1.0) / 2)
            if beyond < _LEAST_SHIFT:
                continue
            halvings = max(0, 1 - frexp(beyond)[1])
            shifted = [b << halvings for b in self.direction]
            shifted[c] = -self.direction[c]
            found.add(shifted)

    def _search(self, rows: SignedRows, places: Index, column: int, sign: int, found: _Found) -> None:
        """Find z in R with sign z_j > 0, or weights that forbid it."""
        at = int(np.flatnonzero(places == column)[0])
        answer: list[int] | Cover | None = None
        if not len(self.decision.tied):
            answer = self._inside(rows, places, at, sign)
        if answer is None:
            total = [sign * int(c == column) for c in places], np.zeros(rows.D, dtype=np.int64)
            everything = np.arange(rows.n)
            answer = weak_or_cover(rows, everything, everything[:0], total)
        if isinstance(answer, Cover):
            # denominator sign z_j = -sum weights a.z; tied rows are zero on N.
            strict = ~np.isin(answer.rows, self.decision.tied)
            values = [v for v, s in zip(answer.weights, strict, strict=True) if s]
            found.weights[column] = Weights(answer.rows[strict], values, -sign * answer.denominator)
            return
        z = [0] * self.rows.D
        for c, a in zip(places.tolist(), answer, strict=True):
            z[c] = a
        found.add(z)

    def _inside(self, rows: SignedRows, places: Index, at: int, sign: int) -> list[int] | None:
        """A direction inside R with sign z_at > 0; None where floats find none.

        A candidate on the boundary of R, with a share of the direction that is strict on every row, needs no exact
        solution of the equations of the boundary.
        """
        strict, _ = rows.scaled([self.direction[c] for c in places])
        if self._near is None:
            self._near = np.argsort(rows.products(strict), kind="stable")[: _NEAR * rows.D]
        everything = np.arange(rows.n)
        candidate = weak_direction(rows, everything, sign * np.eye(1, rows.D, at)[0], first=self._near)
        if not isinstance(candidate, Direction):
            return None
        self._near = np.union1d(self._near, candidate.active)
        share = 0.5 * abs(candidate.z[at]) / max(abs(strict[at]), abs(candidate.z[at]))
        z = rows.unscaled(candidate.z + share * strict)
        return z if sign * z[at] > 0 and bool(np.all(rows.signs(z) > 0)) else None


def _enough(directions: list[list[int]], free: set[int]) -> list[Sparse]:
    """Those of the directions that show both signs of the free columns."""
    open_signs = {(c, sign) for c in free for sign in (1, -1)}
    out = []
    for z in directions:
        shown = {(c, sign) for c, sign in open_signs if sign * z[c] > 0}
        if shown:
            out.append({c: a for c, a in enumerate(z) if a})
            open_signs -= shown
    return out


def _product(rows: SignedRows, i: int, vector: Sparse) -> Fraction:
    """a_i.v, exactly."""
    N, e = rows.integers(np.array([i]))
    return sum(
        (int(N[0, c]) * Fraction(2) ** int(e[c]) * a for c, a in vector.items()),
        Fraction(0),
    )


def _room(rows: SignedRows, z: Vector) -> tuple[Vector, Vector]:
    """Room to lower and raise each column of z (D,), in scaled coordinates, while every row stays positive.

    Lower bounds: the products are within their error bound, and what is left is rounding of a few units.
    """
    error = (rows.D + 16) * _EPS * float(np.sum(np.abs(z))) * 1.01
    out = np.full((2, rows.D), np.inf)
    for start in range(0, rows.n, _ROWS_AT_ONCE):
        block = rows.take(np.arange(start, min(rows.n, start + _ROWS_AT_ONCE)))
        slack = np.maximum(block @ z - error, 0.0)[:, None] * (1 - 32 * _EPS)
        for side, entries in enumerate((block, -block)):
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                steps = np.where(entries > 0, slack / entries, np.inf)
            np.minimum(out[side], steps.min(axis=0), out=out[side])
    return out[0], out[1]
