"""A hold-out that counts its looks, with intervals that stay valid however the next model was chosen.

The guarantee. The analyst may choose each model by looking at all answers so far. Every answer is a rounded error
rate, one of m values, so before look t there are at most M_t = m^(t-1) histories, hence at most M_t models that
look t could be about, all fixed before the data were drawn. Look t fails for one of them with probability at
most s_t / M_t, so all looks together fail with probability at most sum_t s_t <= 1 - confidence:

    with probability >= confidence, EVERY interval given so far contains the true accuracy of its model,

where s_t = (1 - confidence) / budget, or (1 - confidence) 6 / (pi t)^2 without a budget. Models given
together (`score_all`) were chosen without seeing each other's answers: they share M_t. The rows must be independent
draws from the distribution that matters, and not have been used otherwise.

Dwork, Feldman, Hardt, Pitassi, Reingold, Roth: Generalization in adaptive data analysis and holdout reuse,
NIPS 2015 (description length). The width grows like sqrt(looks / n): Dwork et al., Science 349 (2015).
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from separatrix.errors import with_hint
from separatrix.validation.held_out import BudgetSpentError, Grid, HeldOut, check_confidence, check_count
from separatrix.validation.intervals import error_interval
from separatrix.validation.ledger import AnyLedger, Entry


@dataclass(frozen=True)
class Look:
    """One score, with the number of looks so far and the interval that they allow."""

    accuracy: float  #: rounded to ``resolution``
    n: int  #: held-out rows
    looks: int  #: looks so far, this one included
    interval: tuple[float, float]  #: for the true accuracy, valid with all earlier ones at ``confidence``
    confidence: float
    resolution: float
    repeated: bool = False  #: the same predictions had been scored before, so that nothing new was learnt

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"accuracy {self.accuracy:.4g} on {self.n} held-out rows; true accuracy in [{low:.4f}, {high:.4f}] with "
            f"confidence {self.confidence:g} over all {self.looks} look{'s' * (self.looks != 1)} so far"
        )


class Holdout:
    """Held-out data that count how often they were looked at.

    Parameters
    ----------
    X, y : the held-out rows and labels
    budget : int or None
        How many different models may be scored. With a budget each look costs the same; without, later
        looks cost a little more, and there is no end.
    confidence : float, default 0.95
        Of all intervals together.
    resolution : float or None
        Scores are rounded to multiples of this; 0 is exact. None is about 1 / (2 sqrt(n)), half of what chance does.
        A coarser answer gives less away, so that the intervals grow more slowly.
    ledger : path, Ledger or None
        A file that outlives the process and may be shared by several; None keeps the looks in memory.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 400)
    >>> holdout = Holdout(rng.normal(size=(400, 2)), y, budget=10)
    >>> print(holdout.score(np.where(rng.random(400) < 0.9, y, 1 - y)))
    accuracy 0.9 on 400 held-out rows; true accuracy in [0.8393, 0.9474] with confidence 0.95 over all 1 look so far
    >>> holdout.looks, holdout.looks_left
    (1, 9)
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        budget: int | None = None,
        confidence: float = 0.95,
        resolution: float | None = None,
        ledger: AnyLedger = None,
    ) -> None:
        self._rows = HeldOut(X, y)
        self.n = self._rows.n
        self.budget = None if budget is None else check_count("budget", budget)
        self.confidence = check_confidence(confidence)
        self._grid = Grid.of(self.n, resolution)
        rules = {"budget": self.budget, "confidence": self.confidence, "step": self._grid.step}
        self.ledger = self._rows.open_ledger(ledger, "holdout", rules)

    @property
    def looks(self) -> int:
        """Looks so far, repeated ones included; by every process that shares the ledger."""
        return len(self.ledger.entries())

    @property
    def looks_left(self) -> float:
        """New models that may still be scored; infinity without a budget."""
        return math.inf if self.budget is None else self.budget - _new(self.ledger.entries())

    def score(self, model: Any) -> Look:
        """Look once. ``model`` is anything with ``predict``, or the predictions (n,) themselves."""
        return self.score_all([model])[0]

    def score_all(self, models: Sequence[Any]) -> list[Look]:
        """Score models that were all chosen before any of these answers: cheaper than one after the other."""
        results = [self._rows.errors(model) for model in models]
        entries = self.ledger.record(lambda before: self._answers(before, results))
        return [self._look(entry) for entry in entries]

    def _answers(self, before: list[Entry], results: list[tuple[int, str]]) -> list[Entry]:
        known = {entry["predictions"]: entry for entry in before}
        used, added = _new(before), list[Entry]()
        log_histories = used * math.log(self._grid.size)
        for errors, digest in results:
            entry = {"look": len(before) + len(added) + 1, "predictions": digest, "at": round(time.time(), 3)}
            if digest in known:
                first = known[digest]
                entry |= {key: first[key] for key in ("answer", "log_failure")} | {"repeated": True}
            else:
                used += 1
                if self.budget is not None and used > self.budget:
                    raise with_hint(
                        BudgetSpentError,
                        f"All {self.budget} looks at these {self.n} held-out rows are spent: another score would no "
                        "longer be covered by the confidence that was promised. New data are needed.",
                        "plan a larger budget for them",
                    )
                log_failure = math.log(1.0 - self.confidence) + self._log_share(used) - log_histories
                entry |= {"answer": self._grid.cell(errors), "log_failure": log_failure, "repeated": False}
                known[digest] = entry
            added.append(entry)
        return added

    def _log_share(self, look: int) -> float:
        if self.budget is not None:
            return -math.log(self.budget)
        return math.log(6.0) - 2.0 * math.log(math.pi * look)

    def _look(self, entry: Entry) -> Look:
        low, high = error_interval(*self._grid.counts(entry["answer"]), self.n, entry["log_failure"])
        return Look(
            accuracy=1.0 - self._grid.rate(entry["answer"]),
            n=self.n,
            looks=entry["look"],
            interval=(1.0 - high, 1.0 - low),
            confidence=self.confidence,
            resolution=self._grid.step / self.n,
            repeated=entry["repeated"],
        )

    def history(self) -> list[Look]:
        """Every look so far, oldest first."""
        return [self._look(entry) for entry in self.ledger.entries()]


def _new(entries: list[Entry]) -> int:
    return sum(not entry["repeated"] for entry in entries)
