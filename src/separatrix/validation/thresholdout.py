"""Thresholdout: answers from the training data, corrected only where the hold-out clearly disagrees.

For a value in [0, 1] averaged over the training rows (train) and over the held-out rows (held):

    if |train - held| > threshold + Lap(2 sigma) + Lap(4 sigma):  answer held + Lap(sigma), rounded; a correction spent
    else:                                                         answer train

The guarantee used here. Given the noise, the answers are a function of the held-out data in which only corrections say
anything: with G rounded answers, at most B corrections and k looks there are at most
k sum_{j <= B} binom(k, j) G^j questions that the analyst can ever arrive at. Hoeffding's bound over all of
them, and a bound on every noise drawn, give

    |answer - true value|  <=  threshold + 6 sigma L + eps  (train)   or   sigma L + half a grid step + eps  (corrected)

for all k looks together with probability >= confidence; L = log(2 (2 k + B + 1) / (1 - confidence)). The theorem
of Dwork et al. rests on the noise instead (differential privacy) and is better for very large n and B.

Dwork, Feldman, Hardt, Pitassi, Reingold, Roth: The reusable holdout: preserving validity in adaptive data analysis.
Science 349 (2015), 636-638; Generalization in adaptive data analysis and holdout reuse, NIPS 2015 (Thresholdout,
and description length for its variant SparseValidate).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp

from separatrix.errors import ParameterError
from separatrix.validation.held_out import BudgetSpentError, HeldOut, check_confidence, check_count
from separatrix.validation.intervals import hoeffding
from separatrix.validation.ledger import AnyLedger, Entry


@dataclass(frozen=True)
class Answer:
    """Answer of Thresholdout."""

    value: float  #: the training value, or the held-out value with noise
    corrected: bool  #: the hold-out disagreed; only then was anything of it given away
    n: int
    looks: int
    corrections_left: int
    interval: tuple[float, float]  #: for the true value, valid with all other answers at ``confidence``
    confidence: float

    def __str__(self) -> str:
        low, high = self.interval
        source = "corrected by the hold-out" if self.corrected else "the training value stands"
        return (
            f"{self.value:.4g} ({source}) after {self.looks} look{'s' * (self.looks != 1)} at {self.n} rows, "
            f"{self.corrections_left} corrections left; true value in [{low:.4f}, {high:.4f}] with confidence "
            f"{self.confidence:g}"
        )


class Thresholdout:
    """Training and held-out data behind the Thresholdout mechanism.

    Parameters
    ----------
    X_train, y_train, X, y : training rows and held-out rows with their labels
    looks : int
        Questions that will be answered.
    budget : int
        Corrections that may be made; after the last one there are no more answers.
    threshold : float or None
        How far apart training and held-out value must be; None is 2 / sqrt(n).
    sigma : float or None
        Scale of the noise. None is threshold / (12 L), so that noise adds at most half the threshold.
    random_state : int, default 0
        Seed of the noise. The analyst must not use it.
    confidence, ledger : as in `Holdout`

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y, z = rng.integers(0, 2, 2000), rng.integers(0, 2, 2000)
    >>> mechanism = Thresholdout(np.zeros((2000, 1)), z, np.zeros((2000, 1)), y, looks=100, budget=5)
    >>> memorised = mechanism.query(np.ones(2000), rng.random(2000) < 0.5)  # perfect in training, chance outside
    >>> memorised.corrected, round(memorised.value, 1)
    (True, 0.5)
    """

    def __init__(
        self,
        X_train: Any,
        y_train: Any,
        X: Any,
        y: Any,
        *,
        looks: int,
        budget: int,
        threshold: float | None = None,
        sigma: float | None = None,
        confidence: float = 0.95,
        random_state: int = 0,
        ledger: AnyLedger = None,
    ) -> None:
        self._train, self._rows = HeldOut(X_train, y_train), HeldOut(X, y)
        self.n = self._rows.n
        self.max_looks, self.budget = check_count("looks", looks), check_count("budget", budget)
        self.confidence = check_confidence(confidence)
        failure = 1.0 - self.confidence
        self._noise_bound = math.log(2.0 * (2 * self.max_looks + self.budget + 1) / failure)
        self.threshold = 2.0 / math.sqrt(self.n) if threshold is None else float(threshold)
        self.sigma = self.threshold / (12.0 * self._noise_bound) if sigma is None else float(sigma)
        if not (self.threshold > 0 and self.sigma >= 0 and math.isfinite(self.threshold + self.sigma)):
            raise ParameterError(
                f"threshold must be above 0 and sigma at least 0; got {self.threshold!r} and {self.sigma!r}."
            )
        self.seed = check_count("random_state", random_state, 0)
        self._cells = max(1, round(2.0 * math.sqrt(self.n)))  # answers are multiples of 1 / cells
        log_failure = math.log(failure / 2.0) - log_questions(self._cells + 1, self.max_looks, self.budget)
        self.eps = hoeffding(self.n, log_failure)
        rules = {
            "training": self._train.digest,
            "looks": self.max_looks,
            "budget": self.budget,
            "confidence": self.confidence,
            "threshold": self.threshold,
            "sigma": self.sigma,
            "random_state": self.seed,
        }
        self.ledger = self._rows.open_ledger(ledger, "thresholdout", rules)

    def score(self, model: Any) -> Answer:
        """The accuracy of a model with ``predict``."""
        return self.query(~self._train.wrong(model)[0], ~self._rows.wrong(model)[0])

    def query(self, train_values: Any, held_values: Any) -> Answer:
        """The expectation of any quantity in [0, 1], given its values on the training and on the held-out rows."""
        train = _mean("train_values", train_values, self._train.n)
        held = _mean("held_values", held_values, self.n)
        entry = self.ledger.record(lambda before: [self._answer(before, train, held)])[0]
        slack = self.eps + (
            self.sigma * self._noise_bound + 0.5 / self._cells
            if entry["corrected"]
            else self.threshold + 6.0 * self.sigma * self._noise_bound
        )
        value = entry["value"]
        return Answer(
            value=value,
            corrected=entry["corrected"],
            n=self.n,
            looks=entry["look"],
            corrections_left=self.budget - entry["corrections"],
            interval=(max(0.0, value - slack), min(1.0, value + slack)),
            confidence=self.confidence,
        )

    def _answer(self, before: list[Entry], train: float, held: float) -> Entry:
        corrections = before[-1]["corrections"] if before else 0
        if len(before) >= self.max_looks or corrections >= self.budget:
            spent = f"{len(before)} of {self.max_looks} looks and {corrections} of {self.budget} corrections"
            raise BudgetSpentError(f"{spent} of these {self.n} held-out rows are spent. New data are needed.")
        # The noise of the threshold is renewed by a correction, that of the comparison by every look.
        gamma = np.random.default_rng([self.seed, 0, corrections]).laplace(0.0, 2.0 * self.sigma)
        rng = np.random.default_rng([self.seed, 1, len(before)])
        corrected = abs(train - held) > self.threshold + gamma + rng.laplace(0.0, 4.0 * self.sigma)
        noisy = min(1.0, max(0.0, held + rng.laplace(0.0, self.sigma)))
        return {
            "look": len(before) + 1,
            "at": round(time.time(), 3),
            "value": round(noisy * self._cells) / self._cells if corrected else train,
            "corrected": corrected,
            "corrections": corrections + corrected,
        }


def log_questions(answers: int, looks: int, budget: int) -> float:
    """log(k sum_{j <= B} binom(k, j) G^j): a bound on the number of questions an analyst can arrive at.

    >>> round(math.exp(log_questions(2, 3, 1)))
    21
    """
    j = np.arange(min(budget, looks) + 1)
    terms = gammaln(looks + 1) - gammaln(j + 1) - gammaln(looks - j + 1) + j * math.log(answers)
    return math.log(looks) + float(logsumexp(terms))


def _mean(name: str, values: Any, n: int) -> float:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (n,) or not np.all((array >= 0.0) & (array <= 1.0)):
        raise ValueError(f"{name} must be {n} numbers between 0 and 1; got an array of shape {array.shape}.")
    return float(array.mean())
