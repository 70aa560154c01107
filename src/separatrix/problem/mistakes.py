"""The history of a perceptron run: mistakes as they were made, against the bound."""

from __future__ import annotations

from dataclasses import dataclass, replace

from separatrix.problem.solution import Named, Records


@dataclass(frozen=True)
class MistakeRecord(Named):
    """One line: a pass of a fit, or a call of partial_fit. By attribute or by name (``record["updates"]``)."""

    time: float  #: seconds since the fit began
    epoch: int  #: passes made; 0 for partial_fit
    rows: int  #: rows visited so far
    mistakes: int  #: rows misclassified in this pass, or this call
    updates: int  #: updates so far
    bound: float  #: what the theorem allows for ``updates``; nan where none is known


class MistakeHistory(Records[MistakeRecord]):
    """The records of a run. ``history[-1]`` is a record, ``history["updates"]`` a whole column.

    >>> history = MistakeHistory([MistakeRecord(0.1, 1, 8, 3, 3, 9.0), MistakeRecord(0.2, 2, 16, 0, 3, 9.0)])
    >>> history["mistakes"]
    array([3, 0])
    >>> history
    MistakeHistory(2 records, 3 updates, bound 9)
    """

    def __repr__(self) -> str:
        if not self._records:
            return "MistakeHistory(empty)"
        last = self._records[-1]
        return f"MistakeHistory({len(self)} records, {last.updates} updates, bound {last.bound:.4g})"

    def with_bound(self, bound: float) -> MistakeHistory:
        """The same history against a bound that was found at the end of the run."""
        return MistakeHistory([replace(record, bound=bound) for record in self._records])
