"""Data to draw w-space: the path of w, the feasible wedge, the polyhedron of (w1, w2, b).

A row is the half-space y_i (w.x_i + b) >= level: level 0 for separators, 1 for the constraints of the hard margin.
At a fixed b it is a half-plane of (w1, w2) whose border is the row's line; the wedge is where all of them meet.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.spatial import HalfspaceIntersection, QhullError

from separatrix.lab.encode import number, numbers
from separatrix.lab.runs.frame import Frame
from separatrix.lab.scene import Scene
from separatrix.types import Vector

_PATH = 400  # points of a path that are drawn at most
Polygon = NDArray[np.float64]


def level_of(scene: Scene) -> float:
    """1 where the page shows a margin problem, else 0."""
    return 1.0 if scene.algorithm in ("hard-margin", "soft-margin") else 0.0


def w_view(scene: Scene, frames: list[Frame], cursor: int, at: float | None) -> dict[str, Any]:
    """Path, extent, level, and the wedge in the plane of the given b (None: that of the frame)."""
    path = path_of(frames[: cursor + 1])
    room = 1.7 if level_of(scene) else 1.25  # beyond the optimum lies the wedge
    extent = extent_of(path_of(frames), room)
    b = frames[cursor].b if at is None else at
    wedge = feasible_polygon(scene, b, level_of(scene), 8.0 * extent[0])
    inside = _area(wedge) > 1e-9 * extent[0] ** 2
    return {
        "path": numbers(path),
        "extent": extent[0],
        "extent_b": extent[1],
        "b": number(b),
        "level": level_of(scene),
        "wedge": numbers(wedge) if inside else [],
        "touches": len(wedge) > 0 and not inside,
    }


def path_of(frames: list[Frame]) -> Vector:
    """(w1, w2, b) of the frames, at most `_PATH` of them, first and last included, shape (m, 3)."""
    kept = np.unique(np.linspace(0, len(frames) - 1, min(len(frames), _PATH)).astype(int))
    return np.array([[*frames[k].w, frames[k].b] for k in kept if frames[k].w is not None]).reshape(-1, 3)


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


def feasible_polygon(scene: Scene, b: float, level: float, side: float) -> Polygon:
    """The wedge {w : y_i (w.x_i + b) >= level for all i} within |w_j| <= side, corners in order; empty if none.

    Each half-plane cuts the polygon in turn (Sutherland and Hodgman, 1974).
    """
    corners = [(-side, -side), (side, -side), (side, side), (-side, side)]
    for x1, x2, y in scene.points:
        values = [y * (x1 * u + x2 * v + b) - level for u, v in corners]
        if not values or min(values) >= 0:
            continue
        kept: list[tuple[float, float]] = []
        closed = [*zip(corners, values, strict=True), (corners[0], values[0])]
        for (p, at_p), (q, at_q) in pairwise(closed):
            if at_p >= 0:
                kept.append(p)
            if (at_p < 0 < at_q) or (at_q < 0 < at_p):
                t = at_p / (at_p - at_q)
                kept.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
        corners = kept
    return np.array(corners).reshape(-1, 2)


def _area(corners: Polygon) -> float:
    """The area of a polygon (the shoelace formula)."""
    if len(corners) < 3:
        return 0.0
    x, y = corners.T
    return 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def solid_view(scene: Scene, frames: list[Frame], cursor: int, at: float | None) -> dict[str, Any]:
    """The polyhedron of (w1, w2, b) in a box, face by face, with the row of each face; -1 for the box."""
    view = w_view(scene, frames, cursor, at)
    side = 1.3 * view["extent"]
    box = np.array([side, side, max(1.3 * view["extent_b"], 0.5 * side)])
    view["box"] = numbers(box)
    view["wedge"] = numbers(feasible_polygon(scene, view["b"], view["level"], side))
    view["faces"] = polyhedron_faces(scene, view["level"], box)
    return view


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
