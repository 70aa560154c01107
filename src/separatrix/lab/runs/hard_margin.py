"""The hard margin: the dual active-set method, one entering row a frame, and the estimator's answer last.

Every iterate is the widest slab for the rows it holds active; a row that is still inside enters next, so the slab
only narrows until every row is outside it. Goldfarb and Idnani (1983).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from separatrix.lab.answers import Answers
from separatrix.lab.runs.frame import Frame
from separatrix.lab.runs.soft_margin import soft_problem
from separatrix.lab.scene import Scene
from separatrix.problem import scores
from separatrix.solvers.active_set import ActiveSet
from separatrix.types import Vector

_OUTCOMES = ("optimal", "infeasible", "stalled")


class HardMarginRun:
    """`ActiveSet` on all rows, one step at a time."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.free = scene.bias != "none"
        self.problem = soft_problem(scene, math.inf)
        X, y = scene.X, scene.y.astype(np.float64)
        rows = np.column_stack([X, np.ones(len(X))]) if self.free else X
        self.engine = ActiveSet(rows.shape[1], self.free)
        self.engine.add(np.ascontiguousarray(rows * y[:, None]), np.ones(len(X)))
        self.begun, self.settled, self.over = not self.free, False, False
        self.steps = 0
        self.inseparable = False

    @property
    def scene(self) -> Scene:
        """The scene it works on."""
        return self._scene

    def first(self) -> Frame:
        """No row is held yet."""
        n = len(self._scene.points)
        return Frame(np.zeros(2), 0.0, np.zeros(n), "Before the first step: no row is held, w = 0.", dual=0.0)

    def step(self) -> Frame | None:
        """One row enters; the last frame is what `SVC(C=inf).fit` returns, or that there is no slab."""
        if self.settled:
            return None
        if self.over:
            return self.answer(Answers(self._scene).model)
        self.steps += 1
        if not self.begun:
            return self._begin()
        before = set(self._active())
        outcome = _OUTCOMES[self.engine.solve(1)]
        self.over = outcome != "stalled" or self.steps > 10 * len(self._scene.points) + 20
        entered = sorted(set(self._active()) - before)
        if outcome == "infeasible":
            self.inseparable = True
            return self._frame("The next row depends on those held: no slab has all rows outside it.", None)
        if not entered:
            return (
                self.step()
                if self.over
                else self._frame("A row left, because its weight reached zero.", None)
            )
        row = entered[0]
        return self._frame(f"Row {row + 1} was inside the slab; it is held on the margin now.", row)

    def _begin(self) -> Frame:
        """The nearest pair of rows of the two classes is held first."""
        X, y = self._scene.X, self._scene.y
        positive, negative = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
        distances = cdist(X[positive], X[negative])
        i, j = np.unravel_index(int(np.argmin(distances)), distances.shape)
        p, q = int(positive[i]), int(negative[j])
        self.begun = True
        if not self.engine.begin_with(p, q):
            self.over = self.inseparable = True
            return self._frame(f"Rows {p + 1} and {q + 1} are one place with two labels: no slab exists.", p)
        return self._frame(f"Rows {p + 1} and {q + 1}, the nearest of the two classes, are held first.", p)

    def leap(self, answers: Answers) -> Frame | None:
        """Return the last frame, without the steps."""
        return self.answer(answers.model)

    def answer(self, model: Any) -> Frame | None:
        """Return the answer of `SVC(C=inf).fit`; ``model`` of None: there is no slab."""
        self.settled = True
        if model is None:
            self.inseparable = True
            return None
        result = next(iter(model.problems_.values()))
        return Frame(
            result.coef.copy(),
            result.intercept,
            result.alpha.copy(),
            "The answer of SVC(C=inf).fit: every row outside the slab, primal and dual equal.",
            primal=result.primal,
            dual=result.dual,
            gap=result.gap,
            slack=result.slack,
        )

    def grown(self, scene: Scene) -> bool:
        """A new row is a new problem."""
        return False

    def scores(self, frame: Frame, Z: Vector) -> Vector:
        """w.z + b."""
        assert frame.w is not None
        return scores(Z, frame.w) + frame.b

    def ending(self) -> str:
        """The widest slab, or none."""
        if self.inseparable:
            return "There is no hard margin: the highlighted rows contradict each other."
        return "The widest slab: every point is outside it, and the marked ones hold it in place."

    def _active(self) -> list[int]:
        return [int(row) for row in np.asarray(self.engine.active)]

    def _frame(self, note: str, row: int | None) -> Frame:
        u, alpha = np.asarray(self.engine.point, dtype=np.float64), np.zeros(self.problem.n_rows)
        active = self._active()
        alpha[active] = np.asarray(self.engine.multipliers, dtype=np.float64)[: len(active)]
        w, b = u[:2].copy(), float(u[2]) if self.free else 0.0
        # alpha is feasible at every iterate, so its dual value is a bound; w is not, so it has no primal value yet.
        dual = self.problem.dual(alpha)
        slack = np.maximum(0.0, 1.0 - self.problem.y * self.problem.scores(w, b))
        return Frame(w, b, alpha, note, row, dual=dual, slack=slack)
