"""Replies one after the other, each as what is different from the one before: a path grows by a step, points stay."""

from __future__ import annotations

from typing import Any

SAME: dict[str, Any] = {}  #: nothing has changed


def changes(before: Any, now: Any) -> dict[str, Any]:
    """How to come from one value to another: set (v), entries of an object (d), entries of a list (i), a longer list (a).

    A grid, {"#": ...}, is one value.

    >>> changes({"path": [1, 2], "b": 0}, {"path": [1, 2, 3], "b": 0})
    {'d': {'path': {'a': [3]}}}
    """
    if type(before) is type(now) and before == now:
        return SAME
    if isinstance(before, dict) and isinstance(now, dict) and set(before) == set(now) and "#" not in now:
        found = {name: changes(before[name], value) for name, value in now.items()}
        return {"d": {name: change for name, change in found.items() if change}}
    if isinstance(before, list) and isinstance(now, list) and before:
        if len(now) > len(before) and now[: len(before)] == before:
            return {"a": now[len(before) :]}
        if len(now) == len(before):
            found = {str(k): changes(*pair) for k, pair in enumerate(zip(before, now, strict=True))}
            kept = {place: change for place, change in found.items() if change}
            if 2 * len(kept) < len(now):
                return {"i": kept}
    return {"v": now}
