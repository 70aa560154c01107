"""The one stall detector: counts updates since a value last fell by a visible part of itself."""

from __future__ import annotations

import math


class Stall:
    """A value has stalled after ``patience`` updates without falling below ``factor`` times the last that counted.

    Many small falls count together: ``best`` is the value that last counted, not the least one seen.

    >>> gap = Stall(patience=3)
    >>> [gap.update(value) for value in (1.0, 0.95, 0.89, 0.89, 0.89)], gap.stalled
    ([True, False, True, False, False], False)
    >>> gap.update(0.88), gap.stalled
    (False, True)
    """

    def __init__(self, patience: int, factor: float = 0.9) -> None:
        self.patience, self.factor = patience, factor
        self.reset()

    def reset(self) -> None:
        """Begin anew: the next value counts."""
        self.best, self.idle = math.inf, 0

    def update(self, value: float) -> bool:
        """Note a value; return whether it fell enough to count. NaN never does."""
        fell = value < self.factor * self.best
        self.best, self.idle = (value, 0) if fell else (self.best, self.idle + 1)
        return fell

    @property
    def stalled(self) -> bool:
        """True if the value has not fallen for as long as ``patience`` allows."""
        return self.idle >= self.patience
