"""Certificates of estimates, changed: each change is one that a forger could try to have another estimate proved."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np

from separatrix.proof.certificate import Certificate

Record = dict[str, Any]


def entries(record: Record) -> dict[int, int]:
    places = record.get("indices", range(record["length"]))
    pairs = zip(places, (int(text, 16) for text in record["values"]), strict=True)
    return {place: value for place, value in pairs if value}


def written(values: dict[int, int], length: int) -> Record:
    used = sorted(place for place, value in values.items() if value)
    return {"length": length, "indices": used, "values": [hex(values[place]) for place in used]}


def width_of(certificate: Certificate) -> int:
    d, k = certificate.data.columns, len(certificate.data.positive)
    return {"two": d + 1, "ordinal": d + k - 1, "joint": k * d + k}[certificate.problem["classes"]]


def mutated(certificate: Certificate, generator: np.random.Generator) -> Certificate:
    """The certificate with its estimates changed in one to three ways; its claim is the old one."""
    proof = copy.deepcopy(certificate.proof)
    record = proof["estimates"]
    width = width_of(certificate)
    places = certificate.data.rows * (
        1 if certificate.problem["classes"] == "two" else len(certificate.data.positive)
    )
    for _ in range(int(generator.integers(1, 4))):
        kind = CHANGES[int(generator.integers(len(CHANGES)))]
        kind(record, generator, width, places)
    return dataclasses.replace(certificate, proof=proof)


def _some(items: list[Any], generator: np.random.Generator) -> int | None:
    return int(generator.integers(len(items))) if items else None


def _small(generator: np.random.Generator) -> int:
    return int(generator.choice([-3, -2, -1, 1, 2, 3]))


def _vectors(record: Record, generator: np.random.Generator) -> list[Any]:
    return record[str(generator.choice(["aliased", "null", "directions"]))]


def change_entry(record: Record, generator: np.random.Generator, width: int, places: int) -> None:
    vectors = _vectors(record, generator)
    at = _some(vectors, generator)
    if at is not None:
        values = entries(vectors[at])
        values[int(generator.integers(width))] = int(generator.choice([0, _small(generator)]))
        vectors[at] = written(values, width)


def negate(record: Record, generator: np.random.Generator, width: int, places: int) -> None:
    vectors = _vectors(record, generator)
    at = _some(vectors, generator)
    if at is not None:
        vectors.append(written({c: -a for c, a in entries(vectors[at]).items()}, width))


def drop(record: Record, generator: np.random.Generator, width: int, places: int) -> None:
    items = record[str(generator.choice(["aliased", "null", "directions", "signs", "independent"]))]
    at = _some(items, generator)
    if at is not None:
        del items[at]


def add_unit(record: Record, generator: np.random.Generator, width: int, places: int) -> None:
    values = {int(generator.integers(width)): _small(generator) for _ in range(int(generator.integers(1, 3)))}
    _vectors(record, generator).append(written(values, width))


def move(record: Record, generator: np.random.Generator, width: int, places: int) -> None:
    start, end = (_vectors(record, generator) for _ in range(2))
    at = _some(start, generator)
    if at is not None:
        end.append(start.pop(at))


def change_sign(record: Record, generator: np.random.Generator, width: int, places: int) -> None:
    at = _some(record["signs"], generator)
    if at is None:
        return
    sign = record["signs"][at]
    what = int(generator.integers(4))
    if what == 0:
        sign["factor"] = hex(-int(sign["factor"], 16))
    elif what == 1:
        sign["column"] = int(generator.integers(width))
    elif what == 2:
        sign["factor"] = hex(_small(generator))
    else:
        values = entries(sign["weights"])
        values[int(generator.integers(places))] = int(generator.integers(0, 3))
        sign["weights"] = written(values, places)


def add_sign(record: Record, generator: np.random.Generator, width: int, places: int) -> None:
    weights = {int(place): int(generator.integers(1, 4)) for place in generator.integers(0, places, size=2)}
    column = int(generator.integers(width))
    record["signs"].append(
        {"column": column, "weights": written(weights, places), "factor": hex(_small(generator))}
    )


def change_rows(record: Record, generator: np.random.Generator, width: int, places: int) -> None:
    at = _some(record["independent"], generator)
    if at is not None:
        record["independent"][at] = int(generator.integers(places))
        record["independent"].sort()


def add_row(record: Record, generator: np.random.Generator, width: int, places: int) -> None:
    record["independent"] = sorted({*record["independent"], int(generator.integers(places))})


def change_modulus(record: Record, generator: np.random.Generator, width: int, places: int) -> None:
    record["modulus"] = int(generator.choice([0, 1, 2, 3, 4, 6, 2097143, (1 << 26) - 1, 1 << 26, 1 << 40]))


CHANGES = (
    change_entry,
    change_entry,
    negate,
    drop,
    drop,
    add_unit,
    move,
    change_sign,
    change_sign,
    add_sign,
    change_rows,
    add_row,
    change_modulus,
)
