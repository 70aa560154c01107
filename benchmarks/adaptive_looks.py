"""An analyst who overfits a hold-out by looking at it, against each mechanism; every label is a coin flip.

The attack (Blum and Hardt, 2015, section 4): submit random labellings, keep those that seem better than chance, submit
the majority vote of the kept. The true accuracy of every submission is exactly 1/2, whatever the hold-out says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from separatrix.validation import Holdout, Ladder, Thresholdout
from separatrix.validation.intervals import error_interval

TRUTH = 0.5
MECHANISMS = ("naive", "holdout", "ladder", "thresholdout")


@dataclass(frozen=True)
class Outcome:
    reported: float  # accuracy reported for the final vote
    covered: bool  # whether every interval given on the way contained the truth
    width: float  # of the last interval


def attack(mechanism: str, seed: int, n: int, looks: int) -> Outcome:
    """One analyst, ``looks`` submissions, the last of which is the vote."""
    rng = np.random.default_rng([seed, looks, n])
    y = rng.integers(0, 2, n)
    random = rng.integers(0, 2, (looks - 1, n))
    X = np.zeros((n, 1))
    if mechanism == "naive":
        return _naive(y, random)
    if mechanism == "holdout":
        holdout = Holdout(X, y, budget=looks)
        scores = [holdout.score(labels) for labels in random]
        last = holdout.score(_vote(random, np.array([look.accuracy > TRUTH for look in scores])))
        intervals = [look.interval for look in [*scores, last]]
        return Outcome(last.accuracy, _all_cover(intervals), _width(last.interval))
    if mechanism == "ladder":
        ladder = Ladder(X, y, budget=looks)
        rungs = [ladder.score(labels) for labels in random]
        top = ladder.score(_vote(random, np.array([rung.improved for rung in rungs])))
        intervals = [rung.interval for rung in [*rungs, top]]
        return Outcome(top.best_accuracy, _all_cover(intervals), _width(top.interval))
    return _thresholdout(rng, y, random)


def _naive(y: np.ndarray, random: np.ndarray) -> Outcome:
    kept = np.mean(random == y, axis=1) > TRUTH
    errors = int(np.count_nonzero(_vote(random, kept) != y))
    interval = error_interval(errors, errors, len(y), math.log(0.05))
    return Outcome(1 - errors / len(y), _all_cover([interval]), _width(interval))


def _thresholdout(rng: np.random.Generator, y: np.ndarray, random: np.ndarray) -> Outcome:
    """The analyst sees training and held-out rows of the same size; a model labels both."""
    n, looks = len(y), len(random) + 1
    y_train, on_train = rng.integers(0, 2, n), rng.integers(0, 2, random.shape)
    X = np.zeros((n, 1))
    seed = int(rng.integers(1 << 30))
    mechanism = Thresholdout(X, y_train, X, y, looks=looks, budget=20, random_state=seed)
    answers = [mechanism.query(t == y_train, h == y) for t, h in zip(on_train, random, strict=True)]
    kept = np.array([answer.value > TRUTH for answer in answers])
    last = mechanism.query(_vote(on_train, kept) == y_train, _vote(random, kept) == y)
    intervals = [answer.interval for answer in [*answers, last]]
    return Outcome(last.value, _all_cover(intervals), _width(last.interval))


def _vote(labels: np.ndarray, kept: np.ndarray) -> np.ndarray:
    return np.mean(labels[kept], axis=0) > 0.5 if kept.any() else labels[0]


def _all_cover(intervals: list[tuple[float, float]]) -> bool:
    return all(low <= TRUTH <= high for low, high in intervals)


def _width(interval: tuple[float, float]) -> float:
    return interval[1] - interval[0]


def summary(mechanism: str, simulations: int, n: int = 1000, looks: int = 100) -> dict[str, float]:
    """Mean and 95th percentile of what is reported, share of simulations with every interval right, mean width."""
    outcomes = [attack(mechanism, seed, n, looks) for seed in range(simulations)]
    reported = np.array([outcome.reported for outcome in outcomes])
    return {
        "mean reported": float(reported.mean()),
        "95th percentile": float(np.quantile(reported, 0.95)),
        "all intervals right": float(np.mean([outcome.covered for outcome in outcomes])),
        "width": float(np.mean([outcome.width for outcome in outcomes])),
    }


def single_look_coverage(simulations: int, n: int, accuracy: float, resolution: float | None) -> float:
    """How often the first interval of a hold-out contains the true accuracy of a model fixed in advance."""
    hits = 0
    for seed in range(simulations):
        right = np.random.default_rng([seed, n, 7]).random(n) < accuracy
        y = np.zeros(n, dtype=int)
        low, high = Holdout(np.zeros((n, 1)), y, budget=1, resolution=resolution).score(~right * 1).interval
        hits += low <= accuracy <= high
    return hits / simulations
