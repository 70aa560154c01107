"""K(x, z) of two points of a scene, with the numbers it is made of: what a cell of the Gram matrix says."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.lab.encode import number
from separatrix.lab.runs.kernel_perceptron import kernel_of
from separatrix.lab.scene import Scene
from separatrix.lab.words import shown, signed

_DIGITS = 6  # of numbers that are to agree on the page
_POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


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
