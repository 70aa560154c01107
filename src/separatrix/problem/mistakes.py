"""Mistakes of a perceptron: the bound on its updates, each variant with its own, and the history of a run against it.

Every bias is a fictitious column of constant c (c = 0: none, 1: `unit`, R: `radius`): with xt = (x, c) and
wt = (w, b / c) the run is one through the origin of the larger space, where ||xt|| <= Rt = sqrt(R^2 + c^2). Let u
be any unit vector there with y_i u.xt_i >= m > 0 for every row, and rho = Rt / m. If step t adds s_t times the sum
of m_t misclassified rows, then, because a misclassified row has y wt.xt <= 0,

    m sum_t s_t m_t  <=  u.wt  <=  ||wt||  <=  Rt sqrt(sum_t (s_t m_t)^2).                               (*)

Each bound below is what (*) leaves possible, n being the number of rows:

    perceptron, fixed step, from zero      s_t m_t = eps                  k <= rho^2
    perceptron, decreasing 1/sqrt(t)       s_t m_t = 1 / sqrt(t)          4 (sqrt(k+1) - 1)^2 <= rho^2 (1 + ln k)
    gradient, fixed step or line search    a <= s_t m_t <= a n            k <= (n + 1)^2 / (4 n) rho^2   (Kantorovich)
    gradient, decreasing                   s_t <= s_t m_t <= n s_t        2 (sqrt(k+1) - 1) <= n rho^2
    many classes (Kesler)                  rows differ as (x, -x): Rt^2 doubles, m is the margin of the pair

A start at y_j x_j is one more term of (*), s_0 m_0 = 1. For `radius`, Rt^2 = 2 R^2 and m^2 = margin^2 / ||wt||^2 for
a witness with ||w|| = 1: the bound 2 R^2 ||wt||^2 / margin^2. Novikoff (1962); Freund and Schapire (1999).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from separatrix.problem.solution import Named, Records
from separatrix.types import Vector


@dataclass(frozen=True)
class Variant:
    """The facts of a run that decide which theorem applies to it.

    ``step`` is a positive number, or "decreasing" (1 / sqrt(t)), or "line-search" (kept within [1, n] / m_t).
    ``from_row`` is true where the run started at some y_j x_j; ``n_rows`` matters to gradient descent only.
    """

    algorithm: str
    step: float | str
    from_row: bool
    n_rows: int

    def bound(self, ratio: float) -> float:
        """The most updates that (*) allows, for ratio = rho^2 = (Rt / m)^2.

        >>> Variant("perceptron", 1.0, False, 8).bound(25.0)
        25.0
        >>> Variant("perceptron", 1.0, True, 8).bound(25.0)
        24.0
        >>> Variant("gradient", 1.0, False, 8).bound(32.0)
        81.0
        """
        if not math.isfinite(ratio):
            return math.inf
        ratio = max(1.0, ratio)  # m <= Rt always; below one is rounding
        if self.step == "decreasing":
            return self._decreasing(ratio)
        if self.algorithm == "gradient":
            low = 1.0 if self.step == "line-search" else float(self.step)
            high = low * self.n_rows
            low, high = (min(1.0, low), max(1.0, high)) if self.from_row else (low, high)
            return (low + high) ** 2 / (4.0 * low * high) * ratio - self.from_row
        if not self.from_row:
            return ratio
        inverse = 1.0 / float(self.step)
        half = ratio / 2.0 - inverse
        return half + math.sqrt(half * half + (ratio - 1.0) * inverse * inverse)

    def _decreasing(self, ratio: float) -> float:
        most, extra = (self.n_rows if self.algorithm == "gradient" else 1), float(self.from_row)

        def possible(k: float) -> bool:
            total = 2.0 * (math.sqrt(k + 1.0) - 1.0) + extra
            squares = most * most * (1.0 + math.log(max(1.0, k))) + extra
            return total * total <= ratio * squares and total <= max(1.0, most) * ratio + extra

        high = 1.0
        while possible(high):
            high *= 2.0
        low = high / 2.0
        while high - low > 1e-9 * high:
            middle = (low + high) / 2.0
            low, high = (middle, high) if possible(middle) else (low, middle)
        return high


def augmented_norm(w: Any, b: Any, constant: float) -> float:
    """||wt|| = sqrt(||w||^2 + (b / c)^2), for one plane or, by summing, for one a class.

    >>> augmented_norm(np.array([3.0]), 8.0, 2.0)
    5.0
    """
    squared = float(np.sum(np.square(w)))
    if constant > 0:
        squared += float(np.sum(np.square(b))) / (constant * constant)
    return math.sqrt(squared)


def ratio_of(radius: float, constant: float, margin: float, norm: float, classes: int = 2) -> float:
    """rho^2 = Rt^2 ||wt||^2 / (min_i y_i f(x_i))^2; ``margin`` is that minimum, not yet divided by the norm.

    >>> ratio_of(radius=3.0, constant=4.0, margin=2.0, norm=1.0)
    6.25
    """
    if not margin > 0:
        return math.inf
    squared = radius * radius + constant * constant
    return (2.0 if classes > 2 else 1.0) * squared * (norm / margin) ** 2


def inseparable_bound(margins: Vector, radius: float, passes: int = 1) -> float:
    """Freund and Schapire's bound for any data: min over g > 0 of ((R + D) / g)^2, D^2 = passes sum_i d_i^2.

    d_i = max(0, g - margin_i), margins being y_i u.xt_i for a unit vector u, and ``radius`` Rt. With s = 1/g the
    root is R s + sqrt(passes) ||max(0, 1 - s margins)||, convex in s; s = 0 says "at most one update a visit".

    >>> inseparable_bound(np.array([1.0, 1.0]), radius=1.0)
    1.0
    """
    many = math.sqrt(passes)
    if not radius > 0:
        return float(passes * len(margins))
    # Beyond this s the first term alone exceeds what s = 0 gives.
    most = many * math.sqrt(len(margins)) / radius
    helpful = margins[margins > 0]
    ends = [0.0, min(most, 1.0 / max(float(helpful.min()), 1e-300)) if len(helpful) else most]

    def root(s: float) -> float:
        return radius * s + many * float(np.linalg.norm(np.maximum(0.0, 1.0 - s * margins)))

    best = min([*ends, convex_minimiser(root, most)], key=root)
    return root(best) ** 2


def convex_minimiser(function: Callable[[float], float], most: float) -> float:
    """The minimiser of a convex function on [0, most], by ternary search.

    >>> round(convex_minimiser(lambda s: (s - 2.0) ** 2, 5.0), 6)
    2.0
    """
    low, high = 0.0, most
    for _ in range(100):
        third = (high - low) / 3.0
        left = function(low + third) < function(high - third)
        low, high = (low, high - third) if left else (low + third, high)
    return (low + high) / 2.0


@dataclass(frozen=True)
class MistakeRecord(Named):
    """One line: a pass of a fit, or a call of partial_fit. By attribute or by name (``record["updates"]``)."""

    time: float  #: seconds since the fit began
    epoch: int  #: passes made; 0 for partial_fit
    rows: int  #: rows visited so far
    mistakes: int  #: rows misclassified in this pass, or this call
    updates: int  #: updates so far
    bound: float  #: what the theorem allows for ``updates``; nan where none is known


class MistakeHistory(Records[MistakeRecord]):
    """The records of a run. ``history[-1]`` is a record, ``history["updates"]`` a whole column.

    >>> history = MistakeHistory([MistakeRecord(0.1, 1, 8, 3, 3, 9.0), MistakeRecord(0.2, 2, 16, 0, 3, 9.0)])
    >>> history["mistakes"]
    array([3, 0])
    >>> history
    MistakeHistory(2 records, 3 updates, bound 9)
    """

    def __repr__(self) -> str:
        if not self._records:
            return "MistakeHistory(empty)"
        last = self._records[-1]
        return f"MistakeHistory({len(self)} records, {last.updates} updates, bound {last.bound:.4g})"

    def with_bound(self, bound: float) -> MistakeHistory:
        """The same history against a bound that was found at the end of the run."""
        return MistakeHistory([replace(record, bound=bound) for record in self._records])
