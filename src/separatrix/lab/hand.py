"""A separator placed by hand: what is true of it. The solver has no part in it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from separatrix.lab.answers import Answers
from separatrix.lab.runs.frame import Frame, counted
from separatrix.lab.runs.soft_margin import soft_problem
from separatrix.lab.scene import Scene, SceneError
from separatrix.lab.words import named, points, shown, verb

_MOST = 1e9  # |w_j| and |b| of a separator placed by hand
_EPS = 1e-12  # of |w.x| + |b|: below it, the sign of y f(x) is decided in fractions
_INSIDE = 1e-9  # by how much y f(x) is below 1 where a point counts as inside the slab


@dataclass(frozen=True, eq=False)
class Hand:
    """A frame with (w, b) from the page, and the points that a sentence on it names."""

    frame: Frame
    wrong: list[int]  #: points on the wrong side or on the boundary, exactly
    inside: list[int]  #: of a margin problem, points inside the slab or beyond it


def read_place(scene: Scene, w: Any, b: Any) -> tuple[list[float], float]:
    """(w, b) from outside, checked; b is 0 where the scene has no bias."""
    values = [*w, b] if isinstance(w, list) and len(w) == 2 else []
    good = [isinstance(v, int | float) and not isinstance(v, bool) and abs(v) <= _MOST for v in values]
    if len(good) != 3 or not all(good):
        raise SceneError(f"A separator must be w of two numbers and b, none beyond {_MOST:g}.")
    if scene.has_kernel:
        raise SceneError("With a kernel there is no w in the plane to place.")
    return [float(values[0]), float(values[1])], 0.0 if scene.bias == "none" else float(values[2])


def place(scene: Scene, w: list[float], b: float) -> Hand:
    """Put the separator down and look at every point from it."""
    direction = np.array(w)
    f = scene.X @ direction + b
    margins = scene.y * f
    level = scene.algorithm in ("hard-margin", "soft-margin")
    slack = np.maximum(0.0, 1.0 - margins) if level else np.empty(0)
    frame = Frame(direction, b, np.zeros(len(f)), "", slack=slack, f=f)
    reach = np.abs(scene.X) @ np.abs(direction) + abs(b)
    wrong = [
        int(row)
        for row in np.flatnonzero(margins <= _EPS * reach)
        if margins[row] < -_EPS * reach[row] or _exactly_wrong(scene, int(row), w, b)
    ]
    inside = [int(row) for row in np.flatnonzero(margins < 1.0 - _INSIDE)] if level else []
    return Hand(frame, wrong, inside)


def _exactly_wrong(scene: Scene, row: int, w: list[float], b: float) -> bool:
    """y (w.x + b) <= 0 in fractions."""
    x1, x2, y = scene.points[row]
    return y * (Fraction(w[0]) * Fraction(x1) + Fraction(w[1]) * Fraction(x2) + Fraction(b)) <= 0


def hand_words(scene: Scene, hand: Hand, answers: Answers | None) -> tuple[str, list[int]]:
    """A sentence on the separator, and the rows it names; ``answers`` to compare with the best, where there is time."""
    frame = hand.frame
    assert frame.w is not None
    norm = math.hypot(*frame.w)
    if norm == 0:
        return "Your w is 0, which has no boundary.", []
    if scene.algorithm in ("hard-margin", "soft-margin"):
        return _slab_words(scene, hand, norm, answers), named(hand.inside)
    if hand.wrong:
        where = f"{points(hand.wrong)} {verb(hand.wrong, 'is', 'are')}"
        return f"Your w does not separate: {where} on the wrong side.", named(hand.wrong)
    assert frame.f is not None
    margin = float(np.min(scene.y * frame.f)) / norm
    best = "" if answers is None else f"; the widest possible is {shown(float(answers.verdict.margin[0]))}"
    return f"Your w separates: every point is on its own side. Its margin is {shown(margin)}{best}.", []


def _slab_words(scene: Scene, hand: Hand, norm: float, answers: Answers | None) -> str:
    """Width, what is inside, and the objective against the best."""
    words = f"Your slab is 2/‖w‖ = {shown(2.0 / norm)} wide; "
    where = points(hand.inside) if hand.inside else "no point"
    if scene.algorithm == "hard-margin":
        words += f"{where} {'is' if len(hand.inside) < 2 else 'are'} inside it or beyond it."
        if not hand.inside and answers is not None and answers.model is not None:
            words += f" The widest such slab is {shown(answers.model.slab_width_)} wide."
        return words
    value = objective(scene, hand)
    assert value is not None
    paying = counted(len(hand.inside), "point") if hand.inside else "no point"
    words += f"{paying} {'pays' if len(hand.inside) < 2 else 'pay'}"
    words += f" for slack. The objective is {shown(value)}"
    if answers is not None and answers.model is not None:
        words += f"; the least possible is {shown(float(answers.model.primal_))}"
    return words + "."


def objective(scene: Scene, hand: Hand) -> float | None:
    """The primal value of a separator placed by hand; None where it breaks a hard margin's constraint."""
    frame = hand.frame
    assert frame.w is not None
    if scene.algorithm == "soft-margin":
        return float(soft_problem(scene).primal(frame.w, frame.b))
    return None if hand.inside else 0.5 * float(frame.w @ frame.w)
