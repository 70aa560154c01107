"""Counts of a learning model: kept in the log with every group, so that a restart goes on counting."""

from __future__ import annotations

from typing import Any

from separatrix.serve.confidence import Drift, RunningRate, read_drift

_MOST_POINTS = 400


class Counts:
    """Mistakes of the learner and of the version that answers, over all rows that were ever acknowledged."""

    def __init__(self) -> None:
        self.rate = RunningRate()  #: of the learner, predicting each row before it learns it
        self.drift = Drift()
        self.versions: dict[str, RunningRate] = {}  #: of each refit, on the rows that came after it
        self.delayed, self.delayed_mistakes = 0, 0  #: labels that came later, and wrong answers among those
        self.points: list[list[float]] = []  #: rows, mistakes, updates, bound, low, high: for the status page
        self.stride = 1

    def add(self, wrong: list[bool]) -> None:
        """Count rows that the learner has predicted and learnt."""
        self.rate.add(wrong)
        self.drift.add(wrong)

    def add_version(self, version: str, wrong: list[bool]) -> None:
        """Count rows that a refit has predicted."""
        self.versions.setdefault(version, RunningRate()).add(wrong)

    def mark(self, updates: int, bound: float) -> None:
        """Add a point to the history; long ones are thinned, every second point at a time."""
        last = self.points[-1][0] if self.points else -1.0
        if self.rate.rows < last + self.stride:
            return
        low, high = self.rate.interval()
        self.points.append(
            [self.rate.rows, self.rate.mistakes, updates, bound, round(low, 5), round(high, 5)]
        )
        if len(self.points) > _MOST_POINTS:
            self.points = self.points[::2]
            self.stride = max(1, int((self.points[-1][0] - self.points[0][0]) / (_MOST_POINTS / 2)))

    def shown(self) -> dict[str, Any]:
        """The counts as `stats` reports them."""
        rate, now = self.rate, self.drift.now
        return {
            "mistake_rate": rate.mistakes / rate.rows if rate.rows else None,
            "mistake_rate_interval": list(rate.interval()),
            "drift": self.drift.risen,
            "recent": {"rows": now.rows, "mistakes": now.mistakes},
            "delayed_labels": {"rows": self.delayed, "mistakes": self.delayed_mistakes},
        }

    def record(self) -> dict[str, Any]:
        """The counts that change with every group, as plain values."""
        return {
            "rate": self.rate.record(),
            "drift": self.drift.record(),
            "versions": {name: rate.record() for name, rate in self.versions.items()},
            "delayed": [self.delayed, self.delayed_mistakes],
        }


def read_counts(record: Any, history: Any) -> Counts:
    """The counts of a record, from zero where there is none."""
    counts = Counts()
    if record is not None:
        counts.rate = RunningRate(**record["rate"])
        counts.drift = read_drift(record["drift"])
        counts.versions = {name: RunningRate(**rate) for name, rate in record["versions"].items()}
        counts.delayed, counts.delayed_mistakes = record["delayed"]
    if history is not None:
        counts.points, counts.stride = history
    return counts
