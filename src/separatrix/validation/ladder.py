"""The Ladder: a leaderboard that only tells when the best model so far has clearly been beaten.

A submission with e errors is compared with the best answer so far, best (a multiple of ``step`` errors): if
e < best - step the new best is e rounded to a multiple of step, otherwise nothing is said. After t submissions

    min over submissions of the true error  lies in  [lower(best - step), upper(best + step / 2)]

with probability >= confidence, for all t <= budget at once. Proof: the answers never increase and take G values,
so at most N = binom(G + budget - 1, G) models can ever be asked about, whatever the analyst does; each has a
Clopper-Pearson interval of failure probability (1 - confidence) / N. The best answer is the rounded error of
some submission, and no submission had fewer than best - step errors.

Blum, Hardt: The Ladder: a reliable leaderboard for machine learning competitions, ICML 2015. Their bound has the
same shape with coarser constants; error O((log(n budget) / n)^(1/3)) against sqrt(budget / n) for plain scores.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

from separatrix.validation.held_out import BudgetSpentError, Grid, HeldOut, check_confidence, check_count
from separatrix.validation.intervals import error_interval, hoeffding
from separatrix.validation.ledger import AnyLedger, Entry


@dataclass(frozen=True)
class Rung:
    """Answer of the Ladder to a submission."""

    best_accuracy: float  #: of the best submission so far, rounded
    improved: bool  #: this submission is the new best
    n: int
    looks: int
    interval: tuple[float, float]  #: for the largest true accuracy among all submissions so far
    confidence: float
    step: float  #: least improvement that is noticed

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{'a new best' if self.improved else 'no clear improvement'}: best accuracy {self.best_accuracy:.4g} of "
            f"{self.looks} submission{'s' * (self.looks != 1)} on {self.n} rows; the best true accuracy is in "
            f"[{low:.4f}, {high:.4f}] with confidence {self.confidence:g}"
        )


class Ladder:
    """Held-out data behind the Ladder mechanism.

    Parameters
    ----------
    X, y : the held-out rows and labels
    budget : int
        Submissions that will be accepted.
    step : float or None
        The least improvement that is reported. None takes the one with the narrowest intervals for n and budget.
    confidence, ledger : as in `Holdout`

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 2000)
    >>> ladder = Ladder(rng.normal(size=(2000, 2)), y, budget=500)
    >>> ladder.score(np.where(rng.random(2000) < 0.8, y, 1 - y)).improved
    True
    >>> print(ladder.score(np.where(rng.random(2000) < 0.8, y, 1 - y)))
    no clear improvement: best accuracy 0.794 of 2 submissions on 2000 rows; the best true accuracy is in
    [0.6346, 0.9297] with confidence 0.95
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        budget: int,
        step: float | None = None,
        confidence: float = 0.95,
        ledger: AnyLedger = None,
    ) -> None:
        self._rows = HeldOut(X, y)
        self.n = self._rows.n
        self.budget = check_count("budget", budget)
        self.confidence = check_confidence(confidence)
        if step is None:
            self._grid = Grid(self.n, best_step(self.n, self.budget, self.confidence))
        else:
            self._grid = Grid.of(self.n, step)
        self._log_failure = math.log(1.0 - self.confidence) - log_models(self._grid.size, self.budget)
        rules = {"budget": self.budget, "confidence": self.confidence, "step": self._grid.step}
        self.ledger = self._rows.open_ledger(ledger, "ladder", rules)

    @property
    def looks(self) -> int:
        """Submissions so far."""
        return len(self.ledger.entries())

    def score(self, model: Any) -> Rung:
        """Submit a model (anything with ``predict``) or its predictions (n,)."""
        errors, digest = self._rows.errors(model)
        entry = self.ledger.record(lambda before: [self._answer(before, errors, digest)])[0]
        step, best = self._grid.step, entry["best"]
        low, _ = error_interval(max(0, best * step - step), self.n, self.n, self._log_failure)
        _, high = error_interval(0, self._grid.counts(best)[1], self.n, self._log_failure)
        return Rung(
            best_accuracy=1.0 - self._grid.rate(best),
            improved=entry["improved"],
            n=self.n,
            looks=entry["look"],
            interval=(1.0 - high, 1.0 - low),
            confidence=self.confidence,
            step=step / self.n,
        )

    def _answer(self, before: list[Entry], errors: int, digest: str) -> Entry:
        if len(before) >= self.budget:
            raise BudgetSpentError(
                f"All {self.budget} submissions to this ladder of {self.n} rows are spent. New data are needed."
            )
        step = self._grid.step
        improved = not before or errors < (before[-1]["best"] - 1) * step
        return {
            "look": len(before) + 1,
            "predictions": digest,
            "at": round(time.time(), 3),
            "best": self._grid.cell(errors) if improved else before[-1]["best"],
            "improved": improved,
        }


def log_models(answers: int, budget: int) -> float:
    """log binom(answers + budget - 1, answers): the number of models that non-increasing answers can lead to.

    >>> round(math.exp(log_models(3, 2)))  # the first one, and one after each of three answers
    4
    """
    return math.lgamma(answers + budget) - math.lgamma(answers + 1) - math.lgamma(budget)


def best_step(n: int, budget: int, confidence: float) -> int:
    """The step, in rows, for which step plus Hoeffding's width is least."""
    log_failure = math.log(1.0 - confidence)

    def width(step: int) -> float:
        return step / n + hoeffding(n, log_failure - log_models(Grid(n, step).size, budget))

    candidates = {
        max(1, min(n // 2, round(1.02**k))) for k in range(int(math.log(n + 1) / math.log(1.02)) + 2)
    }
    return min(sorted(candidates), key=width)
