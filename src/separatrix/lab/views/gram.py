"""Data to draw the Gram matrix: K of every two points, those of a class side by side, and one cell with its formula.

Colours are levels of 1/127 of the largest |K|, a byte a cell: half a thousand points are a quarter of a megabyte.
"""

from __future__ import annotations

import base64
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.lab.encode import number
from separatrix.lab.playback import Playback
from separatrix.lab.runs.kernel_perceptron import kernel_of
from separatrix.lab.scene import Scene
from separatrix.lab.words import shown, signed

_LEVELS = 127
_DIGITS = 6  # of numbers that are to agree on the page
_POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def gram_view(play: Playback) -> dict[str, Any]:
    """The matrix as colours, its rows' order, its range, and what its blocks mean."""
    return dict(_gram(play.scene.changed({"C": 1.0})))


@lru_cache(maxsize=8)
def _gram(scene: Scene) -> dict[str, Any]:
    """The same: it depends on the points and the kernel alone, not on the step that is shown."""
    order = np.argsort(-scene.y.astype(int), kind="stable")
    K = kernel_of(scene).matrix(scene.X[order], scene.X[order])
    most = float(np.max(np.abs(K)))
    levels = np.round(K * (_LEVELS / most if most > 0 else 0.0)).astype(np.int8)
    first = int(np.count_nonzero(scene.y > 0))
    return {
        "order": order.tolist(),
        "plus": first,
        "cells": base64.b64encode(levels.tobytes()).decode("ascii"),
        "least": number(np.min(K)),
        "most": number(np.max(K)),
        "largest": number(most),
        "says": block_words(K, first),
        "cell": kernel_pair(scene, int(order[0]), int(order[-1])),
    }


def block_means(K: NDArray[np.float64], first: int) -> list[float | None]:
    """Means of K over two different points of +1, of -1, and over one of each; None of a class with one point.

    >>> block_means(np.array([[9.0, 1.0, 2.0], [1.0, 9.0, 4.0], [2.0, 4.0, 9.0]]), 2)
    [1.0, None, 3.0]
    """
    means: list[float | None] = []
    for block in (K[:first, :first], K[first:, first:]):
        pairs = block.size - len(block)
        means.append(float(block.sum() - np.trace(block)) / pairs if pairs else None)
    return [*means, float(K[:first, first:].mean())]


def block_words(K: NDArray[np.float64], first: int) -> str:
    """Means of the blocks, and where K is larger: within the classes or between them."""
    plus, minus, between = block_means(K, first)
    assert between is not None
    inner = {"+1": plus, "−1": minus}
    known = {name: value for name, value in inner.items() if value is not None}
    if not known:
        return "Each class has one point: there is no pair within a class to compare."
    listed = " and ".join(f"{shown(value, 3)} within {name}" for name, value in known.items())
    means = (
        f"Over two different points the mean of K is {listed}, and {shown(between, 3)} between the classes."
    )
    above = [name for name, value in known.items() if value > between]
    if len(above) == len(known) == 2:
        return f"{means} It is larger within both classes: the two blocks on the diagonal."
    if len(known) == 1:
        (name,) = known
        return f"{means} It is {'larger' if above else 'not larger'} within {name}; the other class has one point."
    if above:
        return (
            f"{means} It is larger within {above[0]} alone: by its means, the other block does not stand out."
        )
    return f"{means} It is larger within neither class: by its means, this kernel does not show the classes."


def power(degree: int) -> str:
    """The degree as it is written behind a bracket; nothing for 1.

    >>> power(2), power(1)
    ('²', '')
    """
    return "" if degree == 1 else str(degree).translate(_POWERS)


def formula(scene: Scene) -> str:
    """The kernel in symbols, without what does nothing: a factor 1, a constant 0.

    >>> formula(Scene(kernel="poly", degree=2, gamma=1.0, coef0=0.0)), formula(Scene())
    ('(x·z)²', 'exp(−γ‖x − z‖²)')
    """
    if scene.kernel == "rbf":
        return "exp(−γ‖x − z‖²)"
    constant = "" if scene.coef0 == 0 else " + c"
    factor = "" if scene.gamma == 1 else "γ "
    return f"({factor}x·z{constant}){power(scene.degree)}"


def kernel_value(scene: Scene, i: int, j: int) -> float:
    """K(x_i, x_j) as the library computes it."""
    return float(kernel_of(scene).matrix(scene.X[i : i + 1], scene.X[j : j + 1])[0, 0])


def kernel_pair(scene: Scene, i: Any, j: Any) -> dict[str, Any]:
    """K of two rows and the sentence about it.

    >>> scene = Scene(kernel="poly", degree=2, coef0=0.0, algorithm="kernel-svm")
    >>> scene = scene.with_point([1.0, 2.0, 1]).with_point([3.0, 1.0, -1])
    >>> kernel_pair(scene, 0, 1)["says"]
    'Points 1 and 2, of different classes: K(x, z) = (x·z)² = 5² = 25.'
    """
    i, j = scene.check_row(i), scene.check_row(j)
    value = kernel_value(scene, i, j)
    if i == j:
        who = f"Point {i + 1} with itself"
    else:
        same = scene.y[i] == scene.y[j]
        who = f"Points {i + 1} and {j + 1}, of {'one class' if same else 'different classes'}"
    return {
        "rows": [i, j],
        "value": number(value),
        "says": f"{who}: K(x, z) = {formula(scene)} = {_inserted(scene, i, j)} = {shown(value, _DIGITS)}.",
    }


def _inserted(scene: Scene, i: int, j: int) -> str:
    """The formula with its numbers."""
    x, z = scene.X[i], scene.X[j]
    if scene.kernel == "rbf":
        return f"exp(−{shown(scene.gamma, _DIGITS)}·{shown(float(np.sum(np.square(x - z))), _DIGITS)})"
    inner = shown(float(x @ z), _DIGITS)
    if scene.gamma != 1:
        inner = f"{shown(scene.gamma, _DIGITS)}·{inner if float(x @ z) >= 0 else f'({inner})'}"
    if scene.coef0 != 0:
        inner += f" {signed(scene.coef0, _DIGITS)}"
    plain = scene.gamma == 1 and scene.coef0 == 0 and float(x @ z) >= 0
    return f"{inner if plain else f'({inner})'}{power(scene.degree)}"
