"""A document about scaled columns as one about the scaled rows themselves.

Each operation is done in rationals and rounded by Python's division of integers, which is correctly rounded by
definition: not one of the operations in floating point that the checkers use.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.adversary.document import Data, Malformed, fingerprints, read_vector

SUFFIX = ", every entry x of a column as (x - shift) * factor in double precision."
_known: dict[Any, Data] = {}


def is_scaled(document: Any) -> bool:
    """Whether the problem of a document has a scaling."""
    problem = document.get("problem") if isinstance(document, dict) else None
    return isinstance(problem, dict) and "scaling" in problem


def unscaled(document: dict[str, Any], data: Data) -> tuple[dict[str, Any], Data]:
    """The same question about scaled rows, without a scaling; raises `Malformed` where that is none of the page."""
    problem = document["problem"]
    kernel = problem.get("kernel")
    if document.get("kind") == "mistakes" or (
        isinstance(kernel, dict) and kernel.get("name") == "precomputed"
    ):
        raise Malformed("no columns that could be scaled")
    if not isinstance(problem["scaling"], dict) or set(problem["scaling"]) != {"shift", "factor"}:
        raise Malformed("a scaling has a shift and a factor")
    shift, factor = (read_vector(problem["scaling"][name], data.columns) for name in ("shift", "factor"))
    if not all(each > 0 for each in factor):
        raise Malformed("a factor is not above zero")
    if document["data"]["X"] != fingerprints(data)[0]:
        raise Malformed("these are other data")
    key = data.identity, tuple(shift), tuple(factor)
    if key not in _known:
        if len(_known) > 1_000:
            _known.clear()
        if any(len(row) != data.columns for row in data.X):
            raise Malformed("rows of other lengths")
        rows = [[_scaled(x, s, f) for x, s, f in zip(row, shift, factor, strict=True)] for row in data.X]
        _known[key] = data.changed(X=rows)
    found = _known[key]
    plain = {name: each for name, each in problem.items() if name != "scaling"}
    source = {**document["data"], "X": fingerprints(found)[0]}
    claim = document.get("claim")
    said = isinstance(claim, str) and claim.endswith(SUFFIX)
    shortened = claim.removesuffix(SUFFIX) + "." if said else None
    return {**document, "problem": plain, "data": source, "claim": shortened}, found


def _scaled(x: float, shift: Fraction, factor: Fraction) -> float:
    try:
        difference = Fraction(x) - shift
        product = Fraction(difference.numerator / difference.denominator) * factor
        return product.numerator / product.denominator
    except (OverflowError, ValueError):
        raise Malformed("an entry is beyond every double") from None
