"""Data to draw w-space: the path of w and the feasible wedge.

A row is the half-space y_i (w.x_i + b) >= level: level 0 for separators, 1 for the constraints of the hard margin.
At a fixed b it is a half-plane of (w1, w2) whose border is the row's line; the wedge is where all of them meet.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.lab.encode import number, numbers
from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import Frame
from separatrix.lab.scene import Scene
from separatrix.lab.views.wedge import wedge_at
from separatrix.types import Vector

_PATH = 400  # points of a path that are drawn at most


def level_of(scene: Scene) -> float:
    """1 where the page shows a margin problem, else 0."""
    return 1.0 if scene.algorithm in ("hard-margin", "soft-margin") else 0.0


def plane(play: Playback, at: float | None) -> dict[str, Any]:
    """Data that every picture over w has: the path so far, where w is now, the picture's extent, the b of the plane.

    ``at`` is a b of the reader's choice; None means that of w.
    """
    room = 1.7 if level_of(play.scene) else 1.25  # the wedge lies beyond the optimum
    extent = extent_of(path_of(play.frames), room)
    now = play.frame
    return {
        "path": numbers(path_of(play.frames[: play.cursor + 1])),
        "now": [*numbers(now.w), number(now.b)],
        "by_hand": play.hand is not None,
        "extent": extent[0],
        "extent_b": extent[1],
        "b": number(now.b if at is None else at),
        "level": level_of(play.scene),
    }


def w_view(play: Playback, at: float | None) -> dict[str, Any]:
    """The plane with its wedge, cut to the picture's extent, and a sentence on it."""
    view = plane(play, at)
    separable = play.answers.quick_verdict.verdict == "separable"
    found = wedge_at(play.scene, view["b"], view["level"], view["extent"], separable)
    return view | {"wedge": numbers(found.corners), "kind": found.kind, "says": found.sentence}


def path_of(frames: list[Frame]) -> Vector:
    """(w1, w2, b) of the frames, at most `_PATH` of them, first and last included, shape (m, 3)."""
    return np.array(
        [[*frames[k].w, frames[k].b] for k in places_of(len(frames)) if frames[k].w is not None]
    ).reshape(-1, 3)


def places_of(count: int) -> NDArray[np.int64]:
    """The frames that are drawn of so many: all, or `_PATH` of them, first and last included."""
    return np.unique(np.linspace(0, count - 1, min(count, _PATH)).astype(np.int64))


def extent_of(path: Vector, room: float) -> tuple[float, float]:
    """Half the side of the picture in w and in b: round numbers, ``room`` times what the path needs."""
    if len(path) == 0:
        return 1.0, 1.0
    return round_up(room * float(np.abs(path[:, :2]).max())), round_up(room * float(np.abs(path[:, 2]).max()))


def round_up(value: float) -> float:
    """The next of 1, 1.5, 2, 3, 5, 7 times a power of ten, so that a picture does not shake while it grows.

    >>> round_up(0.42), round_up(0.0)
    (0.5, 1.0)
    """
    if not value > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    steps = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)
    return next(step * power for step in steps if step * power >= value * (1 - 1e-12))
