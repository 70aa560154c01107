"""The record that `separability` returns: a verdict with everything that proves it.

The decision is made when the record is made. The margin, the columns and the certificate need more passes over
the data, so each is computed when first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from separatrix.proof import separation
from separatrix.proof.certificate import Certificate, Source
from separatrix.proof.estimates import EstimateProof, with_estimates
from separatrix.proof.fingerprint import Fingerprint, fingerprint
from separatrix.proof.integers import float_integers
from separatrix.proof.margin_bounds import slab
from separatrix.proof.signed_rows import SignedRows
from separatrix.separability.estimates import Estimates
from separatrix.separability.margin import MarginProof, margin_interval
from separatrix.separability.outcomes import Question, two_sides_question
from separatrix.separability.overlap import Decision
from separatrix.separability.peeling import without_powers_of_two
from separatrix.separability.presentation import Presentation
from separatrix.separability.rationalise import Balance
from separatrix.separability.terms import ModelFacts
from separatrix.types import Index

Verdict = Literal["separable", "quasi-separable", "inseparable"]
#: Bits of the bias of a centred witness, relative to its largest product.
_BIAS_BITS = 64


@dataclass(frozen=True, eq=False)
class Data:
    """The user's data behind a verdict: X and y as given, the labels of the two sides, the rows that take part.

    All classes are in ``positive``, in order, where a question is about more than two sides.
    """

    X: Any
    y: Any
    positive: tuple[Any, ...]
    negative: tuple[Any, ...]
    members: Index | None  #: rows that take part; None: all
    known: Callable[[], Fingerprint] | None = None  #: of the data as they came, where X are scaled rows
    columns: tuple[str, ...] | None = None  #: names of the columns of X; None: x1, x2, ...

    def column_names(self) -> tuple[str, ...]:
        """Names of the columns of X."""
        return self.columns or tuple(f"x{j + 1}" for j in range(self.X.shape[1]))

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """SHA-256 of X and y."""
        return fingerprint(self.X, self.y) if self.known is None else self.known()

    def excluded(self) -> list[int]:
        """Rows of the two sides that take no part."""
        if self.members is None:
            return []
        out = np.isin(np.asarray(self.y), [*self.positive, *self.negative])
        out[self.members] = False
        return np.flatnonzero(out).tolist()

    def rows_given(self, index: Index) -> Index:
        """Numbers in X of rows that are numbered among the members."""
        return index if self.members is None else self.members[index]


@dataclass(frozen=True, eq=False)
class Separability(Presentation):
    """An exact decision whether a hyperplane separates two classes, or linear functions more of them.

    Row numbers are those of the X that was given. `positive` and `negative` are the labels behind y = +1
    and y = -1; (w, b) has the positive side above. With ``classes="joint"`` or ``"ordinal"`` all labels are in
    `positive`, in order, and the signed rows are pairs of a row and another class: `rows` and `tied` name the row of
    each, `against` the class.
    """

    verdict: Verdict
    positive: tuple[Any, ...]
    negative: tuple[Any, ...]
    bias: bool
    #: (d,) with every y_i (w.x_i + b) > 0 (separable), or >= 0 (quasi-separable); None if inseparable.
    #: float64 where floats hold it exactly, else `Fraction` objects. Joint: (k, d) and (k,), zero for the first class;
    #: ordinal: (d,), and b holds the k - 1 thresholds.
    w: NDArray[Any] | None
    b: Any
    rows: Index  #: at most d + 2 rows that contradict each other; no proper subset does. Empty if separable
    weights: tuple[Fraction, ...]  #: lambda > 0, summing to 1, with sum lambda_i y_i (x_i, 1) exactly zero
    tied: Index  #: the rows that no (w, b) with every product >= 0 can make strict; joint: with some class
    against: tuple[Any, ...]  #: with many classes the class that each of `rows` is compared with; else empty
    _question: Question = field(repr=False)
    _rows: SignedRows = field(repr=False)
    decision: Decision = field(repr=False)
    _data: Data = field(repr=False)
    #: the model behind the question, if there is one
    model: ModelFacts = field(default=ModelFacts(), repr=False)

    def __repr__(self) -> str:
        n = self._question.plain.n
        count = "" if self.verdict != "quasi-separable" else f", {len(self.tied)} of {n} rows tied"
        return f"Separability({self.verdict!r}, {n} rows, {self._question.plain.d} columns{count})"

    def __str__(self) -> str:
        n = self._question.plain.n
        if self.verdict == "separable":
            return f"Separable: {self._question.separator} all {n} rows strictly on their sides."
        shown = ", ".join(map(str, self.rows[:8].tolist())) + (", ..." if len(self.rows) > 8 else "")
        contradiction = f"rows {shown} contradict each other"
        if self.verdict == "inseparable":
            return f"Inseparable: every one of the {n} rows is tied; {contradiction}."
        return f"Quasi-separable: {n - len(self.tied)} rows can be strict, {len(self.tied)} cannot; {contradiction}."

    @cached_property
    def _widest(self) -> MarginProof | None:
        if self.verdict != "separable" or self._question.kind != "two":
            return None
        return margin_interval(self._rows, self.decision.z[: self._rows.d])

    @property
    def margin(self) -> tuple[float, float]:
        """Proved (lower, upper) bounds on the maximum geometric margin; (0.0, 0.0) if not separable.

        It is the margin of two sides: nothing is proved of that of many classes, whose bounds are (0.0, inf).
        """
        if self._widest is None:
            return 0.0, inf if self.verdict == "separable" else 0.0
        return self._widest.lower, self._widest.upper

    @property
    def support(self) -> Index:
        """Rows that bound the widest slab; empty if not separable."""
        return self._data.rows_given(np.arange(0) if self._widest is None else np.sort(self._widest.rows))

    def widest_point(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Multiples of w (d,) and alpha (m,) that prove the margin, rounded to float64; None without a margin."""
        widest = self._widest
        if widest is None or not len(widest.alpha):
            return None
        alpha = np.zeros(self._rows.n)
        alpha[widest.rows] = _unit(widest.alpha)
        return _unit(widest.w), alpha

    @cached_property
    def _estimates(self) -> Estimates:
        return Estimates(self._question, self.decision)

    @cached_property
    def estimates(self) -> dict[str, str]:
        """Maximum-likelihood estimate of each coefficient of the logistic regression, intercepts and thresholds first.

        "finite"; "+inf" or "-inf", where the likelihood grows without end in that direction, whatever the others do;
        "undetermined", where it does so in either direction, or in others that leave this coefficient where it is;
        "aliased", where the column is a linear combination of the intercept and of earlier columns.

        Names are those of the data frame, or x1, x2, ..., and "(intercept)". Joint: "class: column" against the first
        class. Ordinal: thresholds are "class|next class", and a positive coefficient raises the outcome.
        """
        names, words = self._question.names, self._estimates.words
        return {names[c]: words[c] for c in self._question.order.tolist()}

    @cached_property
    def direction(self) -> dict[str, Any] | None:
        """A direction of recession for the coefficients of `estimates`; None if inseparable.

        Along it the likelihood never falls, and no row that can become certain stays behind. Aliased columns are zero.
        Floats where floats hold it exactly, else fractions.
        """
        if self.verdict == "inseparable":
            return None
        names = self._question.names
        z = _as_numbers(self._rows, self._estimates.direction, strict=False).tolist()
        return {names[c]: z[c] for c in self._question.order.tolist()}

    @property
    def tied_rows(self) -> Index:
        """The rows whose fitted probability stays below 1: the same as `tied`."""
        return self.tied

    @cached_property
    def aliased_columns(self) -> Index:
        """Columns that are exact linear combinations of the bias and of earlier columns."""
        return np.sort(self._estimates.aliased)

    @cached_property
    def infinite_columns(self) -> Index:
        """Columns (aliased ones left out) whose maximum-likelihood estimate in logistic regression is not finite."""
        found = self._estimates.infinite
        return np.sort(found[found < self._rows.d])

    @cached_property
    def certificate(self) -> Certificate:
        """The proof as a document that `separatrix.verify` and the stand-alone checker accept."""
        source, decision, bias = self._source, self.decision, self.bias
        kind = "separating" if self.verdict == "separable" else self.verdict
        if kind == "separating" and self._question.kind == "two":
            return separation.separating(source, bias, *self._separating_proof())
        found = None
        if kind != "separating":
            assert decision.circuit is not None
            assert decision.cover is not None
            found = separation.Contradiction(
                self._places(decision.circuit.rows),
                decision.circuit.weights,
                self._places(decision.cover.rows),
                decision.cover.weights,
                decision.cover.denominator,
            )
        z = None if kind == "inseparable" else decision.z
        if self._question.kind == "joint":
            first = [0] * self._question.plain.D  # the class against which the others are compared
            whole = None if z is None else [*first, *z]
            return separation.joint_separation(source, bias, kind, whole, found, len(decision.tied))
        if self._question.kind == "ordinal":
            return separation.ordinal_separation(source, kind, z, found, len(decision.tied))
        assert found is not None
        if z is None:
            return separation.inseparable(source, bias, found)
        return separation.quasi_separable(source, bias, z, found, len(decision.tied))

    @cached_property
    def estimates_certificate(self) -> Certificate:
        """The same with every estimate in it: its claim counts them by word, and its proof has what each rests on."""
        question, found = self._question, self._estimates.proof()
        columns = question.columns_written()

        def written(vectors: Iterable[dict[int, int]]) -> list[dict[int, int]]:
            return [{columns[c]: a for c, a in each.items()} for each in vectors]

        signs = {
            columns[c]: (self._places(each.rows), each.values, each.factor) for c, each in found.signs.items()
        }
        proof = EstimateProof(
            [self._estimates.words[c] for c in question.order.tolist()],
            found.modulus,
            self._places(found.independent),
            written(found.aliased),
            written(found.null),
            signs,
            written(found.directions),
        )
        return with_estimates(self.certificate, self._source, proof)

    @cached_property
    def _source(self) -> Source:
        return self._data.fingerprint.source(self.positive, self.negative, self._data.excluded())

    def _places(self, index: Index) -> list[int]:
        """Places of signed rows as a certificate numbers them."""
        numbers = self._data.rows_given(self._question.owners[index])
        return self._question.places_written(index, numbers, len(self.positive))

    def _separating_proof(self) -> tuple[list[int], separation.MarginClaim | None]:
        """The witness and, where the widest slab gives one, the claim about the margin."""
        widest = self._widest
        if widest is None or widest.upper == inf or not widest.lower > 0:
            return self.decision.z, None
        z = centred(self._rows, widest.w)
        if not np.all(self._rows.signs(z) > 0):
            return self.decision.z, None
        rows = self._data.rows_given(widest.rows).tolist()
        return z, separation.MarginClaim(widest.lower, widest.upper, rows, widest.alpha)


def _unit(integers: list[int]) -> NDArray[np.float64]:
    """Integers divided by the largest of them, rounded to float64."""
    largest = max(map(abs, integers), default=0) or 1
    return np.array([integer / largest for integer in integers])


def record(rows: SignedRows, decision: Decision, data: Data) -> Separability:
    """Make the record of a decision about two sides."""
    return answer(two_sides_question(rows, data.column_names()), decision, data)


def answer(question: Question, decision: Decision, data: Data) -> Separability:
    """Make the record of a decision."""
    rows, n_tied = question.rows, len(decision.tied)
    verdict: Verdict = (
        "separable" if n_tied == 0 else "inseparable" if n_tied == rows.n else "quasi-separable"
    )
    w: NDArray[Any] | None = None
    b: Any = None
    if verdict != "inseparable":
        w, b = question.shaped(_as_numbers(rows, decision.z, strict=verdict == "separable"))
    circuit = decision.circuit or Balance(np.arange(0), [])
    total = sum(circuit.weights)
    rivals = () if question.rivals is None else question.rivals[circuit.rows].tolist()
    return Separability(
        verdict=verdict,
        positive=data.positive,
        negative=data.negative,
        bias=rows.bias or question.plain.bias,
        w=w,
        b=b,
        rows=data.rows_given(question.owners[circuit.rows]),
        weights=tuple(Fraction(weight, total) for weight in circuit.weights),
        tied=data.rows_given(np.unique(question.owners[decision.tied])),
        against=tuple(data.positive[m] for m in rivals),
        _question=question,
        _rows=rows,
        decision=decision,
        _data=data,
    )


def _as_numbers(rows: SignedRows, z: list[int], strict: bool) -> NDArray[Any]:
    """Numbers proportional to the integers z (D,): floats where floats hold it, fractions where they do not.

    A strict witness may be rounded as long as it stays strict, which is checked exactly. A weak one has rows
    exactly on its hyperplane and is never rounded.
    """
    floats = _floats(z)
    if floats is not None:
        rounded = float_integers(floats)
        same = without_powers_of_two(rounded) == without_powers_of_two(z)
        if same or (strict and bool(np.all(rows.signs(rounded) > 0))):
            return floats
    exact = np.empty(rows.D, dtype=object)
    exact[:] = [Fraction(a) for a in z]
    return exact


def _floats(z: list[int]) -> NDArray[np.float64] | None:
    """z divided by a power of two that puts its largest entry near 1; None where an entry would vanish."""
    top = max(abs(a).bit_length() for a in z)
    out = np.array([float(Fraction(a, 1 << top)) if a else 0.0 for a in z])
    return None if any(a and not f for a, f in zip(z, out, strict=True)) else out


def centred(rows: SignedRows, w: list[int]) -> list[int]:
    """(w, b) in integers, with the hyperplane in the middle of the slab along w."""
    if not rows.bias:
        return list(w)
    above, below = slab(rows, w)  # min over y = +1 of w.x, max over y = -1
    b = -(above + below) / 2
    scale = max(0, _BIAS_BITS - _magnitude(above - below))
    scaled = b * (1 << scale)
    return [*(a << scale for a in w), round(scaled)]


def _magnitude(value: Fraction) -> int:
    return abs(value.numerator).bit_length() - value.denominator.bit_length() if value else 0
