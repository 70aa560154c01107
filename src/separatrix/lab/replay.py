"""A run as a film: one self-contained page that plays without a server, without the library and without a network."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import numpy as np

from separatrix.lab.encode import number, numbers
from separatrix.lab.playback import Playback
from separatrix.lab.views.x import Window, contour_grid, support_kinds

_MOST = 160  # frames of a film
_GRID = 40
_TEMPLATE = Path(__file__).with_name("replay.html")


def replay(play: Playback, window: Window) -> str:
    """The page as text. ``window`` is the part of x-space that the film shows."""
    play.unfold()
    places = np.unique(np.linspace(0, len(play.frames) - 1, min(len(play.frames), _MOST)).astype(int))
    film = {
        "points": [list(point) for point in play.scene.points],
        "window": list(window),
        "slab": play.scene.algorithm in ("hard-margin", "soft-margin", "kernel-svm"),
        "frames": [_frame(play, int(place), window) for place in places],
    }
    title = f"separatrix: {play.scene.algorithm.replace('-', ' ')}, {len(play.frames) - 1} steps"
    # A closing tag inside the data would end the script element.
    data = json.dumps(film, allow_nan=False, separators=(",", ":")).replace("</", "<\\/")
    return (
        _TEMPLATE.read_text(encoding="utf-8").replace("@TITLE@", html.escape(title)).replace("@FILM@", data)
    )


def _frame(play: Playback, place: int, window: Window) -> dict[str, Any]:
    frame = play.frames[place]
    shown: dict[str, Any] = {
        "step": place,
        "note": frame.note,
        "row": frame.row,
        "b": number(frame.b),
        "w": None if frame.w is None else numbers(frame.w),
        "kinds": support_kinds(play.run, frame),
    }
    if frame.w is None:
        shown["grid"] = contour_grid(play.run, frame, window, _GRID)
    return shown
