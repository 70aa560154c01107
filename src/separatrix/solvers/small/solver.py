"""Small problems on the same rows, all in one call of the compiled core (cpp/small), to the last digits."""

from __future__ import annotations

import numpy as np

from separatrix import _core
from separatrix.problem.problem_set import ProblemSet
from separatrix.types import Vector

NAME = "active-set"
_AIM = 1e-13  # relative gap at which a problem is solved; rounding may stop it before


def applies(n: int, d: int, kernel: object) -> bool:
    """Whether problems on n rows of d columns are small."""
    return n <= 2000 and (d <= 200 or kernel is not None)


def solve(
    problems: ProblemSet, K: Vector | None, n_threads: int
) -> tuple[Vector, tuple[Vector, Vector] | None]:
    """alpha (k, n), and without a kernel the planes w (k, d) and b (k,). With one, K (n, n) are its values."""
    rows = np.asarray(problems.X) if K is None else None
    squared, bias = problems.loss.squared, problems.bias
    found = _core.solve_small(rows, K, problems.signs, problems.C, squared, bias, _AIM, n_threads)
    alpha, w, b = found[:3]
    return alpha, None if w is None else (w, b)
