"""The fictitious dimension: points lifted to the height c, a plane through the origin, the line where it cuts them.

A line with a bias is a plane without one: with xt = (x, c) and wt = (w, b/c), wt.xt = w.x + b. All coordinates here are
those of the space of (x1, x2, c), and the page only turns them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from separatrix.lab.encode import number, numbers
from separatrix.lab.playback import Playback
from separatrix.lab.runs.perceptron import labelled
from separatrix.lab.scene import Scene
from separatrix.lab.views.theorem import tilde
from separatrix.lab.words import pair, points, shown, signed, verb
from separatrix.types import Vector

_ROOM = 1.15  # of the farthest point: the picture's half side
_FLAT = 5.0  # R over c from which the lift is called flat: less than 12 degrees of height


def column_view(play: Playback) -> dict[str, Any]:
    """The lifted points, the plane with its cut, w before and after the step, and the sentences."""
    scene, frame = play.scene, play.frame
    assert frame.w is not None
    constant = labelled(scene).constant
    radius = math.sqrt(float(np.max(np.sum(np.square(scene.X), axis=1))))
    extent = _ROOM * max(float(np.abs(scene.X).max()), constant)
    w = tilde(frame, constant)
    step = _step(play, constant)
    longest = max(float(np.linalg.norm(each)) for each in (w, *([] if step is None else [step["from"]])))
    box = np.array([[-extent, extent], [-extent, extent], [-0.45 * constant, 1.45 * constant]])
    return {
        "height": number(constant),
        "name": "1" if scene.bias == "unit" else "R",
        "extent": number(extent),
        "plane": numbers(plane_polygon(w, box)),
        "cut": numbers(cut_line(w, constant, extent)),
        "w": numbers(w),
        # w has units of its own: it is drawn as long as there is room for.
        "scale": number(0.8 * extent / longest) if longest > 0 else 1.0,
        "step": None
        if step is None
        else {"from": numbers(step["from"]), "rows": step["rows"], "added": _added(scene, step)},
        "wrong": [int(row) for row in np.flatnonzero(~(scene.y * (scene.X @ frame.w + frame.b) > 0))],
        "says": says(play, constant, radius, step),
    }


def plane_polygon(w: Vector, box: Vector) -> Vector:
    """Corners of {x : w.x = 0} within a box of low and high ends, in order; none where w = 0."""
    size = float(np.linalg.norm(w))
    if size == 0:
        return np.empty((0, 3))
    normal = w / size
    corners = np.array([[box[k][(at >> k) & 1] for k in range(3)] for at in range(8)])
    values = corners @ normal
    found = []
    for p in range(8):
        for k in range(3):
            q = p | (1 << k)
            if q != p and values[p] * values[q] <= 0 and values[p] != values[q]:
                found.append(corners[p] + values[p] / (values[p] - values[q]) * (corners[q] - corners[p]))
    if len(found) < 3:
        return np.empty((0, 3))
    corners = np.array(found)
    relative = corners - corners.mean(axis=0)
    first = relative[int(np.argmax(np.linalg.norm(relative, axis=1)))]
    second = np.cross(normal, first)
    return np.asarray(corners[np.argsort(np.arctan2(relative @ second, relative @ first))])


def cut_line(w: Vector, height: float, extent: float) -> Vector:
    """The ends of the line w1 x1 + w2 x2 + w3 height = 0 at that height within |x_j| <= extent; none outside it."""
    size = math.hypot(w[0], w[1])
    if size == 0:
        return np.empty((0, 3))
    foot = -w[2] * height / size**2 * w[:2]
    along = np.array([-w[1], w[0]]) / size
    low, high = -math.inf, math.inf
    for k in range(2):
        if along[k] == 0:
            if abs(foot[k]) > extent:
                return np.empty((0, 3))
            continue
        ends = sorted(((-extent - foot[k]) / along[k], (extent - foot[k]) / along[k]))
        low, high = max(low, ends[0]), min(high, ends[1])
    if not low < high:
        return np.empty((0, 3))
    return np.array([[*(foot + low * along), height], [*(foot + high * along), height]])


def _step(play: Playback, constant: float) -> dict[str, Any] | None:
    """w before the step that is shown, and its rows; None where the frame shows none."""
    if play.hand is not None or play.cursor == 0 or not play.frame.used:
        return None
    before = play.frames[play.cursor - 1]
    return {"from": tilde(before, constant), "rows": [int(row) for row in play.frame.used], "b": before.b}


def _added(scene: Scene, step: dict[str, Any]) -> str:
    """The name of what the step added to w."""
    times = "" if scene.step == 1 and (scene.algorithm == "perceptron" or scene.rule == "fixed") else "ε "
    return f"+ {times}y x̃" if len(step["rows"]) == 1 else f"+ {times}Σ y x̃"


def says(play: Playback, constant: float, radius: float, step: dict[str, Any] | None) -> list[str]:
    """Sentences on the picture, on this step in it, and on why b moves by c squared."""
    scene, unit = play.scene, play.scene.bias == "unit"
    c, height = ("1", "1") if unit else ("R", f"R = {shown(constant)}")
    third = "b" if unit else "b/R"
    words = [
        f"Every point is lifted to the height {height}: x̃ = (x₁, x₂, {c}). With w̃ = (w₁, w₂, {third}), "
        f"w̃·x̃ = w·x + b: the line of x-space is where a plane through the origin cuts that height."
    ]
    w = tilde(play.frame, constant)
    if not np.any(w):
        words.append("Here w̃ = 0, and there is no plane yet.")
    elif not np.any(w[:2]):
        words.append(
            "Here w = 0 and b is not: the plane is level, and it does not meet the height of the points."
        )
    wrong = np.count_nonzero(~(scene.y * (scene.X @ w[:2] + play.frame.b) > 0))
    if step is not None:
        words.append(_update(scene, constant, step, play))
    why = (
        "so b moves by 1² y: b ← b + y"
        if unit
        else "so b, which is R times that, moves by R² y: b ← b + y R²"
    )
    what = "An update adds y x̃ to w̃."
    if scene.algorithm == "gradient":
        what = "A step adds y x̃ of each misclassified point to w̃."
    words.append(f"{what} With it the third coordinate {third} moves by {c}·y, {why}{_times(scene)}.")
    if wrong and np.any(w):
        words.append("Thin rings: points that are misclassified now.")
    if unit and radius > _FLAT:
        words.append(
            f"The points reach {shown(radius, 3)} far and are lifted by 1 only: an update moves w by up to that "
            "much and b by 1. The column R lifts them by as much as they reach."
        )
    return words


def _times(scene: Scene) -> str:
    sizes = scene.algorithm == "gradient" and scene.rule != "fixed"
    return ", times the step size" if sizes else "" if scene.step == 1 else f", times ε = {shown(scene.step)}"


def _update(scene: Scene, constant: float, step: dict[str, Any], play: Playback) -> str:
    """The step in numbers."""
    rows = step["rows"]
    before, after = step["from"], tilde(play.frame, constant)
    what = f"This step: {points(rows)} {verb(rows, 'was', 'were')} misclassified"
    moved = play.frame.b - step["b"]
    return f"{what}; w̃ went from {pair(before, 3)} to {pair(after, 3)}, and b by {signed(moved).replace(' ', '')}."
