"""Whoever watches a fit of SVC: told of each record, and handed the point of each binary problem to keep.

A progress bar needs the records; a checkpoint needs the points. A point that was kept, given back as a
`KeptPoint`, is where a later fit starts (`SVC._start`); the proof at the end does not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.callbacks import Watched
from separatrix.problem import Point, Problem, Record
from separatrix.solvers.loop.protocol import Progress
from separatrix.solvers.loop.run import Stage
from separatrix.types import Vector


@dataclass(frozen=True, eq=False)
class KeptPoint:
    """Where one binary problem stood; arrays run over its m rows, as in `BinaryResult`."""

    rows: NDArray[np.intp]  #: (m,) training rows that take part
    coef: Vector  #: (d,); empty with a kernel
    intercept: float
    cost: Vector  #: (m,) C_i
    alpha: Vector  #: (m,)


class Watch(Protocol):
    """Sees a fit. May be called from several threads at once, one for each binary problem."""

    def show(self, name: str, record: Record) -> None:
        """A record of the problem called ``name``."""
        ...

    def done(self, name: str, record: Record, status: str) -> None:
        """The last record of a problem."""
        ...

    def keep(self, key: Any, point: Callable[[], KeptPoint], final: bool) -> None:
        """Called after every step, and with ``final`` after the last; ``point()`` costs a pass over the rows."""
        ...


@dataclass(frozen=True)
class Keeping:
    """Hands the point of one binary problem to the watch after every step."""

    watch: Watch
    key: Any
    problem: Problem
    rows: NDArray[np.intp]

    def wrap(self, stage: Stage) -> Stage:
        """The stage, its points handed over."""
        return replace(stage, solver=Watched(stage.solver, self))

    def step(self, work: Callable[[], Progress], point: Callable[[], Point]) -> Progress:
        """One step of a solver, then the offer of its point."""
        progress = work()
        self.watch.keep(self.key, lambda: self.kept(point()), False)
        return progress

    def finished(self, point: Point) -> None:
        """The point that the fit returns."""
        self.watch.keep(self.key, lambda: self.kept(point), True)

    def kept(self, point: Point) -> KeptPoint:
        """A point as it is kept, in arrays of its own."""
        coef = np.empty(0) if point.w is None else point.w.copy()
        bias = 0.0 if point.b is None else float(point.b)
        return KeptPoint(self.rows, coef, bias, self.problem.C, point.alpha.copy())
