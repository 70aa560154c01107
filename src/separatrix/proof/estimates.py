"""Estimates of a logistic regression in a certificate of separability. Only the exact checker checks them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from separatrix.checker.estimates import Model, summary
from separatrix.proof.certificate import Certificate, Source, make
from separatrix.proof.writing import write_integer, write_weights


@dataclass(frozen=True)
class EstimateProof:
    """The proof of a word for each coefficient. Columns and places are those of the format, vectors {column: entry}."""

    words: Sequence[str]  #: intercepts and thresholds first, then columns
    modulus: int
    independent: Sequence[int]  #: places of rows that are independent modulo it
    aliased: Sequence[Mapping[int, int]]
    null: Sequence[Mapping[int, int]]
    signs: Mapping[int, tuple[Sequence[int], Sequence[int], int]]  #: by column: places, weights, factor
    directions: Sequence[Mapping[int, int]]


def with_estimates(certificate: Certificate, source: Source, found: EstimateProof) -> Certificate:
    """The certificate of separability with the estimates in its proof and in its claim."""
    sentence, _, _ = certificate.claim.rpartition("; ")

    def whole(claim: Any) -> str:
        return f"{sentence}; {summary(list(found.words), Model(claim))}"

    width = _width(certificate, source)
    length = source.rows * (1 if certificate.problem["classes"] == "two" else len(source.positive))
    record = {
        "modulus": found.modulus,
        "independent": sorted(found.independent),
        "aliased": [_vector(each, width) for each in found.aliased],
        "null": [_vector(each, width) for each in found.null],
        "signs": [
            {
                "column": column,
                "weights": write_weights(places, values, length),
                "factor": write_integer(factor),
            }
            for column, (places, values, factor) in sorted(found.signs.items())
        ],
        "directions": [_vector(each, width) for each in found.directions],
    }
    proof = {**certificate.proof, "estimates": record}
    return make(certificate.kind, source, certificate.problem, proof, whole)


def _width(certificate: Certificate, source: Source) -> int:
    d, k = source.columns, len(source.positive)
    return {"two": d + 1, "ordinal": d + k - 1, "joint": k * d + k}[certificate.problem["classes"]]


def _vector(entries: Mapping[int, int], width: int) -> dict[str, Any]:
    return write_weights(entries.keys(), entries.values(), width)
