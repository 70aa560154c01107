"""The two losses of the soft margin, with what duality needs to know of them.

    hinge            loss(m) = max(0, 1 - m)       dual term   alpha                    0 <= alpha <= C
    squared hinge    loss(m) = max(0, 1 - m)^2     dual term   alpha - alpha^2 / (4C)   0 <= alpha

m is the functional margin y (w.x + b). C scales the loss of one row. The squared hinge is LIBLINEAR's
(no factor one half), so C means the same there and here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from separatrix.types import Vector


@dataclass(frozen=True)
class Loss:
    """A loss by name; ``squared`` picks the exponent.

    >>> import numpy as np
    >>> HINGE.values(np.array([2.0, 0.5, -1.0]))
    array([0. , 0.5, 2. ])
    >>> SQUARED_HINGE.values(np.array([2.0, 0.5, -1.0]))
    array([0.  , 0.25, 4.  ])
    """

    name: Literal["hinge", "squared_hinge"]
    squared: bool

    def values(self, margins: Vector) -> Vector:
        """Loss of each functional margin, shape (n,)."""
        slack = 1.0 - margins
        np.maximum(slack, 0.0, out=slack)
        return np.multiply(slack, slack, out=slack) if self.squared else slack

    def dual_total(self, alpha: Vector, C: Vector) -> float:
        """The sum of -C_i loss*(-alpha_i / C_i), what the rows add to the dual objective."""
        total = float(np.sum(alpha))
        return total - 0.25 * float((alpha / C) @ alpha) if self.squared else total

    def upper(self, C: Vector) -> Vector:
        """Upper bound of each alpha, shape (n,), to be read: C for the hinge, infinity for the squared hinge."""
        return np.broadcast_to(np.inf, C.shape) if self.squared else C


HINGE = Loss("hinge", squared=False)
SQUARED_HINGE = Loss("squared_hinge", squared=True)
LOSSES: dict[str, Loss] = {loss.name: loss for loss in (HINGE, SQUARED_HINGE)}
