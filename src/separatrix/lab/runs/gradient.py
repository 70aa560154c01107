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
        self.scene = scene
        self.descent = GradientSteps(labelled(scene), settings_of(scene))

    def first(self) -> Frame:
        """w = 0, or the first row."""
        from_row = self.descent.settings.start is not None
        return self._frame(
            "Descent starts at w = y₁x₁, the first point." if from_row else "Descent starts at w = 0."
        )

    def step(self) -> Frame | None:
        """One step down the gradient; None where no row is misclassified."""
        before = self.descent.counts.copy()
        wrong = self.descent.step()
        if wrong == 0:
            return None
        used = [int(row) for row in np.flatnonzero(self.descent.counts > before)]
        verb = "was" if wrong == 1 else "were"
        what = "its product yx" if wrong == 1 else "the sum of their products yx"
        note = f"{counted(wrong, 'point')} {verb} misclassified, so w moves along {what}."
        return self._frame(note, self.descent.sizes[-1], tuple(used))

    def grown(self, scene: Scene) -> bool:
        """Descent goes on from the same w on the risk of one row more."""
        rows, old = labelled(scene), self.descent
        if rows.constant != old.rows.constant:
            return False
        new = GradientSteps(rows, old.settings)
        new.w, new.b, new.updates, new.visits, new.sizes = old.w, old.b, old.updates, old.visits, old.sizes
        new.beta, new.counts = np.append(old.beta, 0.0), np.append(old.counts, 0)
        new.f = new.scores()
        self.scene, self.descent = scene, new
        return True

    def scores(self, frame: Frame, Z: Vector) -> Vector:
        """w.z + b."""
        assert frame.w is not None
        return scores(Z, frame.w) + frame.b

    def ending(self) -> str:
        """Number of steps."""
        made = counted(self.descent.updates, "step")
        return f"No point is misclassified, so the risk is 0: descent ended after {made}."

    def _frame(self, note: str, size: float | None = None, used: tuple[int, ...] = ()) -> Frame:
        descent = self.descent
        assert descent.w is not None
        weights = np.abs(descent.beta)
        w = descent.w.copy()
        return Frame(w, descent.b, weights, note, used=used, updates=descent.updates, size=size)
