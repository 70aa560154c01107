"""Small data, and ways to make a test vector of a certificate or of a changed one."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from typing import Any

import numpy as np

import separatrix as sx
from separatrix.checker.data import read_data
from separatrix.checker.document import digest_of
from separatrix.checker.kernels import kernel_text
from separatrix.checker.linear import read_costs
from separatrix.checker.numbers import real
from separatrix.checker.statement import Claim, complete, optimum
from separatrix.proof.arrays import ArrayRows, read_rows
from separatrix.proof.fingerprint import read_labels
from separatrix.proof.writing import write_real

HALF, ONE, TWO = write_real(0.5), write_real(1.0), write_real(2.0)

OVERLAP = np.array([[0.0, 1.0], [1.0, 0.25], [2.0, 0.5], [3.0, 2.0], [1.5, 1.5], [0.5, -1.0], [2.5, 0.0]])
SIDES = np.array([-1, -1, 1, 1, -1, -1, 1])
CLASSES = np.array(["a", "b", "c", "c", "b", "a", "c"])
APART = np.array([[0.0, 1.0], [1.0, 0.25], [4.0, 0.5], [5.0, 2.0]])
APART_SIDES = np.array([0, 0, 1, 1])
XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
XOR_SIDES = np.array([1, 1, -1, -1])
QUASI = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [2.0, 1.0]])
QUASI_SIDES = np.array([0, 0, 1, 1])
POINTS = np.array([[1.0], [-1.0]])
GRAM = OVERLAP @ OVERLAP.T + np.eye(7)


def function(A: Any, B: Any) -> Any:
    """A kernel that only its author has."""
    return (np.asarray(A) @ np.asarray(B).T + 1.0) ** 2


def reals(X: Any) -> list[list[str]]:
    return [[write_real(float(x)) for x in row] for row in np.asarray(X, dtype=np.float64)]


def data_of(X: Any, y: Any, K: Any = None) -> dict[str, Any]:
    labels = read_labels(y)
    texts = [labels.classes[code] for code in labels.codes.tolist()]
    record = {"labels": labels.kind, "y": texts, "columns": int(np.shape(X)[1]), "X": reals(X)}
    return record if K is None else {**record, "K": reals(K)}


def text_of(document: dict[str, Any]) -> str:
    """The document with its digest."""
    body = {name: value for name, value in document.items() if name != "digest"}
    return json.dumps({**body, "digest": digest_of(body)})


def genuine(
    name: str, certificate: sx.Certificate, X: Any, y: Any, why: str, outcome: str = "proved", K: Any = None
):
    document = certificate.to_dict()
    return {
        "name": name,
        "outcome": outcome,
        "why": why,
        "certificate": text_of(document),
        **data_of(X, y, K),
    }


def restated(document: dict[str, Any], X: Any, y: Any) -> dict[str, Any]:
    """An optimal document with the claim that its numbers would make, true or not."""
    problem, data = document["problem"], document["data"]
    sides = data["positive"], data["negative"], data["excluded"]
    read = read_data(*sides, problem["classes"] == "joint", ArrayRows(read_rows(X)), read_labels(y).plain())
    costs = [] if problem["C"] == "hard" else read_costs(problem["C"], read)
    lower, upper = (Fraction(real(document["proof"][each], each)) for each in ("dual", "primal"))
    claim = Claim("optimal", problem, document["proof"], read)
    sentence = optimum(claim, costs, lower, upper, kernel_text(problem["kernel"]))
    said = complete(sentence, read, "scaling" in problem)
    return {**document, "claim": said}


def changed(vector: dict[str, Any], name: str, why: str, change: Any, restate: bool = False, **more: Any):
    """A vector that must be rejected: the document of another after a change."""
    document = copy.deepcopy(json.loads(vector["certificate"]))
    out = change(document) or document
    if restate:
        X = [[float.fromhex(x) for x in row] for row in vector["X"]]
        y = [int(label) for label in vector["y"]] if vector["labels"] == "number" else vector["y"]
        out = restated(out, np.array(X), np.array(y))
    base = {
        key: value for key, value in vector.items() if key not in ("certificate", "name", "outcome", "why")
    }
    return {"name": name, "outcome": "rejected", "why": why, "certificate": text_of(out), **base, **more}


def setting(path: str, value: Any):
    """A change that puts a value at a path such as proof.b."""

    def change(document: dict[str, Any]) -> None:
        *parents, last = path.split(".")
        place: Any = document
        for each in parents:
            place = place[int(each) if isinstance(place, list) else each]
        at: Any = int(last) if isinstance(place, list) else last
        place[at] = value(place[at]) if callable(value) else value

    return change


def scaled(factor: float):
    """Every value of a vector, or a real, times a factor."""

    def change(record: Any) -> Any:
        if isinstance(record, str):
            return write_real(float.fromhex(record) * factor)
        return {**record, "values": [write_real(float.fromhex(each) * factor) for each in record["values"]]}

    return change
