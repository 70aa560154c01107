"""The `mistakes` certificate: its making, and its check in rigorous floating point.

The check bounds radius, margin and norms with a priori error bounds and then applies the very inequality of the
exact check; where an inequality is too close to call in floating point, the exact check decides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.checker import mistakes as exact
from separatrix.checker.certificate import Certificate, Source
from separatrix.checker.codec import SparseVector, write_entries, write_real
from separatrix.checker.labels import describe
from separatrix.checker.mistakes import Facts, MistakeProof
from separatrix.checker.verdict import Proved, Rejected
from separatrix.problem.kernels import squared_norms
from separatrix.problem.losses import Vector
from separatrix.problem.mistake_bounds import Variant
from separatrix.proof import rigorous
from separatrix.proof.arrays import ArrayRows

Plane = tuple[NDArray[np.float64], Vector]


@dataclass(frozen=True, eq=False)
class MistakeClaim:
    """A finished run: its variant, its updates, the last weights and a witness (W, b), each one plane a class."""

    algorithm: str
    bias: str
    gain: float
    step: float | str
    start: int | None
    updates: int
    counts: NDArray[np.int64]
    final: Plane
    witness: Plane

    def long(self, constant: float, codes: NDArray[Any], pairs: NDArray[np.int64]) -> MistakeClaim:
        """The same run as one through the origin on the rows of Kesler's construction.

        ``pairs`` (n, k) counts the updates on each row against each rival.
        """

        def flat(plane: Plane) -> Plane:
            W, b = plane
            wide = np.hstack([W, (b / constant)[:, None]]) if constant else W
            return wide.reshape(1, -1), np.zeros(1)

        rivals = pairs[np.arange(pairs.shape[1]) != np.asarray(codes)[:, None]]
        return replace(
            self,
            bias="none",
            gain=0.0,
            start=None if self.start is None else self.start * (len(self.final[1]) - 1),
            counts=rivals,
            final=flat(self.final),
            witness=flat(self.witness),
        )


def mistakes(X: Any, labels: NDArray[Any], source: Source, claim: MistakeClaim) -> Certificate:
    """The certificate that the run made no more updates than its variant can make on these rows.

    Raises `ValueError` where the numbers do not prove it.
    """
    step = claim.step if isinstance(claim.step, str) else write_real(float(claim.step))
    certificate = Certificate(
        kind="mistakes",
        claim="",
        data=source,
        problem={
            "algorithm": claim.algorithm,
            "bias": claim.bias,
            "gain": write_real(claim.gain),
            "kernel": "linear",
            "step": step,
            "start": "zero" if claim.start is None else claim.start,
        },
        proof={
            "updates": claim.updates,
            "alpha": _sparse(claim.counts.astype(np.float64)),
            "final": {"w": _sparse(claim.final[0][0]), "b": write_real(float(claim.final[1][0]))},
            "witness": {"w": _sparse(claim.witness[0][0]), "b": write_real(float(claim.witness[1][0]))},
            "bound": write_real(0.0),
        },
    )
    side = np.sign(labels).astype(np.int8)
    try:
        read = exact.read_mistakes(certificate)
        facts = _facts(read, X, side)
        if facts.margin <= 0:
            raise Rejected("the witness has no margin that floating point could prove.")
        squared = facts.radius_high + Fraction(claim.gain)
        ratio = float(squared * facts.norm / facts.margin**2) * (1.0 + 1e-9)
        variant = Variant(claim.algorithm, claim.step, claim.start is not None, facts.members)
        bound = math.nextafter(variant.bound(ratio) * (1.0 + 1e-9), math.inf)
        run = "perceptron" if claim.algorithm == "perceptron" else "gradient descent on the perceptron risk"
        certificate = replace(
            certificate,
            claim=(
                f"The {run} with bias {claim.bias!r} separates {describe(source.positive)} from "
                f"{describe(source.negative)} after {claim.updates} updates; on these rows it can make at most "
                f"{bound:.6g}."
            ),
            proof={**certificate.proof, "bound": write_real(bound)},
        )
        check(certificate, X, side)
    except Rejected as rejection:
        raise ValueError(f"This run cannot be certified: {rejection}") from None
    return certificate


def check(certificate: Certificate, X: Any, side: NDArray[np.int8]) -> Proved:
    """Prove the claim in floating point, or exactly where that is too close to call."""
    rigorous.require_gradual_underflow()
    claim = exact.read_mistakes(certificate)
    exact.check_form(claim, side.tolist())
    try:
        return exact.conclude(claim, _facts(claim, X, side))
    except Rejected:
        return exact.check(certificate, ArrayRows(X), side.tolist())


def _facts(claim: MistakeProof, X: Any, side: NDArray[np.int8]) -> Facts:
    """Radius, margins and norms, each on its safe side of the rounding."""
    with np.errstate(all="ignore"):
        taking_part = side != 0
        norms = squared_norms(X)[taking_part]
        slack = rigorous.factor(X.shape[1] + 4)
        largest = float(norms.max(initial=0.0))
        if not _least(claim.final, X, side) > 0:
            raise Rejected("A row is not provably on its side of the last weights.")
        margin = _least(claim.witness, X, side)
        counts = _dense(claim.alpha) * side
        total, error = rigorous.bounded_weighted_sum(X, counts)
        length = 2.0 * rigorous.upper_half_square(total, error)
        size = 2.0 * rigorous.upper_half_square(_dense(claim.witness[0]))
    values = (largest, margin, length, size)
    if not all(map(math.isfinite, values)) or 0 < largest < 1e-290:
        raise Rejected("The numbers leave the range of floating point.")
    gain, norm = Fraction(claim.gain), Fraction(size)
    if gain:
        norm += Fraction(claim.witness[1]) ** 2 / gain
    return Facts(
        Fraction(largest * (1.0 - slack)),
        Fraction(largest * (1.0 + slack)),
        Fraction(margin),
        norm,
        Fraction(length) + gain * Fraction(int(counts.sum())) ** 2,
        int(taking_part.sum()),
    )


def _least(plane: tuple[SparseVector, float], X: Any, side: NDArray[np.int8]) -> float:
    """At most min_i y_i (w.x_i + b) over the rows that take part."""
    w, b = _dense(plane[0]), plane[1]
    f, error = rigorous.bounded_scores(X, w)
    t = f + b
    lower = side * t - 2.0 * (error + 4 * rigorous.UNIT * np.abs(t))
    return float(np.min(lower[side != 0]))


def _sparse(values: Vector) -> dict[str, Any]:
    places = np.flatnonzero(values)
    return write_entries(len(values), places.tolist(), values[places].tolist())


def _dense(vector: SparseVector) -> Vector:
    full = np.zeros(vector.length)
    full[np.asarray(vector.indices, dtype=np.intp)] = vector.values
    return full
