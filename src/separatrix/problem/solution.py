"""Plain records that cross the borders: Point (a solver proposes), Solution (the loop returns), Status, History."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from separatrix.types import Vector


class Status(StrEnum):
    """The end of a run. ``status.sentence`` says what the returned numbers mean.

    >>> Status.MAX_TIME
    <Status.MAX_TIME: 'max_time'>
    >>> print(Status.CONVERGED, "-", Status.CONVERGED.sentence)
    converged - The requested gap was proved from the data.
    """

    CONVERGED = "converged"
    MAX_ITER = "max_iter"
    MAX_TIME = "max_time"
    INTERRUPTED = "interrupted"
    INSEPARABLE = "inseparable"

    @property
    def sentence(self) -> str:
        """The sentence that says what happened, and what the returned vectors are."""
        return _SENTENCES[self]


_SENTENCES = {
    Status.CONVERGED: "The requested gap was proved from the data.",
    Status.MAX_ITER: "The iteration limit came first; the best iterate is returned with the gap it has.",
    Status.MAX_TIME: "The time limit came first; the best iterate is returned with the gap it has.",
    Status.INTERRUPTED: "The run was interrupted; the best iterate is returned with the gap it has.",
    Status.INSEPARABLE: "No hyperplane separates the rows; the certificate proves it.",
}


@dataclass(frozen=True, eq=False)
class Point:
    """A primal-dual proposal. Nothing about it is trusted; the proof recomputes everything from the data.

    alpha (n,) should be within its bounds; with a free bias sum_i alpha_i y_i may be off by rounding.
    w (d,) of None means "use v = sum_i alpha_i y_i phi(x_i)", the only choice with a kernel; b of None means "the best
    bias for that w".
    """

    alpha: Vector
    w: Vector | None = None
    b: float | None = None


@dataclass(frozen=True, eq=False)
class JointPoint:
    """The same for a joint problem of k classes: A (n, k), W (k, d) and b (k,).

    W of None means "use A^T X", the only choice with a kernel; b of None means zero, or the sums of A where the bias is
    augmented.
    """

    A: Vector
    W: Vector | None = None
    b: Vector | None = None


class Named:
    """A record whose values are also found by name: ``record["gap"]``."""

    def __getitem__(self, name: str) -> Any:
        if name not in {field.name for field in fields(self)}:  # type: ignore[arg-type]
            raise KeyError(name)
        return getattr(self, name)


Line = TypeVar("Line", bound=Named)


class Records(Sequence[Line]):
    """The records of a run, one a line; a name gives a whole column."""

    def __init__(self, records: Sequence[Line] = ()) -> None:
        self._records = tuple(records)

    @overload
    def __getitem__(self, key: int) -> Line: ...
    @overload
    def __getitem__(self, key: slice) -> Self: ...
    @overload
    def __getitem__(self, key: str) -> NDArray[Any]: ...
    def __getitem__(self, key: int | slice | str) -> Line | Self | NDArray[Any]:
        if isinstance(key, str):
            return np.array([record[key] for record in self._records])
        if isinstance(key, slice):
            return type(self)(self._records[key])
        return self._records[key]

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Line]:
        return iter(self._records)


@dataclass(frozen=True)
class Record(Named):
    """One line of history: values by attribute (``record.gap``) or by name (``record["gap"]``)."""

    time: float  #: seconds since the fit began
    iteration: int
    primal: float  #: best primal value known; an estimate while a solver is running
    dual: float
    gap: float  #: (primal - dual) / primal
    solver: str
    note: str = ""  #: why a solver was chosen, switched or stopped
    proved: bool = False  #: True if the values were recomputed from the data at this line


class History(Records[Record]):
    """The records of a run. ``history[-1]`` is a record, ``history["gap"]`` a whole column.

    >>> h = History([Record(0.1, 1, 2.0, 1.0, 0.5, "cd"), Record(0.2, 2, 1.6, 1.5, 0.0625, "cd")])
    >>> h["gap"]
    array([0.5   , 0.0625])
    >>> h[-1].iteration
    2
    """

    def __repr__(self) -> str:
        if not self._records:
            return "History(empty)"
        last = self._records[-1]
        return f"History({len(self)} records, gap {last.gap:.2e} after {last.time:.3g} s)"


@dataclass(frozen=True, eq=False, kw_only=True)
class Result:
    """Values of the primal and the dual point of an answer, recomputed from the data, and the end of its run."""

    primal: float
    dual: float
    gap: float  #: (primal - dual) / primal
    status: Status
    n_iter: int = 0
    history: History = field(default_factory=History)

    def outcome(self) -> dict[str, Any]:
        """These values by name, for another record of the same answer."""
        return {name: getattr(self, name) for name in Result.__dataclass_fields__}


@dataclass(frozen=True, eq=False)
class Solution(Result):
    """The answer to a Problem: a primal point, a feasible dual point and the gap between their values.

    primal, dual and gap were recomputed from the data at exactly these w, b, alpha.
    """

    w: Vector | None  #: (d,); None with a kernel, where w = sum_i alpha_i y_i phi(x_i)
    b: float
    alpha: Vector  #: (n,)
    #: (n,) products of w with the rows, without b; None where they are no longer needed
    scores: Vector | None = None
    interval: tuple[float, float] | None = None  #: every best bias for these scores, where it is free

    @property
    def point(self) -> Point:
        """The two points, to start from."""
        return Point(self.alpha, self.w, self.b)


@dataclass(frozen=True, eq=False)
class JointSolution(Result):
    """The answer to a JointProblem of k classes, as `Solution` is to a Problem."""

    W: Vector | None  #: (k, d); None with a kernel, where W = A^T phi(X)
    b: Vector  #: (k,)
    A: Vector  #: (n, k)

    @property
    def point(self) -> JointPoint:
        """The two points, to start from."""
        return JointPoint(self.A, self.W, self.b)
