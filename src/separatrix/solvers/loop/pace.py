"""How fast a gap falls, and so how long it still needs."""

from __future__ import annotations

import math


class Pace:
    """Extrapolates log(gap) against time from the later half of a run, at most a hundred times as far as it has come.

    A gap may stand still for a while, and a first glance of a tenth of a second is no reason to go over to a solver of
    minutes.

    >>> pace = Pace(0.0)
    >>> for k in range(1, 11):
    ...     pace.add(float(k), 10.0 ** -k)
    >>> round(pace.remaining(1e-12), 6)
    2.0
    """

    _ENOUGH = 8  # steps before an extrapolation means anything
    _SIGHT = 100.0  # times the run so far

    def __init__(self, began: float) -> None:
        self._times = [began]
        self._logs = [0.0]

    def add(self, time: float, gap: float) -> None:
        """Note the gap after a step; the best one so far counts."""
        log = math.log(gap) if gap > 0 and math.isfinite(gap) else self._logs[-1]
        self._times.append(time)
        self._logs.append(min(self._logs[-1], log))

    def remaining(self, tol: float) -> float:
        """Seconds until the gap is expected to reach tol; 0 while too little is known to say."""
        if len(self._times) <= self._ENOUGH:
            return 0.0
        middle = len(self._times) // 2
        fallen = self._logs[middle] - self._logs[-1]
        wanted = self._logs[-1] - math.log(tol) if tol > 0 else math.inf
        if wanted <= 0:
            return 0.0
        sight = self._SIGHT * (self._times[-1] - self._times[0])
        if fallen <= 0:
            return sight
        return min(sight, wanted * (self._times[-1] - self._times[middle]) / fallen)
