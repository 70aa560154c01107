"""Replies one after the other, each as what is different from the one before: a path grows by a step, points stay."""

from __future__ import annotations

from typing import Any

SAME: dict[str, Any] = {}  #: nothing has changed


def changes(before: Any, now: Any) -> dict[str, Any]:
    """How to come from one value to another.

    The other value (v), or entries of an object (d) or of a list (i), or what comes behind a list (a). A grid,
    {"#": ...}, is one value.

    >>> changes({"path": [1, 2], "b": 0}, {"path": [1, 2, 3], "b": 0})
    {'d': {'path': {'a': [3]}}}
    """
    if isinstance(before, dict) and isinstance(now, dict):
        if set(before) != set(now) or "#" in now:
            return SAME if before == now else {"v": now}
        found = {name: changes(before[name], value) for name, value in now.items()}
        kept = {name: change for name, change in found.items() if change}
        return {"d": kept} if kept else SAME
    if isinstance(before, list) and isinstance(now, list) and before and len(now) >= len(before):
        found = {str(k): changes(*pair) for k, pair in enumerate(zip(before, now, strict=False))}
        kept = {place: change for place, change in found.items() if change}
        if len(now) == len(before) and 2 * len(kept) < len(now):
            return {"i": kept} if kept else SAME
        return {"v": now} if kept else {"a": now[len(before) :]}
    return (
        SAME if type(before) is type(now) and before == now else {"v": now}
    )  # 0 is False to Python, not to the page
