"""The interior point on a worker's rows: it yields its shares of sums over all rows, and goes on with the answers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import Problem
from separatrix.solvers.interior_point.central_path import CentralPath
from separatrix.solvers.interior_point.collectives import Request, Steps
from separatrix.solvers.interior_point.crossover import undecided
from separatrix.solvers.interior_point.normal_equations import PrimalSide
from separatrix.solvers.interior_point.signed_rows import SignedRows
from separatrix.types import Vector

#: The kind of the next request with these rows' share of its answer, or "done" with the state of the path.
Reply = tuple[str, Any]
#: Bits of `ShardPath.settled`: alpha tends to C rather than 0, and alpha may yet end between them.
AT_COST, UNDECIDED = 1, 2


class SignedParts:
    """`SignedRows` of several partitions as those of one matrix, without joining them in memory."""

    def __init__(self, parts: Sequence[SignedRows]) -> None:
        self._parts = parts
        self.R, self.D, self.free_bias = parts[0].R, parts[0].D, parts[0].free_bias
        self._ends = np.cumsum([0, *(part.n for part in parts)]).tolist()
        self.n = self._ends[-1]

    @property
    def spans(self) -> list[slice]:
        """Spans of rows, each within one part."""
        return [
            slice(begin + span.start, begin + span.stop)
            for part, begin in zip(self._parts, self._ends, strict=False)
            for span in part.spans
        ]

    def _place(self, span: slice) -> tuple[SignedRows, slice]:
        """The part that has these rows, and their place in it."""
        part = bisect_right(self._ends, span.start) - 1
        begin = self._ends[part]
        return self._parts[part], slice(span.start - begin, span.stop - begin)

    def margins(self, z: Vector, span: slice) -> Vector:
        """A z of the rows in a span of one part."""
        part, place = self._place(span)
        return part.margins(z, place)

    def pull(self, c: Vector, span: slice) -> Vector:
        """A^T c, shape (D,), over the rows in a span of one part."""
        part, place = self._place(span)
        return part.pull(c, place)

    def normal_matrix(self, theta: Vector) -> NDArray[np.float64]:
        """R + A^T Theta A, lower triangle, Fortran order, shape (D, D)."""
        total = np.zeros((self.D, self.D), order="F")
        for part, (begin, end) in zip(self._parts, pairwise(self._ends), strict=True):
            total += part.normal_matrix(theta[begin:end])
        total[np.diag_indices(self.D)] -= (len(self._parts) - 1) * self.R
        return total


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
        """Begin at z (D,), with costs C (n,)."""
        loss = self._problems[0].loss
        width = np.broadcast_to(1.0, len(C))
        self._steps = CentralPath.starting(self._algebra, loss, C, np.zeros(len(z)), z, width)
        return self._resume(None)

    def advance(self) -> Reply:
        """Begin a step."""
        self._steps = self.path.advancing()
        return self._resume(None)

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
        """Bits AT_COST and UNDECIDED of each row."""
        path = self.path
        found = np.empty(len(path.alpha), dtype=np.int8)
        for span in self._algebra.rows.spans:
            found[span] = AT_COST * (path.s[span] < path.xi[span])
            found[span] |= UNDECIDED * undecided(path, span)
        return found

    def _resume(self, answer: Any) -> Reply:
        assert self._steps is not None
        with np.errstate(all="ignore"):
            try:
                self._waiting = self._steps.send(answer)
            except StopIteration as end:
                self._steps = self._waiting = None  # with the memory of the step
                if isinstance(end.value, CentralPath):
                    self._path = end.value
                path = self.path
                return "done", (end.value is not False, path.z, path.pulled, path.losses(), path.dual_terms())
            return type(self._waiting).__name__, self._waiting.contribution(self._algebra, self._leading)
