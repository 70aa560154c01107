"""The hard margin by a dual active-set method over a growing set of rows.

    min 1/2 ||w||^2   s.t.   y_i (w.x_i + b) >= 1
    max sum_i alpha_i - 1/2 ||sum_i alpha_i y_i x_i||^2   s.t.   alpha >= 0,  sum_i alpha_i y_i = 0 (with a bias)

Few rows bind: at most d + 1 carry alpha > 0. A working set of rows is solved to optimality, all rows are
scanned, the most violated join; the dual active-set method goes on from where it was.
Goldfarb and Idnani, Mathematical Programming 27 (1983), for the method on the working set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from separatrix import _core
from separatrix._core import ActiveSet as ActiveSet
from separatrix.solvers.compiled import compiled_rows
from separatrix.types import Index, Vector

_LARGEST_WORKING_SET = 5_000_000  # entries; its rows are held dense, and every step of the method reads them
_STATUS: tuple[Literal["optimal", "infeasible", "stalled"], ...] = ("optimal", "infeasible", "stalled")


@dataclass(frozen=True, eq=False)
class HardMargin:
    """The answer of the method, in floating point.

    optimal      w (d,), b, alpha > 0 on `rows`: the widest slab and the rows that hold it
    infeasible   alpha > 0 on `rows` with sum alpha_i y_i (x_i, 1) = 0 up to rounding: no slab exists
    stalled      rounding stopped the method; w, b and alpha are the last iterate
    """

    status: Literal["optimal", "infeasible", "stalled"]
    w: Vector
    b: float
    rows: Index
    alpha: Vector


def within_reach(n: int, width: int) -> bool:
    """True if the active set is meant for n rows of so many columns (the bias counts as one).

    >>> within_reach(1_000_000, 200), within_reach(25_000, 75_000)
    (True, False)
    """
    return min(n, 3 * width) * width <= _LARGEST_WORKING_SET


def hard_margin(X: Any, y: Vector, bias: bool = True, max_rounds: int = 1000) -> HardMargin:
    """Solve the hard margin for X (n, d), dense or CSR, and y (n,) of -1.0 and +1.0.

    >>> import numpy as np
    >>> found = hard_margin(np.array([[0.0], [1.0], [3.0]]), np.array([-1.0, -1.0, 1.0]))
    >>> found.w.round(9), round(found.b, 9), sorted(found.rows.tolist())
    (array([1.]), -2.0, [1, 2])
    """
    outcome, w, b, rows, alpha = _core.hard_margin(compiled_rows(X), y, bias, max_rounds)
    return HardMargin(_STATUS[outcome], w, b, rows, alpha)
