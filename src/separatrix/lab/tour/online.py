"""Chapters on learning online, and on the proof that no line exists."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np

from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import counted
from separatrix.lab.scene import Point, Scene
from separatrix.lab.tour.chapter import VERDICTS, Asked, Chapter, Question, Stop, Task, comparison, preset
from separatrix.lab.tour.facts import weights, widest
from separatrix.lab.tour.means import ADD, DRAG, Requests, add, finish, first_move


def _newcomer(play: Playback) -> Point:
    """A point that the present line misclassifies although some line would have all of them right; the nearest such."""
    found = widest(play.scene)
    assert found is not None
    margin, w, b = found
    low, high = play.scene.X.min(axis=0) - 1.0, play.scene.X.max(axis=0) + 1.0
    best: tuple[float, Point] | None = None
    for s, t, label in product(np.linspace(0, 1, 33), np.linspace(0, 1, 33), (1, -1)):
        x = np.round((low + (high - low) * np.array([s, t])) * 64.0) / 64.0
        score = float(label * (x @ weights(play.frame)[0] + play.frame.b))
        if score < 0 and label * (float(x @ w) + b) > 0.5 * margin:
            size = float(np.linalg.norm(x - play.scene.X.mean(axis=0)))
            if best is None or size < best[0]:
                best = size, (float(x[0]), float(x[1]), int(label))
    assert best is not None, "the run must not have found the widest margin"
    return best[1]


def _goes_on(play: Playback) -> Asked:
    before = play.frame.updates
    grown = Playback(play.scene)
    grown.finish()
    kept = grown.grow(play.scene.with_point(_newcomer(play)))
    grown.finish()
    more = grown.frame.updates - before
    return Asked(
        "A new point comes in, and this line has it on the wrong side. How does the run go on?",
        ("From the w it has", "From w = 0, with one point more", "It cannot: it has ended"),
        0 if kept else 1,
        f"It keeps its w and goes on visiting, the new point among the others: {counted(more, 'more update')}. This "
        "is what “online” means. The bound counts all mistakes together, in whatever order points arrive.",
    )


def _verdict_status(start: Playback, now: Playback) -> str:
    return f"The verdict is “{now.answers.quick_verdict.verdict}”."


def _impossible(start: Playback, now: Playback) -> bool:
    return (
        len(now.scene.points) > len(start.scene.points) and now.answers.quick_verdict.verdict == "inseparable"
    )


def _intruder(play: Playback) -> Requests:
    middle = play.scene.X[play.scene.y > 0].mean(axis=0)
    return add([float(middle[0]), float(middle[1]), -1])


def _drift_words(play: Playback) -> str:
    return (
        f"Here {len(play.scene.points)} points come one by one, and the line that gives them their labels turns "
        "meanwhile. Each is predicted, learnt from if that was wrong, and never seen again. Beside the learner that "
        "goes on learning there is a copy of it that stopped after the first quarter."
    )


def _mistakes(play: Playback) -> tuple[int, int]:
    """Mistakes of the learner that goes on, and of the copy that stopped, after the first quarter of the stream."""
    scene, stopped = play.scene, max(1, len(play.scene.points) // 4)
    w, b = weights(play.frames[stopped])
    later = slice(stopped, len(scene.points))
    frozen = int(np.count_nonzero(~(scene.y[later] * (scene.X[later] @ w + b) > 0)))
    return play.frames[-1].updates - play.frames[stopped].updates, frozen


def _who_errs(play: Playback) -> Asked:
    online, frozen = _mistakes(play)
    return Asked(
        "In the other three quarters, which of the two makes fewer mistakes?",
        ("The one that goes on learning", "Both the same", "The copy that stopped"),
        comparison(online, frozen),
        f"The learner makes {online} mistakes there, the copy {frozen}. Following a line that moves costs mistakes "
        f"for as long as it moves{'; not following it costs more' if online < frozen else ''}.",
    )


ONLINE = Chapter(
    "online",
    "Online, and when the world drifts",
    "online-drift",
    (
        Stop(
            "A newcomer",
            "x",
            lambda play: (
                f"The run has ended after {counted(play.frame.updates, 'update')}. The perceptron looks at one point "
                "at a time and keeps nothing but w, so it need not know all the points beforehand."
            ),
            Question(_goes_on, lambda play: add(_newcomer(play))),
            scene=preset("origin"),
            tabs=("w",),
        ),
        Stop(
            "An intruder",
            "x",
            "While a line exists that has all points right, old and new, the theorem bounds the mistakes. If the "
            "world drifts, the old points and the new ones may contradict each other.",
            Task(
                ADD,
                "Put down one more point so that no line is left. The tool “−1” adds orange ones.",
                "Put an orange point into the midst of the blue ones.",
                _impossible,
                _verdict_status,
                _intruder,
                lambda start, now: (
                    "Now the run has no end: with each mistake on one point it spoils another. An online learner in "
                    "a drifting world goes on making mistakes for as long as the drift lasts; it follows, but it "
                    "never arrives."
                ),
            ),
            scene=preset("origin"),
            tabs=("w",),
        ),
        Stop("A world that turns", "tab", _drift_words, Question(_who_errs, finish), step=60),
    ),
)


# -- no line exists


def _crossing() -> Scene:
    """Four points of which the two pairs cross, and two that take no part in it."""
    rows = (
        (1.5, 1.0, 1),
        (-1.25, -1.0, 1),
        (-1.0, 1.25, -1),
        (1.0, -1.0, -1),
        (2.5, 2.0, 1),
        (-2.0, 2.5, -1),
    )
    return Scene(points=rows, algorithm="perceptron")


def _any_line(play: Playback) -> Asked:
    kind = play.answers.verdict.verdict
    return Asked(
        "Is there a line with all blue points on one side and all orange ones on the other?",
        ("Yes, the run just needs more time", "Only one that goes through some of the points", "No"),
        VERDICTS.index(kind),
        f"The exact verdict is “{kind}”, and it comes with a proof that anybody can check. No patience helps: the "
        "run would go on for ever.",
    )


def _weights_words(play: Playback) -> str:
    found = play.answers.verdict
    each = ", ".join(
        f"point {row + 1}: {weight}" for row, weight in zip(found.rows, found.weights, strict=True)
    )
    return (
        f"The highlighted points are the proof. Give them these weights: {each}. Multiply each y(x, 1) by its weight "
        "and add up: the sum is exactly (0, 0, 0)."
    )


def _exact_sum(play: Playback) -> list[Fraction]:
    """Sum of the weights times y (x1, x2, 1), in fractions."""
    found = play.answers.verdict
    total = [Fraction(0)] * 3
    for row, weight in zip(found.rows, found.weights, strict=True):
        x1, x2, y = play.scene.points[row]
        total = [t + Fraction(weight) * y * Fraction(v) for t, v in zip(total, (x1, x2, 1), strict=True)]
    return total


def _weighted_sum(play: Playback) -> Asked:
    total = _exact_sum(play)
    return Asked(
        "Take any line (w, b) and add up the y(w·x + b) of these points with the same weights. What comes out?",
        ("0, whatever the line is", "Something positive, if the line is good", "It depends on the line"),
        0 if not any(total) else 2,
        "The sum is the product of (w, b) with the weighted sum of the y(x, 1), which is 0. If a line had all of "
        "them on their own sides, every term would be positive, and so would the sum. Hence no line can do that.",
    )


def _line_now(start: Playback, now: Playback) -> bool:
    return (
        len(now.scene.points) >= len(start.scene.points) and now.answers.quick_verdict.verdict == "separable"
    )


def _uncrossing(play: Playback) -> Requests:
    """Move one of the points that contradict each other to the nearest place where a line exists."""
    found: list[tuple[float, int, list[float]]] = []
    for row in play.answers.verdict.rows:
        x1, x2, label = play.scene.points[row]
        for dx, dy in product(np.linspace(-4, 4, 17), repeat=2):
            point = [x1 + float(dx), x2 + float(dy), label]
            found.append((math.hypot(dx, dy), int(row), point))

    def separates(scene: Scene) -> bool:
        best = widest(scene)
        return best is not None and best[0] > 0.1

    return first_move(play.scene, ((row, point) for _, row, point in sorted(found)), separates)


NO_LINE = Chapter(
    "no-line",
    "No line exists: the proof by weights",
    _crossing,
    (
        Stop(
            "More time?",
            "x",
            "The perceptron has not come to an end on these points.",
            Question(_any_line),
        ),
        Stop("A proof that adds up to nothing", "x", _weights_words, Question(_weighted_sum)),
        Stop(
            "Break the proof",
            "x",
            "The segment between two blue points crosses the segment between two orange ones. The place where they "
            "cross would have to be on both sides of a line.",
            Task(
                DRAG,
                "Drag one point so that a line exists.",
                "Take one of the highlighted points and pull it so far out that the segments no longer cross.",
                _line_now,
                _verdict_status,
                _uncrossing,
                lambda start, now: (
                    "Now a line exists and the perceptron finds it. There is always either a line or such a set of "
                    "weights, never both and never neither."
                ),
            ),
        ),
    ),
)
