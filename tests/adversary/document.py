"""Documents and data as the page on the certificate format describes them, read and written without the project.

Nothing here imports `separatrix`: the adversary must not inherit a misreading of the page from the code that
it attacks.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import count, pairwise
from typing import Any

_REAL = re.compile(r"-?0x(0\.0p\+0|1\.[0-9a-f]{13}p[+-](0|[1-9][0-9]{0,3})|0\.[0-9a-f]{13}p-1022)")
_INTEGER = re.compile(r"0x0|-?0x[1-9a-f][0-9a-f]{0,65535}")
_identities = count(1)


class Malformed(ValueError):
    """The document is none of the page: the reader met something that no field may hold."""


@dataclass
class Data:
    """Rows as lists of floats and their labels (all numbers or all texts), with a matrix K for a kernel `function`."""

    X: list[list[float]]
    y: list[Any]
    columns: int
    K: list[list[float]] | None = None
    identity: int = field(default_factory=lambda: next(_identities))

    @property
    def labels(self) -> str:
        return "text" if self.y and isinstance(self.y[0], str) else "number"

    def label_texts(self) -> list[str]:
        return [label_text(value) for value in self.y]

    def changed(self, X: list[list[float]] | None = None, y: list[Any] | None = None) -> Data:
        return Data(X if X is not None else self.X, y if y is not None else self.y, self.columns, self.K)


def label_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value == int(value):
        return str(int(value))
    return float(value).hex()


def real(value: float) -> str:
    """The one form of a binary64 number."""
    return float(value).hex()


def integer(value: int) -> str:
    return hex(value)


@lru_cache(maxsize=100_000)
def _read_real(text: str) -> Fraction:
    if not _REAL.fullmatch(text):
        raise Malformed(f"{text[:40]!r} is no real")
    value = float.fromhex(text)
    if value.hex() != text:
        raise Malformed(f"{text[:40]!r} is not the one form of its number")
    return Fraction(value)


def read_real(text: Any) -> Fraction:
    if not isinstance(text, str):
        raise Malformed("a real is a string")
    try:
        return _read_real(text)
    except OverflowError:
        raise Malformed(f"{text[:40]!r} is no finite number") from None


def read_integer(text: Any) -> int:
    if not isinstance(text, str) or not _INTEGER.fullmatch(text):
        raise Malformed("this is no integer")
    return int(text, 16)


def read_count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**53:
        raise Malformed("this is no count")
    return value


def read_vector(value: Any, length: int, read: Any = read_real) -> list[Any]:
    """All `length` values of a vector in either form."""
    if not isinstance(value, dict) or set(value) not in (
        {"length", "values"},
        {"length", "indices", "values"},
    ):
        raise Malformed("this is no vector")
    if read_count(value["length"]) != length:
        raise Malformed("a vector of another length")
    if not isinstance(value["values"], list):
        raise Malformed("the values of a vector are a list")
    values = [read(text) for text in value["values"]]
    if "indices" not in value:
        if len(values) != length:
            raise Malformed("a dense vector names all its values")
        return values
    if not isinstance(value["indices"], list):
        raise Malformed("the indices of a vector are a list")
    indices = [read_count(place) for place in value["indices"]]
    if len(indices) != len(values) or any(a >= b for a, b in pairwise(indices)):
        raise Malformed("indices increase, one for each value")
    if (indices and indices[-1] >= length) or any(not v for v in values):
        raise Malformed("an index beyond the end, or an explicit zero")
    full: list[Any] = [read("0x0" if read is read_integer else "0x0.0p+0")] * length
    for place, entry in zip(indices, values, strict=True):
        full[place] = entry
    return full


def dense(values: list[Any], write: Any = real) -> dict[str, Any]:
    return {"length": len(values), "values": [write(v) for v in values]}


def sparse(values: list[Any], write: Any = real) -> dict[str, Any]:
    indices = [i for i, v in enumerate(values) if v]
    return {"length": len(values), "indices": indices, "values": [write(values[i]) for i in indices]}


def canonical(value: Any) -> str:
    """The text that is hashed; Python's own encoder writes what section 1 asks for."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def digest(document: dict[str, Any]) -> str:
    rest = {key: value for key, value in document.items() if key != "digest"}
    return hashlib.sha256(canonical(rest).encode("utf-8", "surrogatepass")).hexdigest()


def sealed(document: dict[str, Any]) -> dict[str, Any]:
    """The document with its digest computed anew."""
    return {**document, "digest": digest(document)}


def print_of_rows(X: list[list[float]], columns: int) -> str:
    hashed = hashlib.sha256(b"separatrix X 1\n" + struct.pack("<QQ", len(X), columns))
    for start in range(0, len(X), 4096):
        block = [[v + 0.0 for v in row] for row in X[start : start + 4096]]
        entries = [(j, v) for row in block for j, v in enumerate(row) if v]
        if 3 * len(entries) <= len(block) * columns:
            counts = [sum(1 for v in row if v) for row in block]
            body = b"S" + struct.pack(f"<{len(block)}I", *counts)
            body += struct.pack(f"<{len(entries)}I", *(j for j, _ in entries))
            body += struct.pack(f"<{len(entries)}d", *(v for _, v in entries))
        else:
            body = b"D" + struct.pack(f"<{len(block) * columns}d", *(v for row in block for v in row))
        hashed.update(hashlib.sha256(body).digest())
    return hashed.hexdigest()


def print_of_labels(texts: list[str], kind: str) -> str:
    order: dict[str, int] = {}
    for text in texts:
        order.setdefault(text, len(order))
    hashed = hashlib.sha256(
        b"separatrix y 1\n" + kind.encode() + b"\n" + struct.pack("<QQ", len(order), len(texts))
    )
    for text in order:
        encoded = text.encode()
        hashed.update(struct.pack("<Q", len(encoded)) + encoded)
    hashed.update(struct.pack(f"<{len(texts)}I", *(order[text] for text in texts)))
    return hashed.hexdigest()


_prints: dict[int, tuple[str, str]] = {}


def fingerprints(data: Data) -> tuple[str, str]:
    if data.identity not in _prints:
        if len(_prints) > 10_000:
            _prints.clear()
        _prints[data.identity] = (
            print_of_rows(data.X, data.columns),
            print_of_labels(data.label_texts(), data.labels),
        )
    return _prints[data.identity]


def describe(
    data: Data, positive: list[str], negative: list[str], excluded: list[int] | None = None
) -> dict[str, Any]:
    """The field `data` of a document."""
    X, y = fingerprints(data)
    return {
        "rows": len(data.X), "columns": data.columns, "type": "float64", "X": X, "y": y, "labels": data.labels,
        "positive": positive, "negative": negative, "excluded": excluded or [],
    }  # fmt: skip


@dataclass(frozen=True)
class Members:
    """Who takes part: the rows, their side (+1, -1) or class (0 ..), and the number of classes (0 for two sides)."""

    rows: tuple[int, ...]
    side: dict[int, int]
    classes: int


def read_members(document: dict[str, Any], data: Data) -> Members:
    """The rows that take part, after every check of sections 3 and 4."""
    field_ = document["data"]
    names = {"rows", "columns", "type", "X", "y", "labels", "positive", "negative", "excluded"}
    if not isinstance(field_, dict) or set(field_) != names:
        raise Malformed("the field data has other fields")
    n = read_count(field_["rows"])
    if (
        n != len(data.X)
        or read_count(field_["columns"]) != data.columns
        or field_["type"] not in ("float64", "float32")
    ):
        raise Malformed("rows, columns or type are others")
    if field_["labels"] != data.labels or (field_["X"], field_["y"]) != fingerprints(data):
        raise Malformed("these are other data")
    named = field_["positive"], field_["negative"]
    if any(not isinstance(side, list) or any(not isinstance(label, str) for label in side) for side in named):
        raise Malformed("a side is a list of labels")
    both = [*named[0], *named[1]]
    if not both or len(set(both)) != len(both):
        raise Malformed("no label, or one twice")
    texts = data.label_texts()
    if not set(both) <= set(texts):
        raise Malformed("a label that no row has")
    problem = document["problem"]
    joint = isinstance(problem, dict) and problem.get("classes") == "joint"
    if joint and (named[1] or len(named[0]) < 2):
        raise Malformed("all classes at once are named on the positive side, two at least")
    excluded = field_["excluded"]
    if not isinstance(excluded, list):
        raise Malformed("excluded is a list")
    out = [read_count(i) for i in excluded]
    if any(a >= b for a, b in pairwise(out)) or any(i >= n or texts[i] not in both for i in out):
        raise Malformed("excluded rows increase and have a named label")
    if joint:
        side_of = {label: place for place, label in enumerate(named[0])}
    else:
        side_of = dict.fromkeys(named[0], 1) | dict.fromkeys(named[1], -1)
    rows = tuple(i for i in range(n) if texts[i] in side_of and i not in set(out))
    if not rows:
        raise Malformed("no row takes part")
    return Members(rows, {i: side_of[texts[i]] for i in rows}, len(named[0]) if joint else 0)
