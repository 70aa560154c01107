"""The measured values of one claim."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from separatrix.problem import Problem
from separatrix.problem.problem import relative_gap
from separatrix.types import Vector


@dataclass(frozen=True)
class Budget:
    """Limits of the search for a bound."""

    tol: float
    seconds: float
    n_threads: int


@dataclass(frozen=True, eq=False)
class Optimum:
    """Two points that enclose the optimum: (w, b) from above, alpha from below, with their values."""

    w: Vector | None  #: None with a kernel
    b: float
    alpha: Vector
    primal: float
    dual: float


@dataclass(frozen=True, eq=False)
class Measured:
    """The values of one model on one binary problem.

    scores (m,) are f(x_i), norm is ||w|| (in the space of the kernel, where there is one). ``optimum`` is None where
    there is no objective, or no bound on it. ``problem`` is the one of the certificates; None with a kernel,
    where ``expansion`` is, if the support vectors are rows of the problem.
    """

    scores: Vector
    norm: float
    primal: float | None = None
    optimum: Optimum | None = None
    problem: Problem | None = None
    model: tuple[Vector, float] | None = None  #: the model's point (w, b) of ``problem``
    expansion: tuple[Problem, Vector, float] | None = None  #: with a kernel: problem, coef (m,), b
    notes: list[str] = field(default_factory=list)

    @property
    def gap(self) -> float | None:
        """(primal - dual) / primal."""
        if self.primal is None or self.optimum is None:
            return None
        return relative_gap(self.primal, self.optimum.dual)

    @property
    def excess(self) -> tuple[float, float] | None:
        """Bounds on (primal - optimum) / optimum."""
        if self.primal is None or self.optimum is None:
            return None
        least = max(0.0, self.primal - self.optimum.primal)
        most = max(0.0, self.primal - self.optimum.dual)
        return _ratio(least, self.optimum.primal), _ratio(most, self.optimum.dual)


def _ratio(excess: float, optimum: float) -> float:
    if optimum > 0:
        return excess / optimum
    return np.inf if excess > 0 else 0.0
