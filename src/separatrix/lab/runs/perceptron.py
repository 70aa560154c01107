"""The perceptron algorithm, update by update: the compiled pass of the library, stopped at each mistake."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.parameters import seed_of
from separatrix.lab.runs.frame import Frame, counted
from separatrix.lab.scene import Scene
from separatrix.perceptron.classes import column_constant
from separatrix.perceptron.exact_recheck import misclassified
from separatrix.perceptron.primal import PrimalPasses
from separatrix.perceptron.state import LabelledRows, PassState, Settings
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


@dataclass(eq=False)
class HeldOrder(PassState):
    """A state whose order stays the same until the pass is over, so that a shuffled pass may be stopped within."""

    order: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    @staticmethod
    def of(state: PassState) -> HeldOrder:
        """The same state, its order held."""
        return HeldOrder(**{each.name: getattr(state, each.name) for each in fields(state)})

    def next_order(self, n: int, shuffle: bool, run: int = 1) -> NDArray[np.int64]:
        """The held order; a new one is drawn by `draw`."""
        return self.order

    def draw(self, n: int, shuffle: bool) -> NDArray[np.int64]:
        """Begin a pass: hold its order, and return it written out."""
        self.order = PassState.next_order(self, n, shuffle)
        return self.order if shuffle else np.arange(n)


class PerceptronRun:
    """`PrimalPasses`, stopped after each update."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.rows = labelled(scene)
        self.solver = PrimalPasses(settings_of(scene))
        self.state = HeldOrder.of(self.solver.init(self.rows, n_threads=1))
        self.position = self.rows.n_rows  # the first pass is drawn when the first step is asked for
        self.pass_order = np.arange(0)
        self.passes = 0

    @property
    def scene(self) -> Scene:
        """The scene it works on."""
        return self._scene

    def first(self) -> Frame:
        """w = 0, or the first row."""
        if self.solver.settings.start is not None:
            return self._frame("The run starts at w = y₁x₁, the first row.", 0)
        return self._frame("The run starts at w = 0, where every row counts as misclassified.", None)

    def step(self) -> Frame | None:
        """Visit rows until one is misclassified and its update is made; None after a pass without a mistake."""
        n, state = self.rows.n_rows, self.state
        while int(state.tally[2]) < n:
            if self.position >= n:
                self.pass_order = state.draw(n, self.solver.settings.shuffle)
                self.position, self.passes = 0, self.passes + 1
            ahead = self.pass_order[self.position :]
            f = scores(self.rows.X[ahead], state.w) + float(state.b[0])
            wrong = np.flatnonzero(~(self.rows.labels[ahead] * f > 0))
            # Only a guess at where to stop: the compiled pass decides what is a mistake.
            end = self.position + int(wrong[0]) + 1 if len(wrong) else n
            updates = self.solver.advance(self.rows, state, self.position, end)
            self.position = end
            if updates:
                row = int(self.pass_order[end - 1])
                return self._frame(_sentence(row, int(self.rows.labels[row]), self.passes), row)
        doubtful = misclassified(self.rows, state.w, float(state.b[0]))
        if len(doubtful) == 0:
            return None
        row = int(doubtful[0])
        self.solver.force(self.rows, state, row)
        return self._frame(
            f"Row {row + 1} is misclassified exactly, though rounding hid it: an update on it.", row
        )

    def grown(self, scene: Scene) -> bool:
        """An online algorithm: the new row simply is the next to be visited in turn."""
        rows = labelled(scene)
        if rows.constant != self.rows.constant:  # the radius has grown: the run would have been another
            return False
        self.rows, self._scene = rows, scene
        self.state.counts = np.append(self.state.counts, 0)
        self.state.tally[2] = 0  # not every row has been found right any more
        self.position = rows.n_rows
        return True

    def scores(self, frame: Frame, Z: Vector) -> Vector:
        """w.z + b."""
        assert frame.w is not None
        return scores(Z, frame.w) + frame.b

    def ending(self) -> str:
        """Number of updates."""
        updates = int(self.state.tally[1])
        made = f"{counted(updates, 'update')} in {counted(self.passes, 'pass', 'passes')}"
        return f"A pass without a mistake: the run has ended after {made}."

    def _frame(self, note: str, row: int | None) -> Frame:
        state, settings = self.state, self.solver.settings
        weights = np.asarray(state.counts * settings.size, dtype=np.float64)
        if settings.start is not None:
            weights[settings.start] += 1.0
        return Frame(state.w.copy(), float(state.b[0]), weights, note, row, updates=int(state.tally[1]))


def _sentence(row: int, label: int, passes: int) -> str:
    sign = "+" if label > 0 else "−"
    return f"Pass {passes}: row {row + 1} was misclassified, so w {sign}= step · x, and b moved with it."
