"""Mehrotra's predictor-corrector along the central path of a soft-margin problem with a linear term.

    hinge           min 1/2 z.R z - h.z + C.xi         s.t.  A z - 1 = s - xi,  s >= 0, xi >= 0
    squared hinge   min 1/2 z.R z - h.z + C.xi^2       s.t.  A z - 1 = s - xi,  s >= 0

h is the pull of rows whose alpha is held at C while these rows are solved for. Optimality, perturbed by mu:

    R z = A^T alpha + h,   s_i alpha_i = mu,   xi_i beta_i = mu,  beta = C - alpha     (hinge)
                                               xi_i = alpha_i / (2 C_i)                (squared hinge)

A step linearises these twice with one factorisation: for mu = 0 (the predictor), then for the mu that the
predictor's progress suggests, with its second-order error (the corrector). alpha, beta, s, xi stay positive.
Where the step is blocked early, further corrections bring outlying products back towards the path, with the
same factorisation, and make it longer.
What a step needs to know of all rows at once it asks for (`shared_sums`), so that rows may be in several processes.
S. Mehrotra, SIAM J. Optim. 2 (1992); J. Gondzio, Comput. Optim. Appl. 6 (1996);
M. Ferris and T. Munson, SIAM J. Optim. 13 (2002).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from separatrix.problem.losses import Loss, Vector
from separatrix.solvers.normal_equations import LinearAlgebra
from separatrix.solvers.shared_sums import Factor, Largest, Pull, Solve, Steps, Total, alone

_CORRECTORS = 5  # further corrections of a step that is blocked early
_LARGEST_ERROR = 10.0  # of the predictor's second-order error of a product, in parts of their mean
_LONG_ENOUGH = 0.7  # a step this long needs none
_AMBITION = 0.3  # how much longer a further correction tries to make it
_TO_BOUNDARY = 0.995  # fraction of the way to the nearest bound that a step may go


@dataclass
class CentralPath:
    """The iterate: arrays of shape (n,), except z, h and pulled (D,)."""

    algebra: LinearAlgebra
    loss: Loss
    C: Vector
    h: Vector
    z: Vector
    margins: Vector  # A z
    pulled: Vector  # A^T alpha + h
    alpha: Vector
    beta: Vector  # C - alpha, kept on its own so that it is exact near zero; unused by the squared hinge
    s: Vector
    xi: Vector

    @classmethod
    def start(
        cls, algebra: LinearAlgebra, loss: Loss, C: Vector, h: Vector, z: Vector, width: Vector
    ) -> CentralPath:
        """The central point with A z - 1 = s - xi for mu_i = width * C_i, where one process has all rows."""
        return alone(cls.starting(algebra, loss, C, h, z, width), algebra)

    @classmethod
    def starting(
        cls, algebra: LinearAlgebra, loss: Loss, C: Vector, h: Vector, z: Vector, width: Vector
    ) -> Steps[CentralPath]:
        """The central point with A z - 1 = s - xi for mu_i = width * C_i, in closed form.

        With t = A z - 1 and k = width: s = k + (sqrt(t^2 + 4k^2) + t) / 2, alpha = k C / s, and the same with -t
        for xi and beta. ``width`` (n,) is how far from 1 the margins that matter are believed to be.
        """
        margins = algebra.rows.margins(z)
        t = margins - 1.0
        if loss.squared:
            # xi = alpha / (2 C), s = t + xi where that is positive; elsewhere the steps close the residual.
            xi = np.maximum(-t, 0.0) + width
            alpha, beta = 2.0 * C * xi, np.ones_like(C)
            s = np.maximum(t + xi, 0.5 * width)
        else:
            root = np.sqrt(t * t + 4.0 * width * width)
            s = (root + t) / 2.0 + width
            xi = (root - t) / 2.0 + width
            alpha, beta = width * C / s, width * C / xi
        pulled = yield Pull(alpha)
        return cls(algebra, loss, C, h, z, margins, pulled + h, alpha, beta, s, xi)

    def advance(self) -> bool:
        """One predictor-corrector step where one process has all rows; see `advancing`."""
        return alone(self.advancing(), self.algebra)

    def advancing(self) -> Steps[bool]:
        """One predictor-corrector step; False, and nothing changed, if rounding has the better of it."""
        C, alpha, beta, s, xi, squared = self.C, self.alpha, self.beta, self.s, self.xi, self.loss.squared
        rows = self.algebra.rows
        over_alpha = 1.0 / alpha
        over_beta = 0.5 / C if squared else 1.0 / beta
        theta = s * over_alpha
        theta += over_beta if squared else xi * over_beta
        np.reciprocal(theta, out=theta)
        p = self.pulled - rows.R * self.z
        g = 1.0 - self.margins
        if squared:
            g -= alpha * over_beta
        if not (yield Factor(theta)):
            return False

        # predictor: s alpha -> 0, xi beta -> 0
        _, _, da = yield Solve(theta, p, g)
        ratio = da * over_alpha
        ds = -s - s * ratio
        falls = [-float(np.min(ratio)), 1.0 + float(np.max(ratio))]
        a = ds * da
        if not squared:
            ratio = da * over_beta
            dxi = xi * ratio - xi
            falls += [float(np.max(ratio)), 1.0 - float(np.min(ratio))]
            c = dxi * da
        falls = yield Largest(tuple(falls))
        reach = min(1.0, *map(_inverse, falls))
        now, then = float(s @ alpha), float((s + reach * ds) @ (alpha + reach * da))
        if not squared:
            then += float((xi + reach * dxi) @ (beta - reach * da))
            now += float(xi @ beta)
        now, then, count = yield Total((now, then, len(s)))
        mu = now / (count * (1 if squared else 2))
        target = mu * (then / now) ** 3

        # corrector: s alpha -> target, with the predictor's second-order error, unless that is out of all scale
        np.clip(a, -_LARGEST_ERROR * mu, _LARGEST_ERROR * mu, out=a)
        np.subtract(target, a, out=a)
        a *= over_alpha
        g += a
        if not squared:
            np.clip(c, -_LARGEST_ERROR * mu, _LARGEST_ERROR * mu, out=c)
            c += target
            c *= over_beta
            g -= c
        dz, Adz, da = yield Solve(theta, p, g)
        ds = a - s - s * (da * over_alpha)
        dxi = xi if squared else c - xi + xi * (da * over_beta)
        reach = yield from self._reach(da, ds, dxi)

        for _ in range(_CORRECTORS):
            if not reach < _LONG_ENOUGH:
                break
            further = min(1.0, reach + _AMBITION)
            a = _towards_centre((s + further * ds) * (alpha + further * da), target)
            a *= over_alpha
            c = np.zeros_like(a)
            if not squared:
                c = _towards_centre((xi + further * dxi) * (beta - further * da), target)
                c *= over_beta
            extra_z, extra_Az, extra = yield Solve(theta, np.zeros_like(p), a - c)
            extra += da
            extra_s = ds + a - s * ((extra - da) * over_alpha)
            extra_xi = dxi if squared else dxi + c + xi * ((extra - da) * over_beta)
            longer = yield from self._reach(extra, extra_s, extra_xi)
            if not longer > reach + 0.1 * _AMBITION:
                break
            dz, Adz, da, ds, dxi, reach = dz + extra_z, Adz + extra_Az, extra, extra_s, extra_xi, longer

        reach = min(1.0, _TO_BOUNDARY * reach)
        if not (reach > 0.0 and np.all(np.isfinite(dz))):
            return False
        self.z = self.z + reach * dz
        self.margins = self.margins + reach * Adz
        self.alpha = alpha + reach * da
        self.s = s + reach * ds
        if squared:
            self.xi = self.alpha * over_beta
        else:
            self.beta = beta - reach * da
            self.xi = xi + reach * dxi
        self.pulled = (yield Pull(self.alpha)) + self.h
        return True

    def _reach(self, da: Vector, ds: Vector, dxi: Vector) -> Steps[float]:
        """The longest step along a direction that keeps every quantity above zero; NaN stays NaN."""
        fall = max(-float(np.min(da / self.alpha)), -float(np.min(ds / self.s)))
        if not self.loss.squared:
            fall = max(fall, float(np.max(da / self.beta)), -float(np.min(dxi / self.xi)))
        (fall,) = yield Largest((fall,))
        return _inverse(fall)

    def primal(self) -> float:
        """Objective at z."""
        z = self.z
        penalty = 0.5 * float(z @ (self.algebra.rows.R * z)) - float(self.h @ z)
        return penalty + float(self.C @ self.loss.values(self.margins))

    def dual(self) -> float:
        """Dual objective at alpha, less a charge for what the free bias misses of its equation."""
        v, R = self.pulled, self.algebra.rows.R
        terms = float(np.sum(self.loss.dual_terms(self.alpha, self.C)))
        missed = float(np.sum(np.abs(v[R == 0.0])))
        return terms - 0.5 * float(v @ (R * v)) - missed * (1.0 + abs(float(self.z[-1])))


def _towards_centre(products: Vector, target: float) -> Vector:
    """What to add to complementarity products that are outliers, so that they come near the target."""
    wanted = np.clip(products, 0.1 * target, 10.0 * target)
    wanted -= products
    np.maximum(wanted, -10.0 * target, out=wanted)
    return wanted


def _inverse(fall: float) -> float:
    """The step at which a quantity that falls by ``fall`` times itself per unit reaches zero."""
    return 1.0 / fall if fall > 0 else math.inf
