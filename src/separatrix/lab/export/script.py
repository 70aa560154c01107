"""The Python that reproduces what is on the page: the points, the estimator with its settings, and its proof."""

from __future__ import annotations

import math
from typing import Any

from separatrix.lab.answers import Answers, estimator
from separatrix.lab.scene import Scene

_UNNEEDED = ("n_threads",)  # they never change the result


def script(answers: Answers) -> str:
    """A program that prints the numbers of the page."""
    scene = answers.scene
    if scene.algorithm == "online":
        return _head(scene, "Perceptron") + _STREAM.format(model=call(estimator(scene)))
    if answers.model is None or not has_end(answers):
        return _head(scene, "separability") + _VERDICT.format(bias=scene.bias != "none")
    model = estimator(scene)
    name = type(model).__name__
    text = _head(scene, f"{name}, verify") + f"\nmodel = {call(model)}.fit(X, y)\n"
    if scene.algorithm in ("gradient", "perceptron", "kernel-perceptron"):
        text += 'print(model.status_, "after", model.n_updates_, "updates of at most", model.bound_)\n'
    else:
        text += 'print("primal", model.primal_, "dual", model.dual_, "relative gap", model.gap_)\n'
        text += 'print("support vectors", model.support_, model.support_kind_)\n'
    if not scene.has_kernel:
        text += 'print("w =", model.coef_[0], "b =", model.intercept_[0])\n'
    if answers.proof is not None:
        text += _PROOF
    return text


def has_end(answers: Answers) -> bool:
    """False for a perceptron or a descent on points that no line separates: no fit ends where the page has stopped."""
    return answers.scene.algorithm not in ("gradient", "perceptron") or answers.verdict.verdict == "separable"


def call(model: Any) -> str:
    """The estimator as it is written in a program: its name and what differs from the default.

    >>> from separatrix import SVC
    >>> call(SVC(C=math.inf, bias="none"))
    "SVC(C=float('inf'), bias='none')"
    """
    usual = type(model)().get_params()
    changed = {
        name: value
        for name, value in model.get_params().items()
        if name not in _UNNEEDED and value != usual[name]
    }
    words = ", ".join(f"{name}={_written(value)}" for name, value in changed.items())
    return f"{type(model).__name__}({words})"


def _written(value: Any) -> str:
    return "float('inf')" if isinstance(value, float) and math.isinf(value) else repr(value)


def _head(scene: Scene, names: str) -> str:
    rows = "\n".join(f"    [{x1!r}, {x2!r}]," for x1, x2, _ in scene.points)
    labels = ", ".join(str(label) for _, _, label in scene.points)
    return (
        f"import numpy as np\n\nfrom separatrix import {names}\n\n"
        f"X = np.array([\n{rows}\n])\ny = np.array([{labels}])\n"
    )


_STREAM = """
model = {model}
for row in range(len(X)):  # each point once, in its turn: predicted, then learnt from if that was wrong
    model.partial_fit(X[row : row + 1], y[row : row + 1], classes=[-1, 1])
print(model.n_updates_, "updates in", len(X), "points")
print("w =", model.coef_[0], "b =", model.intercept_[0])
"""
_PROOF = """\
print(verify(model.certificate_, X, y, exact=True).reason)
"""
_VERDICT = """
answer = separability(X, y, bias={bias})  # rows count from 0; the page numbers points from 1
print(answer)
print("weights", *answer.weights)
"""
