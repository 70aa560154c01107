"""The chapter on the step size: from w = 0 it does not matter, from elsewhere it does."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from separatrix.lab.limits import MAX_FRAMES
from separatrix.lab.playback import Playback
from separatrix.lab.scene import Scene
from separatrix.lab.stages import STAGE
from separatrix.lab.tour.chapter import Asked, Chapter, Question, Stop, Task, comparison, preset
from separatrix.lab.tour.facts import norm, steps_to_end
from separatrix.lab.tour.means import set_and_finish, slider
from separatrix.lab.words import shown


def _from_zero(play: Playback) -> str:
    return (
        "The step size ε says how far one update moves w. The page has run the perceptron on these "
        f"{len(play.scene.points)} points from w = 0 with ε = {shown(play.scene.step)}; it took {play.frame.updates} "
        "updates."
    )


def _same_count(play: Playback) -> Asked:
    now, other = steps_to_end(play.scene), steps_to_end(play.scene.changed({"step": 100.0}))
    assert now is not None
    assert other is not None
    return Asked(
        "Predict: how many updates does it take with ε = 100?",
        ("Fewer", "Just as many", "More"),
        comparison(other, now),
        f"It takes {other}. From w = 0 every w of the run is 100 times the old one. No sign of w·x + b changes, so "
        "the same points are misclassified at the same moments, and even the line is the same.",
    )


def _crawling() -> Scene:
    """The scene of the stage, where both a short and a long step are slow, with a tenth of its step size."""
    scene = STAGE["step-size"].make()
    return scene.changed({"step": scene.step / 10})


def _off_zero(play: Playback) -> str:
    return (
        "Things change as soon as the run does not start at 0. Here descent starts at w = y₁x₁, and its first w has "
        f"a length of its own, {shown(norm(play))}, against which a step is short or long."
    )


def _sizes_compared(play: Playback) -> Asked:
    scene = play.scene
    sizes = [scene.step * factor for factor in (0.1, 1.0, 10.0)]
    counts = [_steps(scene, size) for size in sizes]
    words = f"They take {counts[0]}, {counts[1]} and {counts[2]} steps."
    if counts[0] > counts[1]:
        words += " Steps that are too short crawl towards the wedge."
    if counts[2] > counts[1]:
        words += " Steps that are too long jump over it and have to come back."
    return Asked(
        "Which of these step sizes needs the fewest steps here?",
        tuple(f"ε = {shown(size, 3)}" for size in sizes),
        int(np.argmin(counts)),
        words,
    )


def _steps(scene: Scene, size: float) -> int:
    """Steps of descent with a step size, or as many as the page keeps."""
    return steps_to_end(scene.changed({"step": size})) or MAX_FRAMES


@lru_cache(maxsize=8)
def _fewest(scene: Scene) -> tuple[int, float]:
    """The fewest steps that a step size of the slider takes, and that size."""
    return min((_steps(scene, float(size)), float(size)) for size in np.geomspace(0.01, 100.0, 25))


def _enough(play: Playback) -> int:
    """Steps to ask for: a third of the present number, or the fewest there are if that is more."""
    return max(_fewest(play.scene)[0], _total(play) // 3)


def _quick_now(start: Playback, now: Playback) -> bool:
    return now.over and now.scene.step != start.scene.step and _total(now) <= _enough(start)


def _total(play: Playback) -> int:
    return play.frames[-1].updates


def _size_status(start: Playback, now: Playback) -> str:
    return f"With ε = {shown(now.scene.step, 3)} it takes {_total(now)} steps." if now.over else ""


STEP_SIZE = Chapter(
    "step-size",
    "The step size",
    "step-size",
    (
        Stop(
            "From zero it does not matter",
            "settings",
            _from_zero,
            Question(_same_count, lambda play: set_and_finish("step", 100.0)),
            scene=preset("eight"),
            tabs=("w",),
        ),
        Stop("From elsewhere it does", "tab", _off_zero, Question(_sizes_compared), step=0),
        Stop(
            "Find a good one",
            "settings",
            lambda play: f"With ε = {shown(play.scene.step)} descent takes {_total(play)} steps: w crawls.",
            Task(
                slider("step"),
                lambda play: f"Move the slider of ε until descent needs at most {_enough(play)} steps.",
                "The slider is above the pictures, among the settings. Go up: every step gets longer.",
                _quick_now,
                _size_status,
                lambda play: set_and_finish("step", _fewest(play.scene)[1]),
                lambda start, now: (
                    f"{_total(now)} steps instead of {_total(start)}. On other points a step that is too long would "
                    "jump over the wedge and back; a good size has to be looked for."
                ),
            ),
            scene=_crawling,
        ),
    ),
    tabs=("stepsize", "risk"),
)
