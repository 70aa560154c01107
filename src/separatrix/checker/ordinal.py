"""Exact checks of ordered classes: one linear function, thresholds between the classes (section 6 of the format).

row i of class c    t_c - w.x_i > 0 against class c + 1,     w.x_i - t_(c - 1) > 0 against class c - 1
"""

from __future__ import annotations

from collections.abc import Iterator

from separatrix.checker.data import Data
from separatrix.checker.linear import Row, check_signs, check_tied, read_fields
from separatrix.checker.numbers import Rejected, integer, vector
from separatrix.checker.statement import Claim, Proved, sides


def signed(data: Data) -> Iterator[Row]:
    """The rows a_im, m next to the class of row i, times 2^scale; column d + m is the threshold after class m."""
    k, d, one = len(data.positive), data.d, 1 << data.scale
    for number, part, columns, x in data.rows():
        own = part - 1
        if own > 0:
            yield number * k + own - 1, [*columns, d + own - 1], [*x, -one]
        if own < k - 1:
            yield number * k + own + 1, [*columns, d + own], [*(-each for each in x), one]


def point(claim: Claim) -> dict[int, int]:
    """The given linear function and thresholds."""
    data = claim.data
    w = vector(claim.proof["w"], "w", data.d, integer)
    thresholds = vector(claim.proof["b"], "b", len(data.positive) - 1, integer)
    return w | {data.d + m: each for m, each in thresholds.items()}


def separation(claim: Claim) -> Proved:
    """Check a linear function with thresholds, or why there is none."""
    data, k = claim.data, len(claim.data.positive)
    read_fields(claim)
    if claim.problem["bias"] != "free":
        raise Rejected("Ordered classes have thresholds, which are biases.")
    if set(data.part) - {0} != set(range(1, k + 1)):
        raise Rejected("Ordered classes must each have a row that takes part.")
    z = point(claim) if claim.kind != "inseparable" else {}
    tied = check_signs(claim.kind, signed(data), z, data.d + k)
    if claim.kind != "separating":
        check_tied(claim.proof, data.n * k, signed(data), tied)
    return Proved(thresholds_text(claim, len(tied)))


def thresholds_text(claim: Claim, tied: int) -> str:
    """Statement of a certificate of separability about ordered classes, with the number of tied comparisons."""
    put = f"inear function with thresholds puts every row of {sides(claim.data)}"
    between = f"{put} strictly between the thresholds of its class"
    if claim.kind == "separating":
        return f"A l{between}"
    none = f"No l{between}: "
    if claim.kind == "inseparable":
        return f"{none}one that puts no row beyond a threshold of its class puts every row on all of them"
    return f"{none}some put no row beyond a threshold of its class, and all of those have {tied} rows on thresholds"
