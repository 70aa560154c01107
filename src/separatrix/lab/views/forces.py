"""Data to draw the dual as forces, and complementary slackness point by point.

A support vector pushes on the slab with force alpha_i, straight across it, from its own side: the vector
-alpha_i y_i w/||w|| at x_i. The pushes cancel because sum_i alpha_i y_i = 0, and do not turn the slab because
w = sum_i alpha_i y_i x_i has no component along the boundary. Burges (1998), section 3.7, has the picture for the
boundary as a sheet. Without a bias the boundary is held at the origin, which takes up what is left.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.lab.encode import number, numbers
from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import counted
from separatrix.lab.scene import Scene
from separatrix.lab.views.margin import kind_words
from separatrix.lab.views.slab import (
    EDGE,
    Slab,
    cases_of,
    common,
    is_answer,
    is_void,
    slab_of,
    slackness_of,
)
from separatrix.lab.words import points, shown, verb
from separatrix.types import Vector

_TOTAL = 1e-6  # of the sum of the pushes: smaller sums are zero but for rounding


def forces_view(play: Playback) -> dict[str, Any]:
    """The pushes of the support vectors, their balance in words, and the table of complementary slackness."""
    slab = slab_of(play)
    alpha = play.frame.weights
    pushing = slab is not None and play.hand is None and not is_void(play) and bool(np.any(alpha > 0))
    view = common(play, slab) | {"forces": [], "centres": None, "balance": [], "table": []}
    view["kinds"] = []
    if play.hand is None and not is_void(play):
        view |= _table(play, slab)
    if not pushing or slab is None:
        return view | {"says": _no_forces(play, slab)}
    rows = np.flatnonzero(alpha > 0)
    longest = float(alpha.max())
    # Of an interior point every weight is above 0: what is a thousandth of the longest cannot be seen anyway.
    drawn = rows[alpha[rows] > 1e-3 * longest]
    view["forces"] = [
        {"row": int(row), "size": number(alpha[row]), "share": number(alpha[row] / longest)} for row in drawn
    ]
    view["direction"] = numbers(slab.normal)
    view["centres"] = _centres(play.scene, alpha)
    view["balance"] = [*_balance(play, slab, alpha), *_across(play, slab, view["centres"])]
    return view | {"says": _slackness_words(play, slab)}


def _no_forces(play: Playback, slab: Slab | None) -> str:
    if play.hand is not None:
        return "A w placed by hand is no sum of points: it has no α, and nothing balances it."
    if is_void(play):
        return "There is no hard margin and so no balance: the dual has no greatest value, its α grow without end."
    if slab is None and np.any(play.frame.weights > 0):
        return "The weights add up to w = 0: there is no slab to push on."
    return "All α are 0: no point pushes yet."


def _centres(scene: Scene, alpha: Vector) -> list[Any] | None:
    """Centre of pressure of each class, the mean of its points weighted by alpha; None where a class has no push."""
    found = []
    for sign in (1, -1):
        weights = np.where(scene.y == sign, alpha, 0.0)
        total = float(weights.sum())
        if total <= 0.0:
            return None
        found.append(weights @ scene.X / total)
    return numbers(found)


def _across(play: Playback, slab: Slab, centres: list[Any] | None) -> list[str]:
    """The line between the centres of pressure, where there are two, straight across from each other."""
    if centres is None:
        return []
    way = np.array(centres[0]) - np.array(centres[1])
    if abs(float(way @ slab.along)) > EDGE * max(
        float(np.linalg.norm(way)), float(np.max(np.abs(play.scene.X)))
    ):
        return []
    if play.scene.algorithm == "hard-margin" and is_answer(play) and play.scene.bias != "none":
        return [
            "The centres of pressure (dashed) are the nearest two points of the convex hulls of the classes."
        ]
    return ["The centres of pressure (dashed) of the two sides lie straight across from each other."]


def _balance(play: Playback, slab: Slab, alpha: Vector) -> list[str]:
    """Forces and torques with their numbers: what cancels, and what does not."""
    scene = play.scene
    positive, negative = (float(alpha[scene.y == sign].sum()) for sign in (1, -1))
    left = positive - negative
    sums = (
        "Forces: each support vector pushes on the slab, straight across, with force α. The +1 side pushes with "
        f"{shown(positive)}, the −1 side with {shown(negative)}"
    )
    even = abs(left) <= _TOTAL * (positive + negative)
    if scene.bias == "none":
        forces = (
            f"{sums}. Without a bias they need not cancel: the boundary is held at the origin, which takes up "
            f"the difference, {shown(abs(left)) if not even else '0'}."
        )
    elif even:
        forces = f"{sums}: they cancel, Σ αy = 0."
    else:
        forces = f"{sums}: they do not cancel{_yet(play)}, Σ αy = {shown(left, 3)}."
    return [forces, _torques(play, slab, alpha)]


def _yet(play: Playback) -> str:
    """Words for a condition that is not met: still to come on the way, rounding at the answer."""
    return " to six digits" if is_answer(play) else " yet"


def _torques(play: Playback, slab: Slab, alpha: Vector) -> str:
    """The torques of both sides: of a push at x about the origin it is alpha y times the place of x along the boundary.

    Their sum is the component of sum_i alpha_i y_i x_i along the boundary, and w has none.
    """
    scene = play.scene
    moments = alpha * scene.y * (scene.X @ slab.along)
    positive, negative = (float(moments[scene.y == sign].sum()) for sign in (1, -1))
    size = float(alpha.sum()) * float(np.max(np.abs(scene.X)))
    positive, negative = (0.0 if abs(each) <= _TOTAL * size else each for each in (positive, negative))
    sums = f"Torques about the origin: {shown(positive, 3)} and {shown(negative, 3)}"
    total = (alpha * scene.y) @ scene.X
    turning = float(total @ slab.along)
    if abs(turning) > _TOTAL * size:
        rest = f"Σ αyx has a component {shown(turning, 3)} along the boundary"
        return f"{sums}: they do not cancel{_yet(play)}; {rest}."
    same = float(np.max(np.abs(total - slab.w))) <= _TOTAL * max(size, slab.norm)
    return f"{sums}: they cancel, because Σ αyx{' = w' if same else ''} has no component along the boundary."


def _table(play: Playback, slab: Slab | None) -> dict[str, Any]:
    """Each point with alpha, margin, slack and its case; support vectors first."""
    scene, alpha = play.scene, play.frame.weights
    if slab is None:
        return {"table": []}
    cases, off = cases_of(scene, slab, alpha), slackness_of(scene, slab, alpha)
    order = sorted(range(len(alpha)), key=lambda row: (alpha[row] <= 0, row))
    lines = [
        {
            "row": row,
            "case": cases[row],
            "cells": [
                str(row + 1),
                shown(float(alpha[row]), 3),
                shown(_tidy(float(slab.margins[row])), 3),
                shown(float(slab.slack[row]) if slab.slack[row] > EDGE else 0.0, 3),
                _case_words(play, cases[row], float(off[row])),
            ],
        }
        for row in order
    ]
    kinds = kind_words(play, slab, cases) if is_answer(play) else []
    return {"table": lines, "kinds": kinds}


def _tidy(margin: float) -> float:
    """A margin without the rounding in it: 1 on the edge."""
    return 1.0 if abs(margin - 1.0) <= EDGE else margin


def _case_words(play: Playback, case: str, off: float) -> str:
    """The case in words; "open" says by how much it misses."""
    scene, begin = play.scene, "" if is_answer(play) else "not yet: "
    soft = scene.algorithm == "soft-margin"
    squared = soft and scene.loss == "squared_hinge"
    words = {
        "beyond": "α = 0, beyond its edge",
        "edge": "α = 0, on its edge",
        "margin": "0 < α < C, on its edge" if soft else "α > 0, on its edge",
        "limit": "α = C, on its edge",
        "slack": "α = 2Cξ, uses slack" if squared else "α = C, uses slack",
    }
    if case != "open":
        return words[case]
    return f"{begin}off by {shown(off, 2)}" if off > 0.0 else f"{begin}inside the slab"


def _law(scene: Scene) -> str:
    """Complementary slackness of this problem in words."""
    if scene.algorithm == "hard-margin":
        return "α > 0 only on an edge"
    if scene.loss == "squared_hinge":
        return "α = 2Cξ, so that α > 0 only where there is slack"
    return "α > 0 only on an edge or short of it, α = C wherever ξ > 0"


def _slackness_words(play: Playback, slab: Slab) -> str:
    """Sentence on complementary slackness: that it holds, or by how much it does not."""
    scene, alpha = play.scene, play.frame.weights
    cases, off = cases_of(scene, slab, alpha), slackness_of(scene, slab, alpha)
    missing = [row for row, case in enumerate(cases) if case == "open"]
    if not missing:
        return f"Complementary slackness holds for all {counted(len(cases), 'point')}: {_law(scene)}."
    worst = max(missing, key=lambda row: float(off[row]))
    where = f"{points(missing)} {verb(missing, 'breaks', 'break')} it"
    if off[worst] > 0.0:
        most = f"point {worst + 1} most, by {shown(float(off[worst]), 3)}"
        return f"Complementary slackness does not hold{_yet(play)}: {where}, {most}."
    # Of the hard margin's active-set method: the products vanish at every step, the constraints hold at the end.
    inside = f"{points(missing)} {verb(missing, 'is', 'are')} inside the slab or beyond it"
    return f"α(y f(x) − 1) = 0 for every point, but this is not yet the answer: {inside}."
