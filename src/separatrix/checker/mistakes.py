"""The exact check of a `mistakes` certificate: a perceptron's updates against the bound of its own variant.

With the fictitious column of squared constant g (problem.gain), xt = (x, sqrt g) and wt = (w, b / sqrt g):

    final     (w, b) after the last update: every y_i (w.x_i + b) > 0
    witness   (w, b) with margin m = min_i y_i (w.x_i + b) > 0;  rho = Rt^2 ||wt||^2 / m^2,  Rt^2 = max ||x||^2 + g
    alpha     updates on each row. From zero and with a fixed step, sum alpha_i is the number of updates k, and
              ||sum_i alpha_i y_i xt_i||^2 <= k Rt^2, because each update met a row with y_i f(x_i) <= 0.
              With u the witness, k m <= u.(sum ..) <= ||u|| sqrt(k) Rt: so k <= rho whoever made the run.

The theorem of each variant is an inequality in k, rho and the step (see `too_many`); the certificate is accepted if
its bound violates that inequality from there on, and the updates are not above the bound. Square roots and the
logarithm of the decreasing schedule are rounded outwards; everything else is rational.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul

from separatrix.checker.certificate import Certificate
from separatrix.checker.codec import SparseVector, field, read_count, read_real, read_vector, read_word
from separatrix.checker.dyadic import fraction, scale_for, scaled, to_integers
from separatrix.checker.rows import Rows
from separatrix.checker.verdict import Proved, Rejected

_OUTWARD = Fraction(1, 10**12)  # far above the error of the library's sqrt and log
_SAME_RADIUS = Fraction(1, 2**30)


@dataclass(frozen=True)
class MistakeProof:
    """The content of a certificate. ``step`` is None for "decreasing" and 0.0 for "line-search"."""

    algorithm: str
    bias: str
    gain: float
    step: float | None
    start: int | None
    updates: int
    alpha: SparseVector
    final: tuple[SparseVector, float]
    witness: tuple[SparseVector, float]
    bound: float


@dataclass(frozen=True)
class Facts:
    """What the data say, each number on its safe side."""

    radius_low: Fraction  #: at most max ||x_i||^2
    radius_high: Fraction  #: at least max ||x_i||^2
    margin: Fraction  #: at most min_i y_i f(x_i) of the witness
    norm: Fraction  #: at least ||wt||^2 of the witness
    sum_norm: Fraction  #: at least ||sum_i alpha_i y_i xt_i||^2
    members: int  #: rows that take part


def read_mistakes(certificate: Certificate) -> MistakeProof:
    """Read a `mistakes` certificate, rejecting what is malformed."""
    problem, proof, rows = certificate.problem, certificate.proof, certificate.data.rows
    names = {"algorithm", "bias", "gain", "kernel", "step", "start"}
    if set(problem) != names or set(proof) != {"updates", "alpha", "final", "witness", "bound"}:
        raise Rejected("A mistakes certificate has other fields than these.")
    read_word(problem["kernel"], "problem.kernel", ("linear",))
    algorithm = read_word(problem["algorithm"], "problem.algorithm", ("perceptron", "gradient"))
    bias = read_word(problem["bias"], "problem.bias", ("none", "unit", "radius"))
    gain = read_real(problem["gain"], "problem.gain")
    step = problem["step"]
    size = None if step == "decreasing" else 0.0 if step == "line-search" else read_real(step, "problem.step")
    if size is not None and (size < 0 or (size == 0) != (step == "line-search")):
        raise Rejected("The step must be above 0.")
    if step == "line-search" and algorithm == "perceptron":
        raise Rejected("The perceptron algorithm has no line search.")
    if (
        gain < 0
        or (bias == "none" and gain != 0)
        or (bias == "unit" and gain != 1)
        or (bias == "radius" and gain == 0)
    ):
        raise Rejected(f"The fictitious column does not fit the bias {bias!r}.")
    start = None if problem["start"] == "zero" else read_count(problem["start"], "problem.start")
    if start is not None and start >= rows:
        raise Rejected(f"The start row {start} is not among the {rows} rows.")
    return MistakeProof(
        algorithm,
        bias,
        gain,
        size,
        start,
        read_count(proof["updates"], "proof.updates"),
        read_vector(proof["alpha"], "alpha", rows),
        _plane(proof["final"], "final", certificate),
        _plane(proof["witness"], "witness", certificate),
        read_real(proof["bound"], "proof.bound"),
    )


def _plane(record: object, name: str, certificate: Certificate) -> tuple[SparseVector, float]:
    w = read_vector(field(record, "w"), f"{name}.w", certificate.data.columns)
    return w, read_real(field(record, "b"), f"{name}.b")


def check(certificate: Certificate, rows: Rows, side: Sequence[int]) -> Proved:
    """Prove the claim on these rows, or raise `Rejected`."""
    claim = read_mistakes(certificate)
    check_form(claim, side)
    return conclude(claim, _facts(claim, rows, side))


def check_form(claim: MistakeProof, side: Sequence[int]) -> None:
    """What can be checked without the rows."""
    total = 0
    for row, count in zip(claim.alpha.indices, claim.alpha.values, strict=True):
        if count < 0 or count != int(count) or not side[row]:
            raise Rejected(f"alpha[{row}] = {count} is no number of updates of a row that takes part.")
        if claim.algorithm == "gradient" and count > claim.updates:
            raise Rejected(f"Row {row} cannot have been in {int(count)} of {claim.updates} steps.")
        total += int(count)
    if claim.algorithm == "perceptron" and total != claim.updates:
        raise Rejected(f"The updates on the rows add up to {total}, not to {claim.updates}.")
    if claim.bias == "none" and (claim.final[1] or claim.witness[1]):
        raise Rejected("A run through the origin has no bias.")
    if claim.start is not None and not side[claim.start]:
        raise Rejected("The start row takes no part.")


def conclude(claim: MistakeProof, facts: Facts) -> Proved:
    """The inequality of the variant, with the facts on their safe sides."""
    gain = Fraction(claim.gain)
    if claim.bias == "radius" and not (
        facts.radius_low * (1 - _SAME_RADIUS) <= gain <= facts.radius_high * (1 + _SAME_RADIUS)
    ):
        raise Rejected("The constant of the fictitious column is not the radius of the rows.")
    if facts.margin <= 0:
        raise Rejected("The witness does not separate the rows.")
    squared = facts.radius_high + gain
    ratio = max(Fraction(1), squared * facts.norm / facts.margin**2)
    if follows_chain(claim) and facts.sum_norm > claim.updates * (facts.radius_low + gain):
        raise Rejected(
            "Some update was made on a row that was classified correctly: the sum of updates is too long."
        )
    if claim.updates > claim.bound:
        raise Rejected(f"{claim.updates} updates are above the bound {claim.bound!r}.")
    if not too_many(claim, ratio, Fraction(claim.bound), facts.members):
        raise Rejected(f"The theorem of this variant does not give the bound {claim.bound!r}.")
    return Proved(
        f"Proved: the last weights separate all rows after {claim.updates} updates, and this variant makes at most "
        f"{claim.bound:.6g} on them."
    )


def follows_chain(claim: MistakeProof) -> bool:
    """Whether ||sum alpha_i y_i xt_i||^2 <= k Rt^2 must hold: the plain algorithm from zero."""
    return claim.algorithm == "perceptron" and claim.step is not None and claim.start is None


def too_many(claim: MistakeProof, ratio: Fraction, k: Fraction, rows: int) -> bool:
    """Whether the theorem excludes every number of updates above k.

    perceptron, step eps       from zero  k > rho      from a row  (1 + eps k)^2 > rho (1 + eps^2 k)
    perceptron, 1/sqrt(t)      s > rho (most 1)  or  s^2 > rho q
    gradient, a <= s m <= h    (k + start) 4 a h > (a + h)^2 rho
    gradient, 1/sqrt(t)        s > n rho         or  s^2 > rho q
        s = 2 (sqrt(k + 1) - 1) + start,   q = most^2 (1 + ln k) + start,   most = 1 or n
    """
    start = 0 if claim.start is None else 1
    if claim.step is None:
        most = rows if claim.algorithm == "gradient" else 1
        s = 2 * (Fraction(math.sqrt(float(k) + 1.0)) * (1 - _OUTWARD) - 1) + start
        log = Fraction(math.log(max(1.0, float(k)))) * (1 + _OUTWARD)
        q = most * most * (1 + log) + start
        return s > 0 and (s >= most * ratio + start or s * s >= ratio * q)
    if claim.algorithm == "gradient":
        low, high = (
            (Fraction(1), Fraction(rows))
            if claim.step == 0
            else (Fraction(claim.step), rows * Fraction(claim.step))
        )
        if start:
            low, high = min(Fraction(1), low), max(Fraction(1), high)
        return (k + start) * 4 * low * high >= (low + high) ** 2 * ratio
    if not start:
        return k >= ratio
    eps = Fraction(claim.step)
    beyond_vertex = 2 * (1 + eps * k) >= ratio * eps
    return beyond_vertex and (1 + eps * k) ** 2 >= ratio * (1 + eps * eps * k)


def _facts(claim: MistakeProof, rows: Rows, side: Sequence[int]) -> Facts:
    """All quantities exactly, in one pass over the rows."""
    x_scale = scale_for(rows.smallest())
    final, witness = (_Plane(w.dense(), b, x_scale) for w, b in (claim.final, claim.witness))
    alpha = [int(count) for count in claim.alpha.dense()]
    largest, least, imbalance, members = 0, None, 0, 0
    total = [0] * rows.n_columns
    for number, ((columns, entries), y, count) in enumerate(zip(rows.rows(), side, alpha, strict=True)):
        if not y:
            continue
        members += 1
        x = to_integers(entries, x_scale)
        largest = max(largest, sum(map(mul, x, x)))
        if y * final.score(columns, x) <= 0:
            raise Rejected(f"Row {number} is not on its side of the last weights.")
        product = y * witness.score(columns, x)
        least = product if least is None else min(least, product)
        if count:
            imbalance += y * count
            for column, entry in zip(range(len(x)) if columns is None else columns, x, strict=True):
                total[column] += y * count * entry
    gain = Fraction(claim.gain)
    radius = fraction(largest, 2 * x_scale)
    return Facts(
        radius,
        radius,
        fraction(least or 0, witness.scale),
        witness.squared_norm(gain),
        fraction(sum(map(mul, total, total)), 2 * x_scale) + gain * imbalance**2,
        members,
    )


class _Plane:
    """(w, b) in integers: score(x) / 2^scale is w.x + b."""

    def __init__(self, w: list[float], b: float, x_scale: int) -> None:
        self.w, self.w_scale = scaled(w)
        (self.b,), b_scale = scaled([b])
        self.scale = max(0, b_scale, x_scale + self.w_scale)
        self.shift = self.scale - x_scale - self.w_scale
        self.b <<= self.scale - b_scale
        self.exact_b = Fraction(b)

    def score(self, columns: Sequence[int] | None, x: Sequence[int]) -> int:
        weights = self.w if columns is None else map(self.w.__getitem__, columns)
        product: int = sum(map(mul, x, weights))
        return (product << self.shift) + self.b

    def squared_norm(self, gain: Fraction) -> Fraction:
        squared = fraction(sum(map(mul, self.w, self.w)), 2 * self.w_scale)
        return squared + (self.exact_b**2 / gain if gain else 0)
