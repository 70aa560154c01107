"""The soft margin, with or without a kernel: iterations of the library's solver, each judged by the proof.

The last frame is what `SVC.fit` returns: the bias in the middle of its interval, alpha on its bounds.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, cast

import numpy as np

from separatrix.fitting.context import AIMS
from separatrix.fitting.results import BinaryFit
from separatrix.lab.answers import Answers
from separatrix.lab.runs.frame import Frame, counted
from separatrix.lab.runs.kernel_perceptron import kernel_of
from separatrix.lab.runs.leap import quick_answer
from separatrix.lab.scene import Scene
from separatrix.lab.words import shown
from separatrix.problem import Point, Problem, Solution, scores
from separatrix.problem.losses import LOSSES
from separatrix.proof.duality import certify
from separatrix.solvers.choose import stages
from separatrix.solvers.coordinate_descent.solver import CoordinateDescent
from separatrix.solvers.interior_point.solver import InteriorPoint
from separatrix.solvers.loop.protocol import Verdict
from separatrix.types import Vector

_MET = 1e-3  # relative gap, as SVC's tol
_ANSWER = "The answer of SVC.fit: b in the middle of its interval, α exactly 0 or C where it can be."
_STEPS = 150  # of the solver, before the estimator gives the answer all the same


def soft_problem(scene: Scene, C: float | None = None) -> Problem:
    """The scene as the soft-margin problem; bias "none" is b = 0, any other is a free bias."""
    y = scene.y.astype(np.float64)
    cost = np.full(len(y), scene.C if C is None else C)
    bias: Any = "none" if scene.bias == "none" else "free"
    return Problem(np.ascontiguousarray(scene.X), y, cost, LOSSES[scene.loss], bias)


class SoftMarginRun:
    """An iteration or an epoch a frame."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.problem = soft_problem(scene)
        if scene.has_kernel:
            self.problem = replace(self.problem, kernel=kernel_of(scene))
        self.state: Any = None  # taken with the first step: a drag leaps to the answer and needs none
        self.steps, self.settled, self.over, self.gap = 0, False, False, float("inf")

    def first(self) -> Frame:
        """alpha = 0, w = 0."""
        scene, problem = self.scene, self.problem
        start = _at_zero(scene.y.tobytes(), scene.C, scene.loss, problem.bias)
        w = None if scene.has_kernel else np.zeros(problem.n_columns)
        return self._frame(start, w, np.zeros(problem.n_rows), "Before the first step α = 0 and w = 0.")

    @cached_property
    def solver(self) -> Any:
        """The solver whose steps are shown."""
        return _solver(self.scene, self.problem)

    def step(self) -> Frame | None:
        """One step of the solver; the last frame is what `SVC.fit` returns."""
        if self.settled:
            return None
        if self.over or self.steps >= _STEPS:
            return self.answer(Answers(self.scene).model)
        if self.state is None:
            self.state = self.solver.init(self.problem, None, 1)
        self.solver.step(self.problem, self.state, AIMS.linear)
        self.steps += 1
        proved = certify(self.problem, self._point())
        verdict = self.solver.terminate(self.problem, self.state, AIMS.linear)
        self.over = verdict is Verdict.STALLED or (verdict is Verdict.CHECK and proved.gap <= AIMS.linear)
        if verdict is Verdict.CHECK and not self.over:
            self.solver.rejected(self.problem, self.state, AIMS.linear)
        gap = f"the relative gap, recomputed from the data, is {shown(proved.gap, 3)}"
        note = f"{self._unit.capitalize()} {self.steps}: {gap}."
        return self._frame(proved, proved.w, proved.scores, note)

    def _point(self) -> Point:
        """Return the present point: on the central path, if there is one, not at a corner that is known already."""
        solver = self.solver
        where = solver.path_point if isinstance(solver, InteriorPoint) else solver.point
        return cast(Point, where(self.problem, self.state))

    def answer(self, model: Any) -> Frame:
        """Return the answer of `SVC.fit`, without the steps."""
        return self._answer(next(iter(model.problems_.values())))

    def leap(self, answers: Answers, before: Frame | None) -> Frame:
        """The same as soon as possible, since the points move on; ``before`` answers for points much like these."""
        found = quick_answer(self.scene, self.problem, before)
        return self.answer(answers.model) if found is None else self._answer(found)

    def _answer(self, fit: BinaryFit) -> Frame:
        self.settled, self.gap = True, float(fit.gap)
        kernel, space = self.scene.has_kernel, self.problem.space
        image = space.combine(fit.alpha * self.problem.y) if kernel else fit.coef
        return replace(self._frame(fit, space.vector(image), space.products(image), _ANSWER), final=True)

    def grown(self, scene: Scene) -> bool:
        """A new row is a new problem."""
        return False

    def scores(self, frame: Frame, Z: Vector) -> Vector:
        """w.z + b, or sum_i alpha_i y_i k(x_i, z) + b."""
        if frame.w is not None:
            return scores(Z, frame.w) + frame.b
        used = np.flatnonzero(frame.weights)
        coefficients = (frame.weights * self.problem.y)[used]
        return np.asarray(kernel_of(self.scene).matrix(Z, self.scene.X[used]) @ coefficients + frame.b)

    def ending(self) -> str:
        """Sentence on the gap, the number of iterations, and the last step, which is the answer of the fit."""
        met = self.gap <= _MET
        where = " in the space of the kernel" if self.scene.has_kernel else ""
        words = f"Primal and dual have {'met' if met else 'not met'}{where}"
        if not met:
            words += f": the relative gap is {shown(self.gap, 3)}"
        if self.steps == 0:  # a leap
            return f"{words}."
        made, last = counted(self.steps, self._unit), f"step {self.steps + 1} is the answer of SVC.fit"
        if met and self.over:
            return f"{words} after {made}; {last}."
        return f"{words}. Shown are {made}; {last}."

    @property
    def _unit(self) -> str:
        """A step of the solver, as its literature calls it."""
        return "epoch" if self.solver.name == "coordinate-descent" else "iteration"

    def _frame(self, solution: Any, w: Vector | None, scores: Vector | None, note: str) -> Frame:
        """A `Solution` or a `BinaryFit` as a frame, with the products of w with the rows."""
        assert scores is not None
        b = float(solution.b if hasattr(solution, "b") else solution.intercept)
        f = scores + b
        return Frame(
            None if w is None else w.copy(),
            b,
            solution.alpha.copy(),
            note,
            primal=solution.primal,
            dual=solution.dual,
            gap=solution.gap,
            slack=np.maximum(0.0, 1.0 - self.problem.y * f),
            f=f,
        )


@lru_cache(maxsize=16)
def _at_zero(labels: bytes, C: float, loss: str, bias: Any) -> Solution:
    """Bounds proved by alpha = 0 and w = 0: the same wherever the rows are, since w.x is zero on each."""
    y = np.frombuffer(labels, dtype=np.int8).astype(np.float64)
    problem = Problem(np.zeros((len(y), 1)), y, np.full(len(y), C), LOSSES[loss], bias)
    return certify(problem, Point(np.zeros(len(y)), np.zeros(1), 0.0))


def _solver(scene: Scene, problem: Any) -> Any:
    if scene.has_kernel:
        return stages(problem)[0].solver
    return CoordinateDescent() if scene.solver == "coordinate-descent" else InteriorPoint()
