"""Data to draw w-space: the path of w, the feasible wedge, the polyhedron of (w1, w2, b).

A row is the half-space y_i (w.x_i + b) >= level: level 0 for separators, 1 for the constraints of the hard margin.
At a fixed b it is a half-plane of (w1, w2) whose border is the row's line; the wedge is where all of them meet.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.spatial import HalfspaceIntersection, QhullError

from separatrix.lab.encode import number, numbers
from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import Frame, counted
from separatrix.lab.scene import Scene
from separatrix.lab.views.wedge import clipped, wedge_at
from separatrix.types import Vector

_PATH = 400  # points of a path that are drawn at most


def level_of(scene: Scene) -> float:
    """1 where the page shows a margin problem, else 0."""
    return 1.0 if scene.algorithm in ("hard-margin", "soft-margin") else 0.0


def plane(play: Playback, at: float | None) -> dict[str, Any]:
    """What every picture over w has: the path so far, where w is now, the picture's extent, the b of the plane.

    ``at`` is a b of the reader's choice; None means that of w.
    """
    extent = extent_of(
        path_of(play.frames), 1.7 if level_of(play.scene) else 1.25
    )  # beyond the optimum lies the wedge
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


def w_view(play: Playback, at: float | None, side: float | None = None) -> dict[str, Any]:
    """The plane with its wedge, cut to |w_j| <= ``side`` if given, and what is true of it in words."""
    view = plane(play, at)
    separable = play.answers.quick_verdict.verdict == "separable"
    found = wedge_at(play.scene, view["b"], view["level"], side or view["extent"], separable)
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


def solid_view(play: Playback, at: float | None) -> dict[str, Any]:
    """The polyhedron of (w1, w2, b) in a box, face by face, with the row of each face; -1 for the box."""
    view = w_view(play, at)
    side = 1.3 * view["extent"]
    box = np.array([side, side, max(1.3 * view["extent_b"], 0.5 * side)])
    separable = view["kind"] != "none"
    within = clipped(play.scene, view["b"], view["level"], side) if view["kind"] == "room" else []
    faces = polyhedron_faces(play.scene, view["level"], box) if separable else []
    return view | {
        "box": numbers(box),
        "wedge": numbers(within),
        "faces": faces,
        "says": _solid_words(view, faces),
    }


def _solid_words(view: dict[str, Any], faces: list[dict[str, Any]]) -> str:
    """One sentence on the polyhedron."""
    if view["kind"] == "none":
        return "No (w, b) satisfies every point: the polyhedron is empty."
    if not faces:
        return "The polyhedron lies outside the box."
    rows = len({face["row"] for face in faces if face["row"] >= 0})
    bound = f"{counted(rows, 'point')} {'bounds' if rows == 1 else 'bound'} the polyhedron"
    if view["level"]:
        return f"{bound}; the widest slab is where it comes nearest to the b-axis"
    return f"{bound}, a cone: every positive multiple of a separator separates"


def polyhedron_faces(scene: Scene, level: float, box: Vector) -> list[dict[str, Any]]:
    """The faces of {u : y_i (u1 x1 + u2 x2 + u3) >= level, |u_j| <= box_j}; empty where it has no inside."""
    A = np.column_stack([scene.X, np.ones(len(scene.points))]) * scene.y[:, None] * box
    norms = np.linalg.norm(A, axis=1)
    A, right = A / norms[:, None], level / norms
    walls = np.vstack([np.eye(3), -np.eye(3)])
    # Qhull wants m.u + c <= 0.
    halfspaces = np.vstack([np.column_stack([-A, right]), np.column_stack([walls, -np.ones(6)])])
    inside = _ball_centre(halfspaces)
    if inside is None:
        return []
    try:
        found = HalfspaceIntersection(halfspaces, inside).intersections
    except QhullError:
        return []
    vertices = np.unique(found[np.all(np.isfinite(found), axis=1)].round(9), axis=0)
    distances = vertices @ halfspaces[:, :3].T + halfspaces[:, 3]
    faces = []
    for k in range(len(halfspaces)):
        corners = vertices[np.abs(distances[:, k]) < 1e-7]
        if len(corners) >= 3:
            ordered = _around(corners, halfspaces[k, :3]) * box
            faces.append({"row": k if k < len(A) else -1, "corners": numbers(ordered)})
    return faces


def _ball_centre(halfspaces: Vector) -> Vector | None:
    """The centre of the largest ball inside; None where there is none to speak of."""
    lengths = np.linalg.norm(halfspaces[:, :3], axis=1)
    found = linprog(
        [0.0, 0.0, 0.0, -1.0],
        A_ub=np.column_stack([halfspaces[:, :3], lengths]),
        b_ub=-halfspaces[:, 3],
        bounds=[(-1, 1)] * 3 + [(0, 1)],
    )
    if found.x is None or found.x[3] < 1e-6:
        return None
    return np.asarray(found.x[:3])


def _around(corners: Vector, normal: Vector) -> Vector:
    """The corners of a flat convex face in order."""
    centre = corners.mean(axis=0)
    first = corners[0] - centre
    second = np.cross(normal, first)
    relative = corners - centre
    order = np.argsort(np.arctan2(relative @ second, relative @ first * np.linalg.norm(normal)))
    return np.asarray(corners[order])
