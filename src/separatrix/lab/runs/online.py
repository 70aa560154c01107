"""A stream: each point comes once, is predicted, and is learnt from where that was wrong. No second look at any."""

from __future__ import annotations

import numpy as np

from separatrix.lab.runs.frame import Frame, counted
from separatrix.lab.scene import Scene
from separatrix.perceptron.estimator import Perceptron
from separatrix.problem import scores
from separatrix.types import Vector


def stream_learner(scene: Scene) -> Perceptron:
    """The estimator that learns online; a column R would need rows that have not come yet, so it is the column 1."""
    bias = "none" if scene.bias == "none" else "unit"
    return Perceptron(bias=bias, step=scene.step, n_threads=1)


class OnlineRun:
    """`Perceptron.partial_fit`, a point a step."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.model = stream_learner(scene)
        self.seen = 0
        self.w, self.b, self.updates = np.zeros(2), 0.0, 0
        self.weights = np.zeros(len(scene.points))

    def first(self) -> Frame:
        """No point has come."""
        return self._frame("No point has come yet: w = 0.", None, ())

    def step(self) -> Frame | None:
        """The next point: predict, then learn; None where no more come."""
        row = self.seen
        if row == len(self.scene.points):
            return None
        x, label = self.scene.X[row : row + 1], int(self.scene.y[row])
        f = float(scores(x, self.w)[0]) + self.b
        self.model.partial_fit(np.ascontiguousarray(x), self.scene.y[row : row + 1], classes=[-1, 1])
        self.w, self.b = self.model.coef_[0].copy(), float(self.model.intercept_[0])
        wrong = self.model.n_updates_ > self.updates
        self.seen, self.updates = row + 1, int(self.model.n_updates_)
        if wrong:
            self.weights[row] += self.scene.step
        return self._frame(_sentence(row, f, label, wrong), row, (row,) if wrong else ())

    def grown(self, scene: Scene) -> bool:
        """A further point is the next to come."""
        self.scene = scene
        self.weights = np.append(self.weights, 0.0)
        return True

    def scores(self, frame: Frame, Z: Vector) -> Vector:
        """w.z + b."""
        assert frame.w is not None
        return scores(Z, frame.w) + frame.b

    def ending(self) -> str:
        """Mistakes among all that came."""
        made = counted(self.updates, "mistake")
        return f"No more points come: {made} in {counted(self.seen, 'point')}, each seen once."

    def _frame(self, note: str, row: int | None, used: tuple[int, ...]) -> Frame:
        weights = self.weights.copy()
        size = self.scene.step
        return Frame(self.w.copy(), self.b, weights, note, row, used, updates=self.updates, size=size)


def _sentence(row: int, f: float, label: int, wrong: bool) -> str:
    """Sentence on the prediction of a point, its label, and the update."""
    sign = {1: "+1", -1: "−1"}
    if not wrong:
        return f"Point {row + 1} came, was predicted {sign[label]} and is {sign[label]}: nothing is learnt."
    way = "along it" if label > 0 else "against it"
    if f == 0:
        return f"Point {row + 1} came and lay on the boundary, which counts as a mistake: w jumps {way}."
    return f"Point {row + 1} came, was predicted {sign[-label]} and is {sign[label]}: w jumps {way}."
