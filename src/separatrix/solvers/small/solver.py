"""Small problems on the same rows, all in one call of the compiled core (cpp/small), to the last digits."""

from __future__ import annotations

from separatrix import _core
from separatrix.problem.problem_set import ProblemSet
from separatrix.types import Vector

NAME = "active-set"
_AIM = 1e-9


def applies(n: int, d: int, kernel: object) -> bool:
    return n <= 2000 and (d <= 200 or kernel is not None)


def solve(problems: ProblemSet, K: Vector | None, n_threads: int) -> Vector:
    """alpha (k, n)."""
    rows = problems.X if K is None else None
    return _core.solve_small(
        rows, K, problems.signs, problems.C, problems.loss.squared, problems.bias, _AIM, n_threads
    )[0]
