"""Data to draw validation: some points are held out, models learn from the others, and both errors are counted.

Every third point of each class is held out; which third, the reader may choose. What is learnt from the others is the
estimator's answer on them alone: while the picture is open, x-space shows that answer, with the held-out points hollow.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.lab.answers import Answers
from separatrix.lab.encode import number, numbers
from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import Frame, counted
from separatrix.lab.runs.soft_margin import SoftMarginRun
from separatrix.lab.scene import Scene, SceneError
from separatrix.lab.views.looks import check_size, looks_view, percent
from separatrix.lab.views.x import Window, norm_of, rows_of, x_view
from separatrix.lab.words import shown
from separatrix.validation import Holdout

Counts = NDArray[np.int64]
_EVERY = 3  # one of so many points of a class is held out
_FIRST = 1  # the third that is held out before another is chosen
_RANGES = {"C": (1e-3, 1e3), "gamma": (1e-2, 1e2)}
_SYMBOLS = {"C": "C", "gamma": "γ"}
_KEPT = 32  # curves of scenes that were on the page, so that a slider that goes back finds them


def can_validate(scene: Scene) -> bool:
    """True for the algorithms with a C to choose."""
    return scene.algorithm in ("soft-margin", "kernel-svm")


def check_third(third: Any) -> int:
    """The third that is held out, from outside: 0, 1 or 2; the middle one where it is not given."""
    if third is None:
        return _FIRST
    if isinstance(third, bool) or third not in range(_EVERY):
        raise SceneError(f"third must be 0, 1 or 2; got {str(third)[:20]}.")
    return int(third)


def held_out(scene: Scene, third: int = _FIRST) -> NDArray[np.bool_]:
    """The rows that are held out, a mask (n,): the second, the fifth, ... of each class, or their neighbours.

    >>> held_out(Scene(points=((0.0, 0.0, 1),) * 4 + ((1.0, 0.0, -1),) * 3)).nonzero()[0].tolist()
    [1, 5]
    """
    mask = np.zeros(len(scene.points), dtype=bool)
    for label in (1, -1):
        mask[np.flatnonzero(scene.y == label)[third::_EVERY]] = True
    return mask


@lru_cache(maxsize=64)
def learnt(scene: Scene, third: int = _FIRST) -> tuple[SoftMarginRun, Frame]:
    """The answer on the points that are not held out."""
    rest = tuple(point for point, out in zip(scene.points, held_out(scene, third), strict=True) if not out)
    run = SoftMarginRun(replace(scene, points=rest))
    return run, run.leap(Answers(run.scene), None)


def misses(scene: Scene, f: NDArray[np.float64], third: int) -> tuple[int, int]:
    """Points that are not on their own side: of those that were learnt from, of the held-out ones."""
    wrong, out = ~(scene.y * f > 0), held_out(scene, third)
    return int(np.count_nonzero(wrong & ~out)), int(np.count_nonzero(wrong & out))


@dataclass(frozen=True, eq=False)
class Sweep:
    """Errors along a setting. ``answers`` are the signs of f on the held-out points, a row for each value."""

    values: NDArray[np.float64]
    train: Counts
    held: Counts
    answers: NDArray[np.int8]

    @property
    def best(self) -> int:
        """Place of the fewest errors on the held-out points; the smallest value of several."""
        return int(np.argmin(self.held))


_sweeps: OrderedDict[tuple[Scene, str, int], Sweep] = OrderedDict()


def sweep(scene: Scene, over: str, third: int = _FIRST, quick: bool = False) -> Sweep | None:
    """Errors along C or gamma; None where they would have to be found first and must be ``quick``."""
    key = scene.changed({over: 1.0}), over, third
    known = _sweeps.get(key)
    if known is None and not quick:
        known = _sweeps[key] = _swept(scene, over, third)
        while len(_sweeps) > _KEPT:
            _sweeps.popitem(last=False)
    return known


def _swept(scene: Scene, over: str, third: int) -> Sweep:
    # Half a power of ten apart; with many points fewer, so that a page never waits longer than a tenth of a second.
    count = 13 if len(scene.points) <= 150 else 9 if len(scene.points) <= 300 else 7
    values = np.geomspace(*_RANGES[over], count)
    out = held_out(scene, third)
    found = []
    for value in values:
        there = scene.changed({over: float(value)})
        run, frame = learnt(there, third)
        f = run.scores(frame, scene.X)
        found.append((*misses(scene, f, third), np.sign(f[out]).astype(np.int8)))
    train, held, answers = zip(*found, strict=True)
    return Sweep(values, np.array(train), np.array(held), np.array(answers))


def shows_rest(play: Playback) -> bool:
    """True if x-space shows what the points that are not held out teach: at the end of a run, not by hand."""
    return play.at_end and enough(play.scene)


def enough(scene: Scene) -> bool:
    """True if each class has a point to hold out, whichever third that is."""
    return all(int(np.count_nonzero(scene.y == label)) >= _EVERY for label in (1, -1))


def held_x(
    play: Playback, third: int, window: Window | None, grid: int, row: int | None
) -> dict[str, Any] | None:
    """x-space with the answer of the points that are not held out; None where the run itself is to be seen."""
    if not shows_rest(play):
        return None
    scene, out = play.scene, held_out(play.scene, third)
    run, frame = learnt(scene, third)
    view = x_view(run, frame, window, grid)
    f = run.scores(frame, scene.X)
    norm = norm_of(run, frame, rows_of(run, frame))
    kinds = np.full(len(out), "", dtype=object)
    kinds[~out] = view["kinds"]
    every = {"functional": scene.y * f, "geometric": scene.y * f / norm if norm > 0 else None}
    for name, values in every.items():
        one = None if values is None or row is None else {row: number(values[row])}
        view[name] = one if row is not None or values is None else numbers(values)
    view |= {"kinds": kinds.tolist(), "held": np.flatnonzero(out).tolist(), "third": third}
    view["legend"].insert(2, "held")
    return view


def validation_view(
    play: Playback, over: Any = None, third: int = _FIRST, size: Any = None, quick: bool = False
) -> dict[str, Any]:
    """Both errors along C or gamma, the best of them, and what looking often does to a hold-out."""
    scene = play.scene
    if over == "looks":
        return {"over": "looks", "choices": _choices(scene), **looks_view(check_size(size))}
    if over is None:  # how wide a Gaussian is matters most
        over = "gamma" if scene.has_kernel and scene.kernel == "rbf" else "C"
    if not isinstance(over, str) or over not in _RANGES:
        raise SceneError(f"over must be one of C, gamma, looks; got {str(over)[:20]}.")
    over = over if over in _choices(scene) else "C"
    if not enough(scene):
        few = "Each class needs three points before one of them can be held out."
        return {"over": over, "choices": _choices(scene), "curves": None, "few": True, "says": [few]}
    out = held_out(scene, third)
    many = int(np.count_nonzero(~out)), int(np.count_nonzero(out))
    view: dict[str, Any] = {
        "over": over,
        "choices": _choices(scene),
        "few": False,
        "third": third,
        "value": number(getattr(scene, over)),
        "range": list(_RANGES[over]),
        "curves": None,
        "says": [_split_words(play, many), _now_words(play, over, third, many)],
    }
    found = sweep(scene, over, third, quick)
    if found is not None:
        view["curves"] = {
            "values": numbers(found.values),
            "train": numbers(100.0 * found.train / many[0]),
            "held": numbers(100.0 * found.held / many[1]),
        }
        view["best"] = {
            "value": number(found.values[found.best]),
            "error": number(100.0 * found.held[found.best] / many[1]),
        }
        view["says"].append(_best_words(scene, over, found, out))
    return view


def _choices(scene: Scene) -> list[str]:
    return ["C", "gamma"] if scene.has_kernel else ["C"]


def _split_words(play: Playback, many: tuple[int, int]) -> str:
    held = f"{many[1]} of {sum(many)} points, every third of each class, are held out"
    if shows_rest(play):
        rest = f"the formulas above and the panel what all {sum(many)} do"
        return f"{held} and hollow; x-space shows what the other {many[0]} teach, {rest}."
    if play.hand is not None:
        return f"{held}; the line in x-space is where you put it."
    return f"{held} for these curves; the run in x-space learns from all {sum(many)}."


def _now_words(play: Playback, over: str, third: int, many: tuple[int, int]) -> str:
    scene = play.scene
    if play.hand is not None:
        f, what = play.run.scores(play.frame, scene.X), "Your line"
    else:
        run, frame = learnt(scene, third)
        f, what = run.scores(frame, scene.X), f"At {_SYMBOLS[over]} = {shown(getattr(scene, over), 3)}"
    train, held = misses(scene, f, third)
    return (
        f"{what}: wrong on {train} of {counted(many[0], 'training point')} ({percent(train / many[0])}) and on {held} "
        f"of {many[1]} held out ({percent(held / many[1])})."
    )


def _best_words(scene: Scene, over: str, found: Sweep, out: NDArray[np.bool_]) -> str:
    """The best on the held-out points, and how far that can be believed: one look, and as many as there were."""
    place, n, tried = found.best, int(np.count_nonzero(out)), len(found.values)
    errors = int(found.held[place])
    ties = int(np.count_nonzero(found.held == errors))
    as_good = "" if ties == 1 else f" (as have {ties - 1} larger)"
    one = Holdout(scene.X[out], scene.y[out], budget=1, resolution=0.0).score(found.answers[place])
    all_looks = Holdout(scene.X[out], scene.y[out], budget=tried, resolution=0.0).score_all(
        list(found.answers)
    )
    fixed, chosen = _error_interval(one), _error_interval(all_looks[place])
    return (
        f"Of {tried} values {_SYMBOLS[over]} = {shown(float(found.values[place]), 3)} has the fewest held-out errors, "
        f"{errors} of {n}{as_good}. Were the points random, that would put the true error of a model fixed beforehand "
        f"at {fixed} (95 %), but of the best of {tried} at {chosen}."
    )


def _error_interval(look: Any) -> str:
    low, high = look.interval
    return f"{round(100.0 * (1.0 - high), 1):g} to {percent(1.0 - low)}"
