"""Chapters on margins: why the slab is 2/||w|| wide, and the hard margin as a program."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np

from separatrix import geometry
from separatrix.lab.playback import Playback
from separatrix.lab.scene import Scene
from separatrix.lab.tour.chapter import Asked, Chapter, Question, Stop, Task, comparison
from separatrix.lab.tour.facts import answer, functional, kinds, moved_towards, norm, weights, width
from separatrix.lab.tour.means import ADD, DRAG, Requests, add, first_move
from separatrix.lab.words import pair, points, shown, verb

_EDGE = 1e-6  # |y f(x) - 1| of a point that is on the edge of the slab
_SAME = 1e-6  # of ||w||: by less two answers do not differ


def _same_line(one: Playback, other: Playback) -> bool:
    (w, b), (v, c) = weights(one.frame), weights(other.frame)
    return bool(np.hypot(np.linalg.norm(w - v), b - c) <= _SAME * (1.0 + abs(b) + np.linalg.norm(w)))


# -- the slab


def _far(play: Playback) -> int:
    """A point well outside the slab, to measure its distance."""
    return int(np.argsort(functional(play))[len(play.scene.points) // 2])


def _distance_words(play: Playback) -> str:
    return (
        "How far is a point from the line? Start on the line, where f = w·x + b is 0, and walk straight away from "
        "it, in the direction of w. After one unit of length f has grown by w·w/‖w‖ = ‖w‖, here "
        f"{shown(norm(play))}. So f counts distance, in units of 1/‖w‖."
    )


def _distance(play: Playback) -> Asked:
    row = _far(play)
    f = float(functional(play)[row])
    size = norm(play)
    return Asked.among(
        f"Point {row + 1} has y f(x) = {shown(f)}, its functional margin. How far is it from the line?",
        shown(f / size),
        [shown(f), shown(f * size), shown(size)],
        f"y f(x)/‖w‖ = {shown(f)}/{shown(size)}: the geometric margin is the functional one divided by ‖w‖.",
    )


def _slab_words(play: Playback) -> str:
    size, wide = norm(play), width(play)
    return (
        "The edges of the slab are where f = +1 and f = −1. On the way from the line to an edge f has to grow by 1, "
        "and every unit of length gives ‖w‖. So an edge is 1/‖w‖ from the line, and the two edges are 2/‖w‖ = "
        f"2/{shown(size)} = {shown(wide)} apart."
    )


def _doubled_w(play: Playback) -> Asked:
    w, _ = weights(play.frame)
    now, then = float(geometry.slab_width(w)), float(geometry.slab_width(2.0 * w))
    return Asked(
        "Now double w and b. The line f = 0 stays where it is. How wide is the slab between f = +1 and f = −1?",
        ("Half as wide", "Just as wide", "Twice as wide"),
        comparison(then, now),
        f"f grows twice as fast, so it reaches 1 after half the way: the width is {shown(then)} now. A wide slab "
        "means a short w. To find the widest slab, make ‖w‖ as small as the points allow.",
        {2: "A longer w makes f steeper, and a steeper f reaches 1 sooner."},
    )


def _double(play: Playback) -> Requests:
    w, b = weights(play.frame)
    return [{"op": "hold", "w": (2.0 * w).tolist(), "b": 2.0 * b}]


def _halved(start: Playback, now: Playback) -> bool:
    if (
        now.scene.algorithm != "hard-margin"
        or now.hand is not None
        or not now.at_end
        or now.answers.model is None
    ):
        return False
    before, after = width(start), width(now)
    return before is not None and after is not None and after <= 0.55 * before


def _width_status(start: Playback, now: Playback) -> str:
    before, after = width(start), width(now)
    if before is None or after is None or now.answers.model is None:
        return "There is no slab now: no line separates the points."
    return f"The slab is {shown(after, 3)} wide; half of the old one would be {shown(before / 2, 3)}."


def _halving_move(play: Playback) -> Requests:
    """The shortest move of a point on the edge that makes the slab half as wide, or a little less."""
    old = width(play) or 0.0
    tried = product(np.linspace(0.5, 1.6, 23), kinds(play)["margin"])

    def halves(scene: Scene) -> bool:
        now = answer(scene)
        return _halved(play, now) and 0.3 * old <= (width(now) or 0.0) <= 0.5 * old

    places = ((row, moved_towards(play, row, float(share))) for share, row in tried)
    return first_move(play.scene, places, halves)


SLAB = Chapter(
    "margins",
    "Margins: why the slab is 2/‖w‖ wide",
    "margins",
    (
        Stop("Distance, counted in f", "x", _distance_words, Question(_distance)),
        Stop("From edge to edge", "x", _slab_words, Question(_doubled_w, _double)),
        Stop(
            "Half a slab",
            "x",
            "The hard margin is the widest slab with no point inside. The ringed points touch its edges and hold "
            "it; all the others could be moved about behind them.",
            Task(
                DRAG,
                "Drag one point so that the slab becomes half as wide.",
                "Only a point that gets into the slab can narrow it. Take a ringed one and pull it towards the line.",
                _halved,
                _width_status,
                _halving_move,
                lambda start, now: (
                    f"The slab was {shown(width(start))} wide and is {shown(width(now))} now; ‖w‖ went from "
                    f"{shown(norm(start))} to {shown(norm(now))}. Their product is 2, before and after."
                ),
            ),
        ),
    ),
    tabs=("margin", "w"),
)


# -- the program


def _program_words(play: Playback) -> str:
    return (
        "The widest slab is the answer to a small program: make ½‖w‖² as small as possible, such that y(w·x + b) ≥ 1 "
        f"for every point. The unknowns are w₁, w₂ and b. Each of the {len(play.scene.points)} points allows one "
        "side of a plane in that space; what all of them allow is a polyhedron."
    )


def _active(play: Playback) -> Asked:
    rows = np.flatnonzero(np.abs(functional(play) - 1.0) <= _EDGE).tolist()
    n = len(play.scene.points)
    return Asked.among(
        f"At the optimum, how many of the {n} constraints hold with equality, y(w·x + b) = 1?",
        str(len(rows)),
        [str(k) for k in range(min(n, 3) + 1)],
        f"{points(rows).capitalize()}: in x-space {verb(rows, 'it lies', 'they lie')} on the edges of the slab, in "
        f"(w, b)-space the optimum lies on {verb(rows, 'its plane', 'their planes')}.",
    )


def _ratio(value: float) -> str:
    """A number as a simple ratio where it is one to rounding, as it is worked out by hand; else in digits."""
    near = Fraction(value).limit_denominator(100)
    exact = abs(float(near) - value) <= 1e-12 * max(1.0, abs(value))
    return str(near).replace("-", "−") if exact else shown(value)


def _axis_words(play: Playback) -> str:
    w, b = weights(play.frame)
    first, second, third = (_ratio(float(value)) for value in (*w, b))
    return (
        f"The optimum is w = ({first}, {second}), b = {third}. Cut the polyhedron through it, at w₁ = {first}, and "
        "you see a flat section with the same optimum on its border. Turn the solid with the mouse or with the arrow "
        "keys."
    )


def _nearest(play: Playback) -> Asked:
    w, b = weights(play.frame)
    size = float(np.linalg.norm(w))
    return Asked(
        "Of all places in the polyhedron, the optimum is the nearest to what?",
        ("The origin (0, 0, 0)", "The b-axis, where w = 0", "The plane b = 0"),
        1,
        f"½‖w‖² has no b in it. ‖w‖ = {shown(size)} is the distance from the b-axis, and b may be whatever it "
        f"likes, here {shown(b)}.",
        {
            0: "That would punish b as well and pull the line towards the origin of x-space, which has no meaning "
            "there."
        },
    )


def _unmoved(start: Playback, now: Playback) -> bool:
    more = len(now.scene.points) > len(start.scene.points) and now.scene.algorithm == "hard-margin"
    return (
        more and now.hand is None and now.at_end and now.answers.model is not None and _same_line(start, now)
    )


def _behind(play: Playback) -> Requests:
    """A point of class +1 twice as far out as the one that is farthest already."""
    w, _ = weights(play.frame)
    f = functional(play) * (play.scene.y > 0)
    row = int(np.argmax(f))
    x = play.scene.X[row] + w / float(w @ w)
    return add([float(x[0]), float(x[1]), 1])


PROGRAM = Chapter(
    "hard-margin-qp",
    "The hard margin as a program",
    "hard-margin-qp",
    (
        Stop("Three unknowns", "tab", _program_words, Question(_active)),
        Stop("The nearest place", "tab", _axis_words, Question(_nearest)),
        Stop(
            "A constraint that costs nothing",
            "x",
            "A constraint that the optimum meets with room to spare does not count: take it away, and nothing changes.",
            Task(
                ADD,
                "Put down one more point without moving the slab.",
                "Anywhere on its own side of the slab will do: blue beyond the blue edge, orange beyond the orange "
                "one.",
                _unmoved,
                lambda start, now: (
                    f"w = {pair(weights(now.frame)[0], 3)}, at the beginning {pair(weights(start.frame)[0], 3)}."
                ),
                _behind,
                lambda start, now: (
                    "One more plane in (w, b)-space, and it misses the optimum. Its point gets the weight 0. A hard "
                    "margin may have thousands of points and rest on three."
                ),
            ),
        ),
    ),
    tabs=("solid", "w"),
    settings={"algorithm": "hard-margin"},
)
