"""Facts that several chapters ask for: what is true of a playback at the step that is shown."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from separatrix import geometry
from separatrix.lab.hand import place
from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import Frame
from separatrix.lab.runs.perceptron import labelled
from separatrix.lab.scene import Scene
from separatrix.lab.views.risk import values_at
from separatrix.lab.views.x import rows_of, support_kinds
from separatrix.perceptron.certificate import widest_margin
from separatrix.types import Vector

_INSIDE = 1e-6  # by how much y f(x) is below 1 where a point counts as inside: solvers meet 1 to about 1e-9


def weights(frame: Frame) -> tuple[Vector, float]:
    """(w, b) of a frame in the plane."""
    assert frame.w is not None
    return frame.w, frame.b


def norm(play: Playback) -> float:
    """||w|| of the frame that is shown."""
    return float(np.linalg.norm(weights(play.frame)[0]))


def width(play: Playback) -> float | None:
    """2/||w||, the width of the slab that is shown; None for w = 0."""
    w = weights(play.frame)[0]
    return float(geometry.slab_width(w)) if np.any(w) else None


def functional(play: Playback) -> Vector:
    """y f(x) of every point, shape (n,)."""
    return np.asarray(play.scene.y * rows_of(play.run, play.frame))


def wrong(play: Playback, frame: Frame | None = None) -> list[int]:
    """Points on the wrong side or on the line, decided exactly."""
    w, b = weights(frame or play.frame)
    return place(play.scene, w.tolist(), b).wrong


def following(play: Playback) -> Frame | None:
    """The frame after the one that is shown; None at the end of the run."""
    ahead = Playback(play.scene)
    ahead.seek(play.cursor + 1)
    return ahead.frame if ahead.cursor == play.cursor + 1 else None


def ended(start: Playback, now: Playback) -> bool:
    """True if the run has been stepped on to its end."""
    return now.hand is None and now.at_end and now.cursor > start.cursor


def risk(scene: Scene, frame: Frame) -> float:
    """R(w, b), the sum of max(0, -y f(x)) over the points; of a margin problem its objective."""
    w, b = weights(frame)
    return float(values_at(scene, np.array([[*w, b]]))[0])


@lru_cache(maxsize=32)
def widest(scene: Scene) -> tuple[float, Vector, float] | None:
    """The widest margin with the fictitious column, and the (w, b) that has it; None where nothing separates."""
    found = widest_margin(labelled(scene))
    return None if found is None else (float(found[0]), found[1][0], float(found[2][0]))


def radius(scene: Scene) -> float:
    """Largest length of a point with its fictitious coordinate."""
    square = float(np.max(np.sum(np.square(scene.X), axis=1)))
    return math.sqrt(square + labelled(scene).gain)


@lru_cache(maxsize=64)
def steps_to_end(scene: Scene) -> int | None:
    """Updates, or steps of descent, until the run ends; None where the page shows no end."""
    play = Playback(scene)
    play.finish()
    return play.frame.updates if play.over else None


def kinds(play: Playback) -> dict[str, list[int]]:
    """The points that are support vectors, by kind."""
    found = support_kinds(play.run, play.frame)
    return {kind: [row for row, each in enumerate(found) if each == kind] for kind in ("margin", "slack")}


def no_slack(play: Playback) -> bool:
    """True if every point is outside the slab or on its edge."""
    return bool(np.all(functional(play) >= 1.0 - _INSIDE))


def answer(scene: Scene) -> Playback:
    """The run of a scene at its end."""
    play = Playback(scene)
    play.finish(leap=True)
    return play


def moved_towards(play: Playback, row: int, share: float) -> list[float]:
    """The place of a point after ``share`` of its way to the boundary."""
    w, _ = weights(play.frame)
    x, f = play.scene.X[row], float(functional(play)[row] * play.scene.y[row])
    moved = x - share * f * w / float(w @ w)
    return [float(moved[0]), float(moved[1]), int(play.scene.y[row])]
