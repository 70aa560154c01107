"""Records of the tour: a chapter is a few stops on a scene, and a stop says something and asks one thing.

A **question** has choices; which of them is right is worked out by the library on the points of the stop. A **task** is
something to do on the page; whether it is done is decided from the page's own state after every change. Words are made
from the stop's `Playback`: a number in a sentence is a number of these points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from separatrix.lab.playback import Playback
from separatrix.lab.presets import BY_NAME
from separatrix.lab.scene import Scene
from separatrix.lab.stages import STAGE, Stage
from separatrix.lab.tour.means import Means, Requests
from separatrix.lab.views.catalogue import tabs_of

Words = str | Callable[[Playback], str]
Place = tuple[list[float], float]
VERDICTS = ("separable", "quasi-separable", "inseparable")


@dataclass(frozen=True)
class Asked:
    """A question on certain points: ``right`` is the place of the right choice, ``because`` explains it.

    ``slips`` has, for some wrong choices, the sentence that says what is wrong with them.
    """

    text: str
    choices: tuple[str, ...]
    right: int
    because: str
    slips: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def among(
        cls,
        text: str,
        right: str,
        others: Iterable[str],
        because: str,
        slips: Mapping[str, str] | None = None,
    ) -> Asked:
        """Ask for ``right`` among others, without repetition and in the order of their numbers; slips by choice.

        >>> Asked.among("2 + 2?", "4", ["2", "4", "8"], "").choices
        ('2', '4', '8')
        """
        choices = tuple(sorted({right, *others}, key=lambda choice: (_number(choice), choice)))
        said = {choices.index(choice): slip for choice, slip in (slips or {}).items()}
        return cls(text, choices, choices.index(right), because, said)

    def feedback(self, chosen: int) -> str:
        """Return what is said to who chose ``chosen``."""
        if chosen == self.right:
            return f"Right. {self.because}"
        slip = self.slips.get(chosen, "")
        return f"Not quite. {slip + ' ' if slip else ''}The answer is “{self.choices[self.right]}”. {self.because}"


@dataclass(frozen=True)
class Question:
    """Makes a question from a stop's playback; ``then`` is what the page does once it is answered, so that one sees."""

    make: Callable[[Playback], Asked]
    then: Callable[[Playback], Requests] = lambda play: []


@dataclass(frozen=True)
class Task:
    """Something to do on the page, by some means.

    ``done`` decides it and ``status`` says how far it is, both from the stop as it began and from the page now;
    ``show`` has the requests that do it, for who would rather watch.
    """

    means: Means
    text: Words
    hint: Words
    done: Callable[[Playback, Playback], bool]
    status: Callable[[Playback, Playback], str]
    show: Callable[[Playback], Requests]
    praise: Callable[[Playback, Playback], str]


@dataclass(frozen=True)
class Stop:
    """Words on a scene, the part of the page they speak of, and a question or a task.

    ``at`` is one of "x", "tab", "panel", "rows", "settings", "views", "mark". Of ``tabs`` the first that the scene has
    is opened. ``step`` is the step to begin at, None the end of the run; ``place`` puts a separator down by hand.
    """

    title: str
    at: str
    words: Words
    asks: Question | Task | None = None
    scene: Callable[[], Scene] | None = None
    tabs: tuple[str, ...] = ()
    step: int | None = None
    place: Callable[[Playback], Place] | None = None
    look: Mapping[str, Any] | None = None  #: options of the picture, where they differ from the stage's


@dataclass(frozen=True)
class Chapter:
    """Two or three minutes on a stage of the subject, by its name, or on a scene that is no stage.

    ``settings`` are those of every stop; of ``tabs`` a stop opens the first there is, after its own and the stage's.
    """

    name: str
    title: str
    about: str | Callable[[], Scene]
    stops: tuple[Stop, ...]
    tabs: tuple[str, ...] = ("w",)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def stage(self) -> Stage | None:
        """The stage that it is about, if it is about one."""
        return STAGE[self.about] if isinstance(self.about, str) else None

    def scene_of(self, stop: Stop) -> Scene:
        """The points and settings that a stop begins with."""
        make = stop.scene or (STAGE[self.about].make if isinstance(self.about, str) else self.about)
        return make().changed(self.settings)

    def open(self, stop: Stop) -> Playback:
        """The run of a stop, at the step where it begins."""
        play = Playback(self.scene_of(stop))
        play.finish()
        if stop.step is not None:
            play.seek(stop.step)
        if stop.place is not None:
            play.hold(*stop.place(play))
        return play

    def tab_of(self, stop: Stop, scene: Scene) -> str | None:
        """The picture to open: the first wanted that this scene has, else the first that it has."""
        there = tabs_of(scene)
        wanted = [*stop.tabs, *([] if self.stage is None else [self.stage.tab]), *self.tabs]
        return next((tab for tab in wanted if tab in there), there[0] if there else None)

    def look_of(self, stop: Stop, tab: str | None) -> dict[str, Any] | None:
        """Options of the picture of a stop; never so wide that it covers the others."""
        usual = self.stage.look if self.stage is not None and self.stage.tab == tab else None
        wanted = {**(usual or {}), **(stop.look or {})}
        wanted.pop("wide", None)
        return wanted or None


def say(words: Words, play: Playback) -> str:
    """The words of a stop on its playback."""
    return words if isinstance(words, str) else words(play)


def preset(name: str, **settings: Any) -> Callable[[], Scene]:
    """A scene of the presets with some settings changed."""
    return lambda: BY_NAME[name].make().changed(settings)


def comparison(one: float, other: float) -> int:
    """Place of the right choice among less, equal and more.

    >>> comparison(1, 2), comparison(2, 2), comparison(3, 2)
    (0, 1, 2)
    """
    return 0 if one < other else 1 if one == other else 2


def _number(text: str) -> float:
    digits = "".join(sign for sign in text.replace("−", "-") if sign in "-.0123456789")
    try:
        return float(digits)
    except ValueError:
        return 0.0
