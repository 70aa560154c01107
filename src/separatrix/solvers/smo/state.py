"""State of block SMO between its steps, and its feasible starting point."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from separatrix import _core
from separatrix.problem import Problem
from separatrix.solvers.loop.stall import Stall
from separatrix.solvers.smo.tuning import Tuning
from separatrix.types import Vector


@dataclass(frozen=True)
class NegativeCurvature:
    """A witness that K is not positive semidefinite: z.K z = value < 0 for z = e_i - e_j (z = e_i where i = j)."""

    rows: tuple[int, int]
    value: float


@dataclass
class State:
    """The compiled engine, F at the last point where it was renewed, and what the next steps aim at."""

    engine: _core.BlockSmo
    formula: _core.KernelFormula | None
    points: _core.KernelPoints | None
    n_threads: int
    wide: bool  # kernel values are float64
    alpha: Vector  # where F was computed in float64
    F: Vector
    tuning: Tuning
    renewals: Stall  # of the gap after each renewal of F
    report: _core.SmoReport = field(default_factory=_core.SmoReport)
    tol: float = 0.0
    safety: float = 1.0  # how far below tol the estimate must be; smaller after each failed check
    refine: bool = False  # F is to be renewed before a check
    ready: bool = False
    stalled: bool = False
    spent: float = 0.0  # kernel values visited by an engine before this one
    negative_curvature: NegativeCurvature | None = None

    @property
    def current_alpha(self) -> Vector:
        """alpha (n,) as the engine has it now."""
        alpha = np.empty(len(self.F))
        self.engine.get_alpha(alpha)
        return alpha

    def work(self, n: int, working_set: int) -> float:
        """Kernel values visited: rows computed, and those of the working set at each step."""
        return self.spent + float(self.report.computed) * n + float(self.report.steps) * working_set

    @property
    def slack(self) -> float:
        """By how much the gap may be larger than it seems and still be within tol."""
        return self.tol * self.report.primal - (self.report.primal - self.report.dual)

    @property
    def target(self) -> float:
        """The relative gap that rounds aim at."""
        return self.safety * self.tol


def feasible(problem: Problem, alpha: Vector) -> Vector:
    """alpha clipped to its bounds; with a free bias the heavier class is scaled down until the classes balance.

    >>> import numpy as np
    >>> from separatrix.problem import HINGE
    >>> from separatrix.problem.kernels import Linear
    >>> problem = Problem(np.eye(2), np.array([1.0, -1.0]), np.ones(2), HINGE, "free", Linear())
    >>> feasible(problem, np.array([3.0, 0.5]))
    array([0.5, 0.5])
    """
    clipped = np.clip(np.nan_to_num(alpha, nan=0.0), 0.0, problem.upper)
    if problem.bias != "free":
        return clipped
    positive: NDArray[np.bool_] = problem.y > 0
    totals = float(clipped[positive].sum()), float(clipped[~positive].sum())
    heavier, ratio = (positive, totals[1] / totals[0]) if totals[0] > totals[1] else (~positive, 1.0)
    if totals[1] > totals[0]:
        ratio = totals[0] / totals[1]
    clipped[heavier] *= ratio
    return clipped
