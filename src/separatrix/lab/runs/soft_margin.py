"""The soft margin: iterations of the library's solver, each judged by the proof, and the estimator's answer last."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.estimators.accuracy import FINE
from separatrix.lab.answers import estimator
from separatrix.lab.runs.frame import Frame, Vector
from separatrix.lab.scene import Scene
from separatrix.problem import Point, Problem, Solution, scores
from separatrix.problem.losses import LOSSES
from separatrix.proof.duality import certify
from separatrix.solvers.coordinate_descent import CoordinateDescent
from separatrix.solvers.interior_point import InteriorPoint
from separatrix.solvers.protocol import Verdict

_STEPS = 400  # of the solver, before the estimator gives the answer all the same


def soft_problem(scene: Scene, C: float | None = None) -> Problem:
    """The scene as the soft-margin problem; bias "none" is b = 0, any other is a free bias."""
    y = scene.y.astype(np.float64)
    cost = np.full(len(y), scene.C if C is None else C)
    bias: Any = "none" if scene.bias == "none" else "free"
    return Problem(np.ascontiguousarray(scene.X), y, cost, LOSSES[scene.loss], bias)


class SoftMarginRun:
    """Interior point or coordinate descent, an iteration or an epoch a frame."""

    def __init__(self, scene: Scene) -> None:
        self._scene, self.problem = scene, soft_problem(scene)
        self.solver: Any = CoordinateDescent() if scene.solver == "coordinate-descent" else InteriorPoint()
        self.state = self.solver.init(self.problem, None, 1)
        self.steps, self.settled, self.over = 0, False, False

    @property
    def scene(self) -> Scene:
        """The scene it works on."""
        return self._scene

    def first(self) -> Frame:
        """alpha = 0, w = 0."""
        n, d = self.problem.n_rows, self.problem.n_columns
        start = certify(self.problem, Point(np.zeros(n), np.zeros(d), 0.0))
        return self._frame(start, "Before the first step: α = 0 and w = 0.")

    def step(self) -> Frame | None:
        """One step of the solver; the last frame is what `SVC.fit` returns."""
        if self.settled:
            return None
        if self.over or self.steps >= _STEPS:
            return self.answer(estimator(self._scene).fit(self._scene.X, self._scene.y))
        self.solver.step(self.problem, self.state)
        self.steps += 1
        proved = certify(self.problem, self.solver.point(self.problem, self.state))
        verdict = self.solver.terminate(self.problem, self.state, FINE)
        self.over = verdict is Verdict.STALLED or (verdict is Verdict.CHECK and proved.gap <= FINE)
        word = "Epoch" if self.solver.name == "coordinate-descent" else "Iteration"
        return self._frame(
            proved, f"{word} {self.steps}: the gap, recomputed from the data, is {proved.gap:.2g}."
        )

    def answer(self, model: Any) -> Frame:
        """What `SVC.fit` returns, without the way there."""
        self.settled = True
        self.steps = self.steps or int(model.n_iter_)
        result = next(iter(model.problems_.values()))
        solution = Solution(
            result.coef,
            result.intercept,
            result.alpha,
            result.primal,
            result.dual,
            result.gap,
            result.status,
            0,
        )
        return self._frame(
            solution, "The answer of SVC.fit: the bias in the middle of its interval, α on its bounds."
        )

    def grown(self, scene: Scene) -> bool:
        """A new row is a new problem."""
        return False

    def scores(self, frame: Frame, Z: Vector) -> Vector:
        """w.z + b."""
        assert frame.w is not None
        return scores(Z, frame.w) + frame.b

    def ending(self) -> str:
        """That primal and dual have met."""
        return f"Primal and dual have met after {self.steps} steps."

    def _frame(self, solution: Solution, note: str) -> Frame:
        primal = solution.primal if np.isfinite(solution.primal) else None
        return Frame(
            solution.w.copy(),
            solution.b,
            solution.alpha.copy(),
            note,
            primal=primal,
            dual=solution.dual,
            gap=solution.gap if primal is not None else None,
            slack=np.maximum(0.0, 1.0 - self.problem.y * self.problem.scores(solution.w, solution.b)),
        )
