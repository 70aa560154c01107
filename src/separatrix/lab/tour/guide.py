"""A reader on the tour: the stop, what was answered or done, and the reader's own page, put aside until the end.

    {"op": "tour", "do": "begin", "chapter": "two-spaces", "stop": 0}
    {"op": "tour", "do": "answer", "choice": 2}                              also: again, hint, show, end

The own points, what can be undone of them and their run are not touched while the tour lasts: the stops work on a page
of their own, and when the tour ends the reader's comes back as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from separatrix.lab.edits import Edits
from separatrix.lab.playback import Playback
from separatrix.lab.scene import Scene, SceneError, is_whole
from separatrix.lab.tour.chapter import Asked, Chapter, Question, Stop, Task, say
from separatrix.lab.tour.chapters import CHAPTERS
from separatrix.lab.tour.means import Message, Requests

BY_NAME = {chapter.name: chapter for chapter in CHAPTERS}
_CHANGED = (
    "The points or settings have changed since this stop began; the text above speaks of them as they were."
)


class Page(Protocol):
    """The part of a session that the tour works on."""

    edits: Edits
    playback: Playback | None
    visit: Visit | None

    def perform(self, message: Message) -> Any:
        """Do what a request asks."""
        ...


@dataclass(frozen=True, eq=False)
class Visit:
    """A reader at a stop. ``opened`` is the run as the stop began; nobody else changes it."""

    own: tuple[Edits, Playback | None]
    chapter: Chapter
    place: int
    opened: Playback
    words: str
    asked: Asked | None = None
    chosen: int | None = None
    hinted: bool = False
    done: bool = False
    shown: bool = False
    said: str = ""
    expected: Scene | None = None  #: the scene that the tour itself has made

    @property
    def stop(self) -> Stop:
        """The stop where the reader is."""
        return self.chapter.stops[self.place]


def handle(page: Page, message: Message) -> None:
    """Do what a request of the tour asks for."""
    what = message.get("do")
    if what == "begin":
        chapter, place = _read_place(message)
        begin(page, chapter, place)
    elif what == "end":
        end(page)
    elif what not in _DOINGS:
        raise SceneError(f"do must be one of begin, end, {', '.join(_DOINGS)}.")
    elif page.visit is None:
        raise SceneError("The tour has not begun.")
    else:
        _DOINGS[what](page, page.visit, message)


def begin(page: Page, chapter: Chapter, place: int) -> None:
    """Show a stop; the reader's own page is put aside if it is not yet."""
    own = (page.edits, page.playback) if page.visit is None else page.visit.own
    stop = chapter.stops[place]
    opened = chapter.open(stop)
    asked = stop.asks.make(opened) if isinstance(stop.asks, Question) else None
    visit = Visit(own, chapter, place, opened, say(stop.words, opened), asked)
    page.edits, page.playback = Edits(opened.scene), chapter.open(stop)
    page.visit = visit


def end(page: Page) -> None:
    """Give the reader's own page back."""
    if page.visit is not None:
        page.edits, page.playback = page.visit.own
        page.visit = None


def follow(page: Page) -> None:
    """After a change of the page: perhaps the task is done now."""
    visit = page.visit
    if visit is None or visit.done or page.playback is None or not isinstance(visit.stop.asks, Task):
        return
    if not _comparable(visit.stop.asks, visit, page.playback):
        return
    if visit.stop.asks.done(visit.opened, page.playback):
        said = visit.stop.asks.praise(visit.opened, page.playback)
        page.visit = replace(visit, done=True, said=said)


def told(page: Page) -> Message | None:
    """The card of the tour; None where nobody is on the tour."""
    visit = page.visit
    if visit is None:
        return None
    stop, scene = visit.stop, page.edits.scene
    tab = visit.chapter.tab_of(stop, visit.opened.scene)
    ours = scene in (visit.opened.scene, visit.expected)
    return {
        "chapter": visit.chapter.name,
        "chapter_title": visit.chapter.title,
        "stop": visit.place,
        "stops": len(visit.chapter.stops),
        "title": stop.title,
        "words": visit.words,
        "at": stop.at,
        "tab": tab,
        "look": visit.chapter.look_of(stop, tab),
        "question": _question(visit),
        "task": _task(visit, page.playback),
        "changed": "" if ours else _CHANGED,
    }


def contents() -> Message:
    """The chapters for the menu, and what it says of them."""
    return {
        "says": f"{len(CHAPTERS)} chapters of two to three minutes. Each asks you first: predict, act, check. "
        "Your own points are put aside meanwhile and come back at the end, undo and all.",
        "chapters": [{"name": each.name, "title": each.title, "stops": len(each.stops)} for each in CHAPTERS],
    }


def _question(visit: Visit) -> Message | None:
    if visit.asked is None:
        return None
    answered = visit.chosen is not None
    return {
        "text": visit.asked.text,
        "choices": list(visit.asked.choices),
        "chosen": visit.chosen,
        "right": visit.asked.right if answered else None,  # not to be found in the page before
        "said": visit.said,
    }


def _comparable(task: Task, visit: Visit, play: Playback) -> bool:
    """True if the scene differs from that of the stop only where the task lets the reader change it."""
    was = visit.opened.scene
    return replace(play.scene, **{name: getattr(was, name) for name in task.means.changes}) == was


def _task(visit: Visit, play: Playback | None) -> Message | None:
    task = visit.stop.asks
    if not isinstance(task, Task):
        return None
    if play is None:
        status = "Points of both classes are needed."
    elif not _comparable(task, visit, play):
        status = "Something else has been changed; the task is about the scene that it began with."
    else:
        status = task.status(visit.opened, play)
    return {
        "text": say(task.text, visit.opened),
        "hint": say(task.hint, visit.opened) if visit.hinted else "",
        "keys": task.means.keys,
        "done": visit.done,
        "shown": visit.shown,
        "status": status,
        "said": visit.said,
    }


def _read_place(message: Message) -> tuple[Chapter, int]:
    name, place = message.get("chapter"), message.get("stop", 0)
    if not isinstance(name, str) or name not in BY_NAME:
        raise SceneError(f"There is no chapter {str(name)[:40]!r}; there are {', '.join(BY_NAME)}.")
    chapter = BY_NAME[name]
    if not is_whole(place, 0, len(chapter.stops) - 1):
        raise SceneError(f"stop must be a whole number below {len(chapter.stops)}; got {str(place)[:20]}.")
    return chapter, place


def _again(page: Page, visit: Visit, message: Message) -> None:
    begin(page, visit.chapter, visit.place)


def _answer(page: Page, visit: Visit, message: Message) -> None:
    """Judge the choice; then the page does what the question was about, on the points that it was about."""
    chosen, asked = message.get("choice"), visit.asked
    if asked is None or not isinstance(visit.stop.asks, Question):
        raise SceneError("This stop asks no question.")
    if not is_whole(chosen, 0, len(asked.choices) - 1):
        raise SceneError(f"choice must be a whole number below {len(asked.choices)}; got {str(chosen)[:20]}.")
    if visit.chosen is not None:
        return
    begin(page, visit.chapter, visit.place)
    _perform(page, visit.stop.asks.then(visit.opened))
    page.visit = replace(visit, chosen=chosen, said=asked.feedback(chosen), expected=page.edits.scene)


def _hint(page: Page, visit: Visit, message: Message) -> None:
    page.visit = replace(visit, hinted=True)


def _show(page: Page, visit: Visit, message: Message) -> None:
    """Do the task before the reader's eyes, from where the stop began."""
    if not isinstance(visit.stop.asks, Task):
        raise SceneError("This stop has nothing to show.")
    begin(page, visit.chapter, visit.place)
    _perform(page, visit.stop.asks.show(visit.opened))
    page.visit = replace(visit, shown=True, expected=page.edits.scene)


def _perform(page: Page, messages: Requests) -> None:
    for message in messages:
        page.perform(message)


_DOINGS: dict[str, Callable[[Page, Visit, Message], None]] = {
    "again": _again,
    "answer": _answer,
    "hint": _hint,
    "show": _show,
}
