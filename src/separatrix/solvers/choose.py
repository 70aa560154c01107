"""Which solver for which shape, and what to try next when it stalls."""

from __future__ import annotations

from separatrix.problem import Problem
from separatrix.solvers.interior_point import InteriorPoint
from separatrix.solvers.loop import Stage

SOLVERS = ("auto", "interior-point", "gram")


def stages(
    problem: Problem, solver: str = "auto", tol: float = 1e-3, n_threads: int = 1, seed: int = 0
) -> list[Stage]:
    """The solvers to run in turn, each with the reason why it was chosen."""
    if solver not in SOLVERS:
        raise ValueError(f"solver must be one of {', '.join(map(repr, SOLVERS))}; got {solver!r}.")
    n, d = problem.n_rows, problem.n_columns
    if solver == "gram" or (solver == "auto" and d > n):
        return [
            Stage(InteriorPoint(side="gram"), f"columns >> rows ({d} x {n}): interior point on the Gram side")
        ]
    return [Stage(InteriorPoint(), f"rows >> columns ({n} x {d}): interior point")]
