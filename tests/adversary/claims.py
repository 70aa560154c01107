"""The sentences of section 8 taken apart again by regular expressions, without the code that writes them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

NUMBER = r"(?:0|-?(?:[1-9]\d*(?:\.\d*[1-9])?|0\.\d*[1-9])(?:e-?[1-9]\d*)?)"
COUNT = r"(?:0|[1-9]\d*)"
_TEXT = r'"(?:[^"\\]|\\.)*"'
_LABEL = rf"(?:{_TEXT}|-?[0-9][0-9a-fx.p+-]*)"
_SIDE = rf"(?:no label|every other label|{_LABEL}(?:, {_LABEL})*)"
_ROWS = (
    rf"(?:all (?P<all>{COUNT}) rows take part|(?P<part>{COUNT}) of (?P<of>{COUNT}) rows take part)"
    rf"(?:, not the excluded (?P<out>{COUNT}(?:, {COUNT})*)(?: and (?P<more>{COUNT}) more)?)?"
)
_BIAS = r"(?P<bias>with a bias|through the origin)"


def _two(word: str) -> str:
    return (
        rf"(?P<positive>{_SIDE}) \((?P<ups>{COUNT}) row(?P<ups_s>s?)\) {word} "
        rf"(?P<negative>{_SIDE}) \((?P<downs>{COUNT}) row(?P<downs_s>s?)\)"
    )


_ONE = rf"(?P<positive>{_LABEL}(?:, {_LABEL})+) \((?P<ups>{COUNT}) row(?P<ups_s>s?)\)"
_OPTIMUM = (
    rf" has its optimum between (?P<dual>{NUMBER}) and (?P<primal>{NUMBER}), and the given point is within a relative "
    rf"gap of (?P<gap>{NUMBER}) of it"
)
_COSTS = (
    rf"C = (?:(?P<C>{NUMBER})|(?P<C_up>{NUMBER}) on the positive side and (?P<C_down>{NUMBER}) on the negative side)"
    rf"|C from (?P<C_least>{NUMBER}) to (?P<C_most>{NUMBER}) by row"
)
_PENALTY = r"(?P<bias>free bias|augmented bias|no bias), (?P<kernel>.+) kernel"
_SOFT = rf"\((?P<loss>hinge|squared hinge) loss, {_PENALTY}, (?:{_COSTS})\) of "
_CLASSES = rf"inear functions {_BIAS}, one for each class, give every row of {_ONE} the highest score at its own class"
_RUN = (
    rf"\((?P<algorithm>row by row|all rows at once), step (?P<step>{NUMBER}|1/sqrt\(t\)|by line search), "
    rf"from (?P<start>zero|a row), g = (?P<gain>{NUMBER})\) makes at most (?P<bound>{COUNT}) updates on "
)
_COUNTED = (
    rf"(?:, and the (?P<sum>{COUNT}) updates counted here(?: from row (?P<from_row>{COUNT}))? separate them)?"
)

SENTENCES: dict[tuple[str, str], str] = {
    ("optimal", "two"): rf"The soft-margin SVM {_SOFT}{_two('against')}{_OPTIMUM}",
    ("optimal", "joint"): rf"The soft-margin SVM of all classes at once {_SOFT}{_ONE}{_OPTIMUM}",
    ("optimal", "hard"): (rf"The hard-margin SVM \({_PENALTY}\) of {_two('against')}{_OPTIMUM}"),
    ("separating", "two"): (
        rf"A hyperplane {_BIAS} strictly separates {_two('from')}"
        rf"(?:, and the maximum margin lies between (?P<lower>{NUMBER}) and (?P<upper>{NUMBER}))?"
    ),
    ("separating", "joint"): rf"L{_CLASSES}",
    ("inseparable", "two"): (
        rf"No hyperplane {_BIAS} separates {_two('from')}, not even weakly: one that has no row on its wrong side has "
        r"every row on it"
    ),
    ("inseparable", "joint"): (
        rf"No l{_CLASSES}: those that give no row a higher score at another class give every row equal scores at all"
    ),
    ("inseparable", "kernel"): (
        rf"In the space of the (?P<kernel>.+) kernel nothing {_BIAS} strictly separates {_two('from')}: "
        rf"(?P<count>{COUNT}) rows contradict each other"
    ),
    ("quasi-separable", "two"): (
        rf"A hyperplane {_BIAS} separates {_two('from')} weakly, and none strictly: one that has no row on "
        rf"its wrong side has at least (?P<tied>{COUNT}) rows on it"
    ),
    ("quasi-separable", "joint"): (
        rf"No l{_CLASSES}: some give no row a higher score at another class, and all of those give equal scores at "
        rf"(?P<tied>{COUNT}) pairs of classes"
    ),
    ("mistakes", "two"): rf"The perceptron {_RUN}{_two('against')}{_COUNTED}",
    ("mistakes", "joint"): rf"The perceptron of all classes at once {_RUN}{_ONE}{_COUNTED}",
}
_PATTERNS = {key: re.compile(rf"{body}; {_ROWS}\.") for key, body in SENTENCES.items()}


@dataclass
class Claim:
    """One sentence: what kind of sentence it is, and the words and numbers in its places."""

    kind: str
    form: str
    said: dict[str, str] = field(default_factory=dict)

    def number(self, name: str) -> Fraction:
        return Fraction(self.said[name])


def parse(text: Any) -> Claim | None:
    """The claim, or None where the text is no sentence of section 8."""
    if not isinstance(text, str):
        return None
    for (kind, form), pattern in _PATTERNS.items():
        found = pattern.fullmatch(text)
        if found:
            return Claim(
                kind, form, {key: value for key, value in found.groupdict().items() if value is not None}
            )
    return None


def labels_of(side: str) -> list[str] | None:
    """The labels that a side names; None for every other label."""
    if side == "every other label":
        return None
    if side == "no label":
        return []
    labels = re.findall(_LABEL, side)
    return [json.loads(label) if label.startswith('"') else label for label in labels]


def agrees(
    claim: Claim, names: list[str], negative_names: list[str], texts: list[str], sizes: tuple[int, int]
) -> bool:
    """Whether the sides of the sentence are those of the document, and their sizes those of the data."""
    said = claim.said
    for side, own, other in (("positive", names, negative_names), ("negative", negative_names, names)):
        if side not in said:
            continue
        told = labels_of(said[side])
        if told is None:
            if len(own) < 2 or set(own) != set(texts) - set(other):
                return False
        elif told != own:
            return False
    expected = {"ups": sizes[0], "downs": sizes[1]} if "downs" in said else {"ups": sizes[0] + sizes[1]}
    return all(
        int(said[key]) == size and (said[key + "_s"] == "") == (size == 1) for key, size in expected.items()
    )


def rows_agree(claim: Claim, n: int, taking: int, excluded: list[int]) -> bool:
    """Whether the last part of the sentence tells the rows that take part and those that are excluded."""
    said = claim.said
    if "all" in said:
        if not int(said["all"]) == n == taking:
            return False
    elif int(said["part"]) != taking or int(said["of"]) != n or taking == n:
        return False
    told = [int(i) for i in said["out"].split(", ")] if "out" in said else []
    return told == excluded[:10] and int(said.get("more", 0)) == max(0, len(excluded) - 10)
