"""Chapters on w-space: two spaces and the risk."""

from __future__ import annotations

import math

import numpy as np

from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import counted
from separatrix.lab.tour.chapter import Asked, Chapter, Place, Question, Stop, Task, comparison
from separatrix.lab.tour.facts import ended, following, norm, risk, weights, widest, wrong
from separatrix.lab.tour.means import DRAG_W, STEPS, Requests, finish, move, step
from separatrix.lab.views.wedge import clipped
from separatrix.lab.words import points, shown, verb


def _separating(play: Playback) -> Place:
    """A separator as long as the w of the run: the middle one."""
    found = widest(play.scene)
    assert found is not None, "the chapter's points must be separable"
    _, w, b = found
    size = max(norm(play), 1.0) / float(np.linalg.norm(w))
    return (w * size).tolist(), b * size


def _turned(play: Playback) -> Place:
    """A separator turned by 65 degrees, so that some points but not all are wrong."""
    w, b = _separating(play)
    turn = math.radians(65)
    return [w[0] * math.cos(turn) - w[1] * math.sin(turn), w[0] * math.sin(turn) + w[1] * math.cos(turn)], b


def _two_spaces(play: Playback) -> str:
    n = len(play.scene.points)
    return (
        f"x-space has {n} points of two classes. A line there has a normal vector w, and in w-space that w is a "
        "single point. The other way round, a point x has become a line in w-space: all w with w·x = 0. This line is "
        "the dual of the point, and x is its normal. On one side of it lie the w that put x into its own class."
    )


def _twice_as_far(play: Playback) -> Asked:
    scene = play.scene
    x1, x2, y = scene.points[0]
    moved = scene.moved(0, [2 * x1, 2 * x2, y])
    same = clipped(scene, 0.0, 0.0, 1.0) == clipped(moved, 0.0, 0.0, 1.0)
    return Asked(
        "Point 1 is moved twice as far from the origin, in the same direction. What does its line in w-space do?",
        ("It stays where it is", "It turns", "It moves away from 0"),
        0 if same else 1,
        "w·(2x) = 2 w·x is 0 for the same w, and has the same sign for all others: the line is given by the "
        "direction of x alone.",
        {2: "Without a bias every such line goes through 0, since w = 0 has w·x = 0 for any x."},
    )


def _twice_as_far_then(play: Playback) -> Requests:
    x1, x2, y = play.scene.points[0]
    return move(0, [2 * x1, 2 * x2, y])


def _one_w(play: Playback) -> str:
    w, _ = weights(play.frame)
    return (
        f"Here w = ({shown(w[0], 3)}, {shown(w[1], 3)}) was put down by hand, and x-space shows the line that "
        "belongs to it. A point is misclassified where it is on the wrong side of that line. In w-space the same "
        "fact reads: w is on the wrong side of that point's line."
    )


def _count_wrong(play: Playback) -> Asked:
    rows = wrong(play)
    count = len(rows)
    names = f"{points(rows).capitalize()} {verb(rows, 'is', 'are')}" if rows else "None is"
    return Asked.among(
        "How many points does this w misclassify? Count them in whichever space you like.",
        str(count),
        [str(count + d) for d in (-2, 2, 4) if count + d >= 0],
        f"{names} on the wrong side, in x-space and in w-space alike.",
    )


def _into_the_wedge(start: Playback, now: Playback) -> bool:
    return now.hand is not None and not wrong(now)


def _wedge_status(start: Playback, now: Playback) -> str:
    rows = wrong(now)
    if now.hand is None:
        return "Take hold of w."
    return f"{points(rows).capitalize()} {verb(rows, 'is', 'are')} on the wrong side." if rows else ""


TWO_SPACES = Chapter(
    "two-spaces",
    "Two spaces",
    "two-spaces",
    (
        Stop(
            "A point becomes a line",
            "views",
            _two_spaces,
            Question(_twice_as_far, _twice_as_far_then),
            step=0,
        ),
        Stop("A line becomes a point", "views", _one_w, Question(_count_wrong), place=_turned),
        Stop(
            "Into the wedge",
            "tab",
            "Every point asks w to be on one side of its line. Where all these half-planes overlap is the shaded "
            "wedge, the version space: exactly the w whose line separates the classes.",
            Task(
                DRAG_W,
                "Drag w into the wedge.",
                "w is the round handle in w-space. Watch x-space while you move it: each line of w-space that w "
                "crosses is one point that changes sides there.",
                _into_the_wedge,
                _wedge_status,
                lambda play: [{"op": "hold", "w": _separating(play)[0], "b": _separating(play)[1]}],
                lambda start, now: (
                    "Now w is on the good side of every line, and every point is on the good side of the line of w. "
                    "These are two ways to say one thing: y(w·x) > 0 for all points."
                ),
            ),
            place=_turned,
        ),
    ),
    settings={"bias": "none"},
)


def _risk_words(play: Playback) -> str:
    return (
        "The perceptron risk adds up, over the misclassified points only, how wrong they are: R(w) = Σ −y(w·x). A "
        "point on its own side adds nothing. Over w-space this is a bowl made of flat pieces, with a crease along "
        "each point's line, where that point begins to count. At the first w of this run the risk is "
        f"{shown(risk(play.scene, play.frame))}."
    )


def _risk_in_wedge(play: Playback) -> Asked:
    found = widest(play.scene)
    assert found is not None
    least = risk(play.scene, type(play.frame)(found[1], found[2], np.zeros(0), ""))
    return Asked(
        "What is the risk inside the wedge, where w separates the classes?",
        ("It is 0", "It is small, but above 0", "It depends on how long w is"),
        0 if least == 0 else 1,
        "No point is misclassified there, so the sum is empty. The wedge is the flat floor of the bowl.",
        {2: "Outside the wedge it does: twice the w has twice the risk. Twice nothing is nothing."},
    )


def _descent_words(play: Playback) -> str:
    rows = wrong(play)
    return (
        "The slope of the bowl at w is −Σ yx over the misclassified points. Gradient descent goes the other way: w ← "
        f"w + ε Σ yx. At the first step {points(rows)} {verb(rows, 'is', 'are')} misclassified and ε = "
        f"{shown(play.scene.step)}."
    )


def _lower_after(play: Playback) -> Asked:
    ahead = following(play)
    assert ahead is not None
    before, after = risk(play.scene, play.frame), risk(play.scene, ahead)
    right = comparison(after, before)
    tail = (
        "The step was short enough to stay on the way down."
        if right == 0
        else "Downhill is true only nearby: this step was so long that it came out higher on the other side."
        if right == 2
        else "It came out at the same height."
    )
    return Asked(
        "Predict: one step of descent from here. Will the risk be lower after it?",
        ("Yes, lower", "The same", "No, higher"),
        right,
        f"R was {shown(before)} and is {shown(after)} now. {tail}",
    )


def _risk_status(start: Playback, now: Playback) -> str:
    return f"R = {shown(risk(now.scene, now.frame))} after {counted(now.frame.updates, 'step')}."


RISK = Chapter(
    "risk",
    "The risk, and downhill",
    "risk",
    (
        Stop("A bowl of flat pieces", "tab", _risk_words, Question(_risk_in_wedge), step=0),
        Stop("One step down", "tab", _descent_words, Question(_lower_after, step), step=0),
        Stop(
            "Until nobody is wrong",
            "tab",
            "The slope on the floor is 0, so descent comes to rest there by itself.",
            Task(
                STEPS,
                "Step until the run ends, with the button of the single arrow.",
                "Each press is one step. The button at the right goes to the end at once.",
                ended,
                _risk_status,
                finish,
                lambda start, now: (
                    f"It took {counted(now.frame.updates, 'step')}. Descent rests at the first w that misclassifies "
                    "no point. It does not look for the best of them; that will be the margin's business."
                ),
            ),
            step=0,
        ),
    ),
)
