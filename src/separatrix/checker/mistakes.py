"""The exact check of a `mistakes` certificate: the most updates that a variant of the perceptron can make.

With the fictitious column of squared constant g every variant is one through the origin (docs/certificate-format.md,
section 7). A witness with margin M gives rho = R U / M^2, and the theorem of the variant excludes K + 1 updates. Where
the certificate counts the updates of a run, the weights that these imply must separate the rows. The proofs of the
theorems are in `separatrix.problem.mistakes`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from operator import mul

from separatrix.checker.data import Data, integers
from separatrix.checker.linear import add, dot
from separatrix.checker.numbers import Rejected, count, fields, real, vector, weights, word
from separatrix.checker.statement import Claim, Proved, sides, value

_LN2 = Fraction(6931471806, 10**10)  # at least ln 2
Plane = tuple[list[dict[int, int]], list[int], int]


@dataclass(frozen=True)
class Run:
    """Content of a certificate: the variant, the witness (W, b), the bound, and perhaps the updates of a run."""

    algorithm: str
    gain: float
    step: float | str
    from_row: bool
    bound: int
    W: dict[int, float]
    b: dict[int, float]
    updates: dict[int, int] | None
    start: int | None

    @property
    def planes(self) -> int:
        """Number of planes: one, or one for each class."""
        return len(self.b)


@dataclass(frozen=True)
class Facts:
    """Quantities of the rows: at least R and U, at most M > 0, and how many rows or pairs take part."""

    radius: Fraction
    norm: Fraction
    margin: Fraction
    members: int


def read(claim: Claim) -> Run:
    """Read everything that does not need the rows."""
    _, problem, proof, data = claim
    algorithm = word(problem["algorithm"], "algorithm", "perceptron", "gradient")
    gain, start = real(problem["gain"], "gain"), word(problem["start"], "start", "zero", "row")
    step: float | str = problem["step"]
    if step not in ("decreasing", "line-search"):
        step = real(step, "step")
    if (
        gain < 0
        or (isinstance(step, float) and step <= 0)
        or (step, algorithm) == ("line-search", "perceptron")
    ):
        raise Rejected(
            "The gain must not be below 0, a step must be above; the perceptron has no line search."
        )
    counted = "updates" in proof
    if counted and not isinstance(step, float):
        raise Rejected("Updates say nothing of the weights unless the step is a number.")
    more = [] if not counted else ["updates"] if start == "zero" else ["updates", "start"]
    fields(proof, "proof", "witness", "bound", *more)
    k = len(data.positive) if data.joint else 1
    W, b = fields(proof["witness"], "witness", "w", "b")
    biases = vector(b, "witness.b", k, real)
    if biases and not gain:
        raise Rejected("A run through the origin has no bias.")
    places = data.n * (k if data.joint else 1)
    run = Run(
        algorithm,
        gain,
        step,
        start == "row",
        count(proof["bound"], "bound"),
        vector(W, "witness.w", k * data.d, real),
        {m: biases.get(m, 0.0) for m in range(k)},
        weights(proof["updates"], "updates", places) if counted else None,
        count(proof["start"], "start") if counted and start == "row" else None,
    )
    if run.updates is not None:
        total = sum(run.updates.values()) if algorithm == "perceptron" else max(run.updates.values())
        if total > run.bound:
            raise Rejected(f"{total} updates are above the bound {run.bound}.")
        if not all(is_member(data, place) for place in [*run.updates, run.start] if place is not None):
            raise Rejected("An update, or the start, is of a row that takes no part.")
    return run


def is_member(data: Data, place: int) -> bool:
    """True if the place stands for a row that takes part, or a pair of one with another class."""
    if not data.joint:
        return place < data.n and data.part[place] != 0
    row, rival = divmod(place, len(data.positive))
    return row < data.n and data.part[row] not in (0, rival + 1)


def check(claim: Claim) -> Proved:
    """Prove the bound, and that the counted updates separate."""
    run, data = read(claim), claim.data
    facts = _facts(run, data)
    if run.updates is not None and not _least(implied(run, data), data)[0] > 0:
        raise Rejected("The weights that the updates imply do not separate the rows.")
    return conclude(run, facts, data)


def conclude(run: Run, facts: Facts, data: Data) -> Proved:
    """Apply the theorem of the variant to the facts."""
    if facts.margin <= 0:
        raise Rejected("The witness does not separate the rows.")
    if not excluded(run, facts.radius * facts.norm / facts.margin**2, facts.members):
        raise Rejected(f"The theorem of this variant does not exclude {run.bound + 1} updates.")
    return Proved(perceptron(run, data))


def perceptron(run: Run, data: Data) -> str:
    """Statement about a run."""
    words = {"decreasing": "1/sqrt(t)", "line-search": "by line search"}
    step = words[run.step] if isinstance(run.step, str) else value(run.step)
    how = f"{'row by row' if run.algorithm == 'perceptron' else 'all rows at once'}, step {step}, "
    how += f"from {'a row' if run.from_row else 'zero'}, g = {value(run.gain)}"
    who = f"The perceptron{' of all classes at once' if data.joint else ''} ({how})"
    sentence = f"{who} makes at most {run.bound} updates on {sides(data)}"
    if run.updates is not None:
        row = (
            "" if run.start is None else f" from row {run.start // (len(data.positive) if data.joint else 1)}"
        )
        sentence += f", and the {sum(run.updates.values())} updates counted here{row} separate them"
    return sentence


def excluded(run: Run, rho: Fraction, members: int) -> bool:
    """True if the theorem of the variant excludes bound + 1 updates, and with them every greater number."""
    k, start = run.bound + 1, int(run.from_row)
    if run.step == "decreasing":
        most = members if run.algorithm == "gradient" else 1
        j = k.bit_length() - 1
        log = _LN2 * j + Fraction(k, 1 << j) - 1
        r = 2 * (Fraction(isqrt((k + 1) << 128), 1 << 64) - 1) + start
        return r > 0 and (r > most * rho or r * r > rho * (most * most * (1 + log) + start))
    step = Fraction(1 if isinstance(run.step, str) else run.step)
    if run.algorithm == "gradient":
        low, high = step, members * step
        if start:
            low, high = min(Fraction(1), low), max(Fraction(1), high)
        return 4 * low * high * (k + start) > (low + high) ** 2 * rho
    if not start:
        return k > rho
    return 2 * (1 + step * k) >= rho * step and (1 + step * k) ** 2 > rho * (1 + step * step * k)


def _facts(run: Run, data: Data) -> Facts:
    """Radius, norm and margin, exactly."""
    numbers, scale = integers([*run.W.values(), *run.b.values()])
    W = [dict[int, int]() for _ in range(run.planes)]
    for place, each in zip(run.W, numbers, strict=False):
        W[place // data.d][place % data.d] = each
    least, members = _least((W, numbers[len(run.W) :], scale), data)
    x_scale = data.scale
    largest = max(sum(map(mul, x, x)) for _, _, _, x in data.rows())
    gain = Fraction(run.gain)
    norm = Fraction(sum(each * each for plane in W for each in plane.values()), 1 << 2 * scale)
    if gain:
        norm += sum(Fraction(each) ** 2 for each in run.b.values()) / gain
    radius = Fraction(largest, 1 << 2 * x_scale) + gain
    return Facts(2 * radius if data.joint else radius, norm, least, members)


def implied(run: Run, data: Data) -> Plane:
    """The weights that the counted updates imply: sum_i (s updates_i + [i = start]) y_i (x_i, g)."""
    assert run.updates is not None
    (step, one, gain), scale = integers([float(run.step), 1.0, run.gain])
    x_scale, W, b = data.scale, [dict[int, int]() for _ in range(run.planes)], [0] * run.planes
    for number, part, columns, x in data.rows():
        for place, up, down in _updates(data, number, part):
            factor = run.updates.get(place, 0) * step + (one if place == run.start else 0)
            for plane, sign in ((up, 1), (down, -1)):
                if factor and plane is not None:
                    add(W[plane], columns, x, sign * factor)
                    b[plane] += sign * factor * gain
    # w is times 2^(scale + x_scale), b times 2^(2 scale).
    shared = max(x_scale, scale)
    W = [{j: each << (shared - x_scale) for j, each in plane.items()} for plane in W]
    return W, [each << (shared - scale) for each in b], scale + shared


def _updates(data: Data, number: int, part: int) -> Iterator[tuple[int, int | None, int | None]]:
    """Place of an update, the plane that it raises and the one that it lowers."""
    if not data.joint:
        yield (number, 0, None) if part > 0 else (number, None, 0)
        return
    k = len(data.positive)
    for rival in range(k):
        if rival != part - 1:
            yield number * k + rival, part - 1, rival


def _least(planes: Plane, data: Data) -> tuple[Fraction, int]:
    """The least y_i (w.x_i + b), or lead of the own class over another; and how many there are."""
    (W, b, scale), x_scale = planes, data.scale
    least, members = None, 0
    for number, part, columns, x in data.rows():
        scores = [dot(columns, x, w) + (each << x_scale) for w, each in zip(W, b, strict=True)]
        for _, up, down in _updates(data, number, part):
            product = (0 if up is None else scores[up]) - (0 if down is None else scores[down])
            least, members = product if least is None else min(least, product), members + 1
    return Fraction(least or 0, 1 << (scale + x_scale)), members
