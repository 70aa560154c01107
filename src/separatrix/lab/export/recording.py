"""A run as it was: every reply the page would have had from the solver, small enough to be sent along with the page.

    {"steps": [0, 1, ...], "frames": [{"v": {...}}, {"d": {...}}, ...], "scene": ..., "answers": ..., ...}

A frame is written as its changes from the one before, its numbers with nine digits (a page shows at most seven), and
its grids and long lines in bytes of their own. A long run is thinned: its beginning step by step, then ever so many.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix.lab.encode import Packed
from separatrix.lab.export.packing import changes, write_grid, write_line
from separatrix.lab.link import write_link
from separatrix.lab.scene import Scene, SceneError
from separatrix.lab.stages import STAGE
from separatrix.lab.views.catalogue import TABS, tabs_of
from separatrix.lab.views.x import Window

Ask = Callable[[dict[str, Any]], dict[str, Any]]
MOST, FEWER = 320, 60_000  #: frames of a recording, and frames times points: more would not fit a page
_DIGITS = 9
_MANY = 150  # points, above which a page has room for one way alone to look at each view
_LONG = 20  # places of a line that is written in bytes
_FEW = 60  # frames up to which a kernel's contours are fine
_FINE, _COARSE = 80, 48  # points on a side of the grid of fine contours, and of others
_HOME = "http://127.0.0.1:8765/#"  # the default address of `separatrix lab`
_ANSWERS = ("python", "step-sizes")  # questions without arguments, whose answers are sent along
_KEPT = ("tab", "slice", "theme", "window", "wview", "camera", "preset", *(tab.name for tab in TABS))


class Wanted(NamedTuple):
    """Views to ask for, with their options, and the names under which they are kept where these are others."""

    want: dict[str, Any]
    names: dict[str, str]


@dataclass(frozen=True, eq=False)
class Recording:
    """Replies of the solver at some steps of a run, and what else the page shows of it."""

    steps: list[int]
    frames: list[dict[str, Any]]  #: at each of the steps: the views by name, and "run"
    more: dict[str, Any]  #: scene, tabs, certificates: what no step changes

    def thinned(self, most: int) -> Recording:
        """The same with about so many frames: a third of them the first steps, the others evenly up to the last."""
        n = len(self.steps)
        if n <= most:
            return self
        kept = _chosen(n - 1, self.steps.index(self.more["begin"]), most)
        return Recording([self.steps[k] for k in kept], [self.frames[k] for k in kept], self.more)

    def plainer(self) -> Recording:
        """The same with the first way alone to look at each view: a surface without its creases, for instance."""
        frames = [{name: view for name, view in frame.items() if "#" not in name} for frame in self.frames]
        return Recording(self.steps, frames, {**self.more, "variants": {}})

    def words(self) -> dict[str, str]:
        """The record that the page reads."""
        n, last = len(self.steps), self.steps[-1]
        every = "every step" if n == last + 1 else f"{n} of {last + 1} steps"
        return {
            "about": f"A recording of {every}, without the solver.",
            "refused": "This page is a recording, without the solver that this needs: open the scene in the lab.",
        }

    def packed(self) -> bytes:
        """All of it, compressed: the length of the JSON text, the text, the bytes of the grids."""
        grids = bytearray()
        known: dict[str, Any] = {}
        frames = [_plain(frame, grids, known) for frame in self.frames]
        patches = [
            changes(before, now) if before is not None else {"v": now}
            for before, now in zip([None, *frames], frames, strict=False)
        ]
        patches = [_drawn(patch, grids) for patch in patches]
        whole = {"steps": self.steps, "frames": patches, "words": self.words(), **self.more}
        text = json.dumps(whole, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        return zlib.compress(struct.pack("<I", len(text)) + text + bytes(grids), 9)


def record(ask: Ask, state: dict[str, Any]) -> Recording:
    """Ask a fresh session for every step of a scene, and keep what it says.

    ``state`` is what a link holds, or {"stage": name}.
    """
    if "stage" in state:
        opened = _answer(ask, {"op": "stage", "name": state["stage"]})
        stage = STAGE[opened["stage"]["name"]]
        state = {"scene": opened["scene"], "tab": stage.tab, "title": stage.title, "stage": stage.name}
        if stage.step is not None:
            state["step"] = opened["run"]["step"]
    else:
        opened = _answer(ask, {"op": "load", "scene": state.get("scene")})
    if not opened["run"]["ready"]:
        raise SceneError("A recording needs points of both classes.")
    hello = _answer(ask, {"op": "hello"})["hello"]
    last = opened["run"]["steps"]
    begin = state["step"] if isinstance(state.get("step"), int) else last
    if begin > last:  # an endless run that was watched for longer
        last = _answer(ask, {"op": "seek", "step": begin})["run"]["steps"]
    begin = min(max(begin, 0), last)
    steps = _chosen(last, begin, max(40, min(MOST, FEWER // len(opened["scene"]["points"]))))
    options = state.get("options") if isinstance(state.get("options"), dict) else {}
    want, variants = _wanted(opened["scene"], options or {}, _FINE if len(steps) <= _FEW else _COARSE)
    frames = [_frame(ask, step, want, step == steps[-1]) for step in steps]
    names = opened["run"]["tabs"] or [TABS[0].name]  # with none, one says why
    more = {
        "hello": {
            **hello,
            "presets": [],
            "stages": [],
            "tabs": [tab for tab in hello["tabs"] if tab["name"] in names],
        },
        "scene": opened["scene"],
        "variants": variants,
        "begin": begin,
        "state": {name: _pixels(state[name]) for name in _KEPT if name in state} | {"scene": opened["scene"]},
        "title": str(state.get("title", "")),
        "look": next(
            (each.get("look") for each in hello["stages"] if each["name"] == state.get("stage")), None
        ),
        "link": _HOME + write_link({name: state[name] for name in ("scene", "tab", "step") if name in state}),
        "answers": _answers(ask),
        "certificates": _answer(ask, {"op": "certificates"})["certificates"],
    }
    return Recording(steps, frames, more)


def _pixels(kept: Any) -> Any:
    """Options of a view, without the paths that were compared in it: those are the solver's."""
    return (
        {name: each for name, each in kept.items() if name != "compare"} if isinstance(kept, dict) else kept
    )


def _answer(ask: Ask, message: dict[str, Any]) -> dict[str, Any]:
    reply = ask(message)
    if "error" in reply:
        raise SceneError(reply["error"])
    return reply


def _chosen(last: int, begin: int, most: int) -> list[int]:
    """Steps of a run, all or about ``most`` of them: a third of them its first, the others evenly up to its last."""
    if last < most:
        return list(range(last + 1))
    rest = np.linspace(most // 3, last, most - most // 3).round().astype(int).tolist()
    return sorted({*range(most // 3), *rest, begin})


def _wanted(scene: dict[str, Any], options: dict[str, Any], grid: int) -> tuple[list[Wanted], dict[str, Any]]:
    """The views to ask for at each step, and the variants of each view; ``options`` are the present ones.

    A further variant of a view is kept under another name, risk#1, and so is the x-space that a picture has of its
    own, x@validation: each of these is asked for by itself.
    """
    there = set(tabs_of(Scene.from_json(scene)))
    tabs = [tab for tab in TABS if tab.name in there]
    ways = None if len(scene["points"]) <= _MANY else 1
    variants = {tab.name: tab.recorded[:ways] for tab in tabs}
    variants |= {name: (*variants[name], options[name]) for name in variants if name in options}
    x = {"x": {"window": list(_window(scene["points"])), "grid": grid}}
    asked = [Wanted({**x, "panel": {}, **{name: each[0] for name, each in variants.items()}}, {})]
    for name, each in variants.items():
        asked += [Wanted({name: each[k]}, {name: f"{name}#{k}"}) for k in range(1, len(each))]
    own = [tab.name for tab in tabs if tab.x is not None]
    if own:
        asked[0] = Wanted({name: each for name, each in asked[0].want.items() if name not in own}, {})
        asked += [Wanted({**x, name: variants[name][0]}, {"x": f"x@{name}"}) for name in own]
    return asked, {name: list(each) for name, each in variants.items()}


def _window(points: list[Any]) -> Window:
    """The part of x-space that the page shows whatever its shape: as `around` in scale.js, with room on every side."""
    low, high = np.min(points, axis=0)[:2], np.max(points, axis=0)[:2]
    half = float(max(high - low)) / 2
    half = 1.5 * max(1.22 * half, 0.5, half + 0.4)
    (x1, x2) = ((low + high) / 2).tolist()
    return x1 - half, x1 + half, x2 - half, x2 + half


def _frame(ask: Ask, step: int, asked: list[Wanted], last: bool) -> dict[str, Any]:
    """Replies to all requests at one step."""
    frame: dict[str, Any] = {}
    for each in asked:
        reply = _answer(ask, {"op": "seek", "step": step, "want": each.want})
        frame |= {each.names.get(name, name): _rounded(reply[name]) for name in each.want}
        frame["run"] = reply["run"] | {"undo": False, "redo": False}
    if last and not frame["run"]["over"]:
        frame["run"]["full"] = True  # there is no more of it here
    return frame


def _answers(ask: Ask) -> dict[str, Any]:
    """Answers to the questions that the page can still ask; those that this scene has none for are left out."""
    found = {}
    for name in _ANSWERS:
        reply = ask({"op": name})
        field = name.replace("-", "_")
        if "error" not in reply:
            found[name] = {field: reply[field]}
    return found


def _plain(value: Any, grids: bytearray, known: dict[str, Any]) -> Any:
    """A reply as it is written: grids as places among the bytes, each once."""
    if isinstance(value, Packed):
        text = str(value)
        if text not in known:
            written = write_grid(value.values)
            known[text] = text if written is None else {"#": [len(grids), *written[0]]}
            grids += b"" if written is None else written[1]
        return known[text]
    if isinstance(value, list):
        return [_plain(each, grids, known) for each in value]
    if isinstance(value, dict):
        return {name: _plain(each, grids, known) for name, each in value.items()}
    return value


def _rounded(value: Any) -> Any:
    """A reply with its floats rounded."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    if isinstance(value, dict):
        return {str(name): _rounded(each) for name, each in value.items()}
    return value


def _drawn(value: Any, lines: bytearray) -> Any:
    """The same with every long line, a list of places of two or three numbers, as a place among the bytes."""
    if isinstance(value, dict):
        return {name: _drawn(each, lines) for name, each in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) > _LONG and all(isinstance(each, list) and len(each) in (2, 3) for each in value):
        try:
            places = np.array(value, dtype=np.float64)
        except (TypeError, ValueError):
            return value
        if places.ndim == 2 and np.all(np.isfinite(places)):
            numbers, written = write_line(places)
            at = len(lines)
            lines += written
            return {"~": [at, *numbers]}
    return [_drawn(each, lines) for each in value]
