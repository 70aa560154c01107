"""The pictures there are, and those a request asks for; each is made only where the page shows it.

x-space and the panel are always there. The others are tabs: `TABS` has their titles, and which scenes they are for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from separatrix.lab.playback import Playback
from separatrix.lab.scene import Scene, SceneError
from separatrix.lab.views.panel import panel
from separatrix.lab.views.risk import risk_view
from separatrix.lab.views.w import solid_view, w_view
from separatrix.lab.views.x import Window, x_view

Options = dict[str, Any]


@dataclass(frozen=True)
class Tab:
    """A picture beside x-space: its title, the key that opens it, which scenes have it, and its maker.

    ``recorded`` are the options with which a page without a server has it: of these the page chooses.
    """

    name: str
    title: str
    key: str
    applies: Callable[[Scene], bool]
    make: Callable[[Playback, Options], Any]
    recorded: tuple[Options, ...] = ({},)


def tabs_of(scene: Scene) -> list[str]:
    """Names of the tabs that have something to show of a scene, the first of them the one to open."""
    return [tab.name for tab in TABS if tab.applies(scene)]


def views(play: Playback | None, want: Any) -> dict[str, Any]:
    """The views named in ``want``, a mapping from name to options; None where there is nothing to show yet."""
    if not isinstance(want, dict) or not set(want) <= set(_MAKERS):
        raise SceneError(f"want must be an object with some of {', '.join(_MAKERS)}.")
    found: dict[str, Any] = {}
    for name, options in want.items():
        if not isinstance(options, dict):
            raise SceneError(f"The options of the view {name} must be an object.")
        there = play is not None and (name not in _FOR or _FOR[name](play.scene))
        found[name] = _MAKERS[name](play, options) if there and play is not None else None
    return found


def _x(play: Playback, options: Options) -> Any:
    grid = options.get("grid", 48)
    if isinstance(grid, bool) or not isinstance(grid, int):
        raise SceneError("grid must be a whole number.")
    window, row, n = options.get("window"), options.get("row"), len(play.scene.points)
    if row is not None and (isinstance(row, bool) or not isinstance(row, int) or not 0 <= row < n):
        raise SceneError(f"row must be a whole number below {n}; got {str(row)[:20]}.")
    return x_view(play.run, play.frame, None if window is None else check_window(window), grid, row)


def _planar(make: Callable[..., Any]) -> Callable[[Playback, Options], Any]:
    def view(play: Playback, options: Options) -> Any:
        return make(play, None if play.scene.bias == "none" else _finite(options.get("slice"), "slice"))

    return view


def _risk(play: Playback, options: Options) -> Any:
    aspect = _finite(options.get("aspect"), "aspect") or 1.0
    least = _finite(options.get("least"), "least") or 0.0
    room = min(max(_finite(options.get("room"), "room") or 1.0, 1.0), 4.0)
    shaped = partial(
        risk_view,
        aspect=min(max(aspect, 0.05), 20.0),
        least=least,
        solid=options.get("solid") is True,
        room=room,
    )
    return _planar(shaped)(play, options)


def _panel(play: Playback, options: Options) -> Any:
    return panel(play, options.get("quick") is True, options.get("rows") is not False)


def _has_w(scene: Scene) -> bool:
    """True if w lives in the plane of the points, not in the space of a kernel."""
    return not scene.has_kernel


#: In the order of the page.
TABS = (
    Tab("w", "w-space", "W", _has_w, _planar(w_view)),
    Tab("solid", "3-D (w, b)", "V", _has_w, _planar(solid_view)),
    Tab("risk", "risk", "K", _has_w, _risk, ({"room": 1.4}, {"solid": True})),
)
_FOR = {tab.name: tab.applies for tab in TABS}
_MAKERS = {"x": _x, "panel": _panel} | {tab.name: tab.make for tab in TABS}


def _finite(value: Any, name: str) -> float | None:
    if value is None:
        return None
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not math.isfinite(value)
        or abs(value) > 1e12
    ):
        raise SceneError(f"{name} must be a finite number; got {str(value)[:40]}.")
    return float(value)


def check_window(value: Any) -> Window:
    """A part of x-space, [x1 from, x1 to, x2 from, x2 to], from outside."""
    if not isinstance(value, list) or len(value) != 4:
        raise SceneError("window must be [x1 from, x1 to, x2 from, x2 to].")
    left, right, low, high = (_finite(each, "window") or 0.0 for each in value)
    if not (left < right and low < high):
        raise SceneError("window must have its lower end first.")
    return left, right, low, high
