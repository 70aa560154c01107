"""Data to draw the risk over w-space: a grid of values, the paths on it, the risk against steps, its formula.

For the perceptron and for descent the risk is R(w, b) = sum_i max(0, -y_i (w.x_i + b)); for a margin problem it is the
primal objective. Both are taken in the plane of one b.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.lab.encode import number, numbers, packed
from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import frames_up_to
from separatrix.lab.runs.gradient import GradientRun
from separatrix.lab.runs.perceptron import PerceptronRun
from separatrix.lab.runs.soft_margin import soft_problem
from separatrix.lab.scene import Scene
from separatrix.lab.views.w import level_of, path_of, places_of, plane, round_up
from separatrix.lab.words import points, shown
from separatrix.perceptron.gradient import perceptron_risk
from separatrix.types import Vector

_GRID = 49
_ALONG = 121  # points of a crease
_COMPARED = 200  # steps of each path that are compared
_TERMS = 5  # of the sum that are written out


def values_at(scene: Scene, U: Vector) -> Vector:
    """The risk at each (w1, w2, b) of U (m, 3), shape (m,)."""
    y = scene.y.astype(np.float64)
    if scene.algorithm in ("hard-margin", "soft-margin"):
        problem = soft_problem(scene)
        margins = y * (U[:, :2] @ scene.X.T + U[:, 2:])
        return np.asarray(
            0.5 * np.sum(np.square(U[:, :2]), axis=1) + problem.loss.values(margins) @ problem.C
        )
    return perceptron_risk(np.column_stack([scene.X, np.ones(len(y))]), y, U)


def risk_view(
    play: Playback,
    at: float | None,
    aspect: float = 1.0,
    least: float = 0.0,
    solid: bool = False,
    room: float = 1.0,
) -> dict[str, Any]:
    """A grid of the risk in the plane of b, and the risk along the path.

    ``aspect`` is width over height; the picture shows |w_j| up to ``least`` at least, for paths of others;
    ``solid`` asks for the creases of a surface; ``room`` is how much more than the picture the grid covers, for a
    picture whose shape is not known yet.
    """
    scene, view = play.scene, plane(play, at)
    view["extent"] = max(view["extent"], round_up(1.1 * least)) if least > 0 else view["extent"]
    half = view["extent"] * room
    reach = half * max(1.0, aspect), half * max(1.0, 1.0 / aspect)
    first, second = (np.linspace(-side, side, _GRID) for side in reach)
    b = np.full(_GRID * _GRID, view["b"])
    grid = np.column_stack([np.tile(first, _GRID), np.repeat(second, _GRID), b])
    view.update(
        {
            "what": "primal objective" if view["level"] else "risk R(w)",
            "points": _GRID,
            "reach": numbers(reach),
            "values": packed(values_at(scene, grid)),
            "along": numbers(values_at(scene, np.array(view["path"]).reshape(-1, 3))),
            "here": number(values_at(scene, np.array([view["now"]]))[0]),
            "curve": risk_curve(play),
            "cursor": None if play.hand is not None else play.cursor,
            "says": says(play, view["b"]),
        }
    )
    if solid:
        view["creases"] = creases(scene, view["b"], view["level"], reach)
    return view


def risk_curve(play: Playback) -> list[Any]:
    """(step, risk at its own b) of the frames there are, thinned as a path is."""
    kept = places_of(len(play.frames))
    return numbers(np.column_stack([kept, values_at(play.scene, path_of(play.frames))]))


def says(play: Playback, at: float) -> list[str]:
    """The formula with its numbers where w is, and what the creases are."""
    scene, frame = play.scene, play.frame
    assert frame.w is not None
    cut = (
        []
        if scene.bias == "none" or at == frame.b
        else [f"The picture is cut at b = {shown(at)}; w has b = {shown(frame.b)}."]
    )
    here = float(values_at(scene, np.array([[*frame.w, frame.b]]))[0])
    if level_of(scene):
        slack = "ξ²" if scene.loss == "squared_hinge" and scene.algorithm == "soft-margin" else "ξ"
        soft = (
            ""
            if scene.algorithm == "soft-margin"
            else f", a soft margin with C = {shown(scene.C)}: the hard one is its limit"
        )
        bowl = "A bowl with creases: along the line y f = 1 of a point its slack begins."
        return [f"½‖w‖² + C Σ {slack} = {shown(here)}{soft}.", bowl, *cut]
    name, f = ("R(w)", "w·x") if scene.bias == "none" else ("R(w, b)", "(w·x + b)")
    formula = f"{name} = Σ −y {f} over the misclassified points"
    terms = -scene.y * (scene.X @ frame.w + frame.b)
    wrong = [int(row) for row in np.flatnonzero(terms > 0)]
    if wrong:
        total = " + ".join(shown(float(terms[row]), 3) for row in wrong) if len(wrong) <= _TERMS else ""
        found = (
            f"{formula} = {total + ' = ' if len(wrong) > 1 and total else ''}{shown(here)} ({points(wrong)})."
        )
    elif np.any(frame.w) or frame.b:
        touching = int(np.count_nonzero(terms == 0))
        on = "one point has" if touching == 1 else f"{touching} points have"
        found = f"{formula} = 0: " + (f"{on} y f = 0." if touching else "no point is misclassified.")
    else:
        found = f"{formula} = 0 at w = 0 too, where nothing is separated: y f = 0 counts as misclassified."
    crease = (
        "A crease is the line y f = 0 of a point: beyond it the point adds −yx to the slope, before it nothing. "
        "Between creases the risk is a tilted plane"
    )
    way = (
        "a step goes straight down it"
        if scene.algorithm == "gradient"
        else "an update goes down the slope of one point alone"
    )
    return [found, f"{crease}; {way}.", *cut]


def creases(scene: Scene, b: float, level: float, reach: tuple[float, float]) -> list[Any]:
    """Each row's line y (w.x + b) = level within the picture, as points (w1, w2, risk) to draw on the surface."""
    found = []
    for x1, x2, y in scene.points:
        size = float(np.hypot(x1, x2))
        if size == 0:
            continue  # a row at the origin is no line
        foot = np.array([x1, x2]) * (y * level - b) / size**2
        along = np.array([-x2, x1]) / size
        line = foot + np.linspace(-1.0, 1.0, _ALONG)[:, None] * 1.5 * max(reach) * along
        line = line[np.all(np.abs(line) <= reach, axis=1)]
        if len(line) > 1:
            place = np.column_stack([line, np.full(len(line), b)])
            found.append(numbers(np.column_stack([line, values_at(scene, place)])))
    return found


def compared_paths(scene: Scene) -> list[dict[str, Any]]:
    """Fixed step, perceptron and line search from the same start."""
    found = []
    for name, kind, algorithm, rule in (
        ("gradient descent, fixed step", GradientRun, "gradient", "fixed"),
        ("perceptron", PerceptronRun, "perceptron", "fixed"),
        ("gradient descent, line search", GradientRun, "gradient", "line-search"),
    ):
        run = kind(scene.changed({"algorithm": algorithm, "rule": rule}))
        frames, ended = frames_up_to(run, _COMPARED)
        path = path_of(frames)
        found.append(
            {
                "name": name,
                "steps": len(frames) - 1,
                "ended": ended,
                "path": numbers(path),
                "along": numbers(values_at(run.scene, path)),
            }
        )
    return found
