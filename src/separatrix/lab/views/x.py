"""Data to draw x-space: margins of every row, kinds of support vectors, contours of a kernel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from separatrix import geometry
from separatrix.lab.encode import number, numbers, packed
from separatrix.lab.limits import MAX_GRID
from separatrix.lab.runs.frame import Frame, Run
from separatrix.types import Vector

Window = tuple[float, float, float, float]
_ON_EDGE = 1e-3  # of a unit of the functional margin, and of C: nearer is drawn as on the edge of the slab
_QUICK, _REST = 200_000, 6_000_000  # values of the kernel for one picture: while something moves, and at rest


def rows_of(run: Run, frame: Frame) -> Vector:
    """f of every row of the scene."""
    n = len(run.scene.points)
    return frame.f if frame.f is not None and len(frame.f) == n else run.scores(frame, run.scene.X)


def norm_of(run: Run, frame: Frame, f: Vector) -> float:
    """||w||, in the space of the kernel where there is one; ``f`` of every row."""
    if frame.w is not None:
        return float(np.linalg.norm(frame.w))
    beta = frame.weights * run.scene.y[: len(frame.weights)]
    return float(np.sqrt(max(0.0, float(beta @ (f[: len(beta)] - frame.b)))))


def support_kinds(run: Run, frame: Frame) -> list[str]:
    """For each row "", "margin", "slack" or, of a perceptron, "update".

    At the answer these are the library's kinds of support vectors. On the way there all weights of an interior point
    are above 0: there a row counts as one only if it weighs something and is on the edge of the slab, or inside.
    """
    scene = run.scene
    used = frame.weights > 0
    if scene.algorithm in ("gradient", "perceptron", "online", "kernel-perceptron"):
        return ["update" if each else "" for each in used]
    if scene.algorithm == "hard-margin":
        return ["margin" if each else "" for each in used]
    limit, squared = scene.C, scene.loss == "squared_hinge"
    beyond = np.full(len(used), True) if squared else frame.weights >= limit
    if not frame.final and len(frame.slack):
        functional = scene.y * rows_of(run, frame)
        beyond = functional < 1.0 - _ON_EDGE
        used = (frame.weights > _ON_EDGE * limit) & (functional < 1.0 + _ON_EDGE)
    return ["" if not on else "slack" if far else "margin" for on, far in zip(used, beyond, strict=True)]


def x_view(
    run: Run, frame: Frame, window: Window | None, grid: int, row: int | None = None
) -> dict[str, Any]:
    """Margins, distances and, with a kernel, a grid of f over the window (x1 from, to, x2 from, to).

    With ``row`` the margins are those of that row alone: nobody sees the others while it is dragged.
    """
    scene, f = run.scene, rows_of(run, frame)
    norm = norm_of(run, frame, f)
    functional = scene.y * f
    view: dict[str, Any] = {
        "w": None if frame.w is None else numbers(frame.w),
        "b": number(frame.b),
        "norm": number(norm),
        "functional": _margins(functional, row),
        "geometric": _margins(functional / norm, row) if norm > 0 else None,
        "kinds": support_kinds(run, frame),
        "slab": 1.0 if scene.algorithm in ("hard-margin", "soft-margin", "kernel-svm") else None,
    }
    if frame.w is not None and norm > 0:
        view["slab_width"] = number(geometry.slab_width(frame.w))
        view["origin_distance"] = number(geometry.distance_from_origin(frame.w, frame.b))
        view["margin"] = number(geometry.margin(scene.X, scene.y, frame.w, frame.b))
    if frame.w is None and window is not None:
        view["contours"] = {"window": list(window), **contour_grid(run, frame, window, grid)}
    view["legend"] = legend(view["kinds"], view["slab"] is not None, frame, norm)
    return view


def _margins(values: Vector, row: int | None) -> list[Any] | dict[int, float | None]:
    """A list of all rows, or one row's number under its own."""
    return numbers(values) if row is None else {row: number(values[row])}


def legend(kinds: list[str], slab: bool, frame: Frame, norm: float) -> list[str]:
    """The marks that this picture has, by name."""
    marks = ["plus", "minus"]
    marks += [kind for kind in ("margin", "slack") if kind in kinds]
    if norm > 0:
        marks += ["boundary", *(["edge"] if slab else [])]
    if frame.w is not None and norm > 0 and frame.b != 0:
        marks.append("origin")
    return marks


def fine_enough(run: Run, frame: Frame, window: Window, points: int) -> int:
    """Points on a side of a grid: ``points``, or more where a narrow kernel needs them and there is time."""
    scene = run.scene
    if scene.kernel == "rbf":
        # exp(-gamma d^2) has its inflexion at d = 1/sqrt(2 gamma): three points for that distance show it.
        needed = 1 + math.ceil(
            3.0 * math.sqrt(2.0 * scene.gamma) * max(window[1] - window[0], window[3] - window[2])
        )
        quick = points < 32
        affordable = math.isqrt((_QUICK if quick else _REST) // max(1, int(np.count_nonzero(frame.weights))))
        points = max(points, min(needed, affordable))
    return int(np.clip(points, 8, MAX_GRID))


def contour_grid(run: Run, frame: Frame, window: Window, points: int) -> dict[str, Any]:
    """f on a grid of points over the window, rows from the lowest x2 up."""
    points = fine_enough(run, frame, window, points)
    first = np.linspace(window[0], window[1], points)
    second = np.linspace(window[2], window[3], points)
    Z = np.column_stack([np.tile(first, points), np.repeat(second, points)])
    values = run.scores(frame, Z) if np.any(frame.weights) else np.full(len(Z), frame.b)
    return {"columns": points, "rows": points, "values": packed(values)}


def probe(run: Run, frame: Frame, z: Vector) -> dict[str, Any]:
    """f at one place, and how far it is from the boundary."""
    f = float(run.scores(frame, z.reshape(1, 2))[0])
    norm = norm_of(run, frame, rows_of(run, frame))
    return {"f": number(f), "distance": number(f / norm) if norm > 0 else None}
