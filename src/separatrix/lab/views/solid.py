"""Data to draw (w1, w2, b) in three dimensions: the polyhedron of all constraints, and a section of it.

The hard margin is the place of the polyhedron {y_i (w.x_i + b) >= 1} nearest to the b-axis: where ||w|| is least.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import HalfspaceIntersection, QhullError

from separatrix.lab.encode import number, numbers
from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import counted
from separatrix.lab.scene import Scene
from separatrix.lab.views.section import NAMES, Cut, fraction, section_part, shortest
from separatrix.lab.views.w import plane
from separatrix.lab.words import shown
from separatrix.types import Vector


def solid_view(play: Playback, axis: int = 2, at: float | None = None) -> dict[str, Any]:
    """The polyhedron in a box, face by face, with the row of each face (-1: the box), cut across ``axis`` at ``at``.

    Without a bias only the plane b = 0 counts, and there is no polyhedron to draw.
    """
    scene = play.scene
    free = scene.bias != "none"
    view = plane(play, at if axis == 2 and free else None)
    side = 1.3 * view["extent"]
    box = np.array([side, side, max(1.3 * view["extent_b"], 0.5 * side)])
    separable = play.answers.quick_verdict.verdict == "separable"
    where = Cut(axis, view["now"][axis] if at is None else at) if free else Cut(2, 0.0)
    faces = polyhedron_faces(scene, view["level"], box) if separable and free else []
    section = section_part(scene, where, view["level"], box, separable)
    hard = scene.algorithm == "hard-margin"
    optimum = _optimum(play) if hard and separable else None
    best = shortest(section["polygon"], where, box) if hard and separable else None
    reach = max(view["extent_b"], 1.5 * abs(where.at), 0.5) if where.axis == 2 else box[where.axis]
    return view | {
        "box": numbers(box),
        "faces": faces,
        "section": section
        | {
            "levels": _levels(box, where, optimum, section["reach"]) if view["level"] else [],
            "best": None if best is None else numbers(best),
        },
        "optimum": None if optimum is None else numbers(optimum),
        "cut": {
            "axis": where.axis,
            "name": NAMES[where.axis],
            "at": number(where.at),
            "reach": number(reach),
        },
        "says": _solid_words(view, faces, free, separable),
        "section_says": f"{section['says']}{_best_words(where, best, optimum)}",
    }


def _optimum(play: Playback) -> Vector | None:
    """(w1, w2, b) of the hard margin, once the run has come to it."""
    last = play.frames[-1]
    return np.array([*last.w, last.b]) if last.final and last.w is not None else None


def _levels(box: Vector, where: Cut, optimum: Vector | None, reach: list[float]) -> list[dict[str, Any]]:
    """Lengths of w whose level curves are drawn: that of the optimum, and round ones.

    ``half`` is the radius of the circle in a section across b, else the |w_j| of its two lines.
    """
    lengths = [] if optimum is None else [(math.hypot(optimum[0], optimum[1]), True)]
    step = _round_step(float(box[0]) / 3.0)
    lengths += [(k * step, False) for k in range(1, 6)]
    fixed = 0.0 if where.axis == 2 else where.at
    found = []
    for length, best in lengths:
        half = math.sqrt(max(0.0, length * length - fixed * fixed))
        if length >= abs(fixed) * (1 - 1e-12) and half <= 1.5 * reach[0]:
            found.append({"length": number(length), "half": number(half), "best": best})
    return found


def _round_step(value: float) -> float:
    """The next of 1, 2, 5 times a power of ten, at least ``value``."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(k * power for k in (1.0, 2.0, 5.0, 10.0) if k * power >= value * (1 - 1e-12))


def _best_words(where: Cut, best: Vector | None, optimum: Vector | None) -> str:
    """The shortest w of the section against that of the polyhedron."""
    if best is None:
        return ""
    here = math.hypot(best[0], best[1])
    if optimum is None:
        return f" The shortest w here has ‖w‖ = {shown(here)}."
    least = math.hypot(optimum[0], optimum[1])
    if here <= least * (1 + 1e-9):
        place = ", ".join(fraction(float(value)) for value in optimum)
        return (
            f" The shortest w here, ‖w‖ = {shown(here)}, is the shortest of all, at (w₁, w₂, b) = ({place})."
        )
    name, value = NAMES[where.axis], fraction(float(optimum[where.axis]))
    return f" The shortest w here has ‖w‖ = {shown(here)}; the shortest of all, {shown(least)}, is at {name} = {value}."


def _solid_words(view: dict[str, Any], faces: list[dict[str, Any]], free: bool, separable: bool) -> str:
    """One sentence on the polyhedron."""
    if not free:
        return "Without a bias only the plane b = 0 counts."
    if not separable:
        return "No (w, b) satisfies every point: the polyhedron is empty."
    if not faces:
        return "The polyhedron lies outside the box, or is too thin to draw."
    rows = len({face["row"] for face in faces if face["row"] >= 0})
    bound = f"{counted(rows, 'point')} {'bounds' if rows == 1 else 'bound'} the polyhedron"
    if view["level"]:
        return f"{bound}; the widest slab is its place nearest to the b-axis."
    return f"{bound}, a cone: every positive multiple of a separator separates."


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
