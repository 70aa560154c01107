"""Numbers as people write them in tables: with a currency, a percent sign, groups of three digits, a decimal comma."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from separatrix.data.sniff import INFINITE, NULLS_AMONG_NUMBERS

_LONGEST = 60  # characters of a number
_CURRENCIES = r"[$€£¥₹]|USD|EUR|GBP|CHF|Rs\.?"
_AROUND = re.compile(
    rf"(?P<sign>[+-]?)\s*(?P<before>{_CURRENCIES})?\s*(?P<inner>[+-]?)(?P<digits>[\d.,' \u00a0\u202f]*\d[\d.,]*"
    rf"(?:[eE][+-]?\d+)?)\s*(?P<after>%|{_CURRENCIES})?"
)
_PLAIN = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_GROUPS = {
    ".": re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d{1,3}(?:[' \u00a0\u202f]\d{3})+(?:\.\d*)?"),
    ",": re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d*)?|\d{1,3}(?:[' \u00a0\u202f]\d{3})+(?:,\d*)?"),
}


def parse_number(text: str, decimal: str = ".") -> tuple[float, str] | None:
    """The number that a text stands for and its sign: "", "%", a currency; None if it stands for none.

    >>> parse_number("$3.50"), parse_number("12%"), parse_number("1,234"), parse_number("1.234,5", ",")
    ((3.5, '$'), (12.0, '%'), (1234.0, ''), (1234.5, ''))
    >>> parse_number("1,5"), parse_number("12 apples"), parse_number("-"), parse_number("1 234,5 €", ",")
    (None, None, None, (1234.5, '€'))
    """
    if len(text) > _LONGEST:
        return None
    match = _AROUND.fullmatch(text.replace("\N{MINUS SIGN}", "-"))
    if match is None or (match["sign"] and match["inner"]) or (match["before"] and match["after"]):
        return None
    digits = match["digits"].strip()
    if _GROUPS[decimal].fullmatch(digits):
        digits = re.sub(r"[^\d.,]" + (r"|," if decimal == "." else r"|\."), "", digits)
    if decimal == ",":
        if "." in digits:
            return None
        digits = digits.replace(",", ".")
    if not _PLAIN.fullmatch(digits):
        return None
    value = float(f"{match['sign']}{match['inner']}{digits}")
    if value in (float("inf"), float("-inf")):
        return None
    return value, match["before"] or match["after"] or ""


@dataclass
class NumberTexts:
    """The different texts of a column as numbers: those that are, those that hold nothing, the others."""

    values: dict[str, float] = field(default_factory=dict)
    empty: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    sign: str = ""  #: what stands next to the numbers: "%", a currency


def parse_numbers(texts: Iterable[str], decimal: str, sign: str | None = None) -> NumberTexts:
    """The different texts of a column as numbers.

    Numbers with a percent sign and numbers without do not go together, nor do two currencies: what is rarer is
    among the others. ``sign`` is that of a column read before.

    >>> found = parse_numbers(["1", "2.5", "-", "low"], ".")
    >>> found.values, found.empty, found.others
    ({'1': 1.0, '2.5': 2.5}, ['-'], ['low'])
    """
    out = NumberTexts()
    by_sign: dict[str, dict[str, float]] = {}
    for text in texts:
        found = parse_number(text, decimal)
        if found is not None:
            by_sign.setdefault(found[1], {})[text] = found[0]
        elif text.lower() in NULLS_AMONG_NUMBERS + INFINITE:
            out.empty.append(text)
        else:
            out.others.append(text)
    marked = [each for each in by_sign if each]
    commonest = max(by_sign, key=lambda each: len(by_sign[each]), default="")
    out.sign = sign if sign is not None else commonest
    if sign is None and len(marked) == 1 and marked != ["%"]:
        out.sign = marked[0]  # a currency may be left out in some cells
    for each, values in by_sign.items():
        if each == out.sign or (not each and out.sign != "%"):
            out.values |= values
        else:
            out.others += list(values)
    return out
