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
from separatrix.lab.words import points, verb
from separatrix.problem import scores
from separatrix.solvers.active_set import ActiveSet
from separatrix.types import Vector

_OUTCOMES = ("optimal", "infeasible", "stalled")


class HardMarginRun:
    """`ActiveSet` on all rows, one step at a time."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.free = scene.bias != "none"
        self.problem = soft_problem(scene, math.inf)
        X, y = scene.X, scene.y.astype(np.float64)
        rows = np.column_stack([X, np.ones(len(X))]) if self.free else X
        self.engine = ActiveSet(rows.shape[1], self.free)
        self.engine.add(np.ascontiguousarray(rows * y[:, None]), np.ones(len(X)))
        self.begun, self.settled, self.over = not self.free, False, False
        self.steps = 0
        self.inseparable = False

    def first(self) -> Frame:
        """No row is held yet."""
        n = len(self.scene.points)
        return Frame(
            np.zeros(2), 0.0, np.zeros(n), "Before the first step no point is held, and w = 0.", dual=0.0
        )

    def step(self) -> Frame | None:
        """One row enters; the last frame is what `SVC(C=inf).fit` returns, or that there is no slab."""
        if self.settled:
            return None
        if self.over:
            return self.answer(Answers(self.scene).model)
        self.steps += 1
        if not self.begun:
            return self._begin()
        before, u = set(self._active()), np.asarray(self.engine.point, dtype=np.float64)
        outcome = _OUTCOMES[self.engine.solve(1)]
        self.over = outcome != "stalled" or self.steps > 10 * len(self.scene.points) + 20
        if outcome == "infeasible":
            self.inseparable = True
            return self._frame("The next point contradicts those held: no slab has every point outside it.")
        after = set(self._active())
        if after == before and self.over:
            return self.step()
        return self._frame(
            self._sentence(u, sorted(after - before), sorted(before - after)), *sorted(after - before)
        )

    def _sentence(self, u: Vector, entered: list[int], left: list[int]) -> str:
        """The points that are held now and those no longer; ``u`` is (w, b) before."""
        w, b = u[:2], float(u[2]) if self.free else 0.0
        margins = self.problem.y * self.problem.scores(w, b)
        inside = [row for row in entered if np.any(w) and margins[row] < 1.0]
        parts = []
        if inside:
            parts.append(f"{points(inside)} {verb(inside, 'was', 'were')} inside the slab")
        if entered:
            held = (
                ("it is" if inside else f"{points(entered)} is")
                if len(entered) == 1
                else f"{points(entered)} are"
            )
            parts.append(f"now {held} held on the margin")
        if left:
            parts.append(f"{points(left)} {verb(left, 'is', 'are')} let go")
        text = "; ".join(parts)
        return f"{text[0].upper()}{text[1:]}."

    def _begin(self) -> Frame:
        """The nearest pair of rows of the two classes is held first."""
        X, y = self.scene.X, self.scene.y
        positive, negative = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
        distances = cdist(X[positive], X[negative])
        i, j = np.unravel_index(int(np.argmin(distances)), distances.shape)
        p, q = int(positive[i]), int(negative[j])
        self.begun = True
        if not self.engine.begin_with(p, q):
            self.over = self.inseparable = True
            return self._frame(
                f"Points {p + 1} and {q + 1} are one place with two labels: no slab exists.", p, q
            )
        return self._frame(
            f"Points {p + 1} and {q + 1}, the nearest of the two classes, are held first.", p, q
        )

    def leap(self, answers: Answers, before: Frame | None) -> Frame | None:
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
            "The answer of SVC(C=inf).fit: no point is inside the slab, and primal and dual are equal.",
            primal=result.primal,
            dual=result.dual,
            gap=result.gap,
            slack=result.slack,
            final=True,
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
            return "There is no hard margin: the highlighted points contradict each other."
        return "The widest slab: no point is inside it, and the ringed points hold it in place."

    def _active(self) -> list[int]:
        return [int(row) for row in np.asarray(self.engine.active)]

    def _frame(self, note: str, *rows: int) -> Frame:
        u, alpha = np.asarray(self.engine.point, dtype=np.float64), np.zeros(self.problem.n_rows)
        active = self._active()
        alpha[active] = np.asarray(self.engine.multipliers, dtype=np.float64)[: len(active)]
        w, b = u[:2].copy(), float(u[2]) if self.free else 0.0
        # alpha is feasible at every iterate, so its dual value is a bound; w is not, so it has no primal value yet.
        dual = self.problem.dual(alpha)
        slack = np.maximum(0.0, 1.0 - self.problem.y * self.problem.scores(w, b))
        return Frame(w, b, alpha, note, rows[0] if rows else None, rows, dual=dual, slack=slack)
