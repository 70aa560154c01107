"""Chapters on the perceptron, update by update, and on the bias as a fictitious dimension."""

from __future__ import annotations

import math

from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import Frame, counted
from separatrix.lab.runs.perceptron import labelled
from separatrix.lab.tour.chapter import VERDICTS, Asked, Chapter, Question, Stop, Task, preset
from separatrix.lab.tour.facts import ended, following, functional, radius, steps_to_end, weights, wrong
from separatrix.lab.tour.means import STEPS, finish, step
from separatrix.lab.words import points, shown, subscript, verb


def _next(play: Playback) -> tuple[Frame, int]:
    """The next update and its point; the chapters ask only where there is one."""
    ahead = following(play)
    assert ahead is not None
    assert ahead.used
    return ahead, ahead.used[0]


# -- update by update


def _rule(play: Playback) -> str:
    rows = wrong(play)
    return (
        "The perceptron visits the points in order, from the first to the last and round again. A point on its own "
        "side is passed over. At a point on the wrong side, or on the line, w jumps: w ← w + yx, along a point of "
        f"class +1 and against one of class −1. At the start {points(rows)} {verb(rows, 'is', 'are')} on the wrong "
        "side."
    )


def _which_point(play: Playback) -> Asked:
    _, row = _next(play)
    others = [each for each in wrong(play) if each != row][:2]
    right_side = [each for each in range(len(play.scene.points)) if each not in wrong(play)][:1]
    return Asked.among(
        "Predict: which point will w jump along, or against, next? The button “1 2 3” numbers the points.",
        points([row]),
        [points([each]) for each in [*others, *right_side]],
        f"In the order of visits, point {row + 1} is the first that is on the wrong side.",
        {points([each]): f"Point {each + 1} is on its own side." for each in right_side},
    )


def _which_way(play: Playback) -> Asked:
    _, row = _next(play)
    name, label = subscript(row + 1), int(play.scene.y[row])
    return Asked(
        f"The next mistake is point {row + 1}, of class {'+1' if label > 0 else '−1'}. Which way will w jump?",
        (f"Along x{name}", f"Against x{name}"),
        0 if label > 0 else 1,
        f"w ← w + yx with y = {'+1' if label > 0 else '−1'}. The jump is at right angles to the point's line in "
        "w-space, towards the side that this point wants.",
    )


def _enough(play: Playback) -> Asked:
    ahead, row = _next(play)
    scene, name = play.scene, subscript(row + 1)
    before = float(functional(play)[row])
    w, b = weights(ahead)
    after = float(scene.y[row] * (scene.X[row] @ w + b))
    gain = after - before
    length = f"‖x{name}‖² = {shown(gain)}" if scene.bias == "none" else f"‖(x{name}, c)‖² = {shown(gain)}"
    return Asked(
        f"The next update is for point {row + 1}. Will that point be on its own side right after it?",
        ("Yes", "No, not yet"),
        0 if after > 0 else 1,
        f"Before, y(w·x) was {shown(before)}. Adding yx to w adds {length}, so it is {shown(after)} now. One update "
        "always improves its own point; it need not be enough, and it may spoil others.",
    )


def _updates(start: Playback, now: Playback) -> str:
    rows = wrong(now)
    where = f"; {points(rows)} {verb(rows, 'is', 'are')} wrong" if rows else ""
    return f"{counted(now.frame.updates, 'update')} so far{where}."


UPDATES = Chapter(
    "perceptron",
    "The perceptron, update by update",
    "perceptron",
    (
        Stop("One mistake, one jump", "views", _rule, Question(_which_point, step), step=0),
        Stop(
            "Along or against",
            "views",
            "A mistake moves w by the point itself, no more and no less. Look for the next mistake in x-space, and "
            "for its line in w-space.",
            Question(_which_way, step),
            step=1,
        ),
        Stop(
            "Is one jump enough?",
            "views",
            "An update is made for the sake of one point. It is not the shortest jump that puts the point right, "
            "nor always a long enough one.",
            Question(_enough, step),
            step=4,
        ),
        Stop(
            "Round and round",
            "tab",
            "The run ends with a pass in which nobody is wrong. Then w is inside the wedge.",
            Task(
                STEPS,
                "Step on until the run ends, with the button of the single arrow.",
                "Every press is one update. The button at the right goes to the end at once.",
                ended,
                _updates,
                finish,
                lambda start, now: (
                    f"{counted(now.frame.updates, 'update')}, then a pass without a mistake. Why it had to end is "
                    "the chapter after the next."
                ),
            ),
            step=4,
        ),
    ),
    settings={"algorithm": "perceptron", "order": "cyclic"},
)


# -- the bias


def _through_origin(play: Playback) -> Asked:
    kind = play.answers.verdict.verdict
    return Asked(
        "Can a line through the origin separate these points?",
        ("Yes", "Almost: some points would have to lie on it", "No"),
        VERDICTS.index(kind),
        f"The exact verdict is “{kind}”."
        + (
            " Seen from the origin, the two classes lie in the same directions; a line must be free to miss the origin."
            if kind == "inseparable"
            else ""
        ),
    )


def _bias_moves(play: Playback) -> Asked:
    ahead, row = _next(play)
    y, R = int(play.scene.y[row]), math.sqrt(radius(play.scene) ** 2 - labelled(play.scene).gain)
    moved = ahead.b - play.frame.b
    others = [-moved, y * R, -y * R] if play.scene.bias == "unit" else [-moved, y * R, float(y)]
    column = "1" if play.scene.bias == "unit" else "R"
    rule = "b ← b + y" if play.scene.bias == "unit" else f"b ← b + yR², with R² = {shown(R * R)}"
    return Asked.among(
        f"The next mistake is point {row + 1}, with y = {'+1' if y > 0 else '−1'}. By how much does b change?",
        shown(moved),
        map(shown, others),
        f"The third coordinate is {column}, so the third weight moves by y·{column}, and b is {column} times that "
        f"weight: {rule}.",
    )


def _radius_words(play: Playback) -> str:
    unit, long = (steps_to_end(play.scene.changed({"bias": bias})) for bias in ("unit", "radius"))
    R = math.sqrt(radius(play.scene) ** 2 - labelled(play.scene).gain)
    words = (
        f"Beside points as far from 0 as R = {shown(R)}, a coordinate of 1 is short, and b learns slowly. The "
        "constant may be R as well, then b ← b + yR²."
    )
    if unit is None or long is None:
        return words
    return f"{words} On these points the column of 1 takes {unit} updates, the column of R takes {long}."


BIAS = Chapter(
    "fictitious-dimension",
    "The bias as a fictitious dimension",
    "fictitious-dimension",
    (
        Stop(
            "Lines through 0 are too few",
            "x",
            "So far every line went through the origin, since f(x) = w·x is 0 there. Look at these points.",
            Question(_through_origin),
            scene=preset("eight", bias="none"),
            tabs=("w",),
        ),
        Stop(
            "A coordinate that is always 1",
            "tab",
            "Give every point a third coordinate that is always 1: x becomes (x₁, x₂, 1). Then w·x + b is the plain "
            "product of (w₁, w₂, b) with it, and the perceptron may run without knowing of any bias. A plane through "
            "the origin of this larger space meets the floor of the points in a line that need not go through 0.",
            Question(_bias_moves, step),
            scene=preset("eight", bias="unit"),
            step=1,
        ),
        Stop(
            "A longer column",
            "tab",
            _radius_words,
            Question(_bias_moves, step),
            scene=preset("eight", bias="radius"),
            step=1,
        ),
    ),
    tabs=("column", "solid"),
)
