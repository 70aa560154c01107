"""Vectors about ordered classes, and about the estimates that a separation leaves finite or makes infinite."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
from making import changed, genuine, setting, text_of

import separatrix as sx
from separatrix.proof.writing import write_weights

X = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [1.0, 1.0], [1.0, 3.0]])
Y = np.array([0, 1, 0, 1, 1])
#: The third column is the sum of the others and the bias; the fourth is constant.
ALIASED = np.column_stack([X, X.sum(axis=1) + 1, np.full(5, 2.0)])
LINE = np.array([[-2.0, 1.0], [-1.0, 0.0], [1.0, 0.0], [2.0, 1.0]])
LINE_SIDES = np.array([0, 0, 1, 1])
STEPS = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 2.0], [2.0, 1.0], [2.0, 0.5], [3.0, 0.0]])
GRADES = np.array([0, 0, 1, 1, 2, 2])
NAMES = np.array(["low", "high", "low", "mid", "mid", "high"])
STALE = "The claim of the certificate is not what its numbers prove, which is: "


def estimates() -> list[dict[str, Any]]:
    out = []
    cases = [
        ("quasi", X, Y, "pairs", "one coefficient is infinite"),
        ("aliased", ALIASED, Y, "pairs", "two columns are aliased"),
        ("separable", LINE, LINE_SIDES, "pairs", "of a symmetric line the bias has no sign"),
        ("overlap", X, np.array([0, 1, 0, 1, 0]), "pairs", "all estimates are finite"),
        ("ordinal", STEPS, GRADES, "ordinal", "ordered classes"),
        ("ordinal-overlap", STEPS, np.array([0, 1, 0, 2, 1, 0]), "ordinal", "ordered classes that overlap"),
        ("ordinal-separable", STEPS[:, :1], np.array([0, 1, 1, 2, 2, 2]), "ordinal", "ordered and apart"),
        ("joint", STEPS, NAMES, "joint", "all classes at once, with names"),
        ("joint-separable", STEPS, GRADES, "joint", "all classes at once"),
    ]
    for name, rows, labels, classes, why in cases:
        found = sx.separability(rows, labels, classes=classes)
        out.append(genuine(f"estimates-{name}", found.estimates_certificate, rows, labels, why))
        if classes == "ordinal":
            out.append(genuine(f"verdict-{name}", found.certificate, rows, labels, why))
    by_name = {vector["name"]: vector for vector in out}
    quasi, record = by_name["estimates-quasi"], _record(by_name["estimates-quasi"])
    path = "proof.estimates."
    sign, width = record["signs"][0], 3

    def unit(*entries: tuple[int, int]) -> dict[str, Any]:
        return write_weights([c for c, _ in entries], [a for _, a in entries], width)

    reject = [
        ("sign", "the sign is another", "signs", [{**sign, "factor": "-" + sign["factor"]}]),
        ("no-sign", "nothing is said of an infinite estimate", "signs", []),
        ("sign-of-finite", "a finite estimate with a sign", "signs", [sign, {**sign, "column": 1}]),
        ("sign-twice", "one sign twice", "signs", [sign, sign]),
        ("factor", "a factor of zero", "signs", [{**sign, "factor": "0x0"}]),
        ("no-null", "fewer null vectors than there are", "null", []),
        ("null-twice", "one null vector twice", "null", record["null"] * 2),
        ("null", "a null vector that is none", "null", [unit((1, 1))]),
        ("alias", "a column that is not aliased", "aliased", [unit((1, 1))]),
        ("direction", "a direction with a row on its wrong side", "directions", [unit((0, -1))]),
        ("zero-vector", "a vector of zeros", "directions", [unit()]),
        ("few-rows", "too few independent rows", "independent", record["independent"][1:]),
        ("no-such-row", "an independent row that is none", "independent", [*record["independent"][:-1], 9]),
        ("order", "independent rows in another order", "independent", record["independent"][::-1]),
        ("dependent", "rows that are dependent", "independent", [0, 1, 2]),
        ("modulus-one", "everything is zero modulo 1", "modulus", 1),
        ("modulus-large", "a modulus above the largest", "modulus", 1 << 26),
    ]
    out += [_restated(changed(quasi, f"reject-{n}", w, setting(path + f, v))) for n, w, f, v in reject]
    line = by_name["estimates-separable"]
    out.append(_restated(changed(line, "reject-one-sided", "one sign is not both", _one_direction)))
    steps = by_name["verdict-ordinal"]
    out += [
        changed(steps, "reject-ordinal-bias", "thresholds without a bias", setting("problem.bias", "none")),
        changed(steps, "reject-ordinal-empty", "a class without rows", setting("data.excluded", [2, 3])),
        changed(steps, "reject-ordinal-classes", "classes in no order", setting("problem.classes", "joint")),
        changed(steps, "reject-ordinal-order", "another order", setting("data.positive", ["1", "0", "2"])),
    ]
    return out


def _record(vector: dict[str, Any]) -> dict[str, Any]:
    return json.loads(vector["certificate"])["proof"]["estimates"]


def _one_direction(document: dict[str, Any]) -> None:
    directions = document["proof"]["estimates"]["directions"]
    document["proof"]["estimates"]["directions"] = directions[:1]


def _restated(vector: dict[str, Any]) -> dict[str, Any]:
    """The vector with the claim that its numbers prove, if they prove any: else the rejection is one by the numbers."""
    document = copy.deepcopy(json.loads(vector["certificate"]))
    rows = np.array([[float.fromhex(v) for v in row] for row in vector["X"]])
    certificate = sx.Certificate.from_dict(document)
    reason = sx.verify(certificate, rows, np.array(list(map(int, vector["y"]))), exact=True).reason
    assert not reason.startswith(STALE), vector["name"]
    return {**vector, "certificate": text_of(document)}
