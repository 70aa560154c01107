"""A stream and its mistakes so far: the learner that goes on learning, against itself as it was after the first part.

Also what x-space shows of a stream: points that have not come are hidden, old ones fade, the line that gives the labels
is dashed, where it is known.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from separatrix.lab.encode import numbers
from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import counted
from separatrix.lab.scene import Scene, truth_at
from separatrix.lab.words import shown
from separatrix.types import Vector

_FADED, _MEMORY = 0.12, 40  # opacity of an old point, and the points after which one is old
_RECENT = 30  # points over which the newest mistakes are counted


def frozen_at(scene: Scene) -> int:
    """Points after which the other learner learns no more: the first quarter."""
    return max(1, len(scene.points) // 4)


def seen_of(play: Playback) -> int:
    """Points that have come, at the step that is shown."""
    row = play.frames[play.cursor].row
    return 0 if row is None else row + 1


def stream_part(play: Playback) -> dict[str, Any]:
    """Data to draw a stream in x-space: how much of each point is seen, and the line that gives the labels now."""
    scene, seen = play.scene, seen_of(play)
    age = seen - 1 - np.arange(len(scene.points))
    fade = np.where(age < 0, 0.0, np.maximum(_FADED, 1.0 - age / _MEMORY))
    truth = None if scene.drift is None else numbers(truth_at(scene.drift, max(0, seen - 1)))
    return {"fade": numbers(np.round(fade, 3)), "truth": truth}


def mistakes_view(play: Playback) -> dict[str, Any]:
    """Mistakes against points, of both learners, up to the step that is shown."""
    scene, seen, freeze = play.scene, seen_of(play), frozen_at(play.scene)
    online = np.array([frame.updates for frame in play.frames[: seen + 1]], dtype=np.float64)
    frozen = frozen_mistakes(play, seen)
    steps = np.arange(seen + 1)
    return {
        "online": numbers(np.column_stack([steps, online])),
        "frozen": None if frozen is None else numbers(np.column_stack([steps, frozen])),
        "freeze": freeze,
        "points": len(scene.points),
        "says": says(play, online, frozen),
    }


def frozen_mistakes(play: Playback, seen: int) -> Vector | None:
    """Mistakes so far of the learner that stopped after the first part, shape (seen + 1,); None before it does."""
    scene, freeze = play.scene, frozen_at(play.scene)
    if seen <= freeze:
        return None
    w, b = play.frames[freeze].w, play.frames[freeze].b
    assert w is not None
    later = slice(freeze, seen)
    # The rule of the perceptron: a point on the boundary counts as wrong.
    wrong = ~(scene.y[later] * (scene.X[later] @ w + b) > 0)
    first = [frame.updates for frame in play.frames[: freeze + 1]]
    return np.concatenate([first, first[-1] + np.cumsum(wrong)]).astype(np.float64)


def says(play: Playback, online: Vector, frozen: Vector | None) -> list[str]:
    """Sentences on the mistakes, the recent ones, and the distance of each line from the truth."""
    seen, freeze, n = seen_of(play), frozen_at(play.scene), len(play.scene.points)
    words = ["A point comes once: it is predicted, then learnt from if that was wrong, and never seen again."]
    if seen == 0:
        return [*words, f"{counted(n, 'point')} will come; the first has not yet."]
    recent = min(_RECENT, seen - freeze) if frozen is not None else min(_RECENT, seen)
    part = f"in the last {counted(recent, 'point')}"
    words.append(f"Online: {_count(online, recent, part)}, after {counted(seen, 'point')} of {n}.")
    if frozen is None:
        words.append(f"After point {freeze} a copy is frozen, to be compared with.")
    else:
        words.append(f"Frozen after point {freeze}: {_count(frozen, recent, part)}.")
    words += _truth_words(play, seen)
    if play.hand is not None:
        words.append("The chart is that of the run; the w that you placed is not in it.")
    return words


def _count(mistakes: Vector, recent: int, part: str) -> str:
    newest = int(mistakes[-1] - mistakes[-1 - recent])
    return f"{counted(int(mistakes[-1]), 'mistake')}, {newest} {part}"


def _truth_words(play: Playback, seen: int) -> list[str]:
    """The angle of each learner's line to the dashed one, and labels that it did not give."""
    scene, freeze = play.scene, frozen_at(play.scene)
    if scene.drift is None:
        return []
    truth = truth_at(scene.drift, seen - 1)
    words = [
        f"The dashed line, by which points get their labels, has turned by {shown(scene.drift * (seen - 1), 3)}°"
    ]
    now, then = play.frames[play.cursor].w, play.frames[freeze].w if seen > freeze else None
    for name, w in (("the online line is {}° from it", now), ("the frozen one {}°", then)):
        if w is not None and np.any(w):
            words.append(name.format(shown(_angle(w, truth), 3)))
    given = scene.labelled_by_truth().points
    strange = sum(1 for row in range(seen) if scene.points[row] != given[row])
    text = f"{'; '.join([words[0], ', '.join(words[1:])] if words[1:] else words)}."
    if strange == 0:
        return [text]
    verb = "has" if strange == 1 else "have"
    return [text, f"{counted(strange, 'point')} so far {verb} another label than it gives."]


def _angle(w: Vector, truth: tuple[float, float]) -> float:
    """Degrees between the normals of two lines: 0 where they agree, 180 where every label is turned round."""
    return abs(math.degrees(math.atan2(w[0] * truth[1] - w[1] * truth[0], w[0] * truth[0] + w[1] * truth[1])))
