"""The sentence that a checked certificate proves, written from what was checked (section 8 of the format)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from separatrix.checker.data import Data

_FAR = 999_999  # no exponent of a bound is larger


class Claim(NamedTuple):
    """Content of a certificate: its kind, its question, its proof, and the data once they are found to be its own."""

    kind: str
    problem: dict[str, Any]
    proof: dict[str, Any]
    data: Data


@dataclass(frozen=True)
class Proved:
    """Result of a check: the statement without its last part, bounds where there are, a condition."""

    sentence: str
    primal: float | None = None
    dual: float | None = None
    condition: str = ""  #: empty, or what the proof takes for granted


def complete(sentence: str, data: Data, scaled: bool = False) -> str:
    """The whole statement, with the rows that take part, and what was done to their columns."""
    count = sum(map(bool, data.part))
    rows = f"all {data.n} rows" if count == data.n else f"{count} of {data.n} rows"
    left = ", ".join(map(str, data.excluded[:10]))
    more = f" and {len(data.excluded) - 10} more" if len(data.excluded) > 10 else ""
    columns = ", every entry x of a column as (x - shift) * factor in double precision" if scaled else ""
    return f"{sentence}; {rows} take part{', not the excluded ' + left + more if left else ''}{columns}."


def sides(data: Data, between: str = "against") -> str:
    """The two sides, or all classes, each with the number of its rows that take part."""
    if data.joint:
        return _side(data, data.positive, sum(map(bool, data.part)))
    there, plus, minus = set(data.labels.classes), set(data.positive), set(data.negative)
    rest = len(minus) > 1 and minus == there - plus, len(plus) > 1 and plus == there - minus
    positive = _side(data, data.positive, data.part.count(1), rest[1] and not rest[0])
    return f"{positive} {between} {_side(data, data.negative, data.part.count(-1), rest[0])}"


def _side(data: Data, labels: list[str], rows: int, rest: bool = False) -> str:
    names = [json.dumps(label) if data.labels.kind == "text" else label for label in labels]
    what = "every other label" if rest else ", ".join(names) or "no label"
    return f"{what} ({rows} row{'' if rows == 1 else 's'})"


def through(claim: Claim) -> str:
    """The bias of a hyperplane."""
    return "with a bias" if claim.problem["bias"] == "free" else "through the origin"


def hyperplane(claim: Claim, tied: int, margin: tuple[Fraction, Fraction] | None) -> str:
    """Statement of a certificate of separability, with the number of tied rows."""
    plane, parts = f"hyperplane {through(claim)}", sides(claim.data, "from")
    wrong = "one that has no row on its wrong side has"
    if claim.kind == "inseparable":
        return f"No {plane} separates {parts}, not even weakly: {wrong} every row on it"
    if claim.kind == "quasi-separable":
        return f"A {plane} separates {parts} weakly, and none strictly: {wrong} at least {tied} rows on it"
    said = f", and the maximum margin lies {between(*margin)}" if margin else ""
    return f"A {plane} strictly separates {parts}{said}"


def relative_gap(lower: Fraction, upper: Fraction) -> Fraction:
    """(primal - dual) / primal, or 0 where both are 0."""
    return (upper - lower) / upper if upper else Fraction(0)


def between(lower: Fraction, upper: Fraction) -> str:
    """An interval, rounded outwards."""
    return f"between {rounded(lower, False)} and {rounded(upper, True)}"


def optimum(claim: Claim, costs: list[float], lower: Fraction, upper: Fraction, kernel: str) -> str:
    """The problem of an optimal claim, and where its optimum lies."""
    problem, data, hard = claim.problem, claim.data, claim.problem["C"] == "hard"
    asked = f"{problem['bias'].replace('none', 'no')} bias, {kernel} kernel"
    if not hard:
        asked = f"{problem['loss'].replace('_', ' ')} loss, {asked}, {_costs(problem['C'], costs)}"
    gap = rounded(relative_gap(lower, upper), True, 3)
    what = f"{'hard' if hard else 'soft'}-margin SVM{' of all classes at once' if data.joint else ''}"
    reached = f"and the given point is within a relative gap of {gap} of it"
    return f"The {what} ({asked}) of {sides(data)} has its optimum {between(lower, upper)}, {reached}"


def _costs(record: dict[str, str], costs: list[float]) -> str:
    if "rows" in record:
        used = list(filter(None, costs))
        return f"C from {value(min(used))} to {value(max(used))} by row"
    positive, negative = (value(float.fromhex(record[side])) for side in ("positive", "negative"))
    both = f" on the positive side and {negative} on the negative side"
    return f"C = {positive}{both if positive != negative else ''}"


def value(number: float) -> str:
    """A parameter in the fewest digits that read back as the same number.

    >>> value(0.1), value(1e16), value(-1.5e-5)
    ('0.1', '1e16', '-1.5e-5')
    """
    return _layout(Decimal(repr(number)))


def rounded(number: Fraction, up: bool, digits: int = 12) -> str:
    """A bound in so many digits, rounded up or down.

    >>> rounded(Fraction(2, 3), True, 3), rounded(Fraction(2, 3), False, 3), rounded(Fraction(-1), True)
    ('0.667', '0.666', '-1')
    """
    towards = Context(digits, ROUND_CEILING if up else ROUND_FLOOR, -_FAR, _FAR)
    return _layout(towards.divide(Decimal(number.numerator), Decimal(number.denominator)))


def _layout(number: Decimal) -> str:
    """The digits, plainly where the number is neither large nor small."""
    number = number.normalize()
    return f"{number:f}" if -4 <= number.adjusted() < 16 else f"{number:e}".replace("e+", "e")
