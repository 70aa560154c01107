"""The content of `separating`, `inseparable` and `quasi-separable` certificates, read and checked for form.

problem    bias: "free" or "none"
proof      z          {"w": integers, "b": integer}, up to one positive factor
           margin     {"lower", "upper": reals, "alpha": weights}
           circuit    weights lambda > 0 on at most D + 1 rows
           cover      weights mu > 0, with a denominator
integers   {"length": d, "indices": [...], "values": ["0x1f", ...]}
weights    {"rows": [...], "values": ["0x1f", ...]}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from separatrix.checker.certificate import Certificate
from separatrix.checker.codec import field, read_count, read_integer, read_real, read_word, write_integer
from separatrix.checker.verdict import Rejected


@dataclass(frozen=True)
class Weights:
    """Positive integers on some rows; the rows increase."""

    rows: Sequence[int]
    values: Sequence[int]

    def table(self) -> dict[int, int]:
        """{row: weight}"""
        return dict(zip(self.rows, self.values, strict=True))


@dataclass(frozen=True)
class SeparatingClaim:
    """(w, b) in integers; bounds on the margin with the weights behind the upper one, where claimed."""

    bias: bool
    w: list[int]
    b: int
    lower: float
    upper: float
    alpha: Weights | None


@dataclass(frozen=True)
class InseparableClaim:
    """A circuit of rows, and the cover of all tied rows: mu = cover / denominator."""

    bias: bool
    circuit: Weights
    cover: Weights
    denominator: int


@dataclass(frozen=True)
class QuasiClaim:
    """(w, b) in integers, and the contradiction among the rows on the hyperplane."""

    w: list[int]
    b: int
    contradiction: InseparableClaim


def read_separating(certificate: Certificate) -> SeparatingClaim:
    """Read a `separating` certificate."""
    proof, bias = certificate.proof, _bias(certificate)
    _names("proof", proof, {"z", "margin"} if "margin" in proof else {"z"})
    w, b = _hyperplane(certificate, bias)
    if "margin" not in proof:
        return SeparatingClaim(bias, w, b, 0.0, 0.0, None)
    margin = proof["margin"]
    _names("margin", margin, {"lower", "upper", "alpha"})
    lower, upper = read_real(margin["lower"], "lower"), read_real(margin["upper"], "upper")
    if not 0.0 <= lower <= upper:
        raise Rejected("The bounds on the margin must satisfy 0 <= lower <= upper.")
    return SeparatingClaim(
        bias, w, b, lower, upper, read_weights(margin["alpha"], "alpha", certificate.data.rows)
    )


def read_inseparable(certificate: Certificate) -> InseparableClaim:
    """Read an `inseparable` certificate."""
    _names("proof", certificate.proof, {"circuit", "cover"})
    return _contradiction(certificate, _bias(certificate))


def read_quasi(certificate: Certificate) -> QuasiClaim:
    """Read a `quasi-separable` certificate."""
    _names("proof", certificate.proof, {"z", "circuit", "cover"})
    bias = _bias(certificate)
    w, b = _hyperplane(certificate, bias)
    return QuasiClaim(w, b, _contradiction(certificate, bias))


def write_integers(values: Sequence[int]) -> dict[str, Any]:
    """An integer vector by its nonzero entries.

    >>> write_integers([0, -3])
    {'length': 2, 'indices': [1], 'values': ['-0x3']}
    """
    used = [j for j, value in enumerate(values) if value]
    return {"length": len(values), "indices": used, "values": [write_integer(int(values[j])) for j in used]}


def write_weights(rows: Sequence[int], values: Sequence[int]) -> dict[str, Any]:
    """Weights on rows, sorted by row.

    >>> write_weights([4, 1], [2, 1])
    {'rows': [1, 4], 'values': ['0x1', '0x2']}
    """
    pairs = sorted(zip(map(int, rows), map(int, values), strict=True))
    return {"rows": [row for row, _ in pairs], "values": [write_integer(value) for _, value in pairs]}


def _bias(certificate: Certificate) -> bool:
    _names("problem", certificate.problem, {"bias"})
    return read_word(certificate.problem["bias"], "bias", ("free", "none")) == "free"


def _hyperplane(certificate: Certificate, bias: bool) -> tuple[list[int], int]:
    z = certificate.proof["z"]
    _names("z", z, {"w", "b"})
    record, d = z["w"], certificate.data.columns
    _names("w", record, {"length", "indices", "values"})
    if read_count(record["length"], "The length of w") != d:
        raise Rejected(f"w must have length {d}.")
    w = [0] * d
    for j, value in zip(*_pairs(record["indices"], record["values"], "w", d), strict=True):
        w[j] = value
    b = read_integer(z["b"], "b")
    if b and not bias:
        raise Rejected("The problem has no bias, yet b is not zero.")
    return w, b


def _contradiction(certificate: Certificate, bias: bool) -> InseparableClaim:
    n, D = certificate.data.rows, certificate.data.columns + int(bias)
    proof = certificate.proof
    circuit = read_weights(proof["circuit"], "circuit", n)
    if not 0 < len(circuit.rows) <= D + 1:
        raise Rejected(f"The circuit must have between 1 and {D + 1} rows; got {len(circuit.rows)}.")
    record = proof["cover"]
    _names("cover", record, {"rows", "values", "denominator"})
    denominator = read_integer(record["denominator"], "The denominator of the cover")
    if denominator <= 0:
        raise Rejected("The denominator of the cover must be positive.")
    cover = read_weights({"rows": record["rows"], "values": record["values"]}, "cover", n)
    return InseparableClaim(bias, circuit, cover, denominator)


def read_weights(record: Any, name: str, n: int) -> Weights:
    """Positive integers on increasing rows below n."""
    _names(name, record, {"rows", "values"})
    rows, values = _pairs(field(record, "rows"), field(record, "values"), name, n)
    if any(value <= 0 for value in values):
        raise Rejected(f"The weights of {name} must be positive.")
    return Weights(rows, values)


def _pairs(places: Any, values: Any, name: str, length: int) -> tuple[list[int], list[int]]:
    if not isinstance(places, list) or not isinstance(values, list) or len(places) != len(values):
        raise Rejected(f"{name} must have as many places as values.")
    previous = -1
    for place in places:
        if type(place) is not int or not previous < place < length:
            raise Rejected(f"The places of {name} must increase and lie in 0 .. {length - 1}.")
        previous = place
    return places, [read_integer(value, name) for value in values]


def _names(name: str, record: Any, names: set[str]) -> None:
    if not isinstance(record, dict) or set(record) != names:
        raise Rejected(f"The field {name} must have exactly {', '.join(sorted(names))}.")
