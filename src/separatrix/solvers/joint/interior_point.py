"""A primal-dual interior point for the joint multi-class SVM, where its kd x kd normal matrix is small.

    min  1/2 ||W||^2 + sum_i C_i xi_i    s.t.   s_im = xi_i + f_{y_i}(x_i) - f_m(x_i) - [m != y_i] >= 0
    multipliers lambda_im >= 0, sum_m lambda_im = C_i;    A_i = C_i e_{y_i} - lambda_i,    W = A^T X

With D = lambda / s and xi eliminated, each row adds M_i (x) x_i x_i^T to the normal matrix, M_i = diag(D_i) - D_i D_i^T
/ sum_m D_im: k (k + 1) / 2 products of BLAS-3 in an iteration, and about twenty iterations whatever C and the columns.
S. Mehrotra, On the implementation of a primal-dual interior point method, SIAM J. Optim. 2 (1992).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import linalg, sparse

from separatrix.problem import JointPoint, JointProblem
from separatrix.solvers.interior_point.tuning import Tuning as PathTuning
from separatrix.solvers.joint.descent import factored_rows
from separatrix.solvers.loop.deadline import look_at_the_clock
from separatrix.solvers.loop.protocol import FLOPS_PER_ENTRY, Progress, Verdict
from separatrix.threads import large_product
from separatrix.types import Vector


@dataclass(frozen=True)
class Tuning:
    """Numbers of the joint interior point."""

    #: Part of the way to the nearest bound that a step may go, as of the other interior point.
    #: With .9: 1.06, with .9995: 1.00 (`python -m benchmarks.ablation joint-path`).
    to_boundary: float = PathTuning.to_boundary
    #: Part of a full step below which a step hardly moved, and how many of them in a row are a stall.
    short: float = 1e-3
    short_steps: int = 3
    #: Of a pair of slack and multiplier, how far below the other one counts as zero. Without it the first check
    #: proves the gap of the path, where with it the vertex itself is proved (tests/svm/test_crammer_singer.py); .99.
    vanished: float = 1e-3
    #: Least slack, of a margin of 1: weights beyond 1 / this are rounding.
    least_slack: float = 1e-14


@dataclass(eq=False)
class _State:
    X: Vector  #: (n, D) rows, with a last column of ones where there is a bias
    penalty: Vector  #: (D,) of each column's weight: 0 for a free bias, else 1
    theta: Vector  #: (k, D)
    xi: Vector  #: (n,)
    multipliers: Vector  #: (n, k)
    primal: float = np.inf
    dual: float = -np.inf
    short: int = 0  #: steps in a row that hardly moved
    settles: bool = True  #: whether a proposal puts what has nearly vanished at zero
    work: float = 0.0  #: of all factorisations, in entries


@dataclass(frozen=True)
class JointInteriorPoint:
    """Mehrotra's predictor and corrector."""

    tuning: Tuning = Tuning()

    name: ClassVar[str] = "interior-point"
    releases_gil: ClassVar[bool] = False

    def init(self, problem: JointProblem, start: JointPoint | None, n_threads: int) -> _State:
        """W = 0, every row a little outside its margin, its multipliers all alike."""
        rows: Any = factored_rows(problem)
        is_sparse = bool(sparse.issparse(rows))
        X = np.asarray(rows.toarray() if is_sparse else rows, dtype=np.float64)
        penalty = np.ones(X.shape[1] + (problem.bias != "none"))
        if problem.bias != "none":
            X = np.hstack([X, np.ones((len(X), 1))])
            penalty[-1] = float(problem.bias == "augmented")
        k = problem.n_classes
        multipliers = np.repeat(problem.C[:, None] / k, k, axis=1)
        return _State(X, penalty, np.zeros((k, X.shape[1])), np.full(len(X), 2.0), multipliers)

    def step(self, problem: JointProblem, state: _State, tol: float) -> Progress:
        """One factorisation, two solves; `OutOfTime` before that leaves the state as it was."""
        s = self._slacks(problem, state)
        n, (k, D) = len(s), state.theta.shape
        state.work += (n * D * D * k * (k + 1) + (k * D) ** 3 / 3) / FLOPS_PER_ENTRY
        try:
            factored = _Normal(problem, state, s)
        except (linalg.LinAlgError, FloatingPointError):
            state.short = self.tuning.short_steps
            return Progress(state.primal, state.dual, state.work)
        mu = float(np.vdot(s, state.multipliers)) / s.size
        affine = factored.direction(np.zeros_like(s))
        length = _reach(s, state.multipliers, affine)
        after = float(np.vdot(s + length * affine[2], state.multipliers + length * affine[3])) / s.size
        target = mu * (max(after, 0.0) / mu) ** 3 if mu > 0 else 0.0
        moved = factored.direction(target - affine[2] * affine[3])
        length = min(1.0, self.tuning.to_boundary * _reach(s, state.multipliers, moved))
        state.theta = state.theta + length * moved[0]
        state.xi = state.xi + length * moved[1]
        state.multipliers = state.multipliers + length * moved[3]
        state.short = state.short + 1 if length < self.tuning.short else 0
        self._values(problem, state)
        return Progress(state.primal, state.dual, state.work)

    def terminate(self, problem: JointProblem, state: _State, tol: float) -> Verdict:
        """Values within half of the tolerance: check; no way forward: stalled."""
        if state.short >= self.tuning.short_steps or not np.isfinite(state.primal):
            return Verdict.STALLED
        return Verdict.CHECK if state.primal - state.dual <= 0.5 * tol * state.primal else Verdict.GO_ON

    def rejected(self, problem: JointProblem, state: _State, tol: float) -> None:
        """Propose the multipliers as they are from now on."""
        state.settles = False

    def point(self, problem: JointProblem, state: _State) -> JointPoint:
        """A from the multipliers, (W, b) from theta.

        Of each pair s, lambda one vanishes in the limit; the one far below the other is taken to have done so, unless
        a proposal of that kind was rejected.
        """
        own = problem.own
        scale = np.full_like(state.multipliers, self._largest(problem, state))
        scale[own] = problem.C
        small = self.tuning.vanished * scale * self._slacks(problem, state) if state.settles else 0.0
        lam = np.where(state.multipliers < small, 0.0, state.multipliers)
        full = lam[own] == 0.0  # nothing left for its own class: the others share all of C
        total = lam.sum(axis=1)
        lam[full] *= (problem.C[full] / np.maximum(total[full], 1e-300))[:, None]
        A = -lam
        A[own] = 0.0
        A[own] = -A.sum(axis=1)
        d = state.theta.shape[1] - (problem.bias != "none")
        b = np.zeros(problem.n_classes) if problem.bias == "none" else state.theta[:, -1].copy()
        return JointPoint(A, state.theta[:, :d].copy() if problem.kernel is None else None, b)

    def _largest(self, problem: JointProblem, state: _State) -> float:
        """The largest multiplier of a class other than a row's own: what others are small beside."""
        others = state.multipliers.copy()
        others[problem.own] = 0.0
        return float(others.max())

    def _slacks(self, problem: JointProblem, state: _State) -> Vector:
        f = state.X @ state.theta.T
        s = state.xi[:, None] + f[problem.own][:, None] - f - 1.0
        s[problem.own] = state.xi
        return np.maximum(s, self.tuning.least_slack)

    def _values(self, problem: JointProblem, state: _State) -> None:
        f = state.X @ state.theta.T
        loss = problem.slack(f, np.zeros(problem.n_classes))
        half = 0.5 * float(np.sum(state.penalty * state.theta**2))
        A = _dual(problem, state)
        V = (A.T @ state.X) * state.penalty
        state.primal = half + float(problem.C @ loss)
        state.dual = float(A[problem.own].sum()) - 0.5 * float(np.sum(V * V))


def _dual(problem: JointProblem, state: _State) -> Vector:
    A = -state.multipliers
    A[problem.own] += problem.C
    return A


class _Normal:
    """The factorised normal equations at one point; `direction` gives (theta, xi, s, multipliers)."""

    def __init__(self, problem: JointProblem, state: _State, s: Vector) -> None:
        self.problem, self.state, self.s = problem, state, s
        k, D = state.theta.shape
        self.weight = state.multipliers / s  # (n, k)
        self.total = self.weight.sum(axis=1)
        self.share = self.weight / self.total[:, None]
        H = np.zeros((k * D, k * D))
        for a in range(k):
            for b in range(a, k):
                look_at_the_clock()
                entry = -self.weight[:, a] * self.share[:, b]
                if a == b:
                    entry = entry + self.weight[:, a]
                block = state.X.T @ (entry[:, None] * state.X)
                H[a * D : (a + 1) * D, b * D : (b + 1) * D] = block
                H[b * D : (b + 1) * D, a * D : (a + 1) * D] = block.T
        H.flat[:: k * D + 1] += np.tile(state.penalty, k)
        # Adding one number to every class changes nothing without a penalty: hold that direction still.
        free = np.flatnonzero(state.penalty == 0)
        for j in free:
            index = j + D * np.arange(k)
            H[np.ix_(index, index)] += max(float(np.trace(H)) / len(H), 1e-300) / k
        if not np.all(np.isfinite(H)):
            raise FloatingPointError("a multiplier has outgrown floating point")
        with large_product(len(H) ** 3 / 6):
            try:
                self.factor = linalg.cho_factor(H, check_finite=False)
            except linalg.LinAlgError:  # indefinite by rounding
                H.flat[:: k * D + 1] *= 1.0 + 1e-13
                self.factor = linalg.cho_factor(H, check_finite=False)

    def direction(self, target: Vector) -> tuple[Vector, Vector, Vector, Vector]:
        """The Newton step to s * multipliers = target, (n, k)."""
        problem, state = self.problem, self.state
        lam, own = state.multipliers, problem.own
        g = target / self.s - lam
        excess = g.sum(axis=1) - (problem.C - lam.sum(axis=1))
        v = lam + g - self.share * excess[:, None]
        pull = -v
        pull[own] += v.sum(axis=1)
        right = pull.T @ state.X - state.penalty * state.theta
        theta = linalg.cho_solve(self.factor, right.ravel(), check_finite=False).reshape(state.theta.shape)
        f = state.X @ theta.T
        change = f[own][:, None] - f
        xi = excess / self.total - np.sum(self.share * change, axis=1)
        ds = xi[:, None] + change
        return theta, xi, ds, g - self.weight * ds


def _reach(s: Vector, lam: Vector, moved: tuple[Vector, Vector, Vector, Vector]) -> float:
    """The longest step, at most 1, before a slack or a multiplier vanishes."""
    limit = 1.0
    for value, change in ((s, moved[2]), (lam, moved[3])):
        falling = change < 0
        if falling.any():
            limit = min(limit, float(np.min(-value[falling] / change[falling])))
    return limit
