"""The kernel perceptron, update by update: the dual form, where w lives in the space of the kernel."""

from __future__ import annotations

import numpy as np

from separatrix.lab.runs.frame import Frame, counted
from separatrix.lab.runs.perceptron import settings_of
from separatrix.lab.scene import Scene
from separatrix.perceptron.classes import column_constant
from separatrix.perceptron.dual import DualPasses, DualState
from separatrix.perceptron.state import LabelledRows
from separatrix.problem.kernels import Kernel, make_kernel
from separatrix.types import Vector


def kernel_of(scene: Scene) -> Kernel:
    """The scene's kernel."""
    return make_kernel(scene.kernel, scene.X, scene.degree, scene.gamma, scene.coef0)


class KernelPerceptronRun:
    """`DualPasses`, stopped after each update."""

    def __init__(self, scene: Scene) -> None:
        self._scene, self.kernel = scene, kernel_of(scene)
        self.rows = self._rows(scene)
        self.solver = DualPasses(settings_of(scene), self.kernel)
        self.state: DualState = self.solver.init(self.rows, n_threads=1)
        self.order = np.arange(0)
        self.passes = 0

    def _rows(self, scene: Scene) -> LabelledRows:
        X = np.ascontiguousarray(scene.X)
        return LabelledRows(X, scene.y, column_constant(X, self.kernel, scene.bias))

    @property
    def scene(self) -> Scene:
        """The scene it works on."""
        return self._scene

    def first(self) -> Frame:
        """No update yet."""
        return self._frame("No row has been visited yet: f is zero everywhere.", None)

    def step(self) -> Frame | None:
        """Visit rows until one is misclassified and its update is made; None after a pass without a mistake."""
        n, state = self.rows.n_rows, self.state
        while state.run < n:
            if len(self.order) == 0:
                shuffled = self.solver.settings.shuffle
                self.order = state.rng.permutation(n) if shuffled else np.arange(n)
                self.passes += 1
            wrong = np.flatnonzero(~(self.rows.labels[self.order] * state.F[self.order, 0] > 0))
            count = int(wrong[0]) + 1 if len(wrong) else len(self.order)
            part, self.order = self.order[:count], self.order[count:]
            if self.solver.advance(self.rows, state, part):
                row = int(part[-1])
                return self._frame(
                    f"Pass {self.passes}: row {row + 1} was misclassified; its weight grew.", row
                )
        return None

    def grown(self, scene: Scene) -> bool:
        """The new row has weight 0 and is visited in turn."""
        rows, old = self._rows(scene), self.state
        if rows.constant != self.rows.constant:
            return False
        self._scene, self.rows = scene, rows
        new = self.solver.init(rows, n_threads=1)
        n = rows.n_rows - 1
        new.beta[:n], new.lag[:n], new.counts[:n] = old.beta, old.lag, old.counts
        used = np.flatnonzero(new.beta[:, 0])
        new.F[:, 0] = new.columns.combination(used, new.beta[used, 0])
        new.visits, new.updates, new.log, new.rng = old.visits, old.updates, old.log, old.rng
        self.state, self.order = new, np.arange(0)
        return True

    def scores(self, frame: Frame, Z: Vector) -> Vector:
        """f(z) = sum_i beta_i (k(x_i, z) + c^2)."""
        used = np.flatnonzero(frame.weights)
        beta = (frame.weights * self.rows.labels[: len(frame.weights)])[used]
        return np.asarray(self.kernel.matrix(Z, self.rows.X[used]) @ beta + frame.b)

    def ending(self) -> str:
        """Number of updates."""
        made = f"{counted(self.state.updates, 'update')} in {counted(self.passes, 'pass', 'passes')}"
        return f"A pass without a mistake: the run has ended after {made}."

    def _frame(self, note: str, row: int | None) -> Frame:
        state = self.state
        beta = state.beta[:, 0]
        b = self.rows.gain * float(beta.sum())
        return Frame(None, b, np.abs(beta), note, row, updates=state.updates)
