"""The problem of which a proof is wanted: expectations are compared with what a certificate proves.

verify(certificate, X, y, expect={"C": 1.0, "rows": "all"})        --expect C=1 --expect rows=all
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from separatrix.checker.data import Data
from separatrix.checker.fingerprint import DECIMAL, parse_label
from separatrix.checker.numbers import Rejected, real
from separatrix.checker.statement import Proved, relative_gap, rounded


def parse_expectations(words: Sequence[str]) -> dict[str, Any]:
    """The expected problem from words such as C=1 and rows=all; raises ValueError with a sentence.

    >>> parse_expectations(["C=1", "rows=all", "positive=a,b"])
    {'C': 1.0, 'rows': 'all', 'positive': ['a', 'b']}
    """
    out: dict[str, Any] = {}
    for each in words:
        name, equals, text = each.partition("=")
        if not equals or not name:
            raise ValueError(f"An expectation is written NAME=VALUE, such as C=1; got {each!r}.")
        if name in ("positive", "negative"):
            out[name] = text.split(",")
            continue
        try:
            out[name] = float(text)
        except ValueError:
            out[name] = text
    return out


def compare(expect: dict[str, Any], document: dict[str, Any], data: Data, proved: Proved) -> None:
    """Reject a proof of another problem than the expected one.

    Keys are kind, positive, negative, rows ("all" or their number), gap (the largest), and the fields of the problem:
    words as they are, numbers as numbers, C as one number or a pair, kernel as a name or an object, scaling as "none"
    or "given".
    """
    problem, taking_part = document["problem"], sum(map(bool, data.part))
    for name, wanted in expect.items():
        if name == "rows":
            found: Any = taking_part
            wanted = data.n if wanted == "all" else wanted
        elif name == "gap":
            if proved.primal is None or proved.dual is None:
                raise Rejected("A gap was expected; this kind of certificate has none.")
            gap = relative_gap(Fraction(proved.dual), Fraction(proved.primal))
            if gap > Fraction(wanted):
                proves = rounded(gap, True, 3)
                raise Rejected(f"Expected gap = {wanted} at most; the certificate proves gap = {proves}.")
            continue
        elif name in ("positive", "negative"):
            found = sorted(document["data"][name])
            texts = map(str, wanted if isinstance(wanted, list | tuple) else [wanted])
            wanted = sorted(_label(text, data.labels.kind) for text in texts)
        elif name == "kind":
            found = document["kind"]
        elif name == "scaling":  # whether columns are scaled; by what is in the certificate
            found = "given" if "scaling" in problem else "none"
        else:
            found = _plain(problem.get(name, "nothing of that name"))
            wanted = _plain(wanted)
            if name == "kernel" and isinstance(wanted, str) and isinstance(found, dict):
                found = found["name"]
        if found != wanted:
            raise Rejected(
                f"Expected {name} = {wanted!s:.80}; the certificate proves {name} = {found!s:.80}."
            )


def _label(text: str, kind: str) -> str:
    """A label as a certificate writes it: 1.0 is 1, and 0.5 its hexadecimal real."""
    return parse_label(text, kind) if DECIMAL.fullmatch(text) else text


def _plain(record: Any) -> Any:
    """Numbers as floats, C as one number where it is one: the form in which expectations are compared."""
    if isinstance(record, dict):
        pair = {name: _plain(each) for name, each in record.items()}
        return (
            pair["positive"] if set(pair) == {"positive", "negative"} and len({*pair.values()}) == 1 else pair
        )
    if isinstance(record, list | tuple) and len(record) == 2:
        return _plain({"positive": float(record[0]), "negative": float(record[1])})
    if isinstance(record, int | float) and not isinstance(record, bool):
        return float(record)
    try:
        return real(record, "a number")
    except Rejected:
        return record
