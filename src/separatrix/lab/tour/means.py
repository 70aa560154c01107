"""The means by which a task of the tour is done, and the requests that do it on the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from separatrix.lab.playback import Playback
from separatrix.lab.scene import Scene
from separatrix.lab.tour.facts import answer

Message = dict[str, Any]
Requests = list[Message]


@dataclass(frozen=True)
class Means:
    """The fields of the scene that a task is done by, and the sentence that says how without a pointer.

    With other fields changed it is another task.
    """

    changes: tuple[str, ...]
    keys: str


DRAG = Means(
    ("points",),
    "With the keyboard: go to x-space, choose a point with [ or ], move it with the arrow keys.",
)
ADD = Means(
    ("points",),
    "With the keyboard: 1 or 2 chooses the class; in x-space arrow keys move the cross, and Enter adds a point.",
)
DRAG_W = Means((), "With the keyboard: go to w-space and use the arrow keys.")
STEPS = Means((), "With the keyboard: S is a step, E goes to the end.")


def slider(name: str) -> Means:
    """The slider of a setting."""
    return Means((name,), "With the keyboard: go to the slider and use the arrow keys.")


def step(play: Playback) -> Requests:
    """The request for one more step of the run."""
    return [{"op": "step"}]


def finish(play: Playback) -> Requests:
    """The request for the end of the run."""
    return [{"op": "finish"}]


def move(row: int, point: Sequence[float]) -> Requests:
    """The request that moves a point, given as x1, x2 and its label."""
    return [{"op": "move", "row": row, "point": list(point)}]


def add(point: Sequence[float]) -> Requests:
    """The request that adds a point, given as x1, x2 and its label."""
    return [{"op": "add", "point": list(point)}]


def set_and_finish(name: str, value: float) -> Requests:
    """The requests that change a setting and run to the end."""
    return [{"op": "set", "settings": {name: value}}, {"op": "finish"}]


def first_setting(
    name: str, values: tuple[float, ...], done: Callable[[Playback, Playback], bool]
) -> Callable[[Playback], Requests]:
    """The requests that move a slider to the first of some values that do a task."""

    def show(play: Playback) -> Requests:
        for value in values:
            if done(play, answer(play.scene.changed({name: value}))):
                return set_and_finish(name, value)
        raise AssertionError(f"no {name} of the slider does the task")

    return show


def first_move(
    scene: Scene, places: Iterable[tuple[int, Sequence[float]]], good: Callable[[Scene], bool]
) -> Requests:
    """The request for the first of some moves, each a row and its new point, whose scene is good."""
    for row, point in places:
        if good(scene.moved(row, list(point))):
            return move(row, point)
    raise AssertionError("no single move does the task")
