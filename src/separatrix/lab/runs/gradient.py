"""Gradient descent on the perceptron risk, step by step."""

from __future__ import annotations

import numpy as np

from separatrix.lab.runs.frame import Frame, counted
from separatrix.lab.runs.perceptron import labelled, settings_of
from separatrix.lab.scene import Scene
from separatrix.perceptron.gradient import GradientState, GradientSteps
from separatrix.problem import scores
from separatrix.types import Vector


class GradientRun:
    """`GradientSteps`, one step a frame."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.rows = labelled(scene)
        self.solver = GradientSteps(settings_of(scene))
        self.state: GradientState = self.solver.init(self.rows, n_threads=1)

    @property
    def scene(self) -> Scene:
        """The scene it works on."""
        return self._scene

    def first(self) -> Frame:
        """w = 0, or the first row."""
        from_row = self.solver.settings.start is not None
        return self._frame(
            "Descent starts at w = y₁x₁, the first row." if from_row else "Descent starts at w = 0."
        )

    def step(self) -> Frame | None:
        """One step down the gradient; None where no row is misclassified."""
        wrong = self.solver.step(self.rows, self.state)
        if wrong == 0:
            return None
        size = self.state.sizes[-1]
        return self._frame(
            f"{counted(wrong, 'row')} misclassified: w moved by {size:.3g} times their signed sum.", size
        )

    def grown(self, scene: Scene) -> bool:
        """Descent goes on from the same w on the risk of one row more."""
        rows, old = labelled(scene), self.state
        if rows.constant != self.rows.constant:
            return False
        assert old.w is not None
        self._scene, self.rows = scene, rows
        self.state = self.solver.init(rows, n_threads=1)
        self.state.w, self.state.b = old.w, old.b
        self.state.beta, self.state.counts = np.append(old.beta, 0.0), np.append(old.counts, 0)
        self.state.steps, self.state.visits, self.state.sizes = old.steps, old.visits, old.sizes
        self.state.f = scores(rows.X, old.w) + old.b
        return True

    def scores(self, frame: Frame, Z: Vector) -> Vector:
        """w.z + b."""
        assert frame.w is not None
        return scores(Z, frame.w) + frame.b

    def ending(self) -> str:
        """Number of steps."""
        made = counted(self.state.steps, "step")
        return f"No row is misclassified, the risk is 0: descent has ended after {made}."

    def _frame(self, note: str, size: float | None = None) -> Frame:
        state = self.state
        assert state.w is not None
        weights = np.abs(state.beta)
        return Frame(state.w.copy(), state.b, weights, note, updates=state.steps, size=size)
