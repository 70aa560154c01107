"""How long an interior point goes on while its gap hardly falls."""

from __future__ import annotations

import math
from dataclasses import dataclass

_STEPS = 6  # without a better gap before giving up
_FAR_STEPS = 40  # the same while the dual point is far from feasible: its value means little yet
_BETTER = 0.9  # of the gap that last counted


@dataclass
class Patience:
    """Counts steps since the gap last fell by a tenth, relatively or in itself.

    Many small falls count together: ``best`` is the gap that last counted, not the least one seen. Far from the optimum
    of badly scaled columns primal and dual may both fall by powers of ten, and the relative gap stays as it is.

    >>> patience = Patience()
    >>> for k in range(100):
    ...     patience.see(0.5 * 0.97**k, 0.97**k)
    >>> patience.over
    False
    >>> for _ in range(7):
    ...     patience.see(0.02, 0.04)
    >>> patience.over
    True
    """

    best: float = math.inf
    least: float = math.inf  # the same of the difference
    idle: int = 0

    def see(self, gap: float, difference: float) -> None:
        """Note the relative gap after a step, and the difference of primal and dual value."""
        self.idle += 1
        if gap < _BETTER * self.best:
            self.best, self.idle = gap, 0
        if difference < _BETTER * self.least:
            self.least, self.idle = difference, 0

    @property
    def over(self) -> bool:
        """Whether the gap no longer falls."""
        return self.idle >= (_STEPS if self.best < 1.0 else _FAR_STEPS)
