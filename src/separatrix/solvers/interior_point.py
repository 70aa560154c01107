"""Interior point for the soft-margin linear SVM: Mehrotra's predictor-corrector.

    hinge           min 1/2 z.R z + C.xi         s.t.  A z - 1 = s - xi,  s >= 0, xi >= 0
    squared hinge   min 1/2 z.R z + C.xi^2       s.t.  A z - 1 = s - xi,  s >= 0

with z = (w, b), A and R as in `normal_equations`. Optimality, perturbed by mu > 0:

    R z = A^T alpha,   s_i alpha_i = mu,   xi_i beta_i = mu,  beta = C - alpha     (hinge)
                                           xi_i = alpha_i / (2 C_i)                (squared hinge)

One step linearises these twice with one factorisation: first for mu = 0 (the predictor), then for the mu
that the predictor's progress suggests, with its second-order error (the corrector). All quantities stay
strictly positive; the gap is s.alpha + xi.beta once A z - 1 = s - xi and R z = A^T alpha hold.
S. Mehrotra, SIAM J. Optim. 2 (1992); M. Ferris and T. Munson, SIAM J. Optim. 13 (2002).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from separatrix.problem import Point, Problem
from separatrix.problem.losses import Vector
from separatrix.problem.problem import relative_gap
from separatrix.solvers.normal_equations import GramSide, LinearAlgebra, PrimalSide
from separatrix.solvers.protocol import Progress, Verdict

_TO_BOUNDARY = 0.995  # fraction of the way to the nearest bound that a step may go
_PATIENCE = 6  # steps without a better gap before giving up


@dataclass
class _State:
    algebra: LinearAlgebra
    z: Vector
    margins: Vector  # A z
    pulled: Vector  # A^T alpha
    alpha: Vector
    beta: Vector  # C - alpha; unused by the squared hinge
    s: Vector
    xi: Vector
    primal: float = math.inf
    dual: float = -math.inf
    best_gap: float = math.inf
    idle: int = 0
    broken: bool = False


@dataclass(frozen=True)
class InteriorPoint:
    """``side`` picks the linear algebra: "primal" (columns squared) or "gram" (rows squared)."""

    side: str = "primal"

    @property
    def name(self) -> str:
        """As in ``SVC(solver=...)``."""
        return "gram" if self.side == "gram" else "interior-point"

    def init(self, problem: Problem, start: Point | None, n_threads: int) -> _State:
        """z = 0 and its point on the central path; R z = A^T alpha is met later, by the steps."""
        algebra: LinearAlgebra = GramSide(problem) if self.side == "gram" else PrimalSide(problem)
        C, z = problem.C, np.zeros(problem.n_columns + (problem.bias != "none"))
        margins = np.zeros_like(C)
        if problem.loss.squared:
            # xi = 1, alpha = 2 C xi, s = 1/2: the residual of A z - 1 = s - xi goes to zero with the steps.
            alpha, beta, s, xi = 2.0 * C, np.ones_like(C), np.full_like(C, 0.5), np.ones_like(C)
        else:
            # The point of the central path with mu_i = C_i for margins of zero.
            golden = (math.sqrt(5.0) - 1.0) / 2.0
            alpha, beta = golden * C, (1.0 - golden) * C
            s, xi = np.full_like(C, 1.0 / golden), np.full_like(C, 1.0 / (1.0 - golden))
        pulled = algebra.pull(alpha)
        return _State(algebra, z, margins, pulled, alpha, beta, s, xi)

    def step(self, problem: Problem, state: _State) -> Progress:
        """One predictor-corrector iteration."""
        try:
            with np.errstate(all="ignore"):
                self._advance(problem, state)
        except np.linalg.LinAlgError:
            state.broken = True
        gap = relative_gap(state.primal, state.dual)
        if gap < 0.9 * state.best_gap:
            state.best_gap, state.idle = gap, 0
        else:
            state.idle += 1
        return Progress(state.primal, state.dual)

    def _advance(self, problem: Problem, state: _State) -> None:
        squared, C, algebra = problem.loss.squared, problem.C, state.algebra
        alpha, beta, s, xi = state.alpha, state.beta, state.s, state.xi
        if squared:
            theta = 1.0 / (s / alpha + 0.5 / C)
            g = 1.0 - state.margins - alpha / (2.0 * C)
            mu = float(s @ alpha) / len(s)
        else:
            theta = 1.0 / (s / alpha + xi / beta)
            g = 1.0 - state.margins
            mu = (float(s @ alpha) + float(xi @ beta)) / (2 * len(s))
        p = state.pulled - algebra.penalise(state.z)
        algebra.factor(theta)
        _, _, da = algebra.solve(p, g)
        # predictor: s alpha -> 0, xi beta -> 0
        ds = -s * (1.0 + da / alpha)
        if squared:
            reach = min(1.0, _longest(alpha, da), _longest(s, ds))
            after = float((s + reach * ds) @ (alpha + reach * da)) / len(s)
        else:
            dxi = -xi * (1.0 - da / beta)
            reach = min(1.0, _longest(alpha, da), _longest(beta, -da), _longest(s, ds), _longest(xi, dxi))
            after = float((s + reach * ds) @ (alpha + reach * da))
            after = (after + float((xi + reach * dxi) @ (beta - reach * da))) / (2 * len(s))
        target = mu * (after / mu) ** 3
        # corrector: s alpha -> target, with the predictor's second-order error
        a = (target - ds * da) / alpha
        if squared:
            dz, Adz, da = algebra.solve(p, g + a)
            ds = a - s * (1.0 + da / alpha)
            reach = min(_longest(alpha, da), _longest(s, ds))
        else:
            c = (target + dxi * da) / beta
            dz, Adz, da = algebra.solve(p, g + a - c)
            ds = a - s * (1.0 + da / alpha)
            dxi = c - xi * (1.0 - da / beta)
            reach = min(_longest(alpha, da), _longest(beta, -da), _longest(s, ds), _longest(xi, dxi))
        reach = min(1.0, _TO_BOUNDARY * reach)
        if not (np.isfinite(reach) and np.all(np.isfinite(dz)) and np.all(np.isfinite(da))):
            state.broken = True
            return
        state.z = state.z + reach * dz
        state.margins = state.margins + reach * Adz
        state.alpha = alpha + reach * da
        state.s = s + reach * ds
        if squared:
            state.xi = state.alpha / (2.0 * C)
        else:
            state.beta = beta - reach * da
            state.xi = xi + reach * dxi
        state.pulled = algebra.pull(state.alpha)
        self._value(problem, state)

    def _value(self, problem: Problem, state: _State) -> None:
        Rz, v = state.algebra.penalise(state.z), state.algebra.penalise(state.pulled)
        losses = problem.loss.values(state.margins)
        state.primal = 0.5 * float(state.z @ Rz) + float(problem.C @ losses)
        terms = problem.loss.dual_terms(state.alpha, problem.C)
        state.dual = float(np.sum(terms)) - 0.5 * float(state.pulled @ v)

    def terminate(self, problem: Problem, state: _State, tol: float) -> Verdict:
        """Check once the estimated gap is within tol; give up when it no longer falls."""
        if state.broken or state.idle >= _PATIENCE:
            return Verdict.STALLED
        if relative_gap(state.primal, state.dual) <= tol:
            return Verdict.CHECK
        return Verdict.GO_ON

    def point(self, problem: Problem, state: _State) -> Point:
        """The iterate as it is."""
        d = problem.n_columns
        b = 0.0 if problem.bias == "none" else float(state.z[-1])
        return Point(alpha=state.alpha.copy(), w=state.z[:d].copy(), b=b)


def _longest(x: Vector, dx: Vector) -> float:
    """The largest t with x + t dx >= 0, for x > 0."""
    fall = float(np.max(-dx / x))
    return 1.0 / fall if fall > 0 else math.inf
