"""The `mistakes` certificate: its making, and its check in rigorous floating point.

The check bounds radius, margin and norms with a priori error bounds and then applies the very inequality of the
exact check. Where an inequality is too close to call in floating point, whoever asked turns to the exact check.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.checker import mistakes as exact
from separatrix.checker.data import Data, read_data
from separatrix.checker.mistakes import Facts, Run
from separatrix.checker.numbers import Rejected
from separatrix.checker.statement import Claim, Proved
from separatrix.problem import is_sparse, row_blocks
from separatrix.problem.mistakes import Variant
from separatrix.problem.rows import squared_norms
from separatrix.proof import rigorous
from separatrix.proof.arrays import ArrayRows, array_rows, read_rows
from separatrix.proof.certificate import Certificate, Source, make
from separatrix.proof.sums import finite
from separatrix.proof.writing import write_real, write_vector, write_weights
from separatrix.types import Vector

_LARGEST = (1 << 53) - 1  # a bound that a certificate can hold
_MODERATE = 1e-200, 1e200  # squares of this size lost nothing to speak of below, and nothing above


@dataclass(frozen=True, eq=False)
class MistakeClaim:
    """A finished run: its variant, how often each row was updated, and a witness (W, b), one plane or one a class.

    With many classes ``counts`` is (n, k), the updates on each row against each rival; ``start`` is then n k places.
    """

    algorithm: str
    gain: float
    step: float | str
    start: int | None
    counts: NDArray[np.int64]
    witness: tuple[NDArray[np.float64], Vector]


def mistakes(X: Any, source: Source, claim: MistakeClaim) -> Certificate:
    """The certificate of the most updates that the variant can make, and that the updates of this run separate.

    Where rounding in the run makes that the updates do not separate exactly, it speaks of the bound alone. Raises
    `ValueError` where nothing is proved.
    """
    joint = claim.counts.ndim == 2
    problem = {
        "algorithm": claim.algorithm,
        "gain": write_real(claim.gain),
        "step": claim.step if isinstance(claim.step, str) else write_real(float(claim.step)),
        "start": "zero" if claim.start is None else "row",
        "classes": "joint" if joint else "two",
    }
    W, b = claim.witness
    proof: dict[str, Any] = {"witness": {"w": write_vector(W.ravel()), "b": write_vector(b)}, "bound": 0}
    assert source.known is not None
    sides = list(source.positive), list(source.negative), list(source.excluded)
    data = read_data(*sides, joint, ArrayRows(read_rows(X)), source.known)
    try:
        proof["bound"] = _bound(Claim("mistakes", problem, proof, data))
        counted = _counted(claim, source.rows)
        if counted is not None:
            try:
                _check_either_way(Claim("mistakes", problem, {**proof, **counted}, data))
                proof |= counted
            except Rejected:
                pass
        run = exact.read(Claim("mistakes", problem, proof, data))
        _check_either_way(Claim("mistakes", problem, proof, data))
    except Rejected as rejection:
        raise ValueError(f"This run cannot be certified: {rejection}") from None
    return make("mistakes", source, problem, proof, lambda claim: exact.perceptron(run, claim.data))


def _counted(claim: MistakeClaim, n: int) -> dict[str, Any] | None:
    """The updates as a certificate writes them; None where they say nothing of the weights."""
    flat = claim.counts.ravel()
    if isinstance(claim.step, str) or not flat.any():
        return None
    places = np.flatnonzero(flat)
    record: dict[str, Any] = {"updates": write_weights(places.tolist(), flat[places].tolist(), len(flat))}
    return record if claim.start is None else {**record, "start": claim.start}


def _bound(claim: Claim) -> int:
    """The least bound that the theorem of the variant gives with this witness, or one a little above it."""
    run = exact.read(claim)
    facts = _facts(run, claim)
    if facts.margin <= 0:
        raise Rejected("The witness has no margin that floating point could prove.")
    ratio = facts.radius * facts.norm / facts.margin**2
    variant = Variant(run.algorithm, run.step, run.from_row, facts.members)
    try:
        estimate = variant.bound(float(ratio))
    except OverflowError:
        estimate = math.inf
    if not estimate < _LARGEST / 4:
        raise Rejected("The bound of this variant is too large to be written down.")
    low, high = max(0, int(estimate) - 1), max(1, int(estimate) + 1)
    while not exact.excluded(_with_bound(run, high), ratio, facts.members):
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        if exact.excluded(_with_bound(run, middle), ratio, facts.members):
            high = middle
        else:
            low = middle + 1
    return high


def _with_bound(run: Run, bound: int) -> Run:
    return Run(**{**run.__dict__, "bound": bound})


def check(claim: Claim) -> Proved:
    """Prove the claim in floating point, or raise `Rejected` where it is false or too close to call."""
    rigorous.require_gradual_underflow()
    run = exact.read(claim)
    facts = _facts(run, claim)
    if run.updates is not None:
        _check_updates(run, claim)
    return exact.conclude(run, facts, claim.data)


def _check_either_way(claim: Claim) -> None:
    """Reject what neither floating point nor exact arithmetic proves."""
    try:
        check(claim)
    except Rejected:
        exact.check(claim)


def _facts(run: Run, claim: Claim) -> Facts:
    """Radius, margin and norm, each on its safe side of the rounding."""
    data, X = claim.data, array_rows(claim.data.table)
    k, part = run.planes, np.array(data.part)
    W, b = np.zeros((k, data.d)), np.array(list(run.b.values()))
    places = np.fromiter(run.W, dtype=np.intp, count=len(run.W))
    W.ravel()[places] = list(run.W.values())
    _, radius = squared_radius(X, part != 0)
    with np.errstate(all="ignore"):
        planes = [_scores(X, w, float(c)) for w, c in zip(W, b, strict=True)]
        f, error = (np.array(each) for each in zip(*planes, strict=True))
        margin = _least(f, error, part, data)
        size = 2.0 * rigorous.upper_half_square(W.ravel())
    gain, norm = Fraction(run.gain), finite(size)
    if gain:
        norm += sum((Fraction(float(each)) ** 2 for each in b), Fraction()) / gain
    members = int(np.count_nonzero(part))
    radius += gain
    if data.joint:
        return Facts(2 * radius, norm, margin, members * (k - 1))
    return Facts(radius, norm, margin, members)


def _scores(X: Any, w: Vector, b: float) -> tuple[Vector, Vector]:
    """w.x_i + b for each row, and a bound on its error."""
    f, error = rigorous.bounded_scores(X, w)
    t = f + b
    return t, error + 4 * rigorous.UNIT * np.abs(t)


def _least(f: Vector, error: Vector, part: NDArray[Any], data: Data) -> Fraction:
    """At most the least y_i f(x_i), or lead of the own class, over the rows that take part; f is (planes, n)."""
    rows = np.flatnonzero(part)
    if not data.joint:
        lower = part[rows] * f[0, rows] - 2.0 * error[0, rows]
    else:
        own = part[rows] - 1
        lead = f[own, rows] - f[:, rows]
        lower = lead - 2.0 * (error[own, rows] + error[:, rows] + 4 * rigorous.UNIT * np.abs(lead))
        lower[own, np.arange(len(rows))] = np.inf
    if np.any(np.isnan(lower)):
        raise Rejected("The numbers leave the range of floating point.")
    return finite(float(lower.min()))


def _check_updates(run: Run, claim: Claim) -> None:
    """Reject unless the weights that the updates imply provably separate; a positive factor does not matter."""
    data, X = claim.data, array_rows(claim.data.table)
    assert run.updates is not None
    if data.joint or run.from_row or max(run.updates.values()) > _LARGEST:
        raise Rejected("Left to the exact check.")
    part = np.array(data.part)
    counts = np.zeros(data.n)
    counts[np.fromiter(run.updates, dtype=np.intp)] = list(run.updates.values())
    with np.errstate(all="ignore"):
        w, lost = rigorous.bounded_weighted_sum(X, counts * part)
        imbalance = sum(data.part[row] * count for row, count in run.updates.items())
        b = float(run.gain * imbalance) if abs(imbalance) <= _LARGEST else math.inf
        f, error = _scores(X, w, b)
        for rows, block in row_blocks(X):
            error[rows] += 2.0 * (abs(block) @ lost + rigorous.TINY * (1 + data.d))
        error += 2 * rigorous.UNIT * abs(b)
        if not _least(f[None], error[None], part, data) > 0:
            raise Rejected("A row is not provably on its side of the weights that the updates imply.")


def squared_radius(X: Any, members: NDArray[Any]) -> tuple[Fraction, Fraction]:
    """Bounds (low, high) on max_i ||x_i||^2 over the members, a mask (n,) or indices of rows; (0, 0) of none.

    Squares that vanish or overflow are taken again of rows times a power of two, which rounds nothing that counts.

    >>> low, high = squared_radius(np.array([[3e200, 4e200], [9e300, 0.0]]), np.array([True, False]))
    >>> bool(low <= Fraction(3e200) ** 2 + Fraction(4e200) ** 2 <= high)
    True
    """
    inside = np.zeros(X.shape[0], dtype=bool)
    inside[members] = True
    with np.errstate(all="ignore"):
        largest, exponent = float(np.max(squared_norms(X)[inside], initial=0.0)), 0
        if not _MODERATE[0] < largest < _MODERATE[1]:
            exponent = math.frexp(_largest_entry(X, inside))[1]
            half = exponent // 2  # the whole power may be no float
            largest = 0.0
            for rows, block in row_blocks(X):
                part = block * math.ldexp(1.0, -half) * math.ldexp(1.0, half - exponent)
                largest = max(largest, float(np.max(squared_norms(part)[inside[rows]], initial=0.0)))
    # Scaled so, the largest square is at least 1/4, if there is one; what vanished is far below its rounding.
    slack = Fraction(rigorous.factor(X.shape[1] + 8))
    scale = Fraction(2) ** (2 * exponent)
    return finite(largest) * (1 - slack) * scale, finite(largest) * (1 + slack) * scale


def _largest_entry(X: Any, inside: NDArray[np.bool_]) -> float:
    """max |x_ij| over some rows."""
    largest = 0.0
    for rows, block in row_blocks(X):
        part = block[inside[rows]]
        largest = max(largest, float(np.max(np.abs(part.data if is_sparse(part) else part), initial=0.0)))
    return largest
