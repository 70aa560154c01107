"""A link to a scene, read and written as the page does: JSON in base64 behind the #, whatever the address before it."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from separatrix.lab.limits import MAX_MESSAGE_BYTES
from separatrix.lab.scene import Scene, SceneError

_BROKEN = "This link cannot be read: it is not one of the lab's, or a part of it is missing."


def read_link(link: str) -> dict[str, Any]:
    """The state that a link holds, its scene checked.

    >>> read_link("http://127.0.0.1:8765/#" + write_link({"scene": {"points": [[0, 1, 1]]}}))["scene"]["points"]
    [[0, 1, 1]]
    >>> read_link("#hello")
    Traceback (most recent call last):
    separatrix.lab.scene.SceneError: This link cannot be read: it is not one of the lab's, or a part of it is missing.
    """
    text = link.rpartition("#")[2].strip()
    if len(text) > 2 * MAX_MESSAGE_BYTES:
        raise SceneError(f"This link is longer than any of the lab's: {len(text):,} characters.")
    try:
        state = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        raise SceneError(_BROKEN) from None
    if not isinstance(state, dict) or not state.get("scene"):
        raise SceneError(_BROKEN)
    Scene.from_json(state["scene"])
    return state


def write_link(state: dict[str, Any]) -> str:
    """The part of a link behind the #."""
    text = json.dumps(state, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode("ascii").rstrip("=")
