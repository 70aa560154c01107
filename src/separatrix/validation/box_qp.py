"""The dual of a soft-margin SVM by an active-set method that starts from any feasible point.

    max_alpha  sum_i alpha_i - 1/2 alpha^T Q alpha     s.t.  0 <= alpha_i <= u_i,   sum_i alpha_i y_i = 0 (free bias)

    Q_ij = y_i y_j (k(x_i, x_j) + gain) + diagonal_i [i = j];   gain 1 for an augmented bias, 0 otherwise;
    diagonal 1 / (2 C_i) for the squared hinge, 0 for the hinge

Rows strictly between their bounds (``free``) are moved to the maximum over themselves by one linear system, as far as
the first bound; then rows on a bound that would gain by leaving it join. Every step raises the dual, so the
method ends; close to an optimum it ends within a few steps, which is what leave-one-out needs.
Rows that are ``fixed`` stay at zero. Nocedal, Wright: Numerical Optimization, 2nd ed., section 16.5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.types import Vector

#: Added to the diagonal, relative to its largest entry: directions without curvature then end at a bound.
_RIDGE = 1e-13
#: Error of the margin, relative to the scale of f, beyond which a row on a bound joins.
_GAIN = 1e-10


@dataclass(eq=False)
class Iterate:
    """State of the method: alpha (n,), g = 1 - Q alpha (n,), and the rows strictly between their bounds."""

    alpha: Vector
    g: Vector
    free: NDArray[np.bool_]

    def copy(self) -> Iterate:
        """An independent copy."""
        return Iterate(self.alpha.copy(), self.g.copy(), self.free.copy())


@dataclass(eq=False)
class BoxQP:
    """The problem; ``balanced`` means that sum_i alpha_i y_i must vanish.

    >>> K, y = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, -1.0])
    >>> qp = BoxQP(K, y, np.full(2, 10.0), balanced=True)
    >>> qp.optimise(qp.start(np.zeros(2))).alpha
    array([0.5, 0.5])
    """

    K: NDArray[np.float64]  #: Q without the signs of y: kernel + gain + diagonal, (n, n)
    y: Vector
    upper: Vector  #: u (n,)
    balanced: bool

    def __post_init__(self) -> None:
        self._ridge = _RIDGE * (float(self.K.diagonal().max(initial=0.0)) or 1.0)

    def start(self, alpha: Vector) -> Iterate:
        """Start the method at a feasible alpha."""
        support = np.flatnonzero(alpha)
        products = (alpha * self.y)[support] @ self.K[support]
        return Iterate(alpha.copy(), 1.0 - self.y * products, (alpha > 0) & (alpha < self.upper))

    def optimise(self, at: Iterate, fixed: int | None = None) -> Iterate:
        """Go to the maximum from ``at``, which is changed; ``fixed`` is a row that stays at zero."""
        scale = _GAIN * max(1.0, float(np.max(np.abs(at.g), initial=0.0)))
        for _ in range(50 * len(at.alpha) + 1000):
            b = self._move(at)
            if b is None:
                continue
            joining = self._joining(at, b, fixed, scale)
            if len(joining) == 0:
                break
            at.free[joining] = True
        return at

    def without(self, at: Iterate, row: int) -> Iterate:
        """Go from the optimum, which is changed, to the optimum with alpha[row] = 0.

        alpha[row] is lowered to zero while every other row stays optimal: the solution is piecewise linear in it, and
        each piece ends where a free row reaches a bound or a row on a bound reaches the margin (Cauwenberghs and
        Poggio, 2000). What rounding leaves is put right by `optimise`.
        """
        if not self._leaves(at, row, self._follow):  # not seen so far: rounding that cycles
            self.push_out(at, row)
        return self.optimise(at, fixed=row)

    def push_out(self, at: Iterate, row: int) -> Iterate:
        """Lower alpha[row] to zero at once, other rows making room as they can: feasible, not optimal."""
        if not self._leaves(at, row, self._move):
            raise ArithmeticError("Rounding leads in circles: a row could not be pushed out of the solution.")
        return at

    def _leaves(self, at: Iterate, row: int, step: Callable[[Iterate, int], object]) -> bool:
        """Lower alpha[row] to zero by some kind of step; False where that does not end."""
        at.free[row] = False
        for _ in range(20 * len(at.alpha) + 100):
            if at.alpha[row] <= 0:
                return True
            if self.balanced and not at.free.any():
                at.free[self._cheapest(at, row)] = True
            step(at, row)
        return False

    def _follow(self, at: Iterate, row: int) -> None:
        """One linear piece of the path on which alpha[row] falls."""
        rows, y = np.flatnonzero(at.free), self.y
        p, slope_b = self.solve(rows, y[rows], y[rows] * y[row] * self.K[rows, row], float(y[row]))
        slope_g = y * (y[row] * self.K[row] - (y[rows] * p) @ self.K[rows])
        b = float(np.mean(y[rows] * at.g[rows])) if self.balanced else 0.0
        residual, slope = at.g - y * b, slope_g - y * slope_b
        room = self._room(at, rows, p)
        with np.errstate(divide="ignore", invalid="ignore"):
            low = ~at.free & (at.alpha <= 0) & (slope > 0)
            high = ~at.free & (at.alpha >= self.upper) & (slope < 0)
            low[row] = high[row] = False
            reach = np.where(low | high, np.maximum(0.0, -residual / slope), np.inf)
        leave = int(np.argmin(room)) if len(room) else -1
        join = int(np.argmin(reach))
        limit = float(room[leave]) if leave >= 0 else np.inf
        t = min(float(at.alpha[row]), limit, float(reach[join]))
        at.alpha[rows] = np.clip(at.alpha[rows] + t * p, 0.0, self.upper[rows])
        at.alpha[row] = at.alpha[row] - t if t < at.alpha[row] else 0.0
        at.g += t * slope_g
        if t == limit:
            self._stop(at, int(rows[leave]), float(p[leave]))
        elif t == reach[join]:
            at.free[join] = True

    def _room(self, at: Iterate, rows: NDArray[np.intp], p: Vector) -> Vector:
        """Step along p at which each of the rows reaches a bound."""
        bound = np.where(p < 0, 0.0, self.upper[rows])
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(p == 0, np.inf, (bound - at.alpha[rows]) / p)

    def _stop(self, at: Iterate, row: int, p: float) -> None:
        """Fix a row at the bound that it reached along p."""
        at.alpha[row] = 0.0 if p < 0 else self.upper[row]
        at.free[row] = False

    def _move(self, at: Iterate, leaving: int | None = None) -> float | None:
        """Move the free rows to their maximum (``leaving`` to zero); return the bias, None where a bound came first."""
        alpha, g = at.alpha, at.g
        rows = np.flatnonzero(at.free)
        if leaving is None and len(rows) == 0:
            return np.nan if self.balanced else 0.0
        y, moved, target = self.y[rows], rows, g[rows]
        rhs_balance = 0.0
        if leaving is not None:
            target = target + y * self.y[leaving] * self.K[rows, leaving] * alpha[leaving]
            rhs_balance = float(self.y[leaving] * alpha[leaving])
        p, b = self.solve(rows, y, target, rhs_balance)
        if leaving is not None:
            moved, p = np.append(rows, leaving), np.append(p, -alpha[leaving])
        room = self._room(at, moved, p)
        first = int(np.argmin(room)) if len(room) else 0
        t = max(0.0, min(1.0, float(room[first])))
        alpha[moved] = np.clip(alpha[moved] + t * p, 0.0, self.upper[moved])
        if t * float(np.max(np.abs(p), initial=0.0)) > 0:
            g -= t * self.y * ((self.y[moved] * p) @ self.K[moved])
        if float(room[first]) <= 1.0:
            self._stop(at, int(moved[first]), float(p[first]))
            return None
        return b

    def solve(
        self, rows: NDArray[np.intp], y: Vector, target: Vector, balance: float
    ) -> tuple[Vector, float]:
        """Solve Q p + b y = target and, if balanced, y.p = balance, for p and b."""
        m = len(rows)
        A = np.zeros((m + self.balanced, m + self.balanced))
        A[:m, :m] = self.K[np.ix_(rows, rows)] * np.outer(y, y)
        places = np.arange(m)
        A[places, places] += self._ridge
        rhs = target
        if self.balanced:
            A[m, :m] = A[:m, m] = y
            rhs = np.append(target, balance)
        solution: NDArray[Any]
        try:
            solution = np.linalg.solve(A, rhs)
        except np.linalg.LinAlgError:
            solution = np.linalg.lstsq(A, rhs, rcond=None)[0]
        p: Vector = solution[:m].astype(np.float64, copy=False)
        return p, float(solution[m]) if self.balanced else 0.0

    def _joining(self, at: Iterate, b: float, fixed: int | None, scale: float) -> NDArray[np.intp]:
        """Rows on a bound that would raise the dual by leaving it; none at the optimum."""
        g, low, high = at.g, (at.alpha <= 0) & ~at.free, (at.alpha >= self.upper) & ~at.free
        if fixed is not None:
            low[fixed] = high[fixed] = False
        if np.isnan(b):  # no free row fixes the bias: the two rows that disagree most about it
            up = (low & (self.y > 0)) | (high & (self.y < 0))
            down = (low & (self.y < 0)) | (high & (self.y > 0))
            bias = self.y * g
            if not up.any() or not down.any():
                return np.empty(0, dtype=np.intp)
            pair = [int(np.argmax(np.where(up, bias, -np.inf))), int(np.argmin(np.where(down, bias, np.inf)))]
            return np.array(pair if bias[pair[0]] > bias[pair[1]] + scale else [], dtype=np.intp)
        residual = g - self.y * b
        gain = np.where(low, residual, np.where(high, -residual, -np.inf))
        some = max(1, int(np.count_nonzero(gain > scale)) // 4)
        best = np.argpartition(gain, -some)[-some:]
        return best[gain[best] > scale]

    def _cheapest(self, at: Iterate, row: int) -> int:
        """The row on a bound that can take up the balance of ``row`` at the least loss."""
        toward = self.y * self.y[row] > 0
        able = np.where(toward, at.alpha < self.upper, at.alpha > 0)
        able[row] = False
        value = np.where(able, self.y * self.y[row] * at.g, -np.inf)
        best = int(np.argmax(value))
        if not able[best]:
            raise ValueError("No other row can balance this one: it is the last of its class.")
        return best
