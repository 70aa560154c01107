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
from separatrix.lab.scene import Scene, SceneError, is_whole
from separatrix.lab.views.column import column_view
from separatrix.lab.views.forces import forces_view
from separatrix.lab.views.gram import gram_view
from separatrix.lab.views.lift import lift_view
from separatrix.lab.views.margin import FACTORS, margin_view
from separatrix.lab.views.mistakes import mistakes_view, stream_part
from separatrix.lab.views.panel import panel
from separatrix.lab.views.risk import risk_view
from separatrix.lab.views.solid import solid_view
from separatrix.lab.views.step_size import step_size_view
from separatrix.lab.views.theorem import theorem_view
from separatrix.lab.views.validation import can_validate, check_third, held_x, validation_view
from separatrix.lab.views.w import w_view
from separatrix.lab.views.x import Window, x_view

Options = dict[str, Any]


@dataclass(frozen=True)
class Tab:
    """A picture next to x-space: its title, the key that opens it, which scenes have it, and its maker.

    ``x`` makes another x-space while the picture is open, from the options of x-space and its own; None where it
    leaves x-space as it is. ``recorded`` are the options with which a page without a server has it: of these the page
    chooses.
    """

    name: str
    title: str
    key: str
    applies: Callable[[Scene], bool]
    make: Callable[[Playback, Options], Any]
    x: Callable[[Playback, Options, Options], Any] | None = None
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
    for tab in TABS:
        if tab.x is not None and found.get(tab.name) is not None and "x" in found and play is not None:
            found["x"] = tab.x(play, want["x"], want[tab.name]) or found["x"]
    return found


def _x(play: Playback, options: Options) -> Any:
    view = x_view(play.run, play.frame, *_x_options(play, options))
    return view | stream_part(play) if play.scene.algorithm == "online" else view


def _held_x(play: Playback, options: Options, own: Options) -> Any:
    return held_x(play, check_third(own.get("third")), *_x_options(play, options))


def _x_options(play: Playback, options: Options) -> tuple[Window | None, int, int | None]:
    """The window, the points on a side of a grid, and the one row whose margins are wanted."""
    grid = options.get("grid", 48)
    if isinstance(grid, bool) or not isinstance(grid, int):
        raise SceneError("grid must be a whole number.")
    window, row, n = options.get("window"), options.get("row"), len(play.scene.points)
    if row is not None and not is_whole(row, 0, n - 1):
        raise SceneError(f"row must be a whole number below {n}; got {str(row)[:20]}.")
    return None if window is None else check_window(window), grid, row


def _validation(play: Playback, options: Options) -> Any:
    third = check_third(options.get("third"))
    return validation_view(
        play, options.get("over"), third, options.get("size"), options.get("quick") is True
    )


def _planar(make: Callable[..., Any]) -> Callable[[Playback, Options], Any]:
    def view(play: Playback, options: Options) -> Any:
        return make(play, None if play.scene.bias == "none" else _finite(options.get("slice"), "slice"))

    return view


def _aspect(options: Options) -> float:
    """Width over height of a picture, from the page."""
    return min(max(_finite(options.get("aspect"), "aspect") or 1.0, 0.05), 20.0)


def _risk(play: Playback, options: Options) -> Any:
    least = _finite(options.get("least"), "least") or 0.0
    room = min(max(_finite(options.get("room"), "room") or 1.0, 1.0), 4.0)
    shaped = partial(
        risk_view, aspect=_aspect(options), least=least, solid=options.get("solid") is True, room=room
    )
    return _planar(shaped)(play, options)


def _solid(play: Playback, options: Options) -> Any:
    axis = options.get("axis", 2)
    if not is_whole(axis, 0, 2):
        raise SceneError(f"axis must be 0, 1 or 2, for w1, w2 or b; got {str(axis)[:20]}.")
    return solid_view(play, axis, _finite(options.get("slice" if axis == 2 else "at"), "cut"))


def _margin(play: Playback, options: Options) -> Any:
    times = options.get("times", 1.0)
    if isinstance(times, bool) or not isinstance(times, int | float) or times not in FACTORS:
        raise SceneError(f"times must be one of 0.5, 1 and 2; got {str(times)[:20]}.")
    return margin_view(play, float(times))


def _has_w(scene: Scene) -> bool:
    """True if w lives in the plane of the points, not in the space of a kernel."""
    return not scene.has_kernel


def _has_risk(scene: Scene) -> bool:
    """True where all points are there at once: a stream has no risk of points that have not come."""
    return _has_w(scene) and scene.algorithm != "online"


def _step_size(play: Playback, options: Options) -> Any:
    return step_size_view(play, options.get("quick") is True, _aspect(options))


def _has_theorem(scene: Scene) -> bool:
    """True for the perceptron alone: a step of descent adds several points, and no curve against k is straight."""
    return scene.algorithm == "perceptron"


def _has_column(scene: Scene) -> bool:
    """True where a fictitious column carries the bias."""
    return scene.algorithm in ("gradient", "perceptron") and scene.bias != "none"


def _has_step_size(scene: Scene) -> bool:
    """True where one fixed step size is the reader's choice."""
    return scene.algorithm == "gradient" and scene.rule == "fixed"


def _has_slab(scene: Scene) -> bool:
    """True for the margin problems whose slab can be drawn."""
    return scene.algorithm in ("hard-margin", "soft-margin")


def _is_polynomial(scene: Scene) -> bool:
    """True if the kernel has a space of a few products; whether it can be drawn, the picture says."""
    return scene.has_kernel and scene.kernel == "poly"


#: In the order of the page.
TABS = (
    Tab("w", "w-space", "W", _has_w, _planar(w_view)),
    Tab("solid", "3-D", "V", _has_w, _solid, recorded=({}, {"axis": 0}, {"axis": 1})),
    Tab("risk", "risk", "K", _has_risk, _risk, recorded=({"room": 1.4}, {"solid": True})),
    Tab(
        "theorem",
        "theorem",
        "T",
        _has_theorem,
        lambda play, options: theorem_view(play, options.get("whole") is not False),
        recorded=({"whole": True}, {"whole": False}),
    ),
    Tab("column", "column", "C", _has_column, lambda play, options: column_view(play)),
    Tab("stepsize", "step size", "Z", _has_step_size, _step_size),
    Tab(
        "mistakes",
        "mistakes",
        "O",
        lambda scene: scene.algorithm == "online",
        lambda play, options: mistakes_view(play),
    ),
    Tab("margin", "margin", "M", _has_slab, _margin, recorded=({"times": 1}, {"times": 0.5}, {"times": 2})),
    Tab("forces", "forces", "D", _has_slab, lambda play, options: forces_view(play)),
    Tab("lift", "lift", "L", _is_polynomial, lambda play, options: lift_view(play, options.get("pair"))),
    Tab("gram", "Gram", "G", lambda scene: scene.has_kernel, lambda play, options: gram_view(play)),
    Tab(
        "validation",
        "validation",
        "H",
        can_validate,
        _validation,
        _held_x,
        recorded=({}, {"over": "C"}, {"over": "gamma"}, {"over": "looks"}),
    ),
)
_FOR = {tab.name: tab.applies for tab in TABS}
_MAKERS: dict[str, Callable[[Playback, Options], Any]] = {
    "x": _x,
    "panel": lambda play, options: panel(
        play, options.get("quick") is True, options.get("rows") is not False
    ),
    **{tab.name: tab.make for tab in TABS},
}


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
