"""JSON text in pieces, so that a document of many numbers is never in memory a second time as one text.

canonical form   ASCII, keys sorted, no spaces; floats that are not numbers are refused
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_LONG = 1 << 14  # items of a list that are written at a time


def json_pieces(value: Any, sort_keys: bool = True) -> Iterator[str]:
    """The texts whose concatenation is the JSON of ``value``; keys must be texts, as in everything read from JSON.

    >>> "".join(json_pieces({"b": [1, "x"], "a": None}))
    '{"a":null,"b":[1,"x"]}'
    """
    if isinstance(value, dict):
        mark = "{"
        for name in sorted(value) if sort_keys else value:
            if not isinstance(name, str):
                raise TypeError(f"Names in a certificate are texts; got {name!r}.")
            yield f"{mark}{json.dumps(name)}:"
            yield from json_pieces(value[name], sort_keys)
            mark = ","
        yield "{}" if mark == "{" else "}"
    elif isinstance(value, list) and value and isinstance(value[0], dict | list):
        for place, item in enumerate(value):
            yield "," if place else "["
            yield from json_pieces(item, sort_keys)
        yield "]"
    elif isinstance(value, list) and len(value) > _LONG:
        for start in range(0, len(value), _LONG):
            yield ("," if start else "[") + _dumps(value[start : start + _LONG], sort_keys)[1:-1]
        yield "]"
    else:
        yield _dumps(value, sort_keys)


def _dumps(value: Any, sort_keys: bool) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=sort_keys, separators=(",", ":"), allow_nan=False)
