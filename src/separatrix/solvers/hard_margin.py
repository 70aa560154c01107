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

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix._core import ActiveSet as ActiveSet
from separatrix.problem import scores

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

_ALL_AT_ONCE = 1 << 14  # entries: up to this size all rows are handed over at once
_OPTIMAL, _INFEASIBLE = 0, 1
_SHORT = 1e-10  # a row within this of its margin is not worth another round


@dataclass(frozen=True, eq=False)
class HardMargin:
    """What the method found, in floating point.

    optimal      w (d,), b, alpha > 0 on `rows`: the widest slab and the rows that hold it
    infeasible   alpha > 0 on `rows` with sum alpha_i y_i (x_i, 1) = 0 up to rounding: no slab exists
    stalled      rounding stopped the method; w, b and alpha are the last iterate
    """

    status: Literal["optimal", "infeasible", "stalled"]
    w: Vector
    b: float
    rows: Index
    alpha: Vector


def hard_margin(X: Any, y: Vector, bias: bool = True, max_rounds: int = 1000) -> HardMargin:
    """Solve the hard margin for X (n, d), dense or CSR, and y (n,) of -1.0 and +1.0.

    >>> import numpy as np
    >>> found = hard_margin(np.array([[0.0], [1.0], [3.0]]), np.array([-1.0, -1.0, 1.0]))
    >>> found.w.round(9), round(found.b, 9), sorted(found.rows.tolist())
    (array([1.]), -2.0, [1, 2])
    """
    return _Search(X, y, bias).run(max_rounds)


class _Search:
    """The working set of one solve. Rows are shifted by `centre`, which a free bias absorbs."""

    def __init__(self, X: Any, y: Vector, bias: bool) -> None:
        self.X, self.y, self.bias = X, y, bias
        self.n, self.d = X.shape
        self.is_sparse = bool(sparse.issparse(X))
        self.everything = self.n * self.d <= _ALL_AT_ONCE
        stride = 1 if self.everything else max(1, self.n // (500 + 2 * self.d))
        sample = X[::stride]
        self.sample = np.asarray(sample.toarray() if self.is_sparse else sample, dtype=np.float64)
        self.labels = y[::stride]
        self.centre = self.sample.mean(axis=0) if bias else np.zeros(self.d)
        self.sample = self.sample - self.centre
        self.tau = float(np.linalg.norm(self.sample)) / np.sqrt(len(self.sample)) or 1.0
        self.engine = ActiveSet(self.d + int(bias), bias)
        self.members: list[Index] = []
        self.joined = np.zeros(self.n, dtype=bool)

    def run(self, max_rounds: int) -> HardMargin:
        first, margins = self._first()
        self._join(first)
        if self.bias and not self.engine.begin_with(*self._pair(first, margins)):
            return self._result("infeasible")
        for _ in range(max_rounds):
            outcome = self.engine.solve(100 * self.d + 10 * self.n + 1000)
            if outcome == _INFEASIBLE:
                return self._result("infeasible")
            w, b = self._point()
            if outcome != _OPTIMAL or not np.all(np.isfinite(w)):
                return self._result("stalled")
            if self.everything:
                return self._result("optimal")
            margins = self._margins(w, b)
            short = np.flatnonzero(margins < 1.0 - _SHORT)
            short = short[~self.joined[short]]
            if not len(short):
                return self._result("optimal")
            self._join(_lowest(short, margins[short], 2 * self.d + 16))
        return self._result("stalled")

    def _margins(self, w: Vector, b: float) -> Vector:
        margins = scores(self.X, w)
        margins += b
        margins *= self.y
        return margins

    def _first(self) -> tuple[Index, Vector]:
        """The rows to begin with, and margins to rank them by."""
        if self.everything:
            return np.arange(self.n), self.y * (self.sample @ (self.labels @ self.sample))
        margins = self._margins(self._guess(), 0.0)
        count = 2 * self.d + 16
        sides = [np.flatnonzero(self.y > 0), np.flatnonzero(self.y < 0)]
        return np.concatenate([_lowest(side, margins[side], count) for side in sides if len(side)]), margins

    def _guess(self) -> Vector:
        """Least squares on the sample where columns are few, else the difference of means."""
        V, y = self.sample, self.labels
        if self.d > 1000:
            return np.asarray(y @ V)
        H = V.T @ V
        H.flat[:: self.d + 1] += 1e-6 * (float(np.trace(H)) / self.d + 1e-300)
        return np.asarray(np.linalg.solve(H, (y - y.mean()) @ V))

    def _pair(self, first: Index, margins: Vector) -> tuple[int, int]:
        """Positions within the first rows of the lowest of each class."""
        y, m = self.y[first], margins[first]
        return int(np.argmin(np.where(y > 0, m, np.inf))), int(np.argmin(np.where(y < 0, m, np.inf)))

    def _rows(self, index: Index) -> Vector:
        block = self.X[index]
        return np.asarray(block.toarray() if self.is_sparse else block, dtype=np.float64)

    def _join(self, index: Index) -> None:
        self.members.append(index)
        self.joined[index] = True
        V = np.empty((len(index), self.d + int(self.bias)))
        V[:, : self.d] = self.sample if self.everything else self._rows(index) - self.centre
        V[:, self.d :] = self.tau
        V *= self.y[index, None]
        self.engine.add(V, np.ones(len(index)))

    def _point(self) -> tuple[Vector, float]:
        u: Vector = np.asarray(self.engine.point)
        w = u[: self.d].copy()
        return w, float(u[self.d] * self.tau - w @ self.centre) if self.bias else 0.0

    def _result(self, status: Literal["optimal", "infeasible", "stalled"]) -> HardMargin:
        w, b = self._point()
        members = np.concatenate(self.members)
        infeasible = status == "infeasible"
        index: Index = np.asarray(self.engine.dependent if infeasible else self.engine.active)
        alpha = self.engine.dependence if infeasible else self.engine.multipliers
        return HardMargin(
            status, w, b, members[np.asarray(index, dtype=np.intp)], np.asarray(alpha, dtype=np.float64)
        )


def _lowest(index: Index, values: Vector, count: int) -> Index:
    """The `count` entries of index with the lowest values."""
    if len(index) <= count:
        return index
    return index[np.argpartition(values, count)[:count]]
