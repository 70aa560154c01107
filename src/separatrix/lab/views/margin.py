"""Data to draw margins with their dimension lines: the width of the slab and why it is 2/||w||, distances, slack.

A factor multiplies w and b: the boundary stays, the functional margins are multiplied and the geometric ones are not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.lab.encode import number, numbers
from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import counted
from separatrix.lab.scene import Scene
from separatrix.lab.views.slab import EDGE, Slab, cases_of, common, is_answer, is_void, slab_of, window_of
from separatrix.lab.words import pair, points, shown, verb
from separatrix.types import Vector

FACTORS = (0.5, 1.0, 2.0)  #: by which a reader may multiply w and b
_FACTOR = {0.5: "½", 1.0: "", 2.0: "2"}
_LABELS = (
    8  # points up to which the slack of each is written; with more, only that of the one under the pointer
)
_PLACES = 15  # along the boundary, of which the emptiest takes the dimension line


def margin_view(play: Playback, times: float = 1.0) -> dict[str, Any]:
    """The slab of ``times`` (w, b), its dimension lines, and what is true of it in words."""
    slab = slab_of(play, times)
    view = common(play, slab) | {
        "times": times,
        "derivation": [],
        "scaling": "",
        "kinds": [],
        "slack_says": "",
    }
    if slab is None:
        return view | {"says": _no_slab(play)}
    scene = play.scene
    f = scene.y * slab.margins
    width, arrow = _places(play, slab, times)
    free = scene.bias != "none"
    cases = cases_of(scene, slab, play.frame.weights) if is_answer(play) and times == 1.0 else None
    return view | {
        "width": number(2.0 / slab.norm),
        "across": numbers([width - slab.normal / slab.norm, width + slab.normal / slab.norm]),
        "arrow": numbers([arrow, arrow + slab.normal]),
        "origin": number(-slab.b / slab.norm) if free else None,
        "origin_foot": numbers(-slab.b / slab.norm * slab.normal) if free else None,
        "functional": numbers(slab.margins),
        "distance": numbers(slab.margins / slab.norm),
        "feet": numbers(scene.X - np.outer(f / slab.norm, slab.normal)),
        "slack": numbers(slab.slack),
        "edges": numbers(scene.X + np.outer(scene.y * slab.slack / slab.norm, slab.normal)),
        "shown": _nearest(play, slab, times),
        "label_all": len(slab.inside) <= _LABELS,
        "says": _says(play, slab, times),
        "derivation": _derivation(scene, slab, width - slab.normal / slab.norm, times),
        "scaling": _scaling(play, slab, times),
        "kinds": [] if cases is None or scene.algorithm != "soft-margin" else kind_words(play, slab, cases),
        "slack_says": _slack_words(play, slab) if scene.algorithm == "soft-margin" else "",
    }


def _no_slab(play: Playback) -> str:
    if is_void(play):
        return "There is no hard margin: no slab has every point outside it, and w = 0 has no boundary."
    if play.hand is not None:
        return "Your w is 0: it has no boundary, and so no margin."
    if play.cursor > 0 and is_answer(play):
        return "The best w is 0, up to rounding: it has no boundary, and so no slab of finite width."
    return "w = 0 has no boundary, and so no margin: the first step gives it one."


def _nearest(play: Playback, slab: Slab, times: float) -> list[int]:
    """Of each class the point nearest to its edge of the slab of (w, b) itself, so that a factor keeps them."""
    found = []
    for sign in (1, -1):
        rows = np.flatnonzero(play.scene.y == sign)
        found.append(int(rows[np.argmin(np.abs(slab.margins[rows] / times - 1.0))]))
    return found


def _places(play: Playback, slab: Slab, times: float) -> tuple[Vector, Vector]:
    """Two places on the boundary, in sight and away from what else is near the slab: for its width, and for w."""
    (centre, half), X = window_of(play.scene, slab), play.scene.X
    foot = centre - (slab.w @ centre + slab.b) / slab.norm * slab.normal
    offsets = np.linspace(-0.8, 0.8, _PLACES) * half
    candidates = foot + np.outer(offsets, slab.along)
    in_sight = np.max(np.abs(candidates - centre), axis=1) <= 0.82 * half
    if not np.any(in_sight):
        return foot, foot + 0.3 * half * slab.along
    offsets, candidates = offsets[in_sight], candidates[in_sight]
    near = np.abs(slab.margins) <= 1.6
    places = [*X[near], *X[_nearest(play, slab, times)], np.zeros(2)]
    taken = (np.array(places) - foot) @ slab.along
    room = np.min(np.abs(offsets[:, None] - taken[None, :]), axis=1) - 0.15 * np.abs(offsets)
    first = int(np.argmax(room))
    apart = np.minimum(room, np.abs(offsets - offsets[first]) - 0.1 * half)
    return candidates[first], candidates[int(np.argmax(apart))]


def _says(play: Playback, slab: Slab, times: float) -> str:
    """One sentence on the slab as it is."""
    if is_void(play):
        return "There is no hard margin. Drawn is the last slab that was tried; some points are inside it."
    inside = slab.inside
    where = points(inside) if inside else "no point"
    sentence = f"{where} {verb(inside or [0], 'is', 'are')} inside the slab or beyond it"
    name = _FACTOR[times]
    if times != 1.0:
        return f"With {name}w{'' if play.scene.bias == 'none' else f' and {name}b'}, {sentence}."
    if play.hand is not None:
        return f"Your slab: {sentence}."
    if not is_answer(play):
        return f"A slab on the way, not yet the answer: {sentence}."
    if play.scene.algorithm == "hard-margin":
        centred = "" if play.scene.bias != "none" else ", centred on the origin,"
        return f"The answer: no wider slab{centred} has each class on its own side and no point inside."
    return f"The answer: {sentence}."


def _f(scene: Scene, times: float = 1.0) -> str:
    """f(x) in symbols: without a bias there is no b."""
    name = _FACTOR[times]
    return f"{name}w·x" if scene.bias == "none" else f"{name}w·x + {name}b"


def _derivation(scene: Scene, slab: Slab, start: Vector, times: float) -> list[str]:
    """Why the slab is 2/||w|| wide, with the numbers of this one."""
    w, f = f"{_FACTOR[times]}w", _f(scene, times)
    return [
        f"Take x on the edge {f} = −1, say {pair(start, 3)}.",
        f"Walk a distance t along w/‖w‖, straight across: {f} grows by t‖{w}‖.",
        f"On the other edge it is +1, which is 2 more: t‖{w}‖ = 2.",
        f"So the width is t = 2/‖{w}‖ = 2/{shown(slab.norm)} = {shown(2.0 / slab.norm)}.",
    ]


def _scaling(play: Playback, slab: Slab, times: float) -> str:
    """Functional against geometric margin, of one point, and what a factor does to them."""
    row = _nearest(play, slab, times)[0]
    functional, geometric = float(slab.margins[row]), float(slab.margins[row]) / slab.norm
    if times == 1.0:
        return (
            f"Point {row + 1} has functional margin y({_f(play.scene)}) = {shown(functional)} and geometric margin, "
            f"its distance from the boundary, {shown(functional)}/{shown(slab.norm)} = {shown(geometric)}."
        )
    change, width = ("halves", "twice as wide") if times < 1.0 else ("doubles", "half as wide")
    both = f"{_FACTOR[times]}w" if play.scene.bias == "none" else f"{_FACTOR[times]}w and {_FACTOR[times]}b"
    return (
        f"{both}: the same boundary, and the geometric margin of point {row + 1} stays {shown(geometric)}. Its "
        f"functional margin {change}, {shown(functional / times)} → {shown(functional)}; the edges f(x) = ±1 move, "
        f"and the slab is {width}."
    )


def _slack_words(play: Playback, slab: Slab) -> str:
    """Sentence on the slack and its cost."""
    scene, rows = play.scene, slab.inside
    if not rows:
        return "No point is inside the slab or beyond it: there is no slack, ξ = 0 everywhere."
    squared = scene.loss == "squared_hinge"
    total = float(np.sum(np.square(slab.slack) if squared else slab.slack))
    wrong = int(np.count_nonzero(slab.margins < -EDGE))
    side = f"{wrong or 'none'} of them on the wrong side of the boundary (ξ > 1)"
    return (
        f"{counted(len(rows), 'point')} {verb(rows, 'uses', 'use')} slack ξ = 1 − y f(x), {side}. A segment is "
        f"ξ/‖w‖ long. Slack costs C Σ {'ξ²' if squared else 'ξ'} = {shown(scene.C)}·{shown(total)} = "
        f"{shown(scene.C * total)}.{'' if len(rows) <= _LABELS else ' Point at a point to see its ξ.'}"
    )


def kind_words(play: Playback, slab: Slab, cases: list[str]) -> list[str]:
    """The kinds of support vectors of an answer, named, with their points."""
    rows = {case: [k for k, each in enumerate(cases) if each == case] for case in set(cases)}
    squared = play.scene.algorithm == "soft-margin" and play.scene.loss == "squared_hinge"
    soft = play.scene.algorithm == "soft-margin"
    lines = []
    if margin := rows.get("margin"):
        law = "0 < α < C, ξ = 0" if soft else "α > 0"
        lines.append(f"On the margin, {law}: {points(margin)}.")
    if slack := rows.get("slack"):
        wrong = [row for row in slack if slab.margins[row] < -EDGE]
        law = "ξ > 0, α = 2Cξ" if squared else "α = C, ξ > 0"
        lines.append(f"Using slack, {law}: {points(slack)}; {_of_which(slack, wrong)}.")
    if limit := rows.get("limit"):
        lines.append(f"Between the two kinds, α = C, ξ = 0: {points(limit)}.")
    others = rows.get("beyond", []) + rows.get("edge", [])
    if others:
        lines.append(
            f"Not {verb(others, 'a support vector', 'support vectors')}, α = 0: {points(others)}; without "
            f"{verb(others, 'it', 'them')} w would be the same."
        )
    if off := rows.get("open"):
        lines.append(f"Not settled to six digits: {points(off)}.")
    if squared and rows.get("slack"):
        lines.append("With the squared hinge no point on an edge has α > 0: every support vector uses slack.")
    return lines


def _of_which(slack: list[int], wrong: list[int]) -> str:
    """Words for the points with slack that are beyond the boundary, too."""
    count = (
        "it is"
        if len(slack) == 1
        else "all are"
        if len(wrong) in (0, len(slack))
        else f"{len(wrong)} of them"
    )
    verb_ = "" if count.endswith(("is", "are")) else verb(wrong, " is", " are")
    return f"{count}{verb_} on the {'wrong' if wrong else 'right'} side of the boundary"
