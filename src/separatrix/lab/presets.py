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
    """A scene by name, with the sentence that the page shows beside it."""

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
)
BY_NAME = {preset.name: preset for preset in PRESETS}
