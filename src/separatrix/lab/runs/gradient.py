"""Gradient descent on the perceptron risk, step by step."""

from __future__ import annotations

import numpy as np

from separatrix.lab.runs.frame import Frame, counted
from separatrix.lab.runs.perceptron import labelled, settings_of
from separatrix.lab.scene import Scene
from separatrix.perceptron.gradient import GradientSteps
from separatrix.problem import scores
from separatrix.types import Vector


class GradientRun:
    """`GradientSteps`, one step a frame."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.descent = GradientSteps(labelled(scene), settings_of(scene))

    @property
    def scene(self) -> Scene:
        """The scene it works on."""
        return self._scene

    def first(self) -> Frame:
        """w = 0, or the first row."""
        from_row = self.descent.settings.start is not None
        return self._frame(
            "Descent starts at w = y₁x₁, the first row." if from_row else "Descent starts at w = 0."
        )

    def step(self) -> Frame | None:
        """One step down the gradient; None where no row is misclassified."""
        wrong = self.descent.step()
        if wrong == 0:
            return None
        size = self.descent.sizes[-1]
        return self._frame(
            f"{counted(wrong, 'row')} misclassified: w moved by {size:.3g} times their signed sum.", size
        )

    def grown(self, scene: Scene) -> bool:
        """Descent goes on from the same w on the risk of one row more."""
        rows, old = labelled(scene), self.descent
        if rows.constant != old.rows.constant:
            return False
        new = GradientSteps(rows, old.settings)
        new.w, new.b, new.updates, new.visits, new.sizes = old.w, old.b, old.updates, old.visits, old.sizes
        new.beta, new.counts = np.append(old.beta, 0.0), np.append(old.counts, 0)
        new.f = new.scores()
        self._scene, self.descent = scene, new
        return True

    def scores(self, frame: Frame, Z: Vector) -> Vector:
        """w.z + b."""
        assert frame.w is not None
        return scores(Z, frame.w) + frame.b

    def ending(self) -> str:
        """Number of steps."""
        made = counted(self.descent.updates, "step")
        return f"No row is misclassified, the risk is 0: descent has ended after {made}."

    def _frame(self, note: str, size: float | None = None) -> Frame:
        descent = self.descent
        assert descent.w is not None
        weights = np.abs(descent.beta)
        return Frame(descent.w.copy(), descent.b, weights, note, updates=descent.updates, size=size)
