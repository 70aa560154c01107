"""A kernel SVM as a linear one: K = L L^T, and the rows of L take the place of the rows of X.

Only inner products of rows matter, and those of L are the kernel's. L comes from Cholesky with pivots, which
stops at the rank of K. For a few thousand rows at most; then any solver of the linear problem can be used, and
an interior point reaches the last digits in about twenty factorisations.
Fine, Scheinberg, Efficient SVM training using low-rank kernel representations, JMLR 2 (2001).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import lapack

from separatrix.problem import Point, Problem
from separatrix.solvers.loop.protocol import Progress, Solver, Verdict
from separatrix.threads import large_product
from separatrix.types import Vector

_EPS = float(np.finfo(float).eps)


def factor(K: Vector) -> Vector:
    """L (n, r) with L L^T = K up to rounding, for a symmetric positive semidefinite K (n, n) of rank r.

    >>> L = factor(np.array([[4.0, 2.0], [2.0, 1.0]]))
    >>> L.shape, np.round(L @ L.T, 12).tolist()
    ((2, 1), [[4.0, 2.0], [2.0, 1.0]])
    """
    with large_product(len(K) ** 3 / 6):
        lower, pivots, rank, _ = lapack.dpstrf(
            K, lower=1, tol=len(K) * _EPS * max(float(K.diagonal().max()), 0.0)
        )
    L = np.zeros((len(K), max(1, rank)))
    L[pivots - 1] = np.tril(lower)[:, : max(1, rank)]
    return L


@dataclass(eq=False)
class _State:
    linear: Problem
    inner: Any


@dataclass(frozen=True)
class Factored:
    """A solver of linear problems, applied to the factor of the kernel matrix.

    Its name is that of the same side of a linear problem. What an interior point leaves near a bound stays there: the
    corner of the rows of L is none of the kernel's, which differ by rounding.
    """

    solver: Solver[Problem, Any]

    name: ClassVar[str] = "gram"
    releases_gil: ClassVar[bool] = False

    def init(self, problem: Problem, start: Point | None, n_threads: int) -> _State:
        """Factor the kernel matrix."""
        everything = np.arange(problem.n_rows)
        L = factor(problem.space.gram(everything, everything))
        linear = Problem(L, problem.y, problem.C, problem.loss, problem.bias)
        begin = None if start is None else Point(start.alpha, linear.weighted_sum(start.alpha), start.b)
        return _State(linear, self.solver.init(linear, begin, n_threads))

    def step(self, problem: Problem, state: _State, tol: float) -> Progress:
        """The linear solver's."""
        return self.solver.step(state.linear, state.inner, tol)

    def terminate(self, problem: Problem, state: _State, tol: float) -> Verdict:
        """The linear solver's."""
        return self.solver.terminate(state.linear, state.inner, tol)

    def rejected(self, problem: Problem, state: _State, tol: float) -> None:
        """The linear solver's."""
        self.solver.rejected(state.linear, state.inner, tol)

    def point(self, problem: Problem, state: _State) -> Point:
        """alpha and b of the linear solver; w follows from alpha."""
        found = self.solver.point(state.linear, state.inner)
        return Point(alpha=found.alpha, b=found.b)
