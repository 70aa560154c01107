"""Scenes to begin with: each shows one thing that happens in the subject."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from separatrix.lab.scene import Point, Scene

Points = tuple[Point, ...]


@dataclass(frozen=True)
class Preset:
    """A scene by name, with the sentence that the page shows with it."""

    name: str
    title: str
    about: str
    make: Callable[[], Scene]


def _points(X: NDArray[np.float64], y: NDArray[np.int64]) -> Points:
    """Coordinates rounded to 1/64: links stay short, and products of them are exact in float64."""
    grid = np.round(X * 64.0) / 64.0
    return tuple((float(a), float(b), int(label)) for (a, b), label in zip(grid, y, strict=True))


def _clouds(distance: float, spread: float, count: int, seed: int) -> Points:
    """Two round clouds on either side of the line x1 + x2 = 0; the first of each class stands nearest."""
    rng = np.random.default_rng(seed)
    along = np.array([1.0, 1.0]) / math.sqrt(2.0)
    positive = rng.normal(0.0, spread, (count, 2)) + distance * along
    negative = rng.normal(0.0, spread, (count, 2)) - distance * along
    return _points(np.vstack([positive, negative]), np.repeat([1, -1], count))


def _bands(room: float, depth: float, count: int, seed: int, centre: tuple[float, float]) -> Points:
    """Two long bands on either side of the line x1 + x2 = const through ``centre``, ``room`` away from it."""
    rng = np.random.default_rng(seed)
    normal, along = np.array([1.0, 1.0]) / math.sqrt(2.0), np.array([1.0, -1.0]) / math.sqrt(2.0)
    signs = np.repeat([1, -1], count)
    away = signs * (room + rng.gamma(1.5, depth / 1.5, 2 * count))
    X = np.array(centre) + np.outer(rng.uniform(-2.6, 2.6, 2 * count), along) + np.outer(away, normal)
    return _points(X, signs)


def separable() -> Scene:
    """Two bands with room between them, the origin within it but not in its middle."""
    return Scene(points=_bands(0.4, 0.7, 12, 2, (0.25, 0.15)), algorithm="hard-margin")


def touching() -> Scene:
    """Rows of both classes on one line, and one place that belongs to both: quasi-separable."""
    X = [
        (-2, 2),
        (-1, 1),
        (0, 0),
        (0, 0),
        (1, -1),
        (2, -2),
        (1, 2),
        (2, 1),
        (2.5, 0.5),
        (-1, -2),
        (-2, -1),
        (-2.5, -0.5),
    ]
    y = [1, 1, 1, -1, -1, -1, 1, 1, 1, -1, -1, -1]
    return Scene(points=_points(np.array(X, dtype=float), np.array(y)), algorithm="perceptron")


def overlapping() -> Scene:
    """Two clouds that overlap: no hyperplane, a soft margin."""
    return Scene(points=_clouds(1.1, 1.05, 20, 3), algorithm="soft-margin")


def xor() -> Scene:
    """The four corners that no line separates, a few points each."""
    rng = np.random.default_rng(8)
    corners = np.array([(1.6, 1.6), (-1.6, -1.6), (-1.6, 1.6), (1.6, -1.6)])
    X = np.vstack([corner + rng.uniform(-0.6, 0.6, (6, 2)) for corner in corners])
    return Scene(
        points=_points(X, np.repeat([1, 1, -1, -1], 6)),
        algorithm="kernel-perceptron",
        kernel="poly",
        degree=2,
        gamma=0.5,
    )


def circles() -> Scene:
    """One class around the other: linear nowhere, a circle in the space of a kernel."""
    rng = np.random.default_rng(4)
    angles = np.linspace(0.0, 2.0 * math.pi, 18, endpoint=False)
    outer = np.column_stack([np.cos(angles), np.sin(angles)]) * rng.uniform(2.3, 2.9, (18, 1))
    inner = np.column_stack([np.cos(angles[::2]), np.sin(angles[::2])]) * rng.uniform(0.3, 1.2, (9, 1))
    return Scene(
        points=_points(np.vstack([inner, outer]), np.repeat([1, -1], [9, 18])),
        algorithm="kernel-svm",
        kernel="rbf",
        gamma=0.5,
        C=10.0,
    )


def ellipse() -> Scene:
    """One class inside a slanting ellipse about the origin: a plane separates what (x.z)^2 lifts."""
    rng = np.random.default_rng(11)
    angles = 0.4 + np.linspace(0.0, 2.0 * math.pi, 16, endpoint=False)
    # On the ellipse x1^2 - x1 x2 + x2^2 = 2 the radius is sqrt(2 / (1 - cos sin)).
    edge = np.sqrt(2.0 / (1.0 - np.cos(angles) * np.sin(angles)))
    around = np.column_stack([np.cos(angles), np.sin(angles)]) * edge[:, None]
    outer = around * rng.uniform(1.18, 1.36, (16, 1))
    inner = (around * rng.uniform(0.5, 0.84, (16, 1)))[::2]
    return Scene(
        points=_points(np.vstack([inner, outer]), np.repeat([1, -1], [8, 16])),
        algorithm="kernel-svm",
        kernel="poly",
        degree=2,
        gamma=1.0,
        coef0=0.0,
        C=100.0,
    )


def noisy() -> Scene:
    """Two arcs that reach into each other, blurred: how wide a kernel should be is a question.

    The seed is one with which a too wide and a too narrow kernel are both clearly worse on held-out points.
    """
    rng = np.random.default_rng(0)
    angles = rng.uniform(0.0, math.pi, (2, 36))
    upper = np.column_stack([np.cos(angles[0]), np.sin(angles[0])]) * 1.7 + [-0.8, -0.4]
    lower = np.column_stack([np.cos(angles[1]), -np.sin(angles[1])]) * 1.7 + [0.8, 0.4]
    X = np.vstack([upper, lower]) + rng.normal(0.0, 0.5, (72, 2))
    return Scene(
        points=_points(X, np.repeat([1, -1], 36)), algorithm="kernel-svm", kernel="rbf", gamma=10.0, C=10.0
    )


def early_stop() -> Scene:
    """Eight separable points on which scikit-learn's Perceptron, as it comes, stops before it separates them."""
    X = [(1.9, 3.0), (4.8, 3.5), (3.7, 0.1), (3.0, 4.8), (8.6, 11.3), (8.6, 8.8), (8.2, 8.7), (11.5, 8.7)]
    points = tuple((a, b, 1 if row < 4 else -1) for row, (a, b) in enumerate(X))
    return Scene(points=points, algorithm="perceptron", bias="unit")


def origin() -> Scene:
    """Two bands that a line through the origin separates: w-space is then the plane itself."""
    return Scene(points=_bands(0.25, 0.8, 7, 8, (0.0, 0.0)), algorithm="perceptron", bias="none", start="row")


def five() -> Scene:
    """Five points whose perceptron makes half as many updates as its bound allows: on others it is far fewer."""
    points = (
        (1.53125, -1.3125, 1),
        (-0.890625, 2.078125, 1),
        (-0.75, 2.09375, 1),
        (0.203125, -1.515625, -1),
        (0.328125, -1.375, -1),
    )
    return Scene(points=points, algorithm="perceptron", bias="none")


def valley() -> Scene:
    """A narrow valley of the risk and a start beside it, where a tenth of the step crawls and ten times it zigzags."""
    points = (
        (-1.25, 2.15625, 1),
        (-1.65625, -0.140625, -1),
        (2.09375, -0.203125, -1),
        (-2.078125, -0.046875, -1),
        (1.296875, -0.515625, -1),
    )
    return Scene(points=points, algorithm="gradient", bias="none", start="row", step=0.1)


def stream() -> Scene:
    """Points that come one by one from a disc, whose labels a line gives that turns by 180 degrees meanwhile."""
    rng = np.random.default_rng(5)
    count = 240
    angle, far = rng.uniform(0.0, 2.0 * math.pi, count), 3.0 * np.sqrt(rng.uniform(0.0, 1.0, count))
    X = np.column_stack([far * np.cos(angle), far * np.sin(angle)])
    points = _points(X, np.ones(count, dtype=np.int64))
    return Scene(points=points, algorithm="online", bias="none", drift=0.75).labelled_by_truth()


def three() -> Scene:
    """Three points, all on the edges of the widest slab: w = (1/17, 4/17), b = 1/2, a corner of the polyhedron.

    The two of +1 are (16, -4) apart, at right angles to w; the one of -1 lies across from between them.
    """
    return Scene(points=((-7.5, 4.0, 1), (8.5, 0.0, 1), (2.5, -7.0, -1)), algorithm="hard-margin")


def wide_slab() -> Scene:
    """Ten points around a wide slab with round numbers: w = (0.3, 0.4), b = -0.5, 4 wide, 1 from the origin."""
    X = [(1, 3), (4, 3), (3, 5), (6.5, 1.5), (6, 4), (1, -2), (-3, 1), (-2, -2), (-4, -1), (-1, -3.5)]
    return Scene(points=_points(np.array(X), np.repeat([1, -1], 5)), algorithm="hard-margin")


def few_overlapping() -> Scene:
    """Fourteen points that overlap, few enough to name: three support vectors on the margin, four that use slack."""
    positive = [(1.25, 3), (3.25, 0.25), (3.25, 2.75), (-1.25, 3.25), (1, 0.25), (-1, 1)]
    negative = [
        (-2.25, 0.25),
        (-0.75, -2.25),
        (-3.25, 2.5),
        (-0.5, -3.5),
        (3.5, -1.25),
        (2.5, -3.5),
        (-3, -2.25),
    ]
    X = [*positive, *negative, (-0.25, 0)]
    return Scene(points=_points(np.array(X), np.repeat([1, -1], [6, 8])), algorithm="soft-margin", C=1.0)


PRESETS = (
    Preset("separable", "Separable", "Two bands with room between them: the widest slab exists.", separable),
    Preset(
        "origin", "Through the origin", "No bias: w-space is a plane, every row a line through 0.", origin
    ),
    Preset(
        "touching", "Touching", "Quasi-separable: some rows can be strict, the tied ones never.", touching
    ),
    Preset(
        "overlapping",
        "Overlapping",
        "No line separates these; a soft margin pays for each error.",
        overlapping,
    ),
    Preset(
        "three",
        "Three points",
        "Each is a plane in (w₁, w₂, b); they meet at the widest slab, w = (1/17, 4/17), b = 1/2.",
        three,
    ),
    Preset("xor", "XOR", "Four corners: four rows prove that no line exists. A kernel finds a curve.", xor),
    Preset("circles", "Circles", "One class around the other: a circle in the space of a kernel.", circles),
    Preset(
        "ellipse",
        "Ellipse",
        "One class inside an ellipse about 0: a plane separates the points that (x·z)² lifts.",
        ellipse,
    ),
    Preset("noisy", "Two arcs", "Blurred arcs: how wide should the kernel be? Held-out points say.", noisy),
    Preset(
        "eight",
        "Eight points",
        "scikit-learn's Perceptron stops early here; this one does not.",
        early_stop,
    ),
    Preset("five", "Five points", "The perceptron comes half as far as its bound allows.", five),
    Preset(
        "valley", "Narrow valley", "A tenth of the step crawls, ten times the step jumps to and fro.", valley
    ),
    Preset(
        "stream", "Stream with a drift", "Points come one by one; the line that labels them turns.", stream
    ),
)
BY_NAME = {preset.name: preset for preset in PRESETS}
