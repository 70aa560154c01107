"""A document on its way to being a forgery, and the walk over its places that the mutations share."""

from __future__ import annotations

import json
import math
import random
from dataclasses import dataclass
from typing import Any

from tests.adversary.document import Data, fingerprints, sealed
from tests.adversary.specimens import Specimen

REAL_CHANGES = (
    "double", "negate", "up", "down", "huge", "tiny", "zero", "max", "subnormal", "one", "half", "more",
    "less", "minus zero",
)  # fmt: skip


@dataclass
class Draft:
    """The document and data after some mutations, and what is known of them.

    `malformed`: no checker may accept it, whatever its numbers say. `equivalent`: every checker must accept it still.
    `text` replaces the document by the bytes of a file.
    """

    source: Specimen
    document: Any
    data: Data
    malformed: bool = False
    equivalent: bool = False
    rewrite: bool = True
    reseal: bool = True
    text: bytes | None = None

    def place(self, *names: str) -> Any:
        """What stands at a place of the document, or None."""
        found = self.document
        for name in names:
            if not isinstance(found, dict) or name not in found:
                return None
            found = found[name]
        return found


def copied(value: Any) -> Any:
    """A copy of plain JSON."""
    if isinstance(value, dict):
        return {key: copied(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [copied(entry) for entry in value]
    return value


def is_real(value: Any) -> bool:
    return isinstance(value, str) and "0x" in value and "p" in value


def is_integer(value: Any) -> bool:
    return isinstance(value, str) and "0x" in value and "p" not in value


def is_count(value: Any) -> bool:
    return type(value) is int


def leaves(value: Any, wanted: Any) -> list[tuple[Any, Any]]:
    """All (container, key) below a value whose entry is a wanted leaf."""
    found = []
    entries: Any = ()
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, list):
        entries = enumerate(value)
    for key, entry in entries:
        if isinstance(entry, dict | list):
            found += leaves(entry, wanted)
        elif wanted(entry):
            found.append((value, key))
    return found


def objects(value: Any) -> list[dict[str, Any]]:
    """All objects in a value."""
    found = []
    if isinstance(value, dict):
        found.append(value)
        for entry in value.values():
            found += objects(entry)
    elif isinstance(value, list):
        for entry in value:
            if isinstance(entry, dict | list):
                found += objects(entry)
    return found


def vectors(value: Any) -> list[dict[str, Any]]:
    """All vectors in a value."""
    return [entry for entry in objects(value) if "length" in entry and isinstance(entry.get("values"), list)]


def changed_float(rng: random.Random, value: float) -> float:
    """Another number in place of this one: a little away, far away, or extreme."""
    way = rng.choice(REAL_CHANGES)
    with_sign = {
        "double": value * 2, "negate": -value, "up": math.nextafter(value, math.inf),
        "down": math.nextafter(value, -math.inf),
        "huge": value * 1e160, "tiny": value * 1e-160, "zero": 0.0, "max": 1.7976931348623157e308, "subnormal": 5e-324,
        "one": 1.0, "half": value / 2, "more": value * (1 + 2.0 ** rng.randint(-50, -1)),
        "less": value * (1 - 2.0 ** rng.randint(-50, -1)), "minus zero": -0.0,
    }[way]  # fmt: skip
    return with_sign if math.isfinite(with_sign) else math.copysign(1.7976931348623157e308, value)


def changed_real(rng: random.Random, text: str) -> str:
    try:
        return changed_float(rng, float.fromhex(text)).hex()
    except (ValueError, OverflowError):
        return "0x1.0000000000000p+0"


def changed_integer(rng: random.Random, text: str) -> str:
    try:
        value = int(text, 16)
    except ValueError:
        value = 0
    choices = [
        value + 1,
        value - 1,
        -value,
        value * 2,
        0,
        1,
        value << 200,
        value * 3 + 1,
        value >> 1,
        value * 10**160,
    ]
    return hex(rng.choice(choices))


def renewed(draft: Draft) -> None:
    """Put the fingerprints of the present data into the document."""
    field = draft.place("data")
    if isinstance(field, dict):
        field["X"], field["y"] = fingerprints(draft.data)
        field["rows"], field["columns"] = len(draft.data.X), draft.data.columns
        field["labels"] = draft.data.labels


def content(draft: Draft) -> bytes:
    """The file of a draft."""
    if draft.text is not None:
        return draft.text
    return json.dumps(draft.document).encode("utf-8", "surrogatepass")


def seal(draft: Draft) -> None:
    if draft.reseal and isinstance(draft.document, dict):
        draft.document = sealed(draft.document)
