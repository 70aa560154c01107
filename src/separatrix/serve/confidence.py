"""An interval for the running mistake rate that holds at all times at once, whatever the rows depend on.

Let x_t in {0, 1} say whether row t was a mistake and p_t its probability given everything before. However the rows
come, with guesses g_t that are made before row t (here the mean of the mistakes so far) and V_n = sum (x_t - g_t)^2,

    P( for all n:  |mean of x_1..x_n  -  mean of p_1..p_n|  <  u(V_n) / n )  >=  1 - 2 alpha

    u(v) = sqrt(k1^2 v l(v) + k2^2 l(v)^2) + k2 l(v)
    l(v) = 1.4 log log(2 v) + log(zeta(1.4) / (alpha log(2)^1.4))
    k1 = (2^(1/4) + 2^(-1/4)) / sqrt(2),  k2 = (sqrt(2) + 1) / 2,  and v is taken as at least 1

Howard, Ramdas, McAuliffe, Sekhon: Time-uniform, nonparametric, nonasymptotic confidence sequences. Annals of
Statistics 49 (2021): Theorem 4 (empirical Bernstein) with the stitched boundary of Theorem 1 (c = 1, eta = 2, s = 1.4,
m = 1). Nothing has to be independent, so that one may look after every row, and stop or go on because of what one saw.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

CONFIDENCE = 0.95
_S, _ZETA = 1.4, 3.1055472779775815  # zeta(1.4)
_K1 = (2**0.25 + 2**-0.25) / math.sqrt(2.0)
_K2 = (math.sqrt(2.0) + 1.0) / 2.0


def boundary(v: float, alpha: float) -> float:
    """u(v): a bound on the sum that is crossed at some time with probability at most alpha."""
    v = max(v, 1.0)
    length = _S * math.log(math.log(2.0 * v)) + math.log(_ZETA / (alpha * math.log(2.0) ** _S))
    return math.sqrt(_K1**2 * v * length + (_K2 * length) ** 2) + _K2 * length


@dataclass
class RunningRate:
    """Mistakes so far and what the interval needs; the same for any division of the rows into batches.

    >>> rate = RunningRate()
    >>> rate.add([True, False, False, False] * 500)
    >>> rate.mistakes, [round(end, 3) for end in rate.interval()]
    (500, [0.206, 0.294])
    """

    rows: int = 0
    mistakes: int = 0
    variation: float = 0.0  #: V

    def add(self, wrong: Sequence[bool]) -> None:
        """Count rows in order."""
        x = np.asarray(wrong, dtype=np.float64)
        if not len(x):
            return
        before = self.mistakes + np.concatenate([[0.0], np.cumsum(x)[:-1]])
        guesses = (before + 0.5) / (self.rows + np.arange(len(x)) + 1.0)
        # accumulate adds strictly in order, so that batches of any size give the same bits
        self.variation = float(np.add.accumulate(np.concatenate([[self.variation], (x - guesses) ** 2]))[-1])
        self.rows += len(x)
        self.mistakes += int(x.sum())

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """For the mean probability of a mistake over the rows so far."""
        if not self.rows:
            return 0.0, 1.0
        rate = self.mistakes / self.rows
        reach = boundary(self.variation, (1.0 - confidence) / 2.0) / self.rows
        return max(0.0, rate - reach), min(1.0, rate + reach)

    def record(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


class Drift:
    """Has the mistake rate risen? The rows of the present block against all rows before it, in blocks of fixed length.

    Both have an interval of their own; if that of the block lies wholly above the other, the rate has risen, and the
    chance that this is ever said of a block without reason is at most 1 - confidence for that block.
    """

    BLOCK = 5000  #: rows

    def __init__(self, before: RunningRate | None = None, now: RunningRate | None = None) -> None:
        self.before, self.now = before or RunningRate(), now or RunningRate()

    def add(self, wrong: Sequence[bool]) -> None:
        """Count rows in order."""
        start = 0
        while start < len(wrong):
            stop = min(len(wrong), start + self.BLOCK - self.now.rows)
            self.now.add(wrong[start:stop])
            start = stop
            if self.now.rows >= self.BLOCK:
                self.before.rows += self.now.rows
                self.before.mistakes += self.now.mistakes
                # guesses made from the block alone are made before each row as well, so the sum is a V of the whole
                self.before.variation += self.now.variation
                self.now = RunningRate()

    @property
    def risen(self) -> bool:
        """True where the present block is worse than all before it, beyond chance."""
        half = (1.0 + CONFIDENCE) / 2.0  # each interval gets half of the failures
        if not self.before.rows or not self.now.rows:
            return False
        return self.now.interval(half)[0] > self.before.interval(half)[1]

    def record(self) -> dict[str, Any]:
        """As plain values."""
        return {"before": self.before.record(), "now": self.now.record()}


def read_drift(record: Any) -> Drift:
    """The drift of a record."""
    return Drift(RunningRate(**record["before"]), RunningRate(**record["now"]))
