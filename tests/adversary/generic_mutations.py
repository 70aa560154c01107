"""Mutations of any document: its numbers, vectors, fields, types, words and text.

Each answers whether it found its place.
"""

from __future__ import annotations

import gzip
import json
import random
from typing import Any

from tests.adversary.document import digest, sealed
from tests.adversary.drafts import (
    Draft,
    changed_integer,
    changed_real,
    content,
    is_count,
    is_integer,
    is_real,
    leaves,
    objects,
    vectors,
)  # fmt: skip

BODY = ("problem", "proof")
WORDS = (
    "two", "joint", "free", "augmented", "none", "hinge", "squared_hinge", "linear", "perceptron", "gradient",
    "decreasing", "line-search", "zero", "row", "hard", "float64", "float32", "number", "text", "optimal", "separating",
    "inseparable", "quasi-separable", "mistakes", "rbf", "poly", "laplacian",
    "sigmoid", "precomputed", "function", "sum", "product", "scaled",
    "unknown", "", "Free", "none ",
)  # fmt: skip
STRANGE: tuple[Any, ...] = (
    None, True, False, 1.5, -1, 2**53, 10**400, "", "1", [], {}, [[]], {"a": []}, 0.0, 1e300, "0x1p+0", "nan",
    "inf", "0x1.8p+1", "0X1.0000000000000p+0", "0x00", "0x1.0000000000000p+1024", "-0x0", "0x01", " 0x1",
    "0xA", "1.0", [None], "\ud800", "٣",
)  # fmt: skip
Draws = random.Random


def _pick(rng: Draws, found: list[Any]) -> Any:
    return found[rng.randrange(len(found))] if found else None


def body(draft: Draft) -> list[Any]:
    return [draft.document.get(name) for name in BODY]


def real(rng: Draws, draft: Draft) -> bool:
    """One real becomes another."""
    spot = _pick(rng, leaves(body(draft), is_real))
    if spot is None:
        return False
    spot[0][spot[1]] = changed_real(rng, spot[0][spot[1]])
    return True


def whole(rng: Draws, draft: Draft) -> bool:
    """One integer becomes another."""
    spot = _pick(rng, leaves(body(draft), is_integer))
    if spot is None:
        return False
    spot[0][spot[1]] = changed_integer(rng, spot[0][spot[1]])
    return True


def count(rng: Draws, draft: Draft) -> bool:
    """One JSON number becomes another."""
    spot = _pick(rng, leaves([draft.document.get("data"), *body(draft)], is_count))
    if spot is None:
        return False
    value = spot[0][spot[1]]
    spot[0][spot[1]] = new = rng.choice(
        [value + 1, value - 1, value * 2, 0, 1, 2**53 - 1, 2**53, 10**9, 2**32, 2**64]
    )
    draft.malformed |= not 0 <= new < 2**53
    return True


def real_scaled(rng: Draws, draft: Draft) -> bool:
    """A whole vector of reals is multiplied."""
    vector = _pick(rng, [v for v in vectors(body(draft)) if v["values"] and is_real(v["values"][0])])
    if vector is None:
        return False
    factor = rng.choice([2.0, -1.0, 0.5, 1e160, 1e-160, 1 + 2.0**-30, 1 - 2.0**-30, 0.0, 3.0])
    try:
        vector["values"] = [
            min(max(float.fromhex(v) * factor, -1.7e308), 1.7e308).hex() for v in vector["values"]
        ]
    except (ValueError, TypeError, OverflowError):
        return False
    return True


def whole_scaled(rng: Draws, draft: Draft) -> bool:
    """A whole vector of integers is multiplied."""
    vector = _pick(rng, [v for v in vectors(body(draft)) if v["values"] and is_integer(v["values"][0])])
    if vector is None:
        return False
    factor = rng.choice([2, -1, 3, 10**50, 0, 2**100])
    try:
        vector["values"] = [hex(int(v, 16) * factor) for v in vector["values"]]
    except (ValueError, TypeError):
        return False
    return True


def order(rng: Draws, draft: Draft) -> bool:
    """The values of a vector are swapped, turned round, shifted or copied."""
    vector = _pick(rng, [v for v in vectors(body(draft)) if len(v["values"]) >= 2])
    if vector is None:
        return False
    values = vector["values"]
    way = rng.randrange(4)
    if way == 0:
        i, j = rng.sample(range(len(values)), 2)
        values[i], values[j] = values[j], values[i]
    elif way == 1:
        values.reverse()
    elif way == 2:
        values.append(values.pop(0))
    else:
        i, j = rng.sample(range(len(values)), 2)
        values[i] = values[j]
    return True


def shape(rng: Draws, draft: Draft) -> bool:
    """The length, the indices or the values of a vector are broken; every result is malformed."""
    vector = _pick(rng, vectors(body(draft)))
    if vector is None:
        return False
    ways = ["longer", "shorter", "cut", "grown", "no values"]
    indices = vector.get("indices")
    if indices:
        ways += ["twice", "beyond", "negative", "explicit zero", "fewer indices"] + (
            ["unsorted"] if len(indices) > 1 else []
        )
    way = rng.choice(ways)
    if way in ("longer", "shorter"):
        vector["length"] += 1 if way == "longer" else -1
    elif way == "cut" and vector["values"]:
        vector["values"].pop()
    elif way in ("grown", "cut"):
        vector["values"].append(vector["values"][0] if vector["values"] else "0x1")
    elif way == "no values":
        del vector["values"]
    elif way == "twice":
        indices.append(indices[-1])
        vector["values"].append(vector["values"][-1])
    elif way == "beyond":
        indices[-1] = vector["length"] + rng.choice([0, 1, 2**31, 2**32])
    elif way == "negative":
        indices[0] = -1
    elif way == "explicit zero":
        vector["values"][0] = (
            "0x0" if is_integer(vector["values"][0]) else rng.choice(["0x0.0p+0", "-0x0.0p+0"])
        )
    elif way == "fewer indices":
        indices.pop()
    else:
        indices.reverse()
    draft.malformed = True
    return True


def form(rng: Draws, draft: Draft) -> bool:
    """A dense vector is written the sparse way, or the other way round: the same statement."""
    found = [v for v in vectors(body(draft)) if v["values"]]
    vector = _pick(rng, found)
    if (
        vector is None
        or not all(isinstance(v, str) for v in vector["values"])
        or not 0 < vector["length"] < 1000
    ):
        return False
    zero = "0x0" if is_integer(vector["values"][0]) else "0x0.0p+0"
    if "indices" in vector:
        full = [zero] * vector["length"]
        try:
            for place, value in zip(vector["indices"], vector["values"], strict=True):
                full[place] = value
        except (IndexError, ValueError, TypeError):
            return False
        del vector["indices"]
        vector["values"] = full
    else:
        vector["indices"] = [i for i, v in enumerate(vector["values"]) if v not in (zero, "-" + zero)]
        vector["values"] = [v for v in vector["values"] if v not in (zero, "-" + zero)]
    draft.equivalent = True
    return True


def extra_field(rng: Draws, draft: Draft) -> bool:
    """An object has one field too many."""
    entry = _pick(rng, objects(draft.document))
    name = rng.choice(
        [
            "note",
            "w",
            "alpha",
            "coef",
            "b",
            "margin",
            "start",
            "updates",
            "W",
            "",
            "digest",
            "gamma",
            "rows",
            "kernel",
        ]
    )
    if (
        name in entry
        or (entry is draft.document and name == "digest")
        or not _surely_extra(draft, entry, name)
    ):
        return False
    entry[name] = rng.choice([None, 0, "0x0", "0x0.0p+0", [], {}])
    draft.malformed = True
    return True


def _surely_extra(draft: Draft, entry: Any, name: str) -> bool:
    """Whether no field of this name could stand here (a dense vector of indices, for one, may have them)."""
    return not (entry is draft.document.get("proof") and name in ("coef", "margin", "start", "updates", "W"))


def _keep(draft: Draft, container: Any, key: Any) -> None:
    """Do not write the claim or the digest anew where they are what was changed."""
    if container is draft.document:
        draft.reseal &= key != "digest"
        draft.rewrite &= key != "claim"


def missing_field(rng: Draws, draft: Draft) -> bool:
    """An object has one field too few; malformed unless the field may be left out."""
    entry = _pick(rng, [o for o in objects(draft.document) if o])
    name = rng.choice(list(entry))
    del entry[name]
    _keep(draft, entry, name)
    draft.malformed |= name not in ("coef", "margin", "updates", "W", "indices", "start", "scaling")
    return True


def renamed_field(rng: Draws, draft: Draft) -> bool:
    entry = _pick(rng, [o for o in objects(draft.document) if o])
    name = rng.choice(list(entry))
    entry[name + rng.choice(["_", " ", "\u200b", "s"])] = entry.pop(name)
    draft.malformed = True
    return True


def strange(rng: Draws, draft: Draft) -> bool:
    """A value of a type, or of a form, that stands nowhere in a document."""
    spot = _pick(rng, leaves(draft.document, lambda _: True))
    container, key = spot
    _keep(draft, container, key)
    new = rng.choice(STRANGE)
    if new == container[key] and type(new) is type(container[key]):
        return False
    container[key] = new
    draft.malformed |= not isinstance(new, str)
    return True


def nested(rng: Draws, draft: Draft) -> bool:
    """A list, an object or a leaf is wrapped once more."""
    spot = _pick(rng, [(o, key) for o in objects(draft.document) for key in o])
    _keep(draft, *spot)
    spot[0][spot[1]] = rng.choice([[spot[0][spot[1]]], {"value": spot[0][spot[1]]}])
    draft.malformed = True
    return True


def other_word(rng: Draws, draft: Draft) -> bool:
    """A word becomes another word of the page, or one that is no word of it."""
    spots = leaves(draft.document, lambda v: isinstance(v, str) and v in WORDS)
    spot = _pick(rng, spots)
    if spot is None:
        return False
    old = spot[0][spot[1]]
    spot[0][spot[1]] = rng.choice([w for w in WORDS if w != old])
    return True


def header(rng: Draws, draft: Draft) -> bool:
    """Another format or version, or a digest that is wrong."""
    way = rng.randrange(4)
    if way == 0:
        draft.document["format"] = rng.choice(
            ["separatrix", "Separatrix-certificate", "", None, ["separatrix-certificate"]]
        )
    elif way == 1:
        draft.document["version"] = rng.choice([1, 3, "2", 2.0, True, None, 0, 2**53 - 1])
    else:
        draft.reseal = False
        seal = digest(draft.document)
        draft.document["digest"] = rng.choice(
            [seal.upper(), seal[:-1], seal + "0", "0" * 64, None, "", seal[::-1], " " + seal]
        )
        draft.malformed = draft.document["digest"] != seal
        return True
    draft.malformed = True
    return True


def text(rng: Draws, draft: Draft) -> bool:
    """The same fields in a text that is not JSON of the page, or that is and must be read all the same."""
    draft.document = sealed(draft.document)
    draft.reseal = False
    plain = json.dumps(draft.document)
    count_text = (
        f'"rows": {draft.document.get("data", {}).get("rows")}'
        if isinstance(draft.document.get("data"), dict)
        else ""
    )
    fine = {
        "spaces": json.dumps(draft.document, indent=3), "compact": json.dumps(draft.document, separators=(",", ":")),
        "sorted": json.dumps(draft.document, sort_keys=True), "utf-8": json.dumps(draft.document, ensure_ascii=False),
        "escapes": plain.replace("separatrix-cert", "\\u0073eparatrix\\u002dcert"), "end": plain + "\n \t\r\n",
    }  # fmt: skip
    bad = {
        "byte order mark": "\ufeff" + plain, "twice": plain[:-1] + ', "version": 2}', "trailing": plain + "x",
        "two": plain + plain, "comma": plain[:-1] + ",}",
        "cut": plain[: rng.randrange(len(plain))], "comment": "// c\n" + plain,
        "single": plain.replace('"', "'"), "float": plain.replace('"version": 2', '"version": 2.0'),
        "exponent": plain.replace('"version": 2', '"version": 2e0'),
        "zero": plain.replace('"version": 2', '"version": 02'),
        "plus": plain.replace('"version": 2', '"version": +2'),
        "NaN": plain.replace(count_text, '"rows": NaN') if count_text else "",
        "minus zero": plain.replace('"excluded": []', '"excluded": [-0]') if '"excluded": []' in plain else "",
        "empty": "",
        "list": f"[{plain}]", "null": "null", "surrogate": plain.replace('"claim": "', '"claim": "\\ud800', 1),
        "control": plain.replace('"claim": "', '"claim": "\x01', 1),
        "brackets": plain[:-1] + ', "a": ' + "[" * 20 + "]" * 20 + "}",
        "infinity": plain.replace(count_text, '"rows": Infinity') if count_text else "",
        "long": plain.replace(count_text, '"rows": ' + "1" * 400) if count_text else "", "nul": plain + "\0",
        "no-break space": plain + "\u00a0", "form feed": plain + "\f",
    }  # fmt: skip
    kind = rng.randrange(10)
    if kind < 3 and not draft.malformed:
        draft.text = fine[rng.choice(list(fine))].encode("utf-8", "surrogatepass")
        draft.equivalent = True
    elif kind < 8:
        way = rng.choice(list(bad))
        draft.text = bad[way].encode("utf-8", "surrogatepass")
        draft.malformed = draft.text != plain.encode()
    elif kind == 8:
        draft.text = rng.choice(
            [
                plain.encode("utf-16"),
                plain.encode("latin-1", "replace") + b"\xff",
                b"\xc0\x80" + plain.encode(),
            ]
        )
        draft.malformed = True
    else:
        draft.text = gzip.compress(content(draft), 1, mtime=0)
        if rng.random() < 0.5:
            packed = draft.text
            draft.text = rng.choice(
                [
                    packed[:-5],
                    packed[:20],
                    packed[:-8] + b"\0" * 8,
                    packed[:-1] + b"\xff",
                    gzip.compress(packed),
                    packed + b"x",
                    packed + b"\0",
                    packed + packed,
                    packed + gzip.compress(b""),
                ]
            )
            draft.malformed = True
        else:
            draft.equivalent = True
    return True


GENERIC = [
    real, real, real, whole, whole, count, real_scaled, whole_scaled, order, shape, form, extra_field, missing_field,
    renamed_field, strange, nested, other_word, other_word, header, text,
]  # fmt: skip
