"""The slab of a frame and what every point is to it: the part that the pictures of margins and of forces share.

    boundary  w.x + b = 0,      edges  w.x + b = -1 and +1,      m_i = y_i (w.x_i + b),      xi_i = max(0, 1 - m_i)

Each point is one of `CASES`: what complementary slackness allows, or none of it, as on the way to the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.lab.encode import number, numbers
from separatrix.lab.playback import Playback
from separatrix.lab.runs.soft_margin import soft_problem
from separatrix.lab.scene import Scene
from separatrix.proof.duality import kkt_residuals
from separatrix.types import Vector

EDGE = (
    1e-6  # by which m may miss 1, and alpha, in shares of C, its bounds: the answers of `fit` are far nearer
)
_FLAT = 1e-9  # of sum_i alpha_i |x_i|: a w shorter than that is what rounding has left of points that cancel
_ROOM = 1.22  # half sides of the picture for one half of what must be in it
_REACH = 1.6  # by which the origin or the slab may enlarge the picture of the points

#: What a point is to the slab, by name: "open" is none of the cases that complementary slackness allows.
CASES = ("beyond", "edge", "margin", "limit", "slack", "open")


@dataclass(frozen=True, eq=False)
class Slab:
    """A separator (w, b) with its slab, and the margins of the points."""

    w: Vector
    b: float
    norm: float
    margins: Vector  #: m_i = y_i f(x_i)
    slack: Vector  #: max(0, 1 - m_i)

    @property
    def normal(self) -> Vector:
        """w/||w||."""
        return self.w / self.norm

    @property
    def along(self) -> Vector:
        """Unit vector along the boundary, w/||w|| turned left."""
        return np.array([-self.w[1], self.w[0]]) / self.norm

    @property
    def inside(self) -> list[int]:
        """Points inside the slab or beyond it, on the side of the other class."""
        return [int(row) for row in np.flatnonzero(self.margins < 1.0 - EDGE)]


def slab_of(play: Playback, times: float = 1.0) -> Slab | None:
    """The slab of (w, b) times a factor; None where w is zero, or nothing but rounding."""
    scene, frame = play.scene, play.frame
    assert frame.w is not None
    w, b = times * frame.w, times * frame.b
    norm = float(np.linalg.norm(w))
    if norm <= _FLAT * times * float(frame.weights @ np.linalg.norm(scene.X, axis=1)):
        return None
    margins = scene.y * (scene.X @ w + b)
    return Slab(w, b, norm, margins, np.maximum(0.0, 1.0 - margins))


def is_void(play: Playback) -> bool:
    """True at the end of a hard margin's run that has found that no slab exists."""
    return play.at_end and bool(getattr(play.run, "inseparable", False))


def is_answer(play: Playback) -> bool:
    """True where the frame is what the estimator's fit returns, not a step on the way or a w placed by hand."""
    return play.hand is None and play.frame.final


def cases_of(scene: Scene, slab: Slab, alpha: Vector) -> list[str]:
    """The case of each point.

    "beyond": alpha = 0 and m > 1. "edge": alpha = 0 and m = 1. "margin": 0 < alpha < C and m = 1. "limit": alpha = C
    and m = 1. "slack": alpha = C and m < 1, or of the squared hinge alpha = 2 C xi. "open": none of these.
    """
    squared = scene.algorithm == "soft-margin" and scene.loss == "squared_hinge"
    C = scene.C if scene.algorithm == "soft-margin" and not squared else np.inf
    return [
        _case(float(m), float(xi), float(weight), C, scene.C if squared else None)
        for m, xi, weight in zip(slab.margins, slab.slack, alpha, strict=True)
    ]


def _case(m: float, xi: float, alpha: float, C: float, squared: float | None) -> str:
    on_edge = abs(m - 1.0) <= EDGE
    if alpha <= 0.0:
        return "edge" if on_edge else "beyond" if m > 1.0 else "open"
    if squared is not None:
        close = abs(alpha / (2.0 * squared) - xi) <= EDGE * max(1.0, xi)
        return "slack" if m < 1.0 and close else "open"
    if alpha >= C:
        return "limit" if on_edge else "slack" if m < 1.0 else "open"
    return "margin" if on_edge else "open"


def slackness_of(scene: Scene, slab: Slab, alpha: Vector) -> Vector:
    """Contribution of each point to the gap: zero if and only if complementary slackness holds for it."""
    if scene.algorithm == "soft-margin":
        return kkt_residuals(soft_problem(scene), slab.w, slab.b, alpha).slackness
    return alpha * np.abs(slab.margins - 1.0)


def window_of(scene: Scene, slab: Slab | None) -> tuple[Vector, float]:
    """Centre and half the side of the square that is shown: the points, the origin and the slab unless they are far."""
    low, high = scene.X.min(axis=0), scene.X.max(axis=0)
    least = float(np.max(high - low)) / 2.0
    places = [np.zeros(2)]
    if slab is not None:
        middle = (low + high) / 2.0
        foot = middle - (slab.w @ middle + slab.b) / slab.norm * slab.normal
        places += [foot, foot - slab.normal / slab.norm, foot + slab.normal / slab.norm]
    for place in places:
        lower, upper = np.minimum(low, place), np.maximum(high, place)
        if float(np.max(upper - lower)) / 2.0 <= _REACH * least:
            low, high = lower, upper
    half = float(np.max(high - low)) / 2.0
    return (low + high) / 2.0, max(_ROOM * half, 0.5 if least == 0.0 else 0.0)


def common(play: Playback, slab: Slab | None) -> dict[str, Any]:
    """Data that every picture of a slab needs."""
    centre, half = window_of(play.scene, slab)
    return {
        "window": [*numbers(centre), number(half)],
        "w": None if slab is None else numbers(slab.w),
        "b": None if slab is None else number(slab.b),
        "norm": None if slab is None else number(slab.norm),
        "by_hand": play.hand is not None,
        "void": is_void(play),
    }
