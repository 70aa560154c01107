"""The chapter on kernels: a product after a lift, the table of all products, and a kernel that is too narrow."""

from __future__ import annotations

import numpy as np

from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import counted
from separatrix.lab.runs.kernel_perceptron import kernel_of
from separatrix.lab.scene import Scene
from separatrix.lab.tour.chapter import Asked, Chapter, Question, Stop, Task, preset
from separatrix.lab.tour.facts import functional
from separatrix.lab.tour.means import first_setting, slider
from separatrix.lab.words import pair, shown

_LIFT = {"algorithm": "kernel-svm", "kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 0.0}


def _pair_of(scene: Scene) -> tuple[int, int]:
    """A point of each class whose product is not near 0 or 1, so that it and its square differ to the eye."""
    plus, minus = np.flatnonzero(scene.y > 0), np.flatnonzero(scene.y < 0)
    products = np.abs(scene.X[plus] @ scene.X[minus].T)
    far = np.where(products > 2.1, products, np.inf)
    chosen = np.argmin(far) if np.any(np.isfinite(far)) else np.argmax(products)
    i, j = np.unravel_index(int(chosen), products.shape)
    return int(plus[i]), int(minus[j])


def _lift_words(play: Playback) -> str:
    i, j = _pair_of(play.scene)
    return (
        "No line separates these points, but a curve does. Send each point to three dimensions: φ(x) = (x₁², √2 "
        "x₁x₂, x₂²). There a plane cuts the classes apart, and seen from here its trace is a curve. And the product "
        f"of two lifted points costs nothing extra: it is a function of the old product. Point {i + 1} is at "
        f"{pair(play.scene.X[i])} and point {j + 1} at {pair(play.scene.X[j])}."
    )


def _lifted(play: Playback) -> Asked:
    scene = play.scene.changed(_LIFT)
    i, j = _pair_of(scene)
    plain = float(scene.X[i] @ scene.X[j])
    value = float(kernel_of(scene).matrix(scene.X[i : i + 1], scene.X[j : j + 1])[0, 0])
    return Asked.among(
        f"Their plain product is x·z = {shown(plain)}. What is φ(x)·φ(z), the product after the lift?",
        shown(value),
        [shown(plain), shown(2 * plain), shown(abs(plain) ** 3)],
        f"x₁²z₁² + 2x₁x₂z₁z₂ + x₂²z₂² is (x₁z₁ + x₂z₂)², so it is (x·z)² = {shown(value)}. A function that is a "
        "product after some lift is called a kernel; the lift itself need never be made.",
    )


def _gram_words(play: Playback) -> str:
    n = len(play.scene.points)
    return (
        "The algorithm only ever needs products of points with each other. So the whole problem fits into a table of "
        f"{n} × {n} numbers k(xᵢ, xⱼ), the Gram matrix. Here the kernel is the Gaussian, exp(−γ‖x − z‖²) with γ = "
        f"{shown(play.scene.gamma)}: near points have a large product, far ones almost none."
    )


def _diagonal(play: Playback) -> Asked:
    found = kernel_of(play.scene).diagonal(play.scene.X)
    all_one = bool(np.all(found == 1.0))
    return Asked(
        "What stands on the diagonal of this Gram matrix?",
        ("0 everywhere", "1 everywhere", "‖x‖², different for each point"),
        1 if all_one else 2,
        "The distance of a point from itself is 0, and exp(0) = 1. In the space of this kernel all points have "
        "length 1: they lie on a sphere.",
        {2: "That is the diagonal of the plain product x·z."},
    )


def _everybody(start: Playback, now: Playback) -> bool:
    """Every point has a weight and is right: a kernel that is too wide may give all of them one and be wrong."""
    return now.at_end and bool(np.all(now.frame.weights > 0)) and bool(np.all(functional(now) > 0))


def _supports(start: Playback, now: Playback) -> str:
    count = int(np.count_nonzero(now.frame.weights > 0))
    return f"γ = {shown(now.scene.gamma, 3)}: {count} of {len(now.scene.points)} points are support vectors."


def _support_words(play: Playback) -> str:
    count = int(np.count_nonzero(play.frame.weights > 0))
    return (
        f"γ says how narrow the kernel is. With γ = {shown(play.scene.gamma)} the boundary rests on "
        f"{counted(count, 'support vector')} of {len(play.scene.points)} points. A narrower kernel makes every point "
        "a world of its own."
    )


KERNELS = Chapter(
    "kernels",
    "Kernels: the lift and the Gram matrix",
    "kernel-lift",
    (
        Stop("A curve is a plane elsewhere", "views", _lift_words, Question(_lifted)),
        Stop(
            "All products in one table",
            "views",
            _gram_words,
            Question(_diagonal),
            scene=preset("circles"),
            tabs=("gram",),
        ),
        Stop(
            "Too narrow",
            "x",
            _support_words,
            Task(
                slider("gamma"),
                "Make the kernel narrower until every point is a support vector: move γ up.",
                "The slider of γ is among the settings above the pictures. Larger is narrower.",
                _everybody,
                _supports,
                first_setting("gamma", (10.0, 30.0, 100.0), _everybody),
                lambda start, now: (
                    "Now the boundary rests on every point there is, and it makes no error on them. It knows nothing "
                    "but what it has seen; whether it is any good elsewhere is the next question."
                ),
            ),
            scene=preset("circles"),
            tabs=("gram",),
        ),
    ),
    tabs=("lift", "gram"),
)
