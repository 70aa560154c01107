"""Plain records that cross the borders: Point (a solver proposes), Solution (the loop returns), History."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from separatrix.problem.status import Status
from separatrix.types import Vector


@dataclass(frozen=True, eq=False)
class Point:
    """A primal-dual proposal. Nothing about it is trusted; the proof recomputes everything from the data.

    alpha (n,) should be within its bounds; with a free bias sum_i alpha_i y_i may be off by rounding.
    w (d,) of None means "use v = sum_i alpha_i y_i x_i"; b of None means "the best bias for that w".
    """

    alpha: Vector
    w: Vector | None = None
    b: float | None = None


@dataclass(frozen=True)
class Record:
    """One line of history: values by attribute (``record.gap``) or by name (``record["gap"]``)."""

    time: float  #: seconds since the fit began
    iteration: int
    primal: float  #: best primal value known; an estimate while a solver is running
    dual: float
    gap: float  #: (primal - dual) / primal
    solver: str
    note: str = ""  #: why a solver was chosen, switched or stopped
    proved: bool = False  #: whether the values were recomputed from the data at this line

    def __getitem__(self, name: str) -> Any:
        if name not in {f.name for f in fields(self)}:
            raise KeyError(name)
        return getattr(self, name)


class History(Sequence[Record]):
    """The records of a run. ``history[-1]`` is a record, ``history["gap"]`` a whole column.

    >>> h = History([Record(0.1, 1, 2.0, 1.0, 0.5, "cd"), Record(0.2, 2, 1.6, 1.5, 0.0625, "cd")])
    >>> h["gap"]
    array([0.5   , 0.0625])
    >>> h[-1].iteration
    2
    """

    def __init__(self, records: Sequence[Record] = ()) -> None:
        self._records = tuple(records)

    @overload
    def __getitem__(self, key: int) -> Record: ...
    @overload
    def __getitem__(self, key: slice) -> History: ...
    @overload
    def __getitem__(self, key: str) -> NDArray[Any]: ...
    def __getitem__(self, key: int | slice | str) -> Record | History | NDArray[Any]:
        if isinstance(key, str):
            return np.array([record[key] for record in self._records])
        if isinstance(key, slice):
            return History(self._records[key])
        return self._records[key]

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)

    def __repr__(self) -> str:
        if not self._records:
            return "History(empty)"
        last = self._records[-1]
        return f"History({len(self)} records, gap {last.gap:.2e} after {last.time:.3g} s)"


@dataclass(frozen=True, eq=False)
class Solution:
    """The answer to a Problem: a primal point, a feasible dual point and the gap between their values.

    primal, dual and gap were recomputed from the data at exactly these w, b, alpha. ``scores`` are the w.x_i (n,) of
    that computation and ``interval`` holds every best bias for them, kept while a fit still needs them.
    """

    w: Vector
    b: float
    alpha: Vector
    primal: float
    dual: float
    gap: float
    status: Status
    n_iter: int
    history: History = field(default_factory=History)
    scores: Vector | None = None
    interval: tuple[float, float] | None = None
    inside_bounds: bool = False  #: whether alpha comes close to its bounds without reaching them
