"""One answer to the question whether a solver still makes progress."""

from __future__ import annotations

import math


class Stall:
    """Sees a value that should fall; stalled once it has not fallen below ``factor`` times its best for a while."""

    def __init__(self, patience: int, factor: float = 0.9) -> None:
        self.patience, self.factor = patience, factor
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self.best, self.waited = math.inf, 0

    def update(self, value: float) -> None:
        """See the next value."""
        self.waited += 1
        if value < self.factor * self.best:
            self.best, self.waited = value, 0

    @property
    def stalled(self) -> bool:
        """Whether the value has not fallen for ``patience`` updates."""
        return self.waited >= self.patience
