"""The polyhedron of the constraints y_i (w.x_i + b) >= level, cut by a plane across one of the axes w1, w2, b.

In the plane each point is a half-plane of the two other coordinates. The shortest w in it is a corner or an edge's
nearest place; over all planes of an axis it is shortest where the plane goes through the optimum of the hard margin.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.lab.encode import number, numbers
from separatrix.lab.scene import Scene
from separatrix.lab.views.wedge import Corner, area, cut
from separatrix.lab.words import shown
from separatrix.types import Vector

NAMES = ("w₁", "w₂", "b")
_BEYOND = 8.0  # half sides of the picture to which a section is followed
_ROOM = 1e-9  # area, in the picture's half sides, above which floating point has no doubt
_ROUNDING = Fraction(1, 10**9)  # by which a constraint may be missed, as the optimum does in floating point
_FAR = 2**80  # half sides of the picture that count as the whole plane
_EXACT = 40  # points up to which fractions decide, within a few milliseconds
_TOUCH = 1e-7  # of the picture's half sides: nearer to a corner, a line goes through it


@dataclass(frozen=True)
class Cut:
    """A plane: the axis it crosses (0, 1, 2 for w1, w2, b) and where."""

    axis: int
    at: float

    @property
    def others(self) -> tuple[int, int]:
        """The two axes of the section, the one across first."""
        first, second = (k for k in range(3) if k != self.axis)
        return first, second


def half_planes(scene: Scene, where: Cut, level: Any, at: Any) -> list[tuple[Any, Any, Any]]:
    """(p, q, c) of each point: p u + q v >= c in the plane, in the kind of number that ``at`` is."""
    kind = type(at)
    i, j = where.others
    found = []
    for x1, x2, y in scene.points:
        row = (y * kind(x1), y * kind(x2), kind(y))
        found.append((row[i], row[j], level - row[where.axis] * at))
    return found


def polygon(planes: list[tuple[Any, Any, Any]], sides: tuple[Any, Any], level: Any) -> list[Corner]:
    """Intersection of all half-planes within |u| <= sides[0] and |v| <= sides[1], corners in order.

    A point at x = 0 is no line across the b-axis: it is right everywhere or nowhere.
    """
    a, b = sides
    corners: list[Corner] = [(-a, -b), (a, -b), (a, b), (-a, b)]
    for p, q, c in planes:
        if p == 0 and q == 0:
            if c > 0 or (level == 0 and c == 0):
                return []
            continue
        corners = cut(corners, [p * u + q * v - c for u, v in corners])
        if not corners:
            break
    return corners


def kind_of(scene: Scene, where: Cut, level: float, box: Vector, separable: bool) -> tuple[str, list[Corner]]:
    """The kind of a section, as `wedge.Wedge` has them, and its polygon in floating point.

    "unclear" is a section that floating point cannot see, of more points than are looked at in fractions.
    """
    if not separable:
        return "none", []
    i, j = where.others
    a, b = float(box[i]), float(box[j])
    corners = polygon(half_planes(scene, where, level, float(where.at)), (_BEYOND * a, _BEYOND * b), level)
    if area(corners) > _ROOM * a * b:
        return ("room" if area(_within(corners, a, b)) > 0 else "far"), corners
    if len(scene.points) > _EXACT:
        return "unclear", []
    least = Fraction(level) - (_ROUNDING if level else 0)
    exact = half_planes(scene, where, least, Fraction(where.at))
    for name, reach in (("thin", 1), ("far", _FAR)):
        found = polygon(exact, (reach * Fraction(a), reach * Fraction(b)), level)
        if found if level else area(found) > 0:
            return name, []
    return "another" if scene.bias != "none" else "none", []


def _within(corners: list[Corner], a: float, b: float) -> list[Corner]:
    """The part of a convex polygon with |u| <= a and |v| <= b."""
    for sign in (1.0, -1.0):
        corners = cut(corners, [a - sign * u for u, _ in corners])
        corners = cut(corners, [b - sign * v for _, v in corners])
    return corners


_SENTENCES = {
    "room": "Shaded: every ({u}, {v}) that satisfies all points at this {cut}.",
    "far": "What satisfies all points at this {cut} lies outside the picture.",
    "thin": "What satisfies all points at this {cut} is too thin to draw.",
    "another": "At this {cut} nothing satisfies all points; at another {cut} something does.",
    "unclear": "What satisfies all points at this {cut}, if anything does, is too thin to draw or outside the picture.",
    "none": "No {all} satisfies all points.",
}


def section_part(scene: Scene, where: Cut, level: float, box: Vector, separable: bool) -> dict[str, Any]:
    """The section as the page draws it, and a sentence on it."""
    kind, corners = kind_of(scene, where, level, box, separable)
    i, j = where.others
    lines = half_planes(scene, where, level, float(where.at))
    words = {"u": NAMES[i], "v": NAMES[j], "cut": NAMES[where.axis]}
    words["all"] = "w" if scene.bias == "none" else "(w, b)"
    says = _SENTENCES[kind].format(**words)
    if scene.bias == "none" and kind != "none":
        says = says.replace(" at this b", "")
    return {
        "axis": where.axis,
        "names": [NAMES[i], NAMES[j]],
        "at": number(where.at),
        "name": NAMES[where.axis],
        "reach": [number(box[i]), number(box[j])],
        "kind": kind,
        "polygon": numbers(corners),
        "lines": numbers(lines),
        "bounding": _bounding(lines, corners, (float(box[i]), float(box[j]))),
        "says": says,
    }


def _bounding(lines: list[Any], corners: list[Corner], sides: tuple[float, float]) -> list[int]:
    """The points whose lines bound the section: two corners of it are on such a line."""
    if len(corners) < 3:
        return []
    places, rows = np.array(corners, dtype=np.float64), np.array(lines, dtype=np.float64)
    sizes = np.hypot(rows[:, 0] * sides[0], rows[:, 1] * sides[1])
    touching = np.abs(rows[:, :2] @ places.T - rows[:, 2:]) <= _TOUCH * sizes[:, None]
    return [int(row) for row in np.flatnonzero((np.count_nonzero(touching, axis=1) >= 2) & (sizes > 0))]


def shortest(corners: list[Corner], where: Cut, box: Vector) -> Vector | None:
    """The (w1, w2, b) of a section with the shortest w; None where the section is empty or it is beyond the picture.

    Across b that is the place of the polygon nearest to 0; across w1 the one with the least |w2|.
    """
    if len(corners) < 2:
        return None
    best: tuple[float, NDArray[np.float64]] | None = None
    i, j = where.others
    keep = np.array([1.0, 1.0]) if where.axis == 2 else np.array([1.0, 0.0])
    for p, q in pairwise([*corners, corners[0]]):
        start, way = (
            np.array(p, dtype=np.float64),
            np.array(q, dtype=np.float64) - np.array(p, dtype=np.float64),
        )
        size = float((way * keep) @ way)
        t = min(1.0, max(0.0, -float((start * keep) @ way) / size)) if size > 0 else 0.0
        place = start + t * way
        length = float((place * keep) @ place)
        if best is None or length < best[0]:
            best = length, place
    assert best is not None
    place = best[1]
    limits = _BEYOND * np.array([box[i], box[j]])
    if np.any(np.abs(place) >= limits * (1 - 1e-9)) or (where.axis == 2 and best[0] > float(limits[0]) ** 2):
        return None
    found = np.empty(3)
    found[where.axis], found[i], found[j] = where.at, *place
    return found


def fraction(value: float) -> str:
    """A number, with the fraction of a small denominator that it is but for rounding.

    >>> fraction(1 / 17), fraction(0.5), fraction(0.123456)
    ('1/17', '0.5', '0.1235')
    """
    near = Fraction(value).limit_denominator(64)
    if near.denominator in (1, 2, 4, 5, 8, 10, 20) or abs(float(near) - value) > 1e-13 * abs(value):
        return shown(value)
    return f"{'−' if near < 0 else ''}{abs(near.numerator)}/{near.denominator}"
