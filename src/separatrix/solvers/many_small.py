"""Many small binary problems about the same rows, in one call of the compiled core.

All problems of a cross-validation have one X, or one kernel matrix: they differ in their signs (a row that is held out
has none) and in their costs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from separatrix import _core
from separatrix.types import Bias, Vector


class Points(NamedTuple):
    """Proposals for k problems about n rows of d columns; nothing of them is proved."""

    alpha: Vector  #: (k, n), zero where a row takes no part
    w: Vector | None  #: (k, d); None with a kernel matrix
    b: Vector  #: (k,)
    reached: NDArray[np.bool_]  #: (k,) whether the solver believes that it has arrived


def solve_many(
    rows: Vector | None,
    gram: Vector | None,
    signs: NDArray[np.int8],
    costs: Vector,
    *,
    squared: bool,
    bias: Bias,
    aim: float,
    n_threads: int,
) -> Points:
    """Solve the problems of signs (k, n), of -1, 1 or 0, and costs (k, n) to a relative gap of about ``aim``.

    Exactly one of the rows (n, d) and the kernel matrix ``gram`` (n, n) is given, in float64.

    >>> signs = np.array([[1, -1, 0], [1, 0, -1]], dtype=np.int8)
    >>> X = np.array([[1.0], [-1.0], [-3.0]])
    >>> found = solve_many(X, None, signs, np.ones((2, 3)), squared=False, bias="free", aim=1e-6, n_threads=1)
    >>> found.w.ravel().round(6), found.b.round(6), found.reached
    (array([1. , 0.5]), array([0. , 0.5]), array([ True,  True]))
    """
    alpha, w, b, _, reached = _core.solve_small(rows, gram, signs, costs, squared, bias, aim, n_threads)
    return Points(alpha, w, b, reached)
