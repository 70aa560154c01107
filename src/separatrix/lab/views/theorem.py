"""The convergence theorem as two curves: u.w stays above a line, ||w|| below a bend, the run stops before they meet.

With the fictitious column c, w stands for (w, b/c) and x for (x, c). Let u be the unit vector of the widest margin m,
and R the longest row. Each update adds s y x of a misclassified row, so that after k of them (Novikoff, 1962)

    m (a + s k)  <=  u.w  <=  ||w||  <=  R sqrt(a + s^2 k),       a = 1 for a start at y_1 x_1, 0 for one at w = 0.

Where nothing separates there is no u: only the upper curve is left, which says nothing of an end.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from separatrix.lab.answers import Widest
from separatrix.lab.encode import number, numbers
from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import Frame, counted
from separatrix.lab.runs.perceptron import labelled
from separatrix.lab.scene import Scene
from separatrix.lab.words import shown, signed
from separatrix.types import Vector

_CURVE = 161  # points of a curve: a bend without corners on a large screen
_DRAWN = 400  # points of the run's own curves at most
_FAR = 1e7  # updates: beyond, a bound is a number and no picture


def theorem_view(play: Playback, whole: bool = True) -> dict[str, Any]:
    """The curves up to where they meet, or with ``whole`` false a little beyond the run, and the proof in words."""
    scene, widest = play.scene, play.answers.widest
    rows, constant = np.column_stack([scene.X, np.zeros(len(scene.points))]), labelled(scene).constant
    rows[:, 2] = constant
    reach = math.sqrt(float(np.max(np.sum(np.square(rows), axis=1))))
    start, step = float(scene.start == "row"), scene.step
    bound = None if play.answers.bound is None else play.answers.bound.updates
    made = play.frames[-1].updates
    far = bound is not None and bound > _FAR
    most = 1.15 * bound if bound is not None and whole and not far else max(1.25 * made, 5.0)
    k = np.unique(np.append(most * np.linspace(0.0, 1.0, _CURVE) ** 2, min(bound or most, most)))
    frames = play.frames[: play.cursor + 1]
    kept = np.unique(np.linspace(0, len(frames) - 1, min(len(frames), _DRAWN)).astype(int))
    W = np.array([tilde(frames[each], constant) for each in kept])
    at = [frames[each].updates for each in kept]
    view: dict[str, Any] = {
        "whole": whole and not far,
        "bound": number(bound),
        "now": frames[-1].updates,
        "upper": _curve(k, reach * np.sqrt(start + step * step * k)),
        "norm": _curve(at, np.linalg.norm(W, axis=1)),
        "lower": None,
        "along": None,
        "meet": None,
        "named": _names(scene),
        "says": says(play, widest, rows, reach),
    }
    if widest is not None and bound is not None:
        u = np.zeros(3)
        u[: len(widest.u)] = widest.u
        view["lower"] = _curve(k, widest.margin * (start + step * k))
        view["along"] = _curve(at, W @ u)
        if view["whole"]:
            view["meet"] = {
                "at": numbers([bound, widest.margin * (start + step * bound)]),
                "text": f"they meet at k = {shown(bound)}",
            }
    return view


def tilde(frame: Frame, constant: float) -> Vector:
    """(w1, w2, b/c), its last entry 0 without a column."""
    assert frame.w is not None
    return np.array([*frame.w, frame.b / constant if constant else 0.0])


def _curve(k: Any, values: Vector) -> list[Any]:
    return numbers(np.column_stack([np.asarray(k, dtype=np.float64), values]))


def _mark(scene: Scene) -> str:
    """The mark of a vector of the larger space; empty where there is no column."""
    return "" if scene.bias == "none" else "̃"


def _names(scene: Scene) -> dict[str, str]:
    """Names of the four curves, with this scene's step and start."""
    t, s = _mark(scene), "" if scene.step == 1 else "ε"
    square = "" if scene.step == 1 else "ε²"
    row = scene.start == "row"
    return {
        "upper": f"R{t}√(1 + {square}k): ‖w{t}‖ is below" if row else f"{s}R{t}√k: ‖w{t}‖ is below",
        "norm": f"‖w{t}‖ of the run",
        "along": f"u·w{t} of the run",
        "lower": f"m(1 + {s}k): u·w{t} is above" if row else f"{s}km: u·w{t} is above",
    }


def says(play: Playback, widest: Widest | None, rows: Vector, reach: float) -> list[str]:
    """The proof in a few sentences, with the numbers of the step that is shown."""
    scene = play.scene
    t, times = _mark(scene), "" if scene.step == 1 else "ε "
    words = [] if scene.bias == "none" else [_column(scene, reach)]
    last = _last(play)
    if widest is None:
        words += [_no_separator(play), _growth(scene, rows, reach, last), _rises(scene)]
        return words
    m = shown(widest.margin)
    gain = (
        f"The line. The unit vector u of the widest margin has y u·x{t} ≥ m = {m} on every point. "
        f"An update adds {times}y x{t}, so u·w{t} grows by at least {times}m"
    )
    if scene.step != 1:
        gain += f" = {shown(scene.step * widest.margin)}"
    if last is not None:
        row, before, after = last
        u = np.zeros(3)
        u[: len(widest.u)] = widest.u
        gain += f": by {shown(float(u @ (after - before)))} at this step, on point {row + 1}"
    words += [f"{gain}.", _growth(scene, rows, reach, last), _meeting(play)]
    return words


def _column(scene: Scene, reach: float) -> str:
    c = "1" if scene.bias == "unit" else "R"
    third = "b" if scene.bias == "unit" else "b/R"
    return f"Let x̃ = (x₁, x₂, {c}), w̃ = (w₁, w₂, {third}), R̃ = max ‖x̃‖ = {shown(reach)}."


def _last(play: Playback) -> tuple[int, Vector, Vector] | None:
    """The row of the update that is shown, and w before it and after it; None where the frame shows none."""
    if play.hand is not None or play.cursor == 0:
        return None
    before, frame = play.frames[play.cursor - 1], play.frames[play.cursor]
    if frame.row is None or frame.updates != before.updates + 1:
        return None
    constant = labelled(play.scene).constant
    return frame.row, tilde(before, constant), tilde(frame, constant)


def _growth(scene: Scene, rows: Vector, reach: float, last: tuple[int, Vector, Vector] | None) -> str:
    """Why ||w||^2 grows by at most s^2 R^2 an update, with the two terms of this one."""
    t = _mark(scene)
    times, square = ("", "") if scene.step == 1 else ("ε ", "ε²")
    limit = f"{square}R{t}²" if t or square else "R²"
    text = (
        f"The bend. Only a misclassified point is added, y w{t}·x{t} ≤ 0, so ‖w{t} + {times}y x{t}‖² = ‖w{t}‖² + "
        f"2{times or ' '}y w{t}·x{t} + {square}‖x{t}‖² grows by at most {limit} = {shown((scene.step * reach) ** 2)}"
    )
    if last is not None:
        row, before, after = last
        y, x = float(scene.y[row]), rows[row]
        mixed = 2.0 * scene.step * y * float(before @ x)
        own = scene.step**2 * float(x @ x)
        text += f": at this step by {shown(mixed)} {signed(own)} = {shown(float(after @ after - before @ before))}"
    return f"{text}."


def _meeting(play: Playback) -> str:
    """Sentences on where the curves meet and where the run is."""
    t, bound = _mark(play.scene), play.answers.bound
    assert bound is not None
    text = f"They meet. u has length 1, so u·w{t} ≤ ‖w{t}‖: no update is possible beyond k = {shown(bound.updates)}"
    made = counted(play.frame.updates if play.hand is None else play.frames[play.cursor].updates, "update")
    if play.hand is not None:
        return f"{text}. The curves are those of the run; the w that you placed is not in them."
    if play.at_end:
        return f"{text}. The run stopped after {made}."
    return f"{text}. So far: {made}."


def _no_separator(play: Playback) -> str:
    scene = play.scene
    line = "line through the origin" if scene.bias == "none" else "line"
    verdict = play.answers.quick_verdict.verdict
    if verdict == "separable":
        return "The margin of these points is too small to be found in floating point, so no curve is drawn for it."
    if verdict == "quasi-separable":
        return f"No {line} has every point strictly on its own side: the widest margin is 0, so no curve has to rise."
    return f"No {line} separates these points: there is no u with a margin, so no curve has to rise."


def _rises(scene: Scene) -> str:
    t = _mark(scene)
    return f"‖w{t}‖ stays under the bend at every step, and nothing meets it: the theorem promises no end."
