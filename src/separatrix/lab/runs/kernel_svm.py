"""The kernel SVM: the soft margin in the space of a kernel, as `SVC.fit` finds it."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.lab.answers import Answers
from separatrix.lab.runs.frame import Frame, Vector
from separatrix.lab.runs.kernel_perceptron import kernel_of
from separatrix.lab.scene import Scene
from separatrix.problem.kernel_problem import KernelProblem
from separatrix.problem.losses import LOSSES


class KernelSVMRun:
    """Before the fit, and after it."""

    def __init__(self, scene: Scene) -> None:
        self._scene, self.kernel = scene, kernel_of(scene)
        y = scene.y.astype(np.float64)
        bias: Any = "none" if scene.bias == "none" else "free"
        self.problem = KernelProblem(
            np.ascontiguousarray(scene.X), y, np.full(len(y), scene.C), LOSSES[scene.loss], bias, self.kernel
        )
        self.settled = False

    @property
    def scene(self) -> Scene:
        """The scene it works on."""
        return self._scene

    def first(self) -> Frame:
        """alpha = 0."""
        return self._frame(
            np.zeros(self.problem.n_rows), 0.0, "Before the first step: α = 0, f is zero everywhere."
        )

    def step(self) -> Frame | None:
        """The answer."""
        return None if self.settled else self.answer(Answers(self._scene).model)

    def answer(self, model: Any) -> Frame:
        """What `SVC(kernel=...).fit` returns."""
        self.settled = True
        return self._frame(
            model.alpha_, float(model.intercept_[0]), "The answer of SVC.fit with this kernel."
        )

    def grown(self, scene: Scene) -> bool:
        """A new row is a new problem."""
        return False

    def scores(self, frame: Frame, Z: Vector) -> Vector:
        """f(z) = sum_i alpha_i y_i k(x_i, z) + b."""
        used = np.flatnonzero(frame.weights)
        coefficients = (frame.weights * self.problem.y)[used]
        return np.asarray(self.kernel.matrix(Z, self._scene.X[used]) @ coefficients + frame.b)

    def ending(self) -> str:
        """That primal and dual have met."""
        return "Primal and dual have met in the space of the kernel."

    def _frame(self, alpha: Vector, b: float, note: str) -> Frame:
        problem = self.problem
        F = problem.scores(alpha * problem.y)
        primal, dual = problem.primal(alpha * problem.y, F, b), problem.dual(alpha, F)
        gap = max(0.0, primal - dual) / primal if primal > 0 else 0.0
        slack = np.maximum(0.0, 1.0 - problem.y * (F + b))
        return Frame(None, b, alpha.copy(), note, primal=primal, dual=dual, gap=gap, slack=slack)
