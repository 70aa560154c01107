"""A solver that believes too much of itself does not keep the loop for ever."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.problem import HINGE, Point, Problem, Status
from separatrix.proof.duality import certify
from separatrix.solvers.loop.protocol import Progress, Verdict
from separatrix.solvers.loop.run import Limits, Stage, run


@dataclass(frozen=True)
class Braggart:
    """Stays at zero and claims a gap of zero."""

    name: str = "braggart"
    releases_gil: bool = False

    def init(self, problem: Problem, start: Point | None, n_threads: int) -> None:
        return None

    def step(self, problem: Problem, state: None, tol: float) -> Progress:
        return Progress(1.0, 1.0)

    def terminate(self, problem: Problem, state: None, tol: float) -> Verdict:
        return Verdict.CHECK

    def rejected(self, problem: Problem, state: None, tol: float) -> None:
        """Learn nothing."""

    def point(self, problem: Problem, state: Any) -> Point:
        return Point(alpha=np.zeros(problem.n_rows))


def test_failed_checks_end_the_stage() -> None:
    problem = Problem(np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]), np.ones(2), HINGE, "free")
    solution = run([Stage(Braggart(), "a test")], problem, Limits(tol=1e-6), certify)
    assert solution.status == Status.MAX_ITER
    assert solution.gap > 0.5
    assert solution.history[-1].note == "stalled"
    assert solution.n_iter < 100
