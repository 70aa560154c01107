"""One page's side of the conversation: a request comes in, the scene or the run changes, what is asked for goes out.

    {"id": 7, "op": "move", "row": 3, "point": [1.0, 2.0, 1], "grab": 2, "want": {"x": {}, "panel": {}}}
    {"id": 7, "scene": {...}, "run": {...}, "x": {...}, "panel": {...}}          or   {"id": 7, "error": "..."}

Nothing here knows of the web: the server and the notebook widget hand over plain objects. A request that cannot be
understood is answered with a sentence and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from separatrix import __version__
from separatrix.lab.edits import Edits
from separatrix.lab.encode import number
from separatrix.lab.export.page import page
from separatrix.lab.export.recording import record
from separatrix.lab.export.script import script
from separatrix.lab.formulas import formulas
from separatrix.lab.hand import read_place
from separatrix.lab.limits import MAX_STEPS_AT_ONCE
from separatrix.lab.mark_one import MarkOne
from separatrix.lab.playback import Playback
from separatrix.lab.presets import BY_NAME, PRESETS
from separatrix.lab.runs.frame import Frame
from separatrix.lab.scene import Scene, SceneError, is_whole
from separatrix.lab.stages import STAGE, STAGES
from separatrix.lab.tour import guide
from separatrix.lab.views.catalogue import TABS, tabs_of, views
from separatrix.lab.views.gram import kernel_pair
from separatrix.lab.views.risk import compared_paths
from separatrix.lab.views.step_size import step_sizes
from separatrix.lab.views.validation import can_validate, check_third, learnt, shows_rest
from separatrix.lab.views.x import probe

Message = dict[str, Any]


class Session:
    """The scene of one page, its run, and what can be taken back.

    >>> session = Session()
    >>> reply = session.handle({"id": 1, "op": "preset", "name": "eight"})
    >>> reply["id"], len(reply["scene"]["points"]), reply["run"]["updates"]
    (1, 8, 106)
    >>> session.handle({"id": 2, "op": "fly"})["error"]
    "There is no operation 'fly'."
    """

    def __init__(self) -> None:
        self.edits = Edits(Scene())
        self.playback: Playback | None = None
        self.mark_one = MarkOne()
        self.visit: guide.Visit | None = None  #: the reader's stop on the tour
        self._operations: dict[str, Callable[[Message], Message | None]] = {
            "hello": lambda message: {"hello": hello() | {"tour": guide.contents()}},
            "load": self._load,
            "preset": self._preset,
            "stage": self._stage,
            "clear": self._clear,
            "set": self._set,
            "add": self._add,
            "move": self._move,
            "remove": self._remove,
            "undo": self._undo,
            "redo": self._redo,
            "step": lambda message: self._play("forward", message),
            "back": lambda message: self._play("back", message),
            "seek": self._seek,
            "finish": lambda message: self._playback().finish(),
            "look": self._look,
            "hold": lambda message: self._playback().hold(
                *read_place(self.scene, message.get("w"), message.get("b"))
            ),
            "release": lambda message: self._playback().release(),
            "probe": self._probe,
            "pair": self._pair,
            "compare": lambda message: {"compare": compared_paths(self._playback().scene)},
            "step-sizes": lambda message: {"step_sizes": step_sizes(self._playback().scene)},
            "certificate": lambda message: {"certificate": self._playback().answers.certificate_document()},
            "certificates": lambda message: {"certificates": self._playback().answers.certificate_texts()},
            "mark": lambda message: {"mark": self.mark_one.handle(message)},
            "tour": lambda message: guide.handle(self, message),
            "python": lambda message: {"python": script(self._playback().answers)},
            "page": self._page,
        }

    @property
    def scene(self) -> Scene:
        """The points and settings now."""
        return self.edits.scene

    def handle(self, message: Any) -> Message:
        """Answer one request; whatever is wrong with it becomes the field ``error``."""
        name = message.get("id") if isinstance(message, dict) else None
        reply: Message = {"id": name if isinstance(name, int | str) else None}
        before = self.edits, copy(self.edits), self.playback, self.visit
        try:
            if not isinstance(message, dict):
                raise SceneError("A message must be an object with the field op.")
            reply.update(self.perform(message) or {})
            guide.follow(self)
            reply["scene"] = self.scene.to_json()
            reply["run"] = self._progress("grab" in message)
            reply["tour"] = guide.told(self)
            reply.update(views(self.playback, message.get("want", {})))
        except ValueError as error:  # a SceneError, or the library's own sentence
            edits, as_it_was, self.playback, self.visit = before
            edits.__dict__.update(as_it_was.__dict__)  # the same object: the tour may have put it aside
            self.edits = edits
            reply["error"] = str(error)
        return reply

    def perform(self, message: Message) -> Message | None:
        """Do what a request asks; what only its sender wants to know comes back."""
        operation = self._operations.get(str(message.get("op")))
        if operation is None:
            raise SceneError(f"There is no operation {str(message.get('op'))[:40]!r}.")
        return operation(message)

    def _progress(self, quick: bool) -> Message:
        shown: Message = {
            "undo": self.edits.can_undo,
            "redo": self.edits.can_redo,
            "ready": self.playback is not None,
            "tabs": tabs_of(self.scene),
        }
        if self.playback is None:
            return shown | {
                "step": 0,
                "steps": 0,
                "over": False,
                "note": self._missing(),
                "formulas": [],
                "named": [],
            }
        play, frame = self.playback, self.playback.frame
        return shown | {
            "step": play.cursor,
            "steps": len(play.frames) - 1,
            "over": play.at_end,
            "full": play.full,
            "leapt": play.leapt,
            "by_hand": play.hand is not None,
            "note": play.sentence(quick),
            "formulas": [] if quick else formulas(play),  # while something is dragged nobody reads them
            "named": play.named(),
            "row": None if play.at_end else frame.row,
            "updates": frame.updates,
            "void": play.at_end and bool(getattr(play.run, "inseparable", False)),
            "size": number(frame.size),
        }

    def _missing(self) -> str:
        if not self.scene.points:
            return "Click in x-space to put down the first point."
        present = self.scene.points[0][2]
        return f"Now add a point of the other class, {'−1' if present > 0 else '+1'}."

    def _playback(self) -> Playback:
        if self.playback is None:
            raise SceneError("Points of both classes are needed first.")
        return self.playback

    def _restart(self, to: str, message: Message | None = None) -> None:
        """A new run on the scene: shown at its end, or as far as the old one had come; a drag leaps there."""
        old, self.playback = self.playback, None
        if not self.scene.two_classes:
            return
        play = Playback(self.scene, None if old is None else old.answers.proved)
        if to == "end" or (to == "same" and (old is None or old.settled)):
            before = None if old is None or not old.over else old.frames[-1]
            play.finish(leap=message is not None and "grab" in message, before=before)
        elif to == "same" and old is not None:
            play.seek(old.cursor)
        if to == "same" and old is not None and old.hand is not None and self.scene.bias == old.scene.bias:
            self._place(play, old.hand.frame)
        self.playback = play

    def _place(self, play: Playback, frame: Frame) -> None:
        """Keep a separator that was placed by hand, whatever the points do."""
        if frame.w is not None and not play.scene.has_kernel:
            play.hold(frame.w.tolist(), frame.b)

    def _load(self, message: Message) -> None:
        self.edits.change(Scene.from_json(message.get("scene")))
        self._restart("end")

    def _preset(self, message: Message) -> None:
        name = message.get("name")
        if not isinstance(name, str) or name not in BY_NAME:
            raise SceneError(f"There is no preset {str(name)[:40]!r}; there are {', '.join(BY_NAME)}.")
        self.edits.change(BY_NAME[name].make())
        self._restart("end")

    def _stage(self, message: Message) -> Message:
        name = message.get("name")
        if not isinstance(name, str) or name not in STAGE:
            raise SceneError(f"There is no stage {str(name)[:40]!r}; there are {', '.join(STAGE)}.")
        stage = STAGE[name]
        self.edits.change(stage.make())
        self._restart("end")
        if stage.step is not None:
            self._playback().seek(stage.step)
        return {"stage": {"name": stage.name, "title": stage.title, "tab": stage.tab}}

    def _clear(self, message: Message) -> None:
        self.edits.change(Scene().changed(_settings(self.scene)))
        self._restart("end")

    def _set(self, message: Message) -> None:
        patch = message.get("settings")
        if not isinstance(patch, dict):
            raise SceneError("settings must be an object of names and values.")
        scene = self.scene.changed(patch)
        scene = scene.labelled_by_truth() if "drift" in patch else scene
        self.edits.change(scene, message.get("grab"))
        self._restart("end" if "algorithm" in patch else "same", message)

    def _add(self, message: Message) -> None:
        self.edits.change(self.scene.with_point(message.get("point")))
        if self.playback is None:
            self._restart("end")
            return
        ended = self.playback.settled
        if not self.playback.grow(self.scene):
            self._restart("same")
        elif ended and not message.get("playing"):
            self.playback.finish()

    def _move(self, message: Message) -> None:
        self.edits.change(self.scene.moved(message.get("row"), message.get("point")), message.get("grab"))
        self._restart("same", message)

    def _remove(self, message: Message) -> None:
        self.edits.change(self.scene.without(message.get("row")))
        self._restart("same")

    def _undo(self, message: Message) -> None:
        self.edits.undo()
        self._restart("same")

    def _redo(self, message: Message) -> None:
        self.edits.redo()
        self._restart("same")

    def _play(self, way: str, message: Message) -> None:
        play = self._playback()
        count = message.get("count", 1)
        if not is_whole(count, 1, MAX_STEPS_AT_ONCE):
            raise SceneError(
                f"count must be a whole number from 1 to {MAX_STEPS_AT_ONCE}; got {str(count)[:20]}."
            )
        getattr(play, way)(count)

    def _seek(self, message: Message) -> None:
        play = self._playback()
        place = message.get("step")
        if not is_whole(place, 0, 1_000_000):
            raise SceneError(f"step must be a whole number; got {str(place)[:20]}.")
        play.seek(place)

    def _page(self, message: Message) -> Message:
        """The scene as a page that needs nobody, looked at as ``state`` says: what a link keeps."""
        state = message.get("state")
        if not isinstance(state, dict):
            raise SceneError("state must be an object: what a link to the page holds.")
        self._playback()
        return {"page": page(record(Session().handle, {**state, "scene": self.scene.to_json()}))}

    def _look(self, message: Message) -> None:
        if self.playback is not None and not message.get("dragging"):
            self.playback.unfold()

    def _probe(self, message: Message) -> Message:
        at = message.get("at")
        if not isinstance(at, list) or len(at) != 2 or not all(isinstance(v, int | float) for v in at):
            raise SceneError("at must be [x1, x2].")
        if self.playback is None:
            return {"probe": None}
        run, frame = self.playback.run, self.playback.frame
        third = message.get("third")
        if third is not None and can_validate(self.scene) and shows_rest(self.playback):
            run, frame = learnt(self.scene, check_third(third))
        return {"probe": probe(run, frame, np.array(at, dtype=np.float64))}

    def _pair(self, message: Message) -> Message:
        rows = message.get("rows")
        if not isinstance(rows, list) or len(rows) != 2 or not self.scene.has_kernel:
            raise SceneError("rows must be two points of a scene with a kernel.")
        return {"pair": kernel_pair(self.scene, *rows)}


def hello() -> Message:
    """Return what the page needs once: presets, tabs and stages by name and title, and the version."""
    presets = [{"name": each.name, "title": each.title, "about": each.about} for each in PRESETS]
    tabs = [{"name": each.name, "title": each.title, "key": each.key} for each in TABS]
    stages = [{"name": each.name, "title": each.title, "tab": each.tab, "look": each.look} for each in STAGES]
    return {"version": __version__, "presets": presets, "tabs": tabs, "stages": stages}


def _settings(scene: Scene) -> Message:
    return {name: value for name, value in scene.to_json().items() if name != "points"}
