"""Chapters on the soft margin: slack and its price, and the two kinds of support vectors."""

from __future__ import annotations

import numpy as np

from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import counted
from separatrix.lab.tour.chapter import Asked, Chapter, Question, Stop, Task, comparison, preset
from separatrix.lab.tour.facts import answer, functional, kinds, moved_towards, no_slack, norm, weights, width
from separatrix.lab.tour.means import DRAG, Requests, first_move, first_setting, slider
from separatrix.lab.words import shown, subscript

_EDGE = 1e-6  # of y f(x) below 1: a point that is shorter uses slack


def _inside(play: Playback) -> int:
    """A point inside the slab, on its own side if there is one, near the middle of its half."""
    return int(np.argmin(np.abs(functional(play) - 0.5)))


def _slack_words(play: Playback) -> str:
    count = len(kinds(play)["slack"])
    return (
        "No line separates these points, so some of them must be allowed to be wrong, at a price. The slack of a "
        "point is how much its y f(x) is short of 1: ξ = max(0, 1 − y f(x)). The soft margin makes ½‖w‖² + C Σξ as "
        f"small as possible. Here C = {shown(play.scene.C)}, and {counted(count, 'point')} "
        f"{'pays' if count == 1 else 'pay'}."
    )


def _how_much(play: Playback) -> Asked:
    row = _inside(play)
    f = float(functional(play)[row])
    slack = max(0.0, 1.0 - f)
    side = "on its own side of the line, but inside the slab" if f > 0 else "on the wrong side of the line"
    return Asked.among(
        f"Point {row + 1} is {side}: y f(x) = {shown(f, 3)}. How much slack does it use?",
        shown(slack, 3),
        ["0", shown(abs(f), 3), shown(1.0 + abs(f), 3)],
        f"1 − y f(x) = {shown(slack, 3)}, for which it pays C times as much. Measured in length, it is "
        f"{shown(slack / norm(play), 3)} short of its edge.",
        {"0": "Being on the right side is not enough: the slab asks for 1."},
    )


def _smaller_price(play: Playback) -> Asked:
    less = answer(play.scene.changed({"C": play.scene.C / 10}))
    before, after = width(play), width(less)
    assert before is not None
    assert after is not None
    return Asked(
        f"Make slack ten times cheaper, C = {shown(play.scene.C / 10)}. Does the slab get wider or narrower?",
        ("Wider", "It stays the same", "Narrower"),
        comparison(before, after),
        f"From {shown(before)} to {shown(after)}. Where errors are cheap, a short w is worth more: the slab widens "
        "and lets more points in. Where they are dear, it narrows.",
    )


def _nobody_pays(start: Playback, now: Playback) -> bool:
    return now.hand is None and now.over and now.settled and no_slack(now)


def _paying(start: Playback, now: Playback) -> str:
    count = int(np.count_nonzero(functional(now) < 1.0 - _EDGE))
    return f"C = {shown(now.scene.C, 3)}: {counted(count, 'point')} {'uses' if count == 1 else 'use'} slack."


SLACK = Chapter(
    "soft-margin",
    "The soft margin: slack and its price",
    "soft-margin",
    (
        Stop("Slack", "x", _slack_words, Question(_how_much)),
        Stop(
            "The price C",
            "x",
            lambda play: (
                f"C weighs the errors against the width. With C = {shown(play.scene.C)} the slab is "
                f"{shown(width(play))} wide."
            ),
            Question(_smaller_price, lambda play: [{"op": "set", "settings": {"C": play.scene.C / 10}}]),
        ),
        Stop(
            "Nobody pays",
            "settings",
            "These points can be separated, yet with a small C the soft margin lets some of them into the slab: a "
            "wide slab is worth the price.",
            Task(
                slider("C"),
                "Move C until no point uses slack.",
                "The slider of C is among the settings above the pictures. Dearer slack is used less.",
                _nobody_pays,
                _paying,
                first_setting("C", (1.0, 10.0, 100.0, 1e3, 1e4), _nobody_pays),
                lambda start, now: (
                    f"At C = {shown(now.scene.C, 3)} slack is too dear for anybody. This is the hard margin, and a "
                    "larger C changes nothing any more."
                ),
            ),
            scene=preset("separable", algorithm="soft-margin", C=0.05),
        ),
    ),
    tabs=("margin", "w"),
)


# -- the two kinds


def _second_kind(play: Playback) -> Asked:
    found = kinds(play)
    on, beyond = len(found["margin"]), len(found["slack"])
    return Asked.among(
        "How many support vectors of the second kind are there, with a dashed ring?",
        str(beyond),
        [str(on), str(on + beyond), str(max(0, beyond - on))],
        f"{on} on the edges and {beyond} with slack make {on + beyond} support vectors among "
        f"{len(play.scene.points)} points.",
        {str(on): "That is the first kind, on the edges."},
    )


def _where_must(play: Playback) -> Asked:
    row = kinds(play)["margin"][0]
    alpha, f = float(play.frame.weights[row]), float(functional(play)[row])
    place = 1 if abs(f - 1.0) <= 1e-3 else 0 if f > 1 else 2
    return Asked(
        f"Point {row + 1} has α{subscript(row + 1)} = {shown(alpha, 3)}, more than 0 and less than C = "
        f"{shown(play.scene.C)}. Where must it be?",
        ("Outside the slab", "On the edge of the slab", "Inside the slab or beyond the line"),
        place,
        "α > 0 says that it is not outside, and α < C says that it uses no slack. Only the edge is left.",
        {0: "Then its α would be 0.", 2: "Then its α would be C."},
    )


def _idle(play: Playback) -> int:
    """The point without a weight that is farthest out."""
    return int(np.argmax(np.where(play.frame.weights == 0, functional(play), -np.inf)))


def _without(play: Playback) -> Asked:
    row = _idle(play)
    less = answer(play.scene.without(row))
    same = _near(play, less)
    return Asked(
        f"Point {row + 1} is outside the slab and has α = 0. Take it away: what does the line do?",
        ("It stays where it is", "It moves towards where the point was", "It moves away from there"),
        0 if same else 2,
        "w = Σ αyx does not contain it, and no constraint of it was tight. The line depends on the support vectors "
        "alone.",
    )


def _near(one: Playback, other: Playback) -> bool:
    """True if two answers of a soft margin agree as far as the solver promises."""
    (w, b), (v, c) = weights(one.frame), weights(other.frame)
    return bool(np.hypot(np.linalg.norm(w - v), b - c) <= 1e-3 * np.linalg.norm(w))


def _balance(play: Playback) -> Asked:
    alpha, y = play.frame.weights, play.scene.y
    plus, minus = float(alpha[y > 0].sum()), float(alpha[y < 0].sum())
    return Asked.among(
        f"The weights of the blue points add up to {shown(plus)}. What do those of the orange points add up to?",
        shown(minus),
        [shown(plus / 2), shown(2 * plus), shown(1.5 * plus)],
        f"To the same: {shown(minus)}. The bias b is free to shift the line, so any surplus on one side would push "
        "it on. A balance is the only place to rest.",
    )


def _recruited(start: Playback, now: Playback) -> bool:
    if len(now.scene.points) != len(start.scene.points) or not now.at_end:
        return False
    found = [row for row in kinds(now)["slack"] if start.frame.weights[row] == 0]
    return bool(found) and float(functional(now)[found].min()) < 1.0 - 1e-3


def _count_kinds(start: Playback, now: Playback) -> str:
    found = kinds(now)
    return f"{len(found['margin'])} on the edges, {len(found['slack'])} with slack."


def _recruit(play: Playback) -> Requests:
    row = _idle(play)
    places = ((row, moved_towards(play, row, share)) for share in (0.8, 0.9, 1.0, 1.1, 1.3, 1.6))
    return first_move(play.scene, places, lambda scene: _recruited(play, answer(scene)))


KINDS = Chapter(
    "two-kinds",
    "The two kinds of support vectors",
    "two-kinds",
    (
        Stop(
            "Solid rings and dashed rings",
            "x",
            "The ringed points are the support vectors: those with a weight α above 0. Take all the others away, "
            "and the line stays. There are two kinds of them. A solid ring: the point is exactly on the edge of the "
            "slab, y f(x) = 1, without slack, and its weight is between 0 and C. These points say where the edges "
            "are. A dashed ring: the point is inside the slab or beyond the line, y f(x) < 1, and it uses slack; "
            "its weight is exactly C, the most a point may have.",
            Question(_second_kind),
        ),
        Stop(
            "What a weight tells",
            "rows",
            "The weights are the answer to a second program, the dual, and the two fit together point by point. "
            "Either α = 0, or y f(x) ≤ 1; either α = C, or there is no slack. This is complementary slackness, and "
            "the panel lists it for every point.",
            Question(_where_must),
            scene=preset("overlapping"),
        ),
        Stop(
            "Who is not needed",
            "x",
            "A point beyond its edge has room to spare.",
            Question(_without, lambda play: [{"op": "remove", "row": _idle(play)}]),
        ),
        Stop(
            "A balance of forces",
            "tab",
            "Think of each support vector as pushing on the line with a force α, at right angles to it, the blue "
            "ones one way and the orange ones the other. The line is at rest: the forces cancel, Σ αy = 0, and so "
            "do the torques, which would turn it.",
            Question(_balance),
        ),
        Stop(
            "Recruit one",
            "x",
            "Whether a point is a support vector, and of which kind, is decided by where it is.",
            Task(
                DRAG,
                "Drag a point that has no ring until it gets a dashed one.",
                "Take a point from outside the slab and pull it across its edge, towards the line.",
                _recruited,
                _count_kinds,
                _recruit,
                lambda start, now: (
                    "It uses slack now, and its weight went up from 0 to C. However far you drag it to the wrong "
                    "side, its weight will not exceed C: that is why a soft margin survives a few bad points."
                ),
            ),
        ),
    ),
    tabs=("forces", "margin", "w"),
)
