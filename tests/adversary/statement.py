"""The statement of section 8, written from the fields of a document whether they are proved or not."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from tests.adversary.document import (
    Data,
    Malformed,
    Members,
    read_count,
    read_integer,
    read_members,
    read_real,
    read_vector,
)
from tests.adversary.scaled_rows import SUFFIX, is_scaled, unscaled

BIAS = {"free": "with a bias", "none": "through the origin"}
BIAS_OPTIMAL = {"free": "free bias", "augmented": "augmented bias", "none": "no bias"}


def plain(negative: bool, digits: str, exponent: int) -> str:
    """The number 0.digits * 10^exponent, plainly or with an exponent, without trailing zeros."""
    digits = digits.rstrip("0") or "0"
    sign = "-" if negative else ""
    if digits == "0":
        return "0"
    if -3 <= exponent <= 16:
        if exponent <= 0:
            return f"{sign}0.{'0' * -exponent}{digits}"
        if len(digits) <= exponent:
            return sign + digits + "0" * (exponent - len(digits))
        return f"{sign}{digits[:exponent]}.{digits[exponent:]}"
    power = exponent - 1
    return f"{sign}{digits[0]}{'.' + digits[1:] if len(digits) > 1 else ''}e{power}"


def shortest(value: Fraction) -> str:
    """A real as the fewest digits that name it."""
    mantissa, _, exponent = f"{float(value)!r}".partition("e")
    negative = mantissa.startswith("-")
    whole, _, rest = mantissa.lstrip("-").partition(".")
    digits = whole + rest
    kept = digits.lstrip("0")
    return plain(negative, kept or "0", len(whole) + int(exponent or 0) - (len(digits) - len(kept)))


def rounded(value: Fraction, significant: int, up: bool) -> str:
    """A rational rounded towards plus (or minus) infinity to some significant digits."""
    if value == 0:
        return "0"
    size = abs(value)
    exponent = len(str(size.numerator)) - len(str(size.denominator))
    while size >= Fraction(10) ** exponent:
        exponent += 1
    while size < Fraction(10) ** (exponent - 1):
        exponent -= 1
    scaled = value * Fraction(10) ** (significant - exponent)
    whole = -((-scaled.numerator) // scaled.denominator) if up else scaled.numerator // scaled.denominator
    digits = str(abs(whole))
    return plain(value < 0, digits, exponent + len(digits) - significant)


def counted(number: int) -> str:
    return f"{number} row" if number == 1 else f"{number} rows"


def label_names(labels: list[str], kind: str) -> str:
    if not labels:
        return "no label"
    return ", ".join(json.dumps(label) if kind == "text" else label for label in labels)


def sides(document: dict[str, Any], data: Data, members: Members, between: str) -> str:
    field = document["data"]
    kind = field["labels"]
    positive, negative = field["positive"], field["negative"]
    if members.classes:
        return f"{label_names(positive, kind)} ({counted(len(members.rows))})"
    occurring = set(data.label_texts())
    rest_negative = len(negative) >= 2 and set(negative) == occurring - set(positive)
    rest_positive = len(positive) >= 2 and set(positive) == occurring - set(negative) and not rest_negative
    first = "every other label" if rest_positive else label_names(positive, kind)
    second = "every other label" if rest_negative else label_names(negative, kind)
    ups = sum(1 for i in members.rows if members.side[i] > 0)
    return f"{first} ({counted(ups)}) {between} {second} ({counted(len(members.rows) - ups)})"


def rows_phrase(document: dict[str, Any], members: Members) -> str:
    n, m = document["data"]["rows"], len(members.rows)
    excluded = document["data"]["excluded"]
    phrase = f"all {n} rows take part" if n == m else f"{m} of {n} rows take part"
    if excluded:
        phrase += ", not the excluded " + ", ".join(str(i) for i in excluded[:10])
        if len(excluded) > 10:
            phrase += f" and {len(excluded) - 10} more"
    return phrase


def kernel_name(kernel: Any) -> str:
    if kernel == "linear":
        return "linear"
    name = kernel["name"]
    if name in ("sum", "product"):
        first, second = kernel["parts"]
        return f"({kernel_name(first)}) {'+' if name == 'sum' else '*'} ({kernel_name(second)})"
    if name == "scaled":
        (part,) = kernel["parts"]
        return f"{shortest(read_real(kernel['factor']))} * ({kernel_name(part)})"
    told = []
    if "degree" in kernel:
        told.append(f"degree = {read_count(kernel['degree'])}")
    told += [f"{key} = {shortest(read_real(kernel[key]))}" for key in ("gamma", "coef0") if key in kernel]
    return f"{name} ({', '.join(told)})" if told else name


def costs(C: Any, n: int, members: Members) -> str:
    if "rows" in C:
        by_row = read_vector(C["rows"], n)
        used = [by_row[i] for i in members.rows]
        return f"C from {shortest(min(used))} to {shortest(max(used))} by row"
    positive, negative = shortest(read_real(C["positive"])), shortest(read_real(C["negative"]))
    if positive == negative:
        return f"C = {positive}"
    return f"C = {positive} on the positive side and {negative} on the negative side"


def _optimal(document: dict[str, Any], data: Data, members: Members) -> str:
    problem, proof = document["problem"], document["proof"]
    primal, dual = read_real(proof["primal"]), read_real(proof["dual"])
    gap = Fraction(0) if primal == dual else (primal - dual) / primal
    bias, kernel = BIAS_OPTIMAL[problem["bias"]], kernel_name(problem["kernel"]) + " kernel"
    if problem["C"] == "hard":
        start = f"The hard-margin SVM ({bias}, {kernel})"
    else:
        loss = {"hinge": "hinge", "squared_hinge": "squared hinge"}[problem["loss"]]
        what = "The soft-margin SVM" + (" of all classes at once" if members.classes else "")
        start = f"{what} ({loss} loss, {bias}, {kernel}, {costs(problem['C'], document['data']['rows'], members)})"
    return (
        f"{start} of {sides(document, data, members, 'against')} has its optimum between "
        f"{rounded(dual, 12, False)} and {rounded(primal, 12, True)}, and the given point is within a relative gap of "
        f"{rounded(gap, 3, True)} of it"
    )


def tied_places(document: dict[str, Any], data: Data, members: Members) -> int:
    """How many signed rows have a product of zero with the z of a quasi-separable document."""
    proof, k, d = document["proof"], max(members.classes, 1), data.columns
    w = read_vector(proof["w"], d * k, read_integer)
    b = read_vector(proof["b"], k, read_integer) if members.classes else [read_integer(proof["b"])]

    def score(i: int, m: int) -> Fraction:
        return sum((Fraction(v) * w[m * d + j] for j, v in enumerate(data.X[i])), Fraction(b[m]))

    if not members.classes:
        return sum(1 for i in members.rows if score(i, 0) == 0)
    return sum(
        score(i, m) == score(i, members.side[i])
        for i in members.rows
        for m in range(k)
        if m != members.side[i]
    )


def _separation(document: dict[str, Any], data: Data, members: Members) -> str:
    kind, problem, proof = document["kind"], document["problem"], document["proof"]
    bias = BIAS[problem["bias"]]
    if members.classes:
        start = f"inear functions {bias}, one for each class, give every row of {sides(document, data, members, '')}"
        start += " the highest score at its own class"
        if kind == "separating":
            return "L" + start
        if kind == "inseparable":
            rest = "those that give no row a higher score at another class give every row equal scores at all"
            return f"No l{start}: {rest}"
        return (
            f"No l{start}: some give no row a higher score at another class, and all of those give equal scores at "
            f"{tied_places(document, data, members)} pairs of classes"
        )
    between = sides(document, data, members, "from")
    if kind == "separating":
        sentence = f"A hyperplane {bias} strictly separates {between}"
        if "margin" in proof:
            lower, upper = read_real(proof["margin"]["lower"]), read_real(proof["margin"]["upper"])
            ends = f"{rounded(lower, 12, False)} and {rounded(upper, 12, True)}"
            sentence += f", and the maximum margin lies between {ends}"
        return sentence
    if kind == "inseparable" and isinstance(problem["kernel"], dict):
        circuit = read_vector(proof["circuit"], document["data"]["rows"], read_integer)
        count = sum(1 for v in circuit if v)
        return (
            f"In the space of the {kernel_name(problem['kernel'])} kernel nothing {bias} strictly separates {between}: "
            f"{count} rows contradict each other"
        )
    if kind == "inseparable":
        rest = "not even weakly: one that has no row on its wrong side has every row on it"
        return f"No hyperplane {bias} separates {between}, {rest}"
    return (
        f"A hyperplane {bias} separates {between} weakly, and none strictly: one that has no row on its wrong side has "
        f"at least {tied_places(document, data, members)} rows on it"
    )


def _mistakes(document: dict[str, Any], data: Data, members: Members) -> str:
    problem, proof = document["problem"], document["proof"]
    words = {"decreasing": "1/sqrt(t)", "line-search": "by line search"}
    step = words.get(problem["step"]) or shortest(read_real(problem["step"]))
    algorithm = {"perceptron": "row by row", "gradient": "all rows at once"}[problem["algorithm"]]
    start = {"zero": "zero", "row": "a row"}[problem["start"]]
    what = "The perceptron" + (" of all classes at once" if members.classes else "")
    sentence = (
        f"{what} ({algorithm}, step {step}, from {start}, g = {shortest(read_real(problem['gain']))}) makes at most "
        f"{read_count(proof['bound'])} updates on {sides(document, data, members, 'against')}"
    )
    if "updates" in proof:
        updates = read_vector(
            proof["updates"], document["data"]["rows"] * max(members.classes, 1), read_integer
        )
        came = (
            f" from row {read_count(proof['start']) // max(members.classes, 1)}" if "start" in proof else ""
        )
        sentence += f", and the {sum(updates)} updates counted here{came} separate them"
    return sentence


def write(document: dict[str, Any], data: Data) -> str:
    """The sentence, or `Malformed` where a field has nothing that the sentence could say."""
    try:
        if is_scaled(document):
            return write(*unscaled(document, data))[:-1] + SUFFIX
        members = read_members(document, data)
        kind = document["kind"]
        if kind == "optimal":
            body = _optimal(document, data, members)
        elif kind == "mistakes":
            body = _mistakes(document, data, members)
        elif kind in ("separating", "inseparable", "quasi-separable"):
            body = _separation(document, data, members)
        else:
            raise Malformed("no such kind")
        return f"{body}; {rows_phrase(document, members)}."
    except (
        KeyError,
        TypeError,
        AttributeError,
        ValueError,
        ZeroDivisionError,
        IndexError,
        OverflowError,
    ) as error:
        raise Malformed(f"no sentence for this document: {error!r}") from None
