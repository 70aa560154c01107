"""The part of w-space where every point is right, in the plane of one b, and whether there is any.

A point is the half-plane y_i (w.x_i + b) > 0 of separators (level 0), or >= 1 of the hard margin's constraints
(level 1). A point at x = 0 is no line: it is right everywhere or nowhere. Floating point finds the wedge where it has
room; where it has none the question is decided in fractions, so that what the page says agrees with the exact verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.lab.scene import Scene

Polygon = NDArray[np.float64]
Corner = tuple[Any, Any]
_ROOM = 1e-9  # area, in squares of the picture's half side, above which floating point has no doubt
#: Amount by which a constraint may be missed, as the optimum itself misses it in floating point.
_ROUNDING = Fraction(1, 10**9)
_FAR = 2.0**40  # half sides of the picture that count as the whole plane


@dataclass(frozen=True, eq=False)
class Wedge:
    """The wedge in the plane of one b.

    ``kind`` is "room" (the wedge has an inside, seen in the picture), "thin" (too thin to see, or of constraints a
    mere edge), "far" (only outside the picture), "another" (nothing here, something at another b), or "none".
    """

    kind: str
    corners: Polygon
    sentence: str


_SENTENCES = {
    ("room", 0.0): "shaded: the version space, every w that separates{here}",
    ("far", 0.0): "the version space{here} lies outside the picture",
    ("thin", 0.0): "the version space{here} is too thin to draw",
    ("another", 0.0): "no w separates at this b; at another b some do",
    ("none", 0.0): "no w separates{ever}: there is no version space",
    ("room", 1.0): "shaded: every w with y(w·x + b) ≥ 1 on all points{here}",
    ("far", 1.0): "every w with y(w·x + b) ≥ 1 on all points{here} lies outside the picture",
    ("thin", 1.0): "the wedge y(w·x + b) ≥ 1 of all points{here} is too thin to draw",
    ("another", 1.0): "at this b no w has y(w·x + b) ≥ 1 on all points; at another b some do",
    ("none", 1.0): "no w has y(w·x + b) ≥ 1 on all points{ever}",
}


def wedge_at(scene: Scene, b: float, level: float, extent: float, separable: bool) -> Wedge:
    """The wedge in the plane of b, within 8 times the picture; ``separable`` is the exact verdict on the points."""
    free = scene.bias != "none"

    def told(kind: str, corners: Polygon | None = None) -> Wedge:
        words = {"here": " at this b" if free else "", "ever": " at any b" if free else ""}
        found = np.empty((0, 2)) if corners is None else corners
        return Wedge(kind, found, _SENTENCES[kind, level].format(**words))

    if not separable:
        return told("none")
    if right_at_origin(scene, b, level):
        corners = np.array(clipped(scene, b, level, 8.0 * extent), dtype=np.float64).reshape(-1, 2)
        if area(corners) > _ROOM * extent**2:
            return told("room" if _in_sight(corners, extent) else "far", corners)
        least = Fraction(level) - (_ROUNDING if level else 0)
        if _has_any(clipped(scene, Fraction(b), least, Fraction(extent)), level):
            return told("thin")
        if _has_any(clipped(scene, Fraction(b), least, Fraction(_FAR * extent)), level):
            return told("far", corners)
    return told("another" if free else "none")


def _has_any(exact: list[Corner], level: float) -> bool:
    """True if a polygon in fractions holds a separator, for which it needs an inside, or a w that meets constraints."""
    return bool(exact) if level else area(exact) > 0


def _in_sight(corners: Polygon, extent: float) -> bool:
    """True if the picture, |w_j| <= extent, holds some of a convex polygon: clip it to that square."""
    kept: Sequence[Corner] = [(float(u), float(v)) for u, v in corners]
    for sign in (1.0, -1.0):
        for axis in (0, 1):
            kept = cut(kept, [extent - sign * corner[axis] for corner in kept])
    return len(kept) > 2 and area(kept) > 0


def right_at_origin(scene: Scene, b: float, level: float) -> bool:
    """True if every point at x = 0 is right, which depends on b alone: y b > 0, or y b >= 1."""
    values = [y * b for x1, x2, y in scene.points if x1 == 0 and x2 == 0]
    return all(value >= level if level else value > 0 for value in values)


def clipped(scene: Scene, b: Any, level: Any, side: Any) -> list[Corner]:
    """The polygon {w : y_i (w.x_i + b) >= level, |w_j| <= side}, corners in order; in fractions where b is one.

    Points at x = 0 are left out. Each half-plane cuts the polygon in turn (Sutherland and Hodgman, 1974).
    """
    number = type(b)
    corners: list[Corner] = [(-side, -side), (side, -side), (side, side), (-side, side)]
    for x1, x2, y in scene.points:
        if x1 == 0 and x2 == 0:
            continue
        u1, u2, right = y * number(x1), y * number(x2), level - y * b
        corners = cut(corners, [u1 * u + u2 * v - right for u, v in corners])
        if not corners:
            break
    return corners


def cut(corners: Sequence[Corner], values: list[Any]) -> list[Corner]:
    """The part of a polygon where an affine function, whose values at the corners are given, is not negative."""
    if not values or min(values) >= 0:
        return list(corners)
    kept: list[Corner] = []
    closed = [*zip(corners, values, strict=True), (corners[0], values[0])]
    for (p, at_p), (q, at_q) in pairwise(closed):
        if at_p >= 0:
            kept.append(p)
        if (at_p < 0 < at_q) or (at_q < 0 < at_p):
            t = at_p / (at_p - at_q)
            kept.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
    return kept


def area(corners: Any) -> Any:
    """The area of a polygon (the shoelace formula).

    >>> area([(0.0, 0.0), (2.0, 0.0), (2.0, 1.0)])
    1.0
    """
    if len(corners) < 3:
        return 0.0
    twice = sum(p[0] * q[1] - q[0] * p[1] for p, q in pairwise([*corners, corners[0]]))
    return abs(twice) / 2
