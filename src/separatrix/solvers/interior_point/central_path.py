"""Mehrotra's predictor-corrector along the central path of a soft-margin problem with a linear term.

    hinge           min 1/2 z.R z - h.z + C.xi         s.t.  A z - 1 = s - xi,  s >= 0, xi >= 0
    squared hinge   min 1/2 z.R z - h.z + C.xi^2       s.t.  A z - 1 = s - xi,  s >= 0

h is the pull of rows whose alpha is held at C while these rows are solved for. Optimality, perturbed by mu:

    R z = A^T alpha + h,   s_i alpha_i = mu,   xi_i beta_i = mu,  beta = C - alpha     (hinge)
                                               xi_i = alpha_i / (2 C_i)                (squared hinge)

A step linearises these twice with one factorisation: for mu = 0 (the predictor), then for the mu that the
predictor's progress suggests, with its second-order error (the corrector). alpha, beta, s, xi stay positive.
What a step needs of all rows at once are requests (`collectives`), so that rows may be in several processes.

Vectors over rows are the memory it takes: alpha, beta, s, xi and the margins, and within a step da and the corrections,
56 bytes a row. All else is computed row by row, again where it is needed again (`path_direction.hpp`).
S. Mehrotra, SIAM J. Optim. 2 (1992); M. Ferris and T. Munson, SIAM J. Optim. 13 (2002).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from separatrix._core import PathDirection, PathStage
from separatrix.problem.losses import Loss
from separatrix.solvers.interior_point.collectives import (
    Factor,
    Largest,
    Pull,
    Solve,
    Steps,
    Total,
    run_local,
)
from separatrix.solvers.interior_point.normal_equations import LinearAlgebra
from separatrix.solvers.interior_point.tuning import Tuning
from separatrix.types import Vector

_TUNING = Tuning()


@dataclass
class CentralPath:
    """The iterate: arrays of shape (n,), changed in place, except z, h and pulled (D,), which are replaced."""

    algebra: LinearAlgebra
    loss: Loss
    C: Vector
    h: Vector
    z: Vector
    pulled: Vector  # A^T alpha + h
    alpha: Vector
    beta: Vector  # C - alpha, kept on its own so that it is exact near zero; unused by the squared hinge
    s: Vector
    xi: Vector
    margins: Vector  # A z between steps; a step that gave up has left it to `primal` to compute again
    current: bool = True  # whether the margins are those of z
    tuning: Tuning = _TUNING

    @classmethod
    def start(
        cls,
        algebra: LinearAlgebra,
        loss: Loss,
        C: Vector,
        h: Vector,
        z: Vector,
        width: Vector,
        tuning: Tuning = _TUNING,
    ) -> CentralPath:
        """The central point with A z - 1 = s - xi for mu_i = width * C_i, where one process has all rows."""
        path = run_local(cls.starting(algebra, loss, C, h, z, width), algebra)
        path.tuning = tuning
        return path

    @classmethod
    def starting(
        cls, algebra: LinearAlgebra, loss: Loss, C: Vector, h: Vector, z: Vector, width: Vector
    ) -> Steps[CentralPath]:
        """The central point with A z - 1 = s - xi for mu_i = width * C_i, in closed form.

        With t = A z - 1 and k = width: s = k + (sqrt(t^2 + 4k^2) + t) / 2, alpha = k C / s, and the same with -t
        for xi and beta. ``width`` (n,) is how far from 1 the margins that matter are believed to be.
        """
        alpha, s, xi, margins = (np.empty(len(C)) for _ in range(4))
        beta = np.empty(0 if loss.squared else len(C))
        for span in algebra.rows.spans:
            margins[span] = algebra.rows.margins(z, span)
            t, k, cost = margins[span] - 1.0, width[span], C[span]
            if loss.squared:
                # xi = alpha / (2 C), s = t + xi where that is positive; elsewhere the steps close the residual.
                xi[span] = np.maximum(-t, 0.0) + k
                alpha[span] = 2.0 * cost * xi[span]
                s[span] = np.maximum(t + xi[span], 0.5 * k)
            else:
                root = np.sqrt(t * t + 4.0 * k * k)
                s[span] = (root + t) / 2.0 + k
                xi[span] = (root - t) / 2.0 + k
                alpha[span], beta[span] = k * cost / s[span], k * cost / xi[span]
        pulled = yield Pull(alpha)
        return cls(algebra, loss, C, h, z, pulled + h, alpha, beta, s, xi, margins)

    def advance(self) -> bool:
        """One predictor-corrector step where one process has all rows; see `advancing`."""
        return run_local(self.advancing(), self.algebra)

    def advancing(self) -> Steps[bool]:
        """One predictor-corrector step; False, and nothing changed, if rounding has the better of it."""
        self._renew_margins()
        squared, rows = self.loss.squared, self.algebra.rows
        p, spare, da = self.pulled - rows.R * self.z, self.margins, np.empty(len(self.alpha))
        a, c = np.empty(len(da), np.float32), np.empty(len(self.beta), np.float32)
        C = self.C[:1] if self.C.strides == (0,) else self.C
        step = PathDirection(squared, C, self.alpha, self.beta, self.s, self.xi, spare, da, a, c)
        step.theta(da)
        if not (yield Factor(da)):
            return False

        # predictor: s alpha -> 0, xi beta -> 0
        dz = yield Solve(p, _Stage(step, PathStage.predictor, len(da)), da)
        self.current = False  # from here on their memory serves the corrections
        falls = yield Largest(step.predicted_falls())
        now, then = step.predicted_products(min(1.0, *map(_inverse, falls)))
        now, then, count = yield Total((now, then, len(da)))
        if not now > 0.0:  # every product has vanished
            return False
        mu = now / (count * (1 if squared else 2))
        target = mu * (then / now) ** 3

        # corrector: s alpha -> target, with the predictor's second-order error, unless that is out of scale
        step.correct(target, mu)
        correction = _Stage(step, PathStage.correction, len(da))
        dz = dz + (yield Solve(np.zeros_like(p), correction, spare))
        da += spare
        (fall,) = yield Largest((step.fall(),))
        reach = min(self.tuning.to_boundary * _inverse(fall), 1.0)  # in this order NaN stays NaN
        if not (reach > 0.0 and np.all(np.isfinite(dz))):
            return False
        step.take(reach)
        self.z = self.z + reach * dz
        del step, correction, da, a, c  # their memory first
        self._renew_margins()
        self.pulled = (yield Pull(self.alpha)) + self.h
        return True

    def _renew_margins(self) -> None:
        """Compute the margins, unless they are those of z."""
        if not self.current:
            for span in self.algebra.rows.spans:
                self.margins[span] = self.algebra.rows.margins(self.z, span)
            self.current = True

    def losses(self) -> float:
        """sum_i C_i loss_i at z, over these rows."""
        self._renew_margins()
        spans = self.algebra.rows.spans
        return sum(float(self.C[span] @ self.loss.values(self.margins[span])) for span in spans)

    def dual_terms(self) -> float:
        """Terms of the dual objective that alpha gives apart from A^T alpha, over these rows."""
        spans = self.algebra.rows.spans
        return sum(self.loss.dual_total(self.alpha[span], self.C[span]) for span in spans)

    def primal(self) -> float:
        """Objective at z."""
        z = self.z
        return 0.5 * float(z @ (self.algebra.rows.R * z)) - float(self.h @ z) + self.losses()

    def dual(self) -> float:
        """Dual objective at alpha, less a charge for what the free bias misses of its equation."""
        v, R = self.pulled, self.algebra.rows.R
        missed = float(np.sum(np.abs(v[R == 0.0])))
        return self.dual_terms() - 0.5 * float(v @ (R * v)) - missed * (1.0 + abs(float(self.z[-1])))


@dataclass(frozen=True, eq=False)
class _Stage:
    """The right-hand side of one of a step's linear systems."""

    step: PathDirection
    stage: PathStage
    n: int

    def plain(self) -> Vector:
        g = np.empty(self.n)
        self.step.right_side(self.stage, g)
        return g

    def weighted(self, span: slice, less: Vector) -> Vector:
        self.step.weigh(self.stage, span.start, less)
        return less


def _inverse(fall: float) -> float:
    """The step at which a quantity that falls by ``fall`` times itself per unit reaches zero."""
    return math.inf if fall <= 0 else 1.0 / fall
