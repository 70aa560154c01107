"""The chapter on why the perceptron must stop: u.w grows like k, ||w|| only like the root of k."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import Frame
from separatrix.lab.runs.perceptron import labelled
from separatrix.lab.scene import Scene
from separatrix.lab.tour.chapter import Asked, Chapter, Question, Stop, Task, comparison
from separatrix.lab.tour.facts import radius, steps_to_end, weights, widest
from separatrix.lab.tour.means import DRAG, Requests, finish, first_move
from separatrix.lab.words import shown
from separatrix.types import Vector


def _lifted(scene: Scene, frame: Frame) -> Vector:
    """w with the weight of the fictitious coordinate, b/c."""
    constant = labelled(scene).constant
    w, b = weights(frame)
    return np.append(w, b / constant) if constant else w


def _best(scene: Scene) -> tuple[float, Vector]:
    """The widest margin m and its direction u, of length 1, with the fictitious coordinate."""
    found = widest(scene)
    assert found is not None
    margin, w, b = found
    constant = labelled(scene).constant
    star = np.append(w, b / constant) if constant else w
    return margin, star / np.linalg.norm(star)


def _with_one(scene: Scene) -> str:
    return "" if scene.bias == "none" else ", fictitious coordinate included"


def _progress_words(play: Playback) -> str:
    m, _ = _best(play.scene)
    return (
        "Suppose some line separates the points. Then there is a best direction u, of length 1, which every point "
        f"agrees with by at least m: y(u·x) ≥ m, here m = {shown(m)}{_with_one(play.scene)}. The perceptron does not "
        "know u, but we can watch u·w, how far w has come in that direction."
    )


def _progress(play: Playback) -> Asked:
    scene = play.scene
    m, star = _best(scene)
    along = [float(_lifted(scene, frame) @ star) for frame in play.frames]
    always = all(after - before >= m * (1 - 1e-9) for before, after in pairwise(along))
    return Asked(
        "An update adds yx to w. What does it do to u·w?",
        (
            f"It adds at least m = {shown(m)}",
            f"It adds at least R = {shown(radius(scene))}",
            "It may make it smaller",
        ),
        0 if always else 2,
        "The update adds y(u·x), and that is at least m for every point, whichever it is. So after k updates from w "
        f"= 0, u·w is at least km. After the {play.frame.updates} updates of this run it is "
        f"{shown(along[play.cursor])}.",
        {1: "R is how long the longest point is; a point can be long and still hardly agree with u."},
    )


def _length_words(play: Playback) -> str:
    return (
        "A growing u·w alone would prove nothing: w could simply get longer. But an update is made only at a "
        "mistake, where y(w·x) ≤ 0. So in ‖w + yx‖² = ‖w‖² + 2y(w·x) + ‖x‖² the middle term never adds anything, and "
        f"the last is at most R², with R = {shown(radius(play.scene))} the length of the longest "
        f"point{_with_one(play.scene)}."
    )


def _length(play: Playback) -> Asked:
    scene, k, R = play.scene, play.frame.updates, radius(play.scene)
    sizes = [float(np.linalg.norm(_lifted(scene, frame))) for frame in play.frames]
    holds = all(
        size <= R * math.sqrt(frame.updates) * (1 + 1e-9)
        for size, frame in zip(sizes, play.frames, strict=True)
    )
    return Asked(
        f"So how long can w be, at most, after k = {k} updates?",
        (f"R√k = {shown(R * math.sqrt(k))}", f"Rk = {shown(R * k)}", "There is no limit"),
        0 if holds else 1,
        "Each update adds at most R² to ‖w‖², which makes kR² after k of them, and the root of that is R√k. Here "
        f"‖w‖ is {shown(sizes[play.cursor])}.",
        {1: "That would be so if every jump went straight on; but jumps at mistakes go sideways or back."},
    )


def _meet_words(play: Playback) -> str:
    m, _ = _best(play.scene)
    R = radius(play.scene)
    return (
        "Put the two together. After k updates u·w is at least km, and ‖w‖ is at most R√k. But u·w is never more "
        "than ‖w‖, since u has length 1. So km ≤ R√k. The left side grows like a straight line and the right side "
        f"like a square root: in the end the line overtakes. They meet at k = R²/m² = {shown((R / m) ** 2)}. One "
        "more update would be a contradiction, so the perceptron must stop; and it stops only when no point is wrong."
    )


def _how_many(play: Playback) -> Asked:
    bound, made = play.answers.bound, steps_to_end(play.scene)
    assert bound is not None
    assert made is not None
    most = math.floor(bound.updates)
    return Asked(
        f"The theorem allows {most} updates on these points. How many will this run make?",
        (f"Fewer than {most}", f"Exactly {most}", f"More than {most}"),
        comparison(made, most),
        f"It makes {made}. The bound holds whatever the order of the points, so one particular run may be far below "
        "it. What matters is that there is a bound at all, and that R and m are all it depends on.",
    )


def _bound(play: Playback) -> float:
    found = play.answers.bound
    return math.inf if found is None else found.updates


def _doubled(start: Playback, now: Playback) -> bool:
    return 2.0 * _bound(start) <= _bound(now) < math.inf


def _bound_status(start: Playback, now: Playback) -> str:
    if not math.isfinite(_bound(now)):
        return "No line separates the points now, so there is no bound."
    return f"The theorem allows {shown(math.floor(_bound(now)), 6)} updates now."


def _doubling_move(play: Playback) -> Requests:
    """Bring the point with the least margin nearer to the best separator, until the bound has doubled."""
    found = widest(play.scene)
    assert found is not None
    _, w, b = found
    row = int(np.argmin(play.scene.y * (play.scene.X @ w + b)))
    x1, x2, label = play.scene.points[row]
    f = float(play.scene.X[row] @ w + b)
    moved = (np.array([x1, x2]) - share * f * w / float(w @ w) for share in (0.3, 0.45, 0.6, 0.7, 0.8, 0.9))
    places = ((row, [*at.tolist(), label]) for at in moved)
    return first_move(play.scene, places, lambda scene: _doubled(play, Playback(scene)))


THEOREM = Chapter(
    "theorem",
    "Why the perceptron must stop",
    "theorem",
    (
        Stop("Something that must grow", "tab", _progress_words, Question(_progress)),
        Stop("Something that cannot grow as fast", "tab", _length_words, Question(_length), step=9),
        Stop("They meet", "tab", _meet_words, Question(_how_many, finish), step=9),
        Stop(
            "What makes it slow",
            "x",
            lambda play: (
                f"The bound is (R/m)², here {shown(math.floor(_bound(play)), 6)}: long points and a small margin "
                "make it large. The number of points is not in it at all."
            ),
            Task(
                DRAG,
                "Drag one point so that the theorem allows twice as many updates, or more.",
                "Bring a point nearer to the other class: the margin m shrinks, and the bound grows with 1/m². Do "
                "not go so far that no line is left.",
                _doubled,
                _bound_status,
                _doubling_move,
                lambda start, now: (
                    f"From {shown(math.floor(_bound(start)), 6)} to {shown(math.floor(_bound(now)), 6)}. Classes "
                    "that nearly touch may be learnt slowly, and now you know exactly how slowly."
                ),
            ),
        ),
    ),
    tabs=("theorem", "w"),
    settings={"algorithm": "perceptron", "order": "cyclic", "start": "zero", "step": 1.0},
)
