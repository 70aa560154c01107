"""Three sizes of step from one start: too small crawls, too large jumps over the valley; and steps against size.

The middle size is the scene's own. Each run is the library's descent, and its map is the risk at the b where it stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from separatrix.lab.encode import number, numbers, packed
from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import counted, frames_up_to
from separatrix.lab.runs.gradient import GradientRun
from separatrix.lab.scene import Scene
from separatrix.lab.views.risk import values_at
from separatrix.lab.views.w import round_up
from separatrix.lab.words import shown
from separatrix.types import Vector

_FACTOR = 10.0  # between a size and the next: less, and the three look alike
_LEAST, _MOST = 1e-4, 1e4  # sizes that a scene may have
_STEPS, _QUICK = 300, 40  # steps of each run: at rest, and while something is dragged
_GRID, _COARSE = 41, 17  # points on a side of a map, a third of a picture wide: at rest, and during a drag
_ROOM = 1.25  # of the way itself: the window of its map
_SIZES = np.geomspace(1e-2, 1e2, 25)
_LIMIT = 1000  # steps that one size is given, for steps against size


@dataclass(frozen=True, eq=False)
class Descent:
    """The way of one size: (w1, w2, b) before each step and at the end, with the risk there."""

    size: float
    path: Vector  #: (steps + 1, 3)
    risk: Vector  #: (steps + 1,)
    ended: bool

    @property
    def steps(self) -> int:
        """Steps made."""
        return len(self.risk) - 1


@lru_cache(maxsize=8)
def descents(scene: Scene, most: int) -> tuple[Descent, ...]:
    """A tenth of the scene's size, that size, and ten times it, within what a scene may have."""
    sizes = sorted({float(np.clip(scene.step * f, _LEAST, _MOST)) for f in (1 / _FACTOR, 1.0, _FACTOR)})
    found = []
    for size in sizes:
        frames, ended = frames_up_to(GradientRun(scene.changed({"step": size})), most)
        path = np.array([[*(np.zeros(2) if f.w is None else f.w), f.b] for f in frames])
        found.append(Descent(size, path, values_at(scene, path), ended))
    return tuple(found)


def step_size_view(play: Playback, quick: bool = False, aspect: float = 1.0) -> dict[str, Any]:
    """The three maps with their ways as far as the run is shown, whole ones at its end, and R against steps.

    ``aspect`` is a map's width over its height.
    """
    scene = play.scene
    found = descents(scene, _QUICK if quick else _STEPS)
    whole = play.at_end or play.settled or play.hand is not None
    return {
        "whole": whole,
        "step": play.cursor,
        "runs": [_map(scene, each, None if whole else play.cursor, quick, aspect) for each in found],
        "says": says(play, found, quick),
    }


def _map(scene: Scene, run: Descent, until: int | None, quick: bool, aspect: float) -> dict[str, Any]:
    """One map: the risk at the b of the last place that is shown, the way there, and what is true of it."""
    last = run.steps if until is None else min(until, run.steps)
    # The whole way in sight, whichever way the map is longer; the origin only where the way is near it.
    low, high = run.path[:, :2].min(axis=0), run.path[:, :2].max(axis=0)
    centre, wide = (low + high) / 2.0, (max(1.0, aspect), max(1.0, 1.0 / aspect))
    half = round_up(_ROOM * max(float((high - low)[k]) / 2.0 / wide[k] for k in range(2)))
    points = _COARSE if quick else _GRID
    first, second = (
        np.linspace(centre[k] - half * wide[k], centre[k] + half * wide[k], points) for k in range(2)
    )
    b = float(run.path[last, 2])
    grid = np.column_stack([np.tile(first, points), np.repeat(second, points), np.full(points * points, b)])
    return {
        "size": number(run.size),
        "own": run.size == scene.step,
        "centre": numbers(centre),
        "half": number(half),
        "window": numbers([first[0], first[-1], second[0], second[-1]]),
        "b": number(b),
        "points": points,
        "values": packed(values_at(scene, grid)),
        "path": numbers(run.path[: last + 1, :2]),
        "curve": numbers(np.column_stack([np.arange(last + 1), run.risk[: last + 1]])),
        "name": f"ε = {shown(run.size)}",
        "says": _caption(run, last, quick),
    }


def _caption(run: Descent, last: int, quick: bool) -> str:
    """Steps and rises of one run, as far as it is shown."""
    if last < run.steps:
        return f"step {last}: R = {shown(float(run.risk[last]), 3)}"
    if quick and not run.ended:
        return f"more than {counted(run.steps, 'step')}"
    ended = counted(run.steps, "step") if run.ended else f"no end in {run.steps} steps"
    rises = int(np.count_nonzero(np.diff(run.risk) > 0))
    if run.steps == 0:
        return ended
    return f"{ended}; R rose in {rises}" if rises else f"{ended}; R never rose"


def says(play: Playback, found: tuple[Descent, ...], quick: bool) -> list[str]:
    """Why the size matters here, or why it does not."""
    scene = play.scene
    if scene.start == "zero":
        same = len({(run.steps, run.ended) for run in found}) == 1
        tail = (
            "The three pictures are one, drawn at three scales."
            if same
            else "Only rounding tells the three runs apart."
        )
        return [
            "From w = 0 the size of the step does not matter: every w is ε times the w of ε = 1, so y f has the same "
            f"signs and the same points are misclassified. {tail} Start at w = y₁x₁ to see it matter."
        ]
    if all(run.steps == 0 and run.ended for run in found):
        return [
            "The start w = y₁x₁ has every point on its own side already: no step is made, whatever its size."
        ]
    words = [] if quick else _sizes_words(found)
    line = "line through the origin" if scene.bias == "none" else "line"
    if play.answers.quick_verdict.verdict != "separable":
        words.append(f"No {line} separates these points, so no size comes to an end.")
    words.append(
        "A step is ε times the sum of yx over the misclassified points, against a start that has a length of its own. "
        "The larger ε, the less that length counts: in the end a larger ε only scales the whole way, as from w = 0."
    )
    return words


def _sizes_words(found: tuple[Descent, ...]) -> list[str]:
    """The first step of each size against the start, and what became of it."""
    words = []
    ended = [run.steps for run in found if run.ended]
    for run in found:
        length = float(np.linalg.norm(run.path[0]))
        if run.steps == 0 or length == 0:
            continue
        first = float(np.linalg.norm(run.path[1] - run.path[0])) / length
        rises = int(np.count_nonzero(np.diff(run.risk) > 0))
        text = f"ε = {shown(run.size)}: the first step is {shown(first, 2)} times as long as the start"
        if run.ended and run.steps == min(ended):
            text += f"; no other ends sooner than its {counted(run.steps, 'step')}"
        elif rises == 0:
            text += ", and the risk sinks little by little"
        else:
            text += "; where the risk rose, a step went beyond the lowest place on its way"
        words.append(f"{text}.")
    return words


def step_sizes(scene: Scene) -> dict[str, Any]:
    """Steps of descent until no row is misclassified, for each of many step sizes; None where the limit came first."""
    start = scene.changed({"algorithm": "gradient", "rule": "fixed", "start": "row"})
    counts: list[int | None] = []
    for size in _SIZES:
        run = GradientRun(start.changed({"step": float(size)}))
        while run.descent.updates < _LIMIT and run.descent.step():
            pass
        counts.append(run.descent.updates if run.descent.updates < _LIMIT else None)
    ended = [count for count in counts if count is not None]
    words = (
        f"No size between 0.01 and 100 separates these points within {_LIMIT} steps."
        if not ended
        else "The start w = y₁x₁ separates already: no size needs a step."
        if max(ended) == 0
        else f"From w = y₁x₁, between {min(ended)} and {counted(max(ended), 'step')}"
        + (f"; some sizes need more than {_LIMIT}." if None in counts else ".")
    )
    return {"sizes": numbers(_SIZES), "steps": counts, "limit": _LIMIT, "says": words}
