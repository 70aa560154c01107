"""A scene: the points on the page and the algorithm that works on them. All that a shared link holds.

    {"points": [[x1, x2, label], ...], "algorithm": "perceptron", "step": 1.0, ...}

A scene that comes from a page or a link is checked word by word; a wrong one is refused with a sentence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from separatrix.lab.limits import MAX_COORDINATE, MAX_POINTS

ALGORITHMS = (
    "gradient",
    "perceptron",
    "online",
    "hard-margin",
    "soft-margin",
    "kernel-perceptron",
    "kernel-svm",
)
Point = tuple[float, float, int]


class SceneError(ValueError):
    """A page sent something that is not a scene; the text says what was expected."""


@dataclass(frozen=True)
class Scene:
    """The points, each (x1, x2, label of -1 or +1), the algorithm, and its settings.

    >>> scene = Scene(points=((0.0, 1.0, 1),)).changed({"algorithm": "soft-margin", "C": 2})
    >>> scene.algorithm, scene.C, scene.X.shape
    ('soft-margin', 2.0, (1, 2))
    >>> Scene().changed({"C": -1})
    Traceback (most recent call last):
    separatrix.lab.scene.SceneError: C must be a number from 0.0001 to 1000000; got -1.
    """

    points: tuple[Point, ...] = field(default=())
    algorithm: str = "hard-margin"
    bias: str = "unit"
    order: str = "cyclic"
    step: float = 1.0
    rule: str = "fixed"  #: the step of gradient descent
    start: str = "zero"  #: "zero", or "row": y_1 x_1 of the first row
    C: float = 1.0
    loss: str = "hinge"
    solver: str = "interior-point"
    kernel: str = "rbf"
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 1.0
    #: degrees that the truth turns with each point of a stream; None where no truth is known
    drift: float | None = None

    @cached_property
    def X(self) -> NDArray[np.float64]:  # noqa: N802  # the name of the subject
        """The rows, shape (n, 2)."""
        return _read_only(np.array([point[:2] for point in self.points], dtype=np.float64).reshape(-1, 2))

    @cached_property
    def y(self) -> NDArray[np.int8]:
        """The labels -1 and +1, shape (n,)."""
        return _read_only(np.array([point[2] for point in self.points], dtype=np.int8))

    @property
    def has_kernel(self) -> bool:
        """True if the algorithm works in the space of a kernel, where there is no w to draw."""
        return self.algorithm.startswith("kernel")

    @property
    def two_classes(self) -> bool:
        """True if both labels are there."""
        return len({point[2] for point in self.points}) == 2

    def changed(self, patch: Mapping[str, Any]) -> Scene:
        """The scene with some of its settings changed; points are changed by the methods below."""
        checked: dict[str, Any] = {}
        for name, value in patch.items():
            if name not in _SETTINGS:
                raise SceneError(f"A scene has no setting {name!r}; it has {', '.join(_SETTINGS)}.")
            checked[name] = _SETTINGS[name](name, value)
        return replace(self, **checked)

    def with_point(self, point: Any) -> Scene:
        """One more point at the end."""
        if len(self.points) >= MAX_POINTS:
            raise SceneError(f"The page holds at most {MAX_POINTS} points.")
        return replace(self, points=(*self.points, check_point(point)))

    def moved(self, row: Any, point: Any) -> Scene:
        """Row ``row`` at another place, or of the other class."""
        place = self.check_row(row)
        return replace(self, points=(*self.points[:place], check_point(point), *self.points[place + 1 :]))

    def without(self, row: Any) -> Scene:
        """All points but one."""
        place = self.check_row(row)
        return replace(self, points=(*self.points[:place], *self.points[place + 1 :]))

    def labelled_by_truth(self) -> Scene:
        """The points with the labels that the turning line gives them; as they are where no truth is known."""
        if self.drift is None:
            return self
        places = enumerate(self.points)
        sides = [(x1, x2, truth_at(self.drift, row)) for row, (x1, x2, _) in places]
        return replace(
            self, points=tuple((x1, x2, 1 if u * x1 + v * x2 >= 0 else -1) for x1, x2, (u, v) in sides)
        )

    def check_row(self, row: Any) -> int:
        """The number of a row that is there."""
        if not is_whole(row, 0, len(self.points) - 1):
            raise SceneError(f"row must be a whole number below {len(self.points)}; got {str(row)[:40]}.")
        return row

    def to_json(self) -> dict[str, Any]:
        """Return the scene as a link carries it: every setting, and the points."""
        document: dict[str, Any] = {"points": [list(point) for point in self.points]}
        for each in fields(self):
            if each.name != "points":
                document[each.name] = getattr(self, each.name)
        return document

    @staticmethod
    def from_json(document: Any) -> Scene:
        """Read a scene from outside."""
        if not isinstance(document, dict):
            raise SceneError("A scene must be an object with points and settings.")
        points = document.get("points", [])
        if not isinstance(points, list) or len(points) > MAX_POINTS:
            raise SceneError(f"points must be a list of at most {MAX_POINTS} points [x1, x2, label].")
        settings = {name: value for name, value in document.items() if name != "points"}
        return replace(Scene(), points=tuple(check_point(point) for point in points)).changed(settings)


_BEGIN = 30.0  # degrees from the x1-axis to the normal of the truth before it turns: neither axis


def truth_at(drift: float, row: int) -> tuple[float, float]:
    """The normal of the line through the origin that gives point ``row`` of a stream its label.

    >>> [round(value, 6) for value in truth_at(1.0, 60)]
    [0.0, 1.0]
    """
    angle = math.radians(_BEGIN + drift * row)
    return math.cos(angle), math.sin(angle)


def _read_only(values: NDArray[Any]) -> NDArray[Any]:
    values.flags.writeable = False  # a scene never changes: the same array serves all who ask
    return values


def is_whole(value: Any, low: int, high: int) -> TypeGuard[int]:
    """True for a whole number from low to high; True and False are none.

    >>> is_whole(2, 0, 2), is_whole(True, 0, 2), is_whole(3, 0, 2), is_whole("2", 0, 2)
    (True, False, False, False)
    """
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def check_point(point: Any) -> Point:
    """A point [x1, x2, label] from outside."""
    if not isinstance(point, list | tuple) or len(point) != 3:
        raise SceneError(f"A point must be [x1, x2, label]; got {str(point)[:60]}.")
    x1, x2 = (
        _number(name, value, -MAX_COORDINATE, MAX_COORDINATE)
        for name, value in zip(("x1", "x2"), point, strict=False)
    )
    if isinstance(point[2], bool) or point[2] not in (-1, 1):
        raise SceneError(f"A label must be -1 or 1; got {str(point[2])[:20]}.")
    return x1, x2, int(point[2])


def _number(name: str, value: Any, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise SceneError(f"{name} must be a finite number; got {str(value)[:40]}.")
    if not low <= value <= high:
        raise SceneError(f"{name} must be a number from {low:g} to {high:.15g}; got {value:g}.")
    return float(value)


def _between(low: float, high: float) -> Any:
    return lambda name, value: _number(name, value, low, high)


def _whole(low: int, high: int) -> Any:
    def check(name: str, value: Any) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not is_whole(value, low, high):
            raise SceneError(f"{name} must be a whole number from {low} to {high}; got {str(value)[:40]}.")
        return value

    return check


def _one_of(*names: str) -> Any:
    def check(name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in names:
            raise SceneError(f"{name} must be one of {', '.join(names)}; got {str(value)[:40]}.")
        return value

    return check


_SETTINGS: dict[str, Any] = {
    "algorithm": _one_of(*ALGORITHMS),
    "bias": _one_of("unit", "radius", "none"),
    "order": _one_of("cyclic", "shuffle"),
    "step": _between(1e-4, 1e4),
    "rule": _one_of("fixed", "decreasing", "line-search"),
    "start": _one_of("zero", "row"),
    "C": _between(1e-4, 1e6),
    "loss": _one_of("hinge", "squared_hinge"),
    "solver": _one_of("interior-point", "coordinate-descent"),
    "kernel": _one_of("rbf", "poly"),
    "gamma": _between(1e-3, 1e3),
    "degree": _whole(1, 9),
    "coef0": _between(-100.0, 100.0),
    "drift": lambda name, value: None if value is None else _number(name, value, 0.0, 5.0),
}
