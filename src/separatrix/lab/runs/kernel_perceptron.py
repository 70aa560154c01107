"""The kernel perceptron, update by update: the dual form, where w lives in the space of the kernel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from separatrix.lab.runs.frame import Frame, counted
from separatrix.lab.runs.perceptron import settings_of
from separatrix.lab.scene import Scene
from separatrix.perceptron.dual import DualPasses
from separatrix.perceptron.rows import LabelledRows, column_constant
from separatrix.problem.kernels import Kernel, make_kernel
from separatrix.types import Vector


def kernel_of(scene: Scene) -> Kernel:
    """The scene's kernel."""
    return make_kernel(scene.kernel, scene.X, scene.degree, scene.gamma, scene.coef0)


class KernelPerceptronRun:
    """`DualPasses`, stopped after each update."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.kernel = scene, kernel_of(scene)
        self.run = DualPasses(self._rows(scene), settings_of(scene))
        self.order = np.arange(0)
        self.passes = 0

    def _rows(self, scene: Scene) -> LabelledRows:
        X = np.ascontiguousarray(scene.X)
        return LabelledRows(X, scene.y, column_constant(X, self.kernel, scene.bias), kernel=self.kernel)

    def first(self) -> Frame:
        """No update yet."""
        if self.run.settings.start is not None:
            return replace(self._frame("The run starts with the weight 1 on the first point.", 0), used=())
        return self._frame("No point has been visited yet: f is zero everywhere.", None)

    def step(self) -> Frame | None:
        """Visit rows until one is misclassified and its update is made; None after a pass without a mistake."""
        run = self.run
        while run.run < run.rows.n_rows:
            if len(self.order) == 0:
                self.order = run.next_order()
                self.passes += 1
            wrong = np.flatnonzero(~(run.rows.labels[self.order] * run.F[self.order, 0] > 0))
            count = int(wrong[0]) + 1 if len(wrong) else len(self.order)
            part, self.order = self.order[:count], self.order[count:]
            if run.visit(part):
                row = int(part[-1])
                return self._frame(
                    f"Pass {self.passes}: point {row + 1} was misclassified, so its weight grows.", row
                )
        return None

    def grown(self, scene: Scene) -> bool:
        """The new row has weight 0 and is visited in turn."""
        rows, old = self._rows(scene), self.run
        if rows.constant != old.rows.constant:
            return False
        self.scene = scene
        new = DualPasses(rows, old.settings)
        n = rows.n_rows - 1
        new.beta[:n], new.lag[:n], new.counts[:n] = old.beta, old.lag, old.counts
        new.F[:, 0] = new.columns.combination(new.beta[:, 0])
        new.visits, new.updates, new.log, new.rng = old.visits, old.updates, old.log, old.rng
        self.run, self.order = new, np.arange(0)
        return True

    def scores(self, frame: Frame, Z: Vector) -> Vector:
        """f(z) = sum_i beta_i (k(x_i, z) + c^2)."""
        used = np.flatnonzero(frame.weights)
        rows = self.run.rows
        beta = (frame.weights * rows.labels[: len(frame.weights)])[used]
        return np.asarray(self.kernel.matrix(Z, rows.X[used]) @ beta + frame.b)

    def ending(self) -> str:
        """Number of updates."""
        made = f"{counted(self.run.updates, 'update')} in {counted(self.passes, 'pass', 'passes')}"
        return f"A whole pass without a mistake: the run ended after {made}."

    def _frame(self, note: str, row: int | None) -> Frame:
        beta = self.run.beta[:, 0]
        b = self.run.rows.gain * float(beta.sum())
        used = () if row is None else (row,)
        size = self.run.settings.size
        return Frame(None, b, np.abs(beta), note, row, used, updates=self.run.updates, size=size)
