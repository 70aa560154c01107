"""The maximum geometric margin between two proved bounds, at most 1e-9 apart where that can be done.

The hard margin is solved in floating point and both bounds are then proved from the data. Where double
precision leaves them too far apart, rational arithmetic goes on from the support that it found.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from math import inf

import numpy as np

from separatrix.problem import HINGE, Point, Problem
from separatrix.proof.duality import certify
from separatrix.proof.integers import float_integers
from separatrix.proof.margin_bounds import lower_bound, upper_bound
from separatrix.proof.signed_rows import SignedRows
from separatrix.separability.exact_margin import iterates
from separatrix.solvers.active_set import hard_margin, within_reach
from separatrix.solvers.coordinate_descent.solver import CoordinateDescent
from separatrix.solvers.loop.run import Limits, Stage, run
from separatrix.types import Index, Vector

#: Relative width that a proved interval should have.
WIDTH = 1e-9
#: Steps of the rational active-set method before the best bounds so far are returned.
_EXACT_STEPS = 1000
#: Leading bits of each entry of a direction that are enough unless products cancel.
_DIRECTION_BITS = 160
#: Seconds that the soft-margin solver may take for one C.
_SECONDS = 300.0


@dataclass(frozen=True)
class MarginProof:
    """lower <= margin <= upper, with the proof: integers w and alpha (each up to a positive factor)."""

    lower: float
    upper: float
    w: list[int]  #: (d,) proportional to the separating direction
    rows: Index  #: rows with alpha > 0
    alpha: list[int]  #: proportional to the dual point

    @property
    def width(self) -> float:
        """(upper - lower) / upper."""
        return (self.upper - self.lower) / self.upper if 0 < self.upper < inf else inf


def margin_interval(rows: SignedRows, w: list[int]) -> MarginProof:
    """Bounds on the widest margin of separable rows; w (d,) is a separating direction to fall back on."""
    best = MarginProof(lower_bound(rows, w), inf, w, np.arange(0), [])
    if rows.shift is not None:  # exponents beyond floating point
        return _exact_steps(rows, best, np.arange(0))
    if not within_reach(rows.n, rows.D):  # coordinate descent reads sparse rows
        return _better(best, _by_soft_margin(rows))
    found = hard_margin(rows.X, rows.y, rows.bias)
    if found.status == "infeasible" or not len(found.rows) or not np.all(np.isfinite(found.w)):
        return _exact_steps(rows, best, np.arange(0))
    proof = _proved(rows, found.w, found.rows, found.alpha)
    best = _better(best, proof)
    return best if best.width <= WIDTH else _exact_steps(rows, best, found.rows)


def _proved(rows: SignedRows, w: Vector, index: Index, weights: Vector) -> MarginProof:
    """The bounds that a floating-point primal and dual point prove."""
    keep = weights > 0
    support, alpha = index[keep], float_integers(weights[keep])
    direction = float_integers(w)
    return MarginProof(
        lower_bound(rows, direction), upper_bound(rows, support, alpha), direction, support, alpha
    )


def _by_soft_margin(rows: SignedRows) -> MarginProof:
    """The hard margin as a soft one whose C no alpha reaches; the bounds hold whatever was reached."""
    norms = float(
        np.mean(rows.X.multiply(rows.X).sum(axis=1) if rows.is_sparse else np.square(rows.X).sum(axis=1))
    )
    C, start = 100.0 / norms, None
    best = MarginProof(0.0, inf, [0] * rows.d, np.arange(0), [])
    for _ in range(4):
        problem = Problem(rows.X, rows.y, np.full(rows.n, C), HINGE, "free" if rows.bias else "none")
        stage = Stage(CoordinateDescent(), "rows too long for an active set")
        solution = run([stage], problem, Limits(tol=WIDTH / 4, max_time=_SECONDS), certify, start)
        assert solution.w is not None
        best = _better(best, _proved(rows, solution.w, np.arange(rows.n), solution.alpha))
        if best.width <= WIDTH or solution.alpha.max() < C:
            break
        C, start = 100.0 * C, Point(solution.alpha)
    return best


def _exact_steps(rows: SignedRows, best: MarginProof, start: Index) -> MarginProof:
    """Improve the bounds in rational arithmetic until they are close enough."""
    for w, support, alpha in islice(iterates(rows, start), _EXACT_STEPS):
        upper = upper_bound(rows, support, alpha)
        for direction in (_rounded(w), w):  # a short direction is enough unless products cancel
            best = _better(best, MarginProof(lower_bound(rows, direction), upper, direction, support, alpha))
            if best.width <= WIDTH:
                return best
    return best


def _rounded(w: list[int]) -> list[int]:
    """w with every entry cut to its leading bits."""
    spare = [max(0, abs(a).bit_length() - _DIRECTION_BITS) for a in w]
    return [a >> s << s for a, s in zip(w, spare, strict=True)]


def _better(a: MarginProof, b: MarginProof) -> MarginProof:
    low, high = (a if a.lower >= b.lower else b), (a if a.upper <= b.upper else b)
    return MarginProof(low.lower, high.upper, low.w, high.rows, high.alpha)
