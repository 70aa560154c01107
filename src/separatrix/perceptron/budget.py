"""At most B support vectors: the self-tuned Forgetron, a perceptron that forgets its oldest update.

An update past the budget is followed by two steps: all coefficients shrink by one factor phi, and the oldest support
vector r is dropped. With lambda its coefficient in steps, mu = y_r f(x_r) / Rt^2 in the same unit, k updates so far:

    damage   Psi(lambda, mu) = lambda^2 + 2 lambda - 2 lambda mu,        Q = sum of the damages
    phi      the largest in (0, 1] with   Q + Psi(phi lambda, phi mu) <= 15/32 k

For every g in the space of the kernel, with the losses l_t = max(0, 1 - y_t g(x_t)) and Rt^2 >= k(x, x) + c^2, the
distance ||f - g||^2 falls by at least 1 - 2 l_t with an update and its later removal but for Psi, and rises by at most
(1 - phi) / (1 + phi) ||g||^2 with a shrinking. Summed up, in the unit Rt:

    k <= (1 + S) Rt^2 ||g||^2 + 2 sum_t l_t + Q,         S = sum of (1 - phi) / (1 + phi)                     (*)

and where B >= 83 and Rt ||g|| <= 1/4 sqrt((B + 1) / ln(B + 1)):     k <= 2 Rt^2 ||g||^2 + 4 sum_t l_t.

With many classes x stands for Kesler's row (x, -x), which doubles Rt^2.
Dekel, Shalev-Shwartz and Singer: The Forgetron. SIAM Journal on Computing 37 (2008).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from separatrix.problem.kernels import Kernel, Laplacian, Rbf
from separatrix.problem.mistakes import convex_minimiser
from separatrix.types import Vector

_SHARE = 15.0 / 32.0  # of an update that removals may undo


@dataclass(eq=False)
class Ledger:
    """The cost of the removals so far.

    >>> ledger = Ledger(budget=2)
    >>> round(ledger.make_room(size=1.0, product=0.0, updates=3), 3)
    0.551
    >>> round(ledger.damage, 5) == round(15 / 32 * 3, 5), ledger.dropped
    (True, 1)
    """

    budget: int
    dropped: int = 0  #: support vectors removed
    damage: float = 0.0  #: Q
    shrinkage: float = 0.0  #: S

    def make_room(self, size: float, product: float, updates: int) -> float:
        """phi for the removal of a support vector of coefficient ``size`` (lambda) and ``product`` mu."""
        left = _SHARE * updates - self.damage
        bent, slope = size * size - 2.0 * size * product, 2.0 * size
        phi = 1.0
        if bent + slope > left:
            # The smaller root of bent phi^2 + slope phi = left, written without cancellation.
            phi = 2.0 * left / (slope + math.sqrt(max(0.0, slope * slope + 4.0 * bent * left)))
        self.damage += bent * phi * phi + slope * phi
        self.shrinkage += (1.0 - phi) / (1.0 + phi)
        self.dropped += 1
        return phi

    def bound(self, margins: Vector, squared_radius: float, passes: int) -> float:
        """(*) for the best multiple g = s u of a unit vector u with the given margins y_i u(x_i), shape (n,).

        Every pass visits every row once, so that there are never more than ``passes`` n updates.

        >>> Ledger(budget=2).bound(np.array([0.5, 0.5]), squared_radius=1.0, passes=100)
        4.0
        """
        visits = float(passes * len(margins))
        price = (1.0 + self.shrinkage) * squared_radius
        if not price > 0:
            return visits

        def value(s: float) -> float:
            return price * s * s + 2.0 * passes * float(np.maximum(0.0, 1.0 - s * margins).sum())

        most = math.sqrt(2.0 * visits / price)  # beyond, the first term alone is above the value at zero
        least = float(margins.min())
        tries = [convex_minimiser(value, most), *([1.0 / least] if least > 0 else [])]
        return min(visits, min(map(value, tries)) + self.damage)


def relative_product(kernel: Kernel, product: float, squared_radius: float) -> float:
    """mu = y_r f(x_r) / Rt^2, never above the truth.

    Rows still to come may be longer than those so far. A product below zero only weighs more for that; one above
    zero counts where all rows are of one length in the space of the kernel, else as zero.

    >>> from separatrix.problem.kernels import Linear
    >>> [relative_product(kernel, 3.0, 2.0) for kernel in (Rbf(1.0), Linear())]
    [1.5, 0.0]
    """
    if product < 0 or isinstance(kernel, Rbf | Laplacian):
        return product / squared_radius if squared_radius > 0 else 0.0
    return 0.0
