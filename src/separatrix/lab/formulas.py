"""The step that is shown, as formulas with its numbers: how w, b or the weights came out of those before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import Frame
from separatrix.lab.runs.perceptron import labelled
from separatrix.lab.scene import Scene
from separatrix.lab.views.x import norm_of, rows_of
from separatrix.lab.words import pair, shown, signed, subscript

_TERMS = 4  # of a sum that are written out
_ROUNDING = 1e-12  # of the objective: slack that costs less is rounding


def formulas(play: Playback) -> list[str]:
    """Lines for the frame that is shown; none for a separator placed by hand, or where nothing has happened yet."""
    if play.hand is not None or play.leapt or play.cursor == 0:
        return []
    return _LINES[play.scene.algorithm](play, play.frames[play.cursor - 1], play.frame)


def _perceptron(play: Playback, before: Frame, frame: Frame) -> list[str]:
    """w <- w + e y x, and b <- b + e y c^2 with c the constant of the fictitious column."""
    if not frame.used or frame.size is None:
        return []
    scene, (row,) = play.scene, frame.used
    y, name = int(scene.y[row]), subscript(row + 1)
    step = frame.size
    times = "" if step == 1 else f"{shown(step)}·"
    sign = "+" if y > 0 else "−"
    moved = f"{pair(_w(before))} {sign} {times}{pair(scene.X[row])}"
    lines = [f"w ← w + {_step(step)}y{name}x{name} = {moved} = {pair(_w(frame))}"]
    gain = 1.0 if scene.algorithm == "online" else labelled(scene).gain
    return lines + _bias(scene, f"{_step(step)}y{name}", step * y * gain, before, frame)


def _gradient(play: Playback, before: Frame, frame: Frame) -> list[str]:
    """w <- w + e sum of y x over the misclassified points, and b likewise."""
    if not frame.used or frame.size is None:
        return []
    scene, rows = play.scene, list(frame.used)
    total = scene.y[rows] @ scene.X[rows]
    step = frame.size
    times = "" if step == 1 else f"{shown(step)}·"
    lines = [f"w ← w + {_step(step)}Σ yx = {pair(_w(before))} + {times}{pair(total)} = {pair(_w(frame))}"]
    total_y = float(scene.y[rows].sum()) * labelled(scene).gain
    return lines + _bias(scene, f"{_step(step)}Σ y", step * total_y, before, frame)


def _bias(scene: Scene, symbol: str, amount: float, before: Frame, frame: Frame) -> list[str]:
    """The line of b, which the column 1 moves by e y and the column R by e y R^2; no line without a bias."""
    if scene.bias == "none":
        return []
    square = " R²" if scene.bias == "radius" and scene.algorithm != "online" else ""
    return [f"b ← b + {symbol}{square} = {shown(before.b)} {signed(amount)} = {shown(frame.b)}"]


def _step(size: float) -> str:
    return "" if size == 1 else "ε "


def _kernel_perceptron(play: Playback, before: Frame, frame: Frame) -> list[str]:
    """alpha_i <- alpha_i + e, and b <- b + e y."""
    if not frame.used or frame.size is None:
        return []
    (row,), y = frame.used, play.scene.y
    name = subscript(row + 1)
    old = before.weights[row] if row < len(before.weights) else 0.0
    step = "1" if frame.size == 1 else "ε"
    lines = [f"α{name} ← α{name} + {step} = {shown(old)} + {shown(frame.size)} = {shown(frame.weights[row])}"]
    gain = play.run.run.rows.gain  # type: ignore[attr-defined]  # a kernel perceptron's run
    return lines + _bias(
        play.scene, f"{_step(frame.size)}y{name}", frame.size * float(y[row]) * gain, before, frame
    )


def _hard_margin(play: Playback, before: Frame, frame: Frame) -> list[str]:
    """w as the sum of the points that hold the slab, and the slab's width."""
    rows = np.flatnonzero(frame.weights > 0)
    if frame.w is None or len(rows) == 0:
        return []
    norm = float(np.linalg.norm(frame.w))
    width = [f"slab 2/‖w‖ = 2/{shown(norm)} = {shown(2.0 / norm)}"] if norm > 0 else []
    return [f"w = Σ αyx = {_sum(frame.weights * play.scene.y, rows)} = {pair(frame.w)}", *width]


def _sum(weights: Any, rows: Any) -> str:
    """Sum of weighted points, written out while it is short."""
    if len(rows) > _TERMS:
        return f"the sum over {len(rows)} points"
    text = " ".join(f"{signed(float(weights[row]), 3)}·x{subscript(int(row) + 1)}" for row in rows)
    return text.removeprefix("+ ").replace("− ", "−", 1) if text.startswith("− ") else text.removeprefix("+ ")


def _soft_margin(play: Playback, before: Frame, frame: Frame) -> list[str]:
    """The two objectives, and what is between them."""
    if frame.primal is None or frame.dual is None:
        return []
    scene = play.scene
    norm = norm_of(play.run, frame, rows_of(play.run, frame))
    squared = scene.loss == "squared_hinge"
    total = float(np.sum(np.square(frame.slack) if squared else frame.slack))
    total = total if scene.C * total > _ROUNDING * frame.primal else 0.0
    cost = f"{shown(0.5 * norm * norm)} + {shown(scene.C)}·{shown(total)}"
    return [
        f"½‖w‖² + C Σ {'ξ²' if squared else 'ξ'} = {cost} = {shown(frame.primal)}",
        f"primal − dual = {shown(frame.primal)} − {shown(frame.dual)} = {shown(frame.primal - frame.dual, 3)}",
    ]


def _w(frame: Frame) -> Any:
    assert frame.w is not None
    return frame.w


_LINES: dict[str, Callable[[Playback, Frame, Frame], list[str]]] = {
    "perceptron": _perceptron,
    "online": _perceptron,
    "gradient": _gradient,
    "kernel-perceptron": _kernel_perceptron,
    "hard-margin": _hard_margin,
    "soft-margin": _soft_margin,
    "kernel-svm": _soft_margin,
}
