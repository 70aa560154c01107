"""Chapters on validation, what ten looks do to a hold-out, and on Mark I."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import binom

from separatrix.lab.letters import SIDE
from separatrix.lab.mark_one import MarkOne
from separatrix.lab.playback import Playback
from separatrix.lab.tour.chapter import Asked, Chapter, Question, Stop, Task, preset
from separatrix.lab.tour.facts import functional
from separatrix.lab.tour.means import first_setting, slider
from separatrix.lab.words import points, shown, verb

HELD_OUT = 20  # points of the thought experiment
LOOKS = 10  # classifiers that are tried on them


def _wrong(play: Playback) -> list[int]:
    return [int(row) for row in np.flatnonzero(~(functional(play) > 0))]


def _seen_words(play: Playback) -> str:
    rows = _wrong(play)
    return (
        f"A kernel SVM with γ = {shown(play.scene.gamma)} on points that overlap: {points(rows)} "
        f"{verb(rows, 'is', 'are')} on the wrong side of its curve. That is its training error, and there is an easy "
        "way to be rid of it."
    )


def _none_wrong(start: Playback, now: Playback) -> bool:
    return now.at_end and not _wrong(now)


def _errors(start: Playback, now: Playback) -> str:
    count, n = len(_wrong(now)), len(now.scene.points)
    return f"γ = {shown(now.scene.gamma, 3)}: {count} of {n} points {'is' if count == 1 else 'are'} on the wrong side."


def best_of(looks: int, n: int) -> float:
    """Expected number of right answers of the best of some classifiers that toss a coin on each of n points.

    >>> best_of(1, 20)
    10.0
    """
    return float(np.sum(1.0 - binom.cdf(np.arange(n), n, 0.5) ** looks).round(9))


def _ten_looks(play: Playback) -> Asked:
    best = best_of(LOOKS, HELD_OUT)
    half = HELD_OUT // 2
    return Asked.among(
        f"{LOOKS} classifiers toss a coin for each of {HELD_OUT} held-out points. How many does the best of them "
        "get right, on average?",
        f"{best:.0f} of {HELD_OUT}",
        [f"{half} of {HELD_OUT}", f"{half + 7} of {HELD_OUT}"],
        f"On average {shown(best, 3)}. Each of them alone gets {half}, but we kept the luckiest of {LOOKS}. A "
        "hold-out that was used to choose no longer tells how good the chosen one is.",
        {f"{half} of {HELD_OUT}": "That is right for one of them, chosen beforehand."},
    )


def _fresh(play: Playback) -> Asked:
    best, half = best_of(LOOKS, HELD_OUT), HELD_OUT // 2
    return Asked.among(
        f"The winner is tried on {HELD_OUT} fresh points that nobody has looked at. How many does it get right, on "
        "average?",
        f"{half} of {HELD_OUT}",
        [f"{best:.0f} of {HELD_OUT}", f"{half - 4} of {HELD_OUT}"],
        f"It is still a coin: {half}. So choose with one set of held-out points and judge with another, which you "
        "look at once; or let the library count the looks and widen its interval accordingly.",
        {f"{best:.0f} of {HELD_OUT}": "Its luck stays with the points it was chosen on."},
    )


VALIDATION = Chapter(
    "validation",
    "Validation: what ten looks do",
    "validation",
    (
        Stop(
            "Right on what it has seen",
            "settings",
            _seen_words,
            Task(
                slider("gamma"),
                "Move γ until no point is on the wrong side.",
                "The slider of γ is among the settings above the pictures. Go up: a narrow kernel can bend around "
                "every point.",
                _none_wrong,
                _errors,
                first_setting("gamma", (3.0, 10.0, 30.0, 100.0), _none_wrong),
                lambda start, now: (
                    "No training error at all, and it took no insight, only a narrow kernel. To know how good it is, "
                    "ask it about points that it has not seen: hold some out."
                ),
            ),
            scene=preset("overlapping", algorithm="kernel-svm", kernel="rbf", gamma=0.1, C=10.0),
        ),
        Stop(
            "Ten looks",
            "tab",
            "Held-out points are asked about, not learnt from. But each time you try another γ and keep the better "
            "one, you have looked. Imagine classifiers that know nothing at all.",
            Question(_ten_looks),
        ),
        Stop(
            "And one more",
            "tab",
            "So the best of ten coins looked better than a coin.",
            Question(_fresh),
            look={"over": "looks"},
        ),
    ),
    tabs=("validation", "gram", "lift"),
)


# -- Mark I


def letter(cells: Any) -> str:
    """A drawing as Mark I takes it, from the places (row, column) of its cells."""
    drawn = set(cells)
    return "".join("1" if (k // SIDE, k % SIDE) in drawn else "0" for k in range(SIDE * SIDE))


def tee(right: int = 0) -> str:
    """The letter T, two cells thick, moved some cells to the right."""
    bar = [(4 + i, c + right) for i in range(2) for c in range(5, 15)]
    stem = [(r, 9 + i + right) for i in range(2) for r in range(6, 16)]
    return letter([*bar, *stem])


def ell() -> str:
    """The letter L, two cells thick."""
    stem = [(r, 5 + i) for i in range(2) for r in range(4, 16)]
    foot = [(14 + i, c) for i in range(2) for c in range(7, 15)]
    return letter([*stem, *foot])


SHIFT = -4  # cells to the right: the stem of the T then lies on the stem of the L


def taught() -> MarkOne:
    """A machine that was shown a T and an L until it had both right."""
    machine = MarkOne()
    for cells, label in ((tee(), 1), (ell(), -1)):
        machine.handle({"do": "show", "cells": cells, "label": label})
    while machine.handle({"do": "look"})["wrong"]:
        machine.handle({"do": "pass"})
    return machine


def _how_many_weights(play: Playback) -> Asked:
    count = int(taught().model.coef_.size)
    return Asked.among(
        "How many weights does it learn, not counting the bias?",
        str(count),
        [str(SIDE), str(2 * SIDE), str(count // 2)],
        f"{SIDE} × {SIDE} = {count}, one for each cell. A drawing is one point in a space of {count} dimensions, "
        "and the machine looks for a hyperplane there, with the same update as in the plane: w ← w + yx.",
    )


def _shifted(play: Playback) -> Asked:
    machine = taught()
    found = machine.handle({"do": "ask", "cells": tee(right=SHIFT)})
    right = {1: 0, -1: 1, None: 2}[found["answer"]]
    return Asked(
        f"A machine has learnt one T and one L, and has both right. Now the same T comes {-SHIFT} cells further to "
        "the left. What does it say?",
        ("T", "L", "It cannot tell"),
        right,
        f"f = {shown(found['f'])}, where above 0 means T. Every weight belongs to one cell, and a shape that has "
        "moved lights other cells. It learns where the ink is, not what the shape is: show it many places, and it "
        "will do better.",
    )


MARK_ONE = Chapter(
    "mark-one",
    "Mark I: four hundred weights",
    preset("origin"),
    (
        Stop(
            "A machine that sees",
            "mark",
            f"Around 1960 Rosenblatt's Mark I looked through {SIDE} × {SIDE} photocells and learnt to tell shapes "
            "apart. Its algorithm is the perceptron of the chapters before.",
            Question(_how_many_weights),
        ),
        Stop(
            "The same letter elsewhere",
            "mark",
            "It is taught with the letters T and L, two cells thick. You can draw them yourself: open Mark I, draw, "
            "and press “this is A” or “this is B”.",
            Question(_shifted),
        ),
        Stop(
            "Your turn",
            "x",
            "That was the tour. A line, a point w, a mistake and a jump, a margin, a price, a kernel, an honest "
            "look: the rest of the page lets you put them together. Your own points come back when you end the tour.",
        ),
    ),
)
