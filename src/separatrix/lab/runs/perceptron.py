"""The perceptron algorithm, update by update: the compiled pass of the library, stopped at each mistake."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.parameters import seed_of
from separatrix.lab.runs.frame import Frame, counted
from separatrix.lab.scene import Scene
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.passes import PrimalPasses
from separatrix.perceptron.result import PrimalState
from separatrix.perceptron.rows import LabelledRows, column_constant, misclassified
from separatrix.problem import scores
from separatrix.problem.kernels import Linear
from separatrix.types import Vector

#: What ``Perceptron(random_state=0)`` seeds its passes with.
SEED = seed_of(0)


def settings_of(scene: Scene) -> Settings:
    """The scene's choices as a perceptron run takes them."""
    size = scene.rule if scene.algorithm == "gradient" and scene.rule != "fixed" else scene.step
    shuffle = scene.order == "shuffle" and scene.algorithm != "gradient"
    return Settings(step=size, shuffle=shuffle, seed=SEED, start=0 if scene.start == "row" else None)


def labelled(scene: Scene) -> LabelledRows:
    """The scene's rows with the constant of the fictitious column."""
    X = np.ascontiguousarray(scene.X)
    return LabelledRows(X, scene.y, column_constant(X, Linear(), scene.bias))


class PerceptronRun:
    """`PrimalPasses`, stopped after each update."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.run = PrimalPasses(labelled(scene), settings_of(scene))
        self.position = self.run.rows.n_rows  # the first pass is drawn when the first step is asked for
        self.order: NDArray[np.int64] | None = None
        self.passes = 0

    def first(self) -> Frame:
        """w = 0, or the first row."""
        if self.run.settings.start is not None:
            return self._frame("The run starts at w = y₁x₁, the first point.", 0)
        return self._frame("The run starts at w = 0, where every point counts as misclassified.", None)

    def step(self) -> Frame | None:
        """Visit rows until one is misclassified and its update is made; None after a pass without a mistake."""
        run, rows, state = self.run, self.run.rows, self.run.state
        n = rows.n_rows
        while state.run < n:
            if self.position >= n:
                self.order = run.next_order()
                self.position, self.passes = 0, self.passes + 1
            ahead = np.arange(self.position, n) if self.order is None else self.order[self.position :]
            f = scores(rows.X[ahead], state.w[0]) + float(state.b[0])
            wrong = np.flatnonzero(~(rows.labels[ahead] * f > 0))
            # Only a guess at where to stop: the compiled pass decides what is a mistake.
            count = int(wrong[0]) + 1 if len(wrong) else len(ahead)
            updates = run.visit(self.order, self.position, self.position + count)
            self.position += count
            if updates:
                row = int(ahead[count - 1])
                return self._frame(_sentence(row, int(rows.labels[row]), self.passes), row)
        doubtful = misclassified(rows, state.w[0], float(state.b[0]))
        if len(doubtful) == 0:
            return None
        row = int(doubtful[0])
        run.update(row)
        return self._frame(
            f"Point {row + 1} is misclassified in exact arithmetic, though rounding hid it.", row
        )

    def grown(self, scene: Scene) -> bool:
        """An online algorithm: the new row simply is the next to be visited in turn."""
        old, rows = self.run, labelled(scene)
        if rows.constant != old.rows.constant:  # the radius has grown: the run would have been another
            return False
        self.scene = scene
        self.run = PrimalPasses(rows, old.settings, PrimalState(old.state, old.rng, old.rows.n_rows))
        self.run.state.counts[:-1] = old.state.counts
        self.run.state.run = 0  # not every row has been found right any more
        self.position = rows.n_rows
        return True

    def scores(self, frame: Frame, Z: Vector) -> Vector:
        """w.z + b."""
        assert frame.w is not None
        return scores(Z, frame.w) + frame.b

    def ending(self) -> str:
        """Number of updates."""
        made = f"{counted(self.run.updates, 'update')} in {counted(self.passes, 'pass', 'passes')}"
        return f"A whole pass without a mistake: the run ended after {made}."

    def _frame(self, note: str, row: int | None) -> Frame:
        state, settings = self.run.state, self.run.settings
        weights = np.asarray(state.counts * settings.size, dtype=np.float64)
        if settings.start is not None:
            weights[settings.start] += 1.0
        used = () if row is None or state.updates == 0 else (row,)
        w, b = state.w[0].copy(), float(state.b[0])
        return Frame(w, b, weights, note, row, used, updates=state.updates, size=settings.size)


def _sentence(row: int, label: int, passes: int) -> str:
    way = "along it" if label > 0 else "against it"
    return f"Pass {passes}: point {row + 1} was misclassified, so w jumps {way}."
