"""A solver that always improves and never arrives: what limits and interrupts are tested with."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.fitting import binary
from separatrix.problem import Point, Problem
from separatrix.solvers.loop.protocol import Progress, Verdict
from separatrix.solvers.loop.run import Stage


@dataclass(frozen=True)
class Crawl:
    """Every alpha rises by C_i / 10000 a step; ``pause`` seconds of sleep make a step slow."""

    pause: float = 0.0
    name: str = "crawl"
    releases_gil: bool = False

    def init(self, problem: Problem, start: Point | None, n_threads: int) -> dict[str, Any]:
        return {"alpha": np.zeros(problem.n_rows)}

    def step(self, problem: Problem, state: dict[str, Any], tol: float) -> Progress:
        time.sleep(self.pause)
        state["alpha"] = np.minimum(problem.C, state["alpha"] + problem.C / 10_000)
        v = problem.weighted_sum(state["alpha"])
        return Progress(problem.primal(v, 0.0), problem.dual_value(state["alpha"], float(v @ v)))

    def terminate(self, problem: Problem, state: dict[str, Any], tol: float) -> Verdict:
        return Verdict.GO_ON

    def rejected(self, problem: Problem, state: dict[str, Any], tol: float) -> None:
        """Go on."""

    def point(self, problem: Problem, state: dict[str, Any]) -> Point:
        return Point(alpha=state["alpha"].copy())


@contextmanager
def crawling(pause: float = 0.0) -> Iterator[None]:
    """While entered, every fit uses `Crawl`."""
    chosen = binary.stages
    binary.stages = lambda *ignored: [Stage(Crawl(pause), "a test")]
    try:
        yield
    finally:
        binary.stages = chosen
