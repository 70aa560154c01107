"""Data to draw the lift: where the kernel (x.z)^2 puts the points, and the plane that separates them there.

    phi(x) = gamma (x1^2, sqrt 2 x1 x2, x2^2)        phi(x).phi(z) = (gamma x.z)^2

All of x-space becomes one sheet, the cone 2 phi1 phi3 = phi2^2; a plane cuts it, and the cut is the boundary of
x-space. Only the polynomial kernel of degree 2 without a constant has a space of three dimensions.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.lab.encode import number, numbers
from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import counted
from separatrix.lab.scene import Scene, SceneError
from separatrix.lab.views.gram import formula, kernel_value
from separatrix.lab.views.x import rows_of
from separatrix.lab.words import pair, points, shown, signed, verb
from separatrix.problem.kernels import Linear
from separatrix.types import Vector

Rows = NDArray[np.float64]
_RAYS = 12  # lines of the sheet from the origin outwards, a direction of x-space each
_RINGS = 4  # lines of the sheet across those, a distance from the origin each
_FINE = 61  # points of a curve on the sheet
_FLAT = 1e-9  # relative size below which a discriminant counts as zero, and its conic is not named
_DIGITS = 6  # as the numbers of a pair: both sides of the equation are to agree


def has_lift(scene: Scene) -> bool:
    """True if the kernel's space has the three dimensions of the picture."""
    return scene.has_kernel and scene.kernel == "poly" and scene.degree == 2 and scene.coef0 == 0


def lifted(X: Rows, gamma: float = 1.0) -> Rows:
    """phi of each row, shape (n, 3).

    >>> lifted(np.array([[1.0, 2.0]])).round(3).tolist()
    [[1.0, 2.828, 4.0]]
    """
    x1, x2 = X[:, 0], X[:, 1]
    return gamma * np.column_stack([x1 * x1, math.sqrt(2.0) * x1 * x2, x2 * x2])


def lift_view(play: Playback, chosen: Any = None) -> dict[str, Any]:
    """The lifted points, the sheet, the plane and its cut, and the kernel of two ``chosen`` points both ways."""
    scene = play.scene
    if not has_lift(scene):
        return {"lifted": False, "says": _why_not(scene)}
    places, f = lifted(scene.X, scene.gamma), rows_of(play.run, play.frame)
    w, b = plane_of(play, places)
    size = float(np.max(places[:, 0] + places[:, 2], initial=0.0)) or 1.0  # gamma |x|^2 of the farthest point
    flat = not bool(np.any(w))
    return {
        "lifted": True,
        "axes": [f"{'' if scene.gamma == 1 else 'γ'}{name}" for name in ("x₁²", "√2 x₁x₂", "x₂²")],
        "size": number(size),
        "places": numbers(places),
        "sides": [int(each) for each in np.sign(f)],
        "w": numbers(w),
        "b": number(b),
        "sheet": [_brief(line, size) for line in sheet(size)],
        "plane": numbers(plane_corners(w, b, size)),
        "cut": [] if flat else [_brief(line, size) for line in cut(w, b, size)],
        "says": plane_words(scene, w, b, f),
        "pair": equation(scene, *check_pair(scene, chosen)),
    }


def _brief(line: Rows, size: float) -> list[Any]:
    """A line in as many digits as a picture can show: half the length of the message."""
    return numbers(np.round(line, 6 - math.floor(math.log10(size))))


def plane_of(play: Playback, places: Rows) -> tuple[Vector, float]:
    """W = sum_i weights_i y_i phi(x_i), and b: the plane of the frame that is shown."""
    frame = play.frame
    beta = frame.weights * play.scene.y[: len(frame.weights)]
    return beta @ places[: len(beta)], frame.b


def check_pair(scene: Scene, chosen: Any) -> tuple[int, int]:
    """Two rows from outside; the first of each class where none were chosen."""
    if chosen is None:
        return int(np.flatnonzero(scene.y > 0)[0]), int(np.flatnonzero(scene.y < 0)[0])
    if not isinstance(chosen, list) or len(chosen) != 2:
        raise SceneError(f"pair must be two points; got {str(chosen)[:40]}.")
    return scene.check_row(chosen[0]), scene.check_row(chosen[1])


def equation(scene: Scene, i: int, j: int) -> dict[str, Any]:
    """(x.z)^2 = phi(x).phi(z) with the numbers of two rows: the kernel on one side, inner products on the other."""
    x, z = scene.X[i], scene.X[j]
    phi = lifted(scene.X[[i, j]], scene.gamma)
    kernel, inner = kernel_value(scene, i, j), float(Linear().matrix(phi[:1], phi[1:])[0, 0])
    first, second = float(x[0] * z[0]), float(x[1] * z[1])
    factor = "" if scene.gamma == 1 else f"{shown(scene.gamma, _DIGITS)}·"
    bracket = f"{shown(first, _DIGITS)} {signed(second, _DIGITS)}"
    inside = f"({factor}({bracket}))²" if factor else f"({bracket})²"
    terms = [float(term) for term in phi[0] * phi[1]]
    added = " ".join([shown(terms[0], _DIGITS), *(signed(term, _DIGITS) for term in terms[1:])])
    return {
        "rows": [i, j],
        "kernel": number(kernel),
        "inner": number(inner),
        "lines": [
            f"K(x, z) = {formula(scene)} = {inside} = {shown(kernel, _DIGITS)}",
            f"φ(x)·φ(z) = {added} = {shown(inner, _DIGITS)}",
            f"x = {pair(x)}, z = {pair(z)}, φ(x) = {pair(phi[0])}, φ(z) = {pair(phi[1])}",
        ],
    }


def sheet(size: float) -> list[Rows]:
    """Lines of the cone on which every lifted point lies, as far out as ``size``."""
    rays = [
        np.array([[0.0, 0.0, 0.0], size * _direction(angle)])
        for angle in np.linspace(0.0, math.pi, _RAYS, endpoint=False)
    ]
    around = _direction(np.linspace(0.0, math.pi, _FINE))
    return [*rays, *(size * (k / _RINGS) ** 2 * around for k in range(1, _RINGS + 1))]


def _direction(angle: Any) -> Rows:
    """phi of the unit vector at an angle; x and -x have the same, so half a turn is all of the sheet."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * c, math.sqrt(2.0) * c * s, s * s], axis=-1)


def cut(w: Vector, b: float, size: float) -> list[Rows]:
    """The sheet where the plane cuts it, within the picture: the boundary of x-space, lifted."""
    if b == 0:  # the plane goes through the tip: the cut is two rays, one, or none
        middle, swing = 0.5 * (w[0] + w[2]), math.hypot(0.5 * (w[0] - w[2]), w[1] / math.sqrt(2.0))
        if swing == 0 or abs(middle) > swing:
            return []
        turn, half = math.atan2(w[1] / math.sqrt(2.0), 0.5 * (w[0] - w[2])), math.acos(-middle / swing)
        rays = {0.5 * (turn - half), 0.5 * (turn + half)}
        return [np.array([[0.0, 0.0, 0.0], size * _direction(angle)]) for angle in sorted(rays)]
    angles = np.linspace(0.0, math.pi, 4 * _FINE)
    slope = _direction(angles) @ w
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.where(slope * b < 0, -b / slope, np.inf)
    inside = far <= size
    lines, run = [], np.flatnonzero(np.diff(np.concatenate([[0], inside.astype(int), [0]])))
    for start, stop in zip(run[::2], run[1::2], strict=True):
        if stop - start > 1:
            lines.append(far[start:stop, None] * _direction(angles[start:stop]))
    return lines


def plane_corners(w: Vector, b: float, size: float) -> Rows:
    """Corners of the part of w.u + b = 0 in the picture's box, in order; (0, 3) where there is none."""
    reach = size / math.sqrt(2.0)
    ends = ((0.0, size), (-reach, reach), (0.0, size))
    found: list[Vector] = []
    for axis in range(3):
        if w[axis] == 0:
            continue
        others = [k for k in range(3) if k != axis]
        for first, second in product(ends[others[0]], ends[others[1]]):
            place = -(b + w[others[0]] * first + w[others[1]] * second) / w[axis]
            if ends[axis][0] <= place <= ends[axis][1]:
                corner = np.empty(3)
                corner[axis], corner[others[0]], corner[others[1]] = place, first, second
                found.append(corner)
    if len(found) < 3:
        return np.empty((0, 3))
    corners = np.array(found)
    away = corners - corners.mean(axis=0)
    along = away[int(np.argmax(np.sum(np.square(away), axis=1)))]
    across = np.cross(w, along)
    order = np.argsort(
        np.arctan2(away @ across / np.linalg.norm(across), away @ along / np.linalg.norm(along))
    )
    return corners[order]


def plane_words(scene: Scene, w: Vector, b: float, f: Vector) -> str:
    """The plane, what it leaves on the wrong side, and the curve it is in x-space."""
    if not np.any(w):
        return "w = 0: there is no plane yet. Each point of x-space is a point of the sheet, x and −x the same one."
    wrong = np.flatnonzero(~(scene.y * f > 0)).tolist()
    if wrong:
        who = points(wrong) if len(wrong) <= 6 else f"{len(wrong)} of {counted(len(scene.points), 'point')}"
        is_not, its = verb(wrong, "is", "are"), verb(wrong, "its", "their")
        side = f"{who[0].upper()}{who[1:]} {is_not} not on {its} own side of it."
    else:
        side = "Every point is on its own side of it."
    constant = "" if b == 0 else f" {signed(b)}"
    curve = f"In x-space its cut through the sheet is {conic(w, b)}."
    return f"The plane is w·φ{constant} = 0 with w = {pair(w)}. {side} {curve}"


def conic(w: Vector, b: float) -> str:
    """The set w1 x1^2 + sqrt 2 w2 x1 x2 + w3 x2^2 = const by name.

    >>> conic(np.array([1.0, 0.0, 1.0]), -1.0), conic(np.array([1.0, 0.0, -1.0]), -1.0)
    ('a circle', 'a hyperbola')
    """
    scale = float(np.sum(np.square(w)))
    determinant = float(w[0] * w[2] - 0.5 * w[1] * w[1])
    if abs(determinant) <= _FLAT * scale:
        return "the curve f(x) = 0"
    if determinant < 0:
        return "a pair of lines through the origin" if b == 0 else "a hyperbola"
    if b == 0:
        return "the origin alone"
    if b * float(w[0]) > 0:
        return "empty: f has one sign everywhere"
    round_one = abs(w[0] - w[2]) <= _FLAT * math.sqrt(scale) and abs(w[1]) <= _FLAT * math.sqrt(scale)
    return "a circle" if round_one else "an ellipse"


def _why_not(scene: Scene) -> str:
    """The space of another polynomial kernel, and how to get to the one of the picture."""
    d, ask = (
        scene.degree,
        "Three dimensions, which can be drawn, belong to degree d = 2 with the constant c = 0.",
    )
    if scene.coef0 < 0:
        return f"With a constant c below 0 this kernel is an inner product in no space. {ask}"
    if scene.coef0 > 0:
        count = (d + 1) * (d + 2) // 2
        parts = "1, x₁ and x₂" if d == 1 else f"1 and every product of x₁ and x₂ up to degree {d}"
    else:
        count = d + 1
        parts = "x₁ and x₂" if d == 1 else f"every product of x₁ and x₂ of degree {d}"
    return f"The space of {formula(scene)} has {count} dimensions: {parts}, each times a constant. {ask}"
