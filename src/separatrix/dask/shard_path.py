"""The interior point on a worker's rows: it gives shares of what concerns all rows, and goes on with the answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.dask.signed_parts import SignedParts
from separatrix.problem import Problem
from separatrix.solvers.interior_point.central_path import CentralPath
from separatrix.solvers.interior_point.collectives import Request, Steps
from separatrix.solvers.interior_point.crossover import undecided
from separatrix.solvers.interior_point.normal_equations import PrimalSide
from separatrix.solvers.interior_point.signed_rows import SignedRows
from separatrix.types import Vector

#: The kind of the next request with these rows' share of its answer, or "done" with where the path is.
Reply = tuple[str, Any]
AT_COST, UNDECIDED = 1, 2  #: bits of `ShardPath.settled`


class ShardPath:
    """`CentralPath` on some rows of a larger problem, part after part; one shard leads (see `collectives`)."""

    def __init__(self, problems: list[Problem], leading: bool) -> None:
        self._problems, self._leading = problems, leading
        signed = SignedParts([SignedRows(problem, in_place=True) for problem in problems])
        # The same methods as those of one matrix, part after part.
        self._algebra: Any = PrimalSide(signed)  # type: ignore[arg-type]
        self._path: CentralPath | None = None
        self._steps: Steps[Any] | None = None
        self._waiting: Request | None = None

    def begin(self, C: Vector, z: Vector) -> Reply:
        """At z (D,), with costs C (n,)."""
        loss = self._problems[0].loss
        width = np.broadcast_to(1.0, len(C))
        return self._go(CentralPath.starting(self._algebra, loss, C, np.zeros(len(z)), z, width))

    def advance(self) -> Reply:
        """Begin a step."""
        return self._go(self.path.advancing())

    def answer(self, value: NDArray[np.float64]) -> Reply:
        """Go on with an answer, to the next share or to the end."""
        assert self._waiting is not None, "a request comes first"
        with np.errstate(all="ignore"):
            whole = self._waiting.reduced(self._algebra, value)
        return self._resume(whole)

    @property
    def path(self) -> CentralPath:
        """The path, once it has begun."""
        assert self._path is not None, "begin_path comes first"
        return self._path

    def settled(self) -> NDArray[np.int8]:
        """Of each row: whether alpha tends to C rather than 0, and whether it may yet be between them; bits."""
        path = self.path
        found = np.empty(len(path.alpha), dtype=np.int8)
        for span in self._algebra.rows.spans:
            found[span] = AT_COST * (path.s[span] < path.xi[span])
            found[span] |= UNDECIDED * undecided(path, span)
        return found

    def _go(self, steps: Steps[Any]) -> Reply:
        self._steps = steps
        return self._resume(None)

    def _resume(self, answer: Any) -> Reply:
        assert self._steps is not None
        with np.errstate(all="ignore"):
            try:
                self._waiting = self._steps.send(answer)
            except StopIteration as end:
                self._steps = self._waiting = None  # with the memory of the step
                if isinstance(end.value, CentralPath):
                    self._path = end.value
                return "done", self._standing(end.value is not False)
            return type(self._waiting).__name__, self._waiting.contribution(self._algebra, self._leading)

    def _standing(self, advanced: bool) -> tuple[bool, Vector, Vector, float, float]:
        """Whether the path went on, z, A^T alpha of all rows, and these rows' loss and dual terms."""
        path = self.path
        return advanced, path.z, path.pulled, path.losses(), path.dual_terms()
