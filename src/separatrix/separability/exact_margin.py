"""The hard margin in rational arithmetic: the dual active-set method with nothing rounded.

    max sum_i alpha_i - 1/2 ||sum_i alpha_i y_i x_i||^2   s.t.   alpha >= 0,  sum_i alpha_i y_i = 0 (with a bias)

Each step solves the optimality system of the active rows exactly,

    [K  y] [delta]     [K_p]
    [y' 0] [ beta ] = -[y_p],     K_ij = y_i y_j x_i.x_j,

moves alpha along (delta, 1) until row p is on its margin, and drops active rows whose alpha reaches zero on the
way. The dual value rises with every row that enters, so the method is finite. For what floats cannot resolve.
Goldfarb and Idnani, Mathematical Programming 27 (1983).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.proof.integers import narrowest
from separatrix.proof.margin_bounds import half_width
from separatrix.proof.signed_rows import SignedRows
from separatrix.separability.lifting import Lifter
from separatrix.types import Index


def iterates(rows: SignedRows, start: Index) -> Iterator[tuple[list[int], Index, list[int]]]:
    """(w, support, alpha) in integers, each up to a positive factor, better and better; the last is optimal.

    `start` may be any rows; they are used if they give positive alpha, else a pair of rows is.
    """
    state = _State.first(rows, start)
    while True:
        w = state.exact_w()[0]
        yield w, np.array(state.active, dtype=np.intp), _integers(state.alpha)[0]
        p = state.most_violated(w)
        if p is None:
            return
        state.enter(p)


class _State:
    """Active rows with their alpha, and the bias b."""

    def __init__(self, rows: SignedRows, active: list[int], alpha: list[Fraction], b: Fraction) -> None:
        self.rows, self.active, self.alpha, self.b = rows, active, alpha, b

    @staticmethod
    def first(rows: SignedRows, start: Index) -> _State:
        state = _State(rows, [], [], Fraction(0))
        pair = [int(np.flatnonzero(rows.y == s)[0]) for s in (1.0, -1.0) if np.any(rows.y == s)]
        for active in (np.unique(start).tolist(), pair if rows.bias else pair[:1]):
            state.active = active
            if active and state.resolve() and all(a > 0 for a in state.alpha):
                return state
        raise AssertionError("two rows of separable classes always span a slab")

    def resolve(self) -> bool:
        """Solve for alpha and b with every active row exactly on its margin; False where that is impossible."""
        k = len(self.active)
        A, low = self._signed_rows(self.active)
        found = Lifter(self._system(A)).solve([1] * k + [0] * int(self.rows.bias))
        if found is None:
            return False
        unit = Fraction(4) ** low
        self.alpha = [Fraction(a, found[1]) / unit for a in found[0][:k]]
        self.b = Fraction(found[0][k], found[1]) if self.rows.bias else Fraction(0)
        return True

    def exact_w(self) -> tuple[list[int], Fraction]:
        """(v, unit) with sum alpha_i y_i x_i = v unit."""
        weights, common = _integers(self.alpha)
        sums, e = self.rows.weighted(np.array(self.active, dtype=np.intp), weights)
        e = e[: self.rows.d]
        low = int(e.min(initial=0))
        v = [s << (k - low) for s, k in zip(sums[: self.rows.d], e.tolist(), strict=True)]
        return v, Fraction(2) ** low / common

    def most_violated(self, w: list[int]) -> int | None:
        """A row whose margin is below 1, or None. The rows that limit the slab along w are the candidates."""
        limiting = half_width(self.rows, w)[1]
        margins = self._margins(limiting)
        least = min(margins)
        return None if least >= 1 else limiting[margins.index(least)]

    def enter(self, p: int) -> None:
        """Bring row p to its margin."""
        margin, weight = self._margins([p])[0], Fraction(0)
        while True:
            delta, curvature = self._direction(p)
            blocking = [(a / -d, i) for i, (a, d) in enumerate(zip(self.alpha, delta, strict=True)) if d < 0]
            dual = min(blocking, default=None)
            step = (1 - margin) / curvature if curvature > 0 else None
            if dual is None and step is None:
                raise AssertionError("separable rows cannot balance")
            t = min(limit for limit in (step, None if dual is None else dual[0]) if limit is not None)
            self.alpha = [a + t * d for a, d in zip(self.alpha, delta, strict=True)]
            weight += t
            margin += t * curvature
            if step is not None and t == step:
                self.active, self.alpha = [*self.active, p], [*self.alpha, weight]
                keep = [i for i, a in enumerate(self.alpha) if a > 0]
                self.active = [self.active[i] for i in keep]
                self.resolve()
                return
            assert dual is not None
            del self.active[dual[1]], self.alpha[dual[1]]

    def _direction(self, p: int) -> tuple[list[Fraction], Fraction]:
        """delta, and the rate at which the margin of row p grows along it."""
        A, low = self._signed_rows([*self.active, p])
        K_p = A[:-1] @ A[-1]
        y_p = int(self.rows.y[p])
        right = [-int(a) for a in K_p] + ([-y_p] if self.rows.bias else [])
        found = Lifter(self._system(A[:-1])).solve(right)
        assert found is not None, "active rows stay independent"
        k = len(self.active)
        delta = [Fraction(a, found[1]) for a in found[0][:k]]
        beta = Fraction(found[0][k], found[1]) if self.rows.bias else Fraction(0)
        growth = int(A[-1] @ A[-1]) + sum((int(a) * d for a, d in zip(K_p, delta, strict=True)), y_p * beta)
        return delta, growth * Fraction(4) ** low

    def _margins(self, index: list[int]) -> list[Fraction]:
        """y_i (w.x_i + b) at the present alpha."""
        w, unit = self.exact_w()
        values = self.rows.values(np.array(index, dtype=np.intp), w)
        return [v * unit + int(self.rows.y[i]) * self.b for v, i in zip(values, index, strict=True)]

    def _signed_rows(self, index: list[int]) -> tuple[NDArray[Any], int]:
        N, e = self.rows.integers(np.array(index, dtype=np.intp))
        d = self.rows.d
        low = int(e[:d].min(initial=0))
        return N[:, :d].astype(object) << (e[:d] - low).astype(object), low

    def _system(self, A: NDArray[Any]) -> NDArray[Any]:
        k, bias = len(A), int(self.rows.bias)
        system = np.zeros((k + bias, k + bias), dtype=object)
        system[:k, :k] = A @ A.T
        if bias:
            system[:k, k] = system[k, :k] = [int(s) for s in self.rows.y[self.active]]
        return narrowest(system)


def _integers(alpha: list[Fraction]) -> tuple[list[int], int]:
    """alpha times its common denominator, and that denominator."""
    common = lcm(*(a.denominator for a in alpha))
    return [int(a * common) for a in alpha], common
