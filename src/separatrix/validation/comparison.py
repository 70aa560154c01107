"""Models compared on the same splits: one table, one picture, and tests of their differences.

`compare` runs repeated stratified cross-validation, every model on the same train/test splits. `Tuned` chooses C by
another cross-validation inside whatever it is fitted to, so that comparing a `Tuned` model is nested
cross-validation: the rows that judge it never helped to choose C.

corrected resampled t   t = mean(d) / sqrt((1 / k + n_test / n_train) var(d)),  k - 1 degrees of freedom, for the
                        differences d of k paired train/test splits that share rows (Nadeau, Bengio, 2003; for
                        repeated cross-validation Bouckaert, Frank, 2004)
McNemar, exact          of the rows on which exactly one of two models is right, each is as likely to be right
                        (McNemar, 1947): a sign test
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import clone
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold

from separatrix.types import Vector
from separatrix.validation.folds import path_predictions
from separatrix.validation.held_out import check_count


@dataclass(frozen=True)
class Difference:
    """Model A minus model B."""

    mean: float  #: difference of accuracies
    interval: tuple[float, float]
    p_value: float
    confidence: float


def corrected_t(differences: Any, n_train: float, n_test: float, confidence: float = 0.95) -> Difference:
    """The corrected resampled t-test on differences (k,) of paired splits with n_train and n_test rows.

    >>> corrected_t([0.02, 0.01, 0.03, 0.02], n_train=90, n_test=10).p_value < 0.05
    True
    """
    d = np.asarray(differences, dtype=np.float64)
    if d.ndim != 1 or len(d) < 2:
        raise ValueError(f"differences must hold at least two numbers; got an array of shape {d.shape}.")
    mean = float(d.mean())
    spread = math.sqrt((1.0 / len(d) + n_test / n_train) * float(d.var(ddof=1)))
    if spread == 0.0:
        return Difference(mean, (mean, mean), 1.0 if mean == 0.0 else 0.0, confidence)
    half = float(stats.t.ppf(0.5 + confidence / 2.0, len(d) - 1)) * spread
    p_value = 2.0 * float(stats.t.sf(abs(mean) / spread, len(d) - 1))
    return Difference(mean, (mean - half, mean + half), p_value, confidence)


@dataclass(frozen=True)
class McNemar:
    """Rows on which only A, only B was right, and the exact two-sided p-value."""

    only_first: int
    only_second: int
    p_value: float


def mcnemar(y: Any, first: Any, second: Any) -> McNemar:
    """McNemar's exact test on two vectors of predictions of the same rows.

    >>> mcnemar([1, 1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0, 0])
    McNemar(only_first=6, only_second=0, p_value=0.03125)
    """
    truth, a, b = (np.asarray(values) for values in (y, first, second))
    if not truth.shape == a.shape == b.shape:
        raise ValueError(
            f"y and both predictions must have one shape; got {truth.shape}, {a.shape} and {b.shape}."
        )
    ahead = int(np.count_nonzero((a == truth) & (b != truth)))
    behind = int(np.count_nonzero((a != truth) & (b == truth)))
    p_value = float(stats.binomtest(ahead, ahead + behind).pvalue) if ahead + behind else 1.0
    return McNemar(ahead, behind, p_value)


class Tuned:
    """An `SVC` (or any estimator with a parameter C) that chooses C by cross-validation within the rows it is given.

    Ties go to the smallest C. ``C_`` is the choice, ``scores_`` the accuracy of every C, ``model_`` the fit.

    >>> import separatrix as sx
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tuned = Tuned(sx.SVC(), Cs=[0.01, 1.0, 100.0], folds=3).fit(X, y == 2)
    >>> tuned.C_ in (1.0, 100.0), tuned.scores_.shape
    (True, (3,))
    """

    def __init__(self, model: Any, Cs: Sequence[float], folds: int = 5, random_state: int = 0) -> None:
        self.model, self.Cs = model, [float(C) for C in Cs]
        self.folds, self.random_state = check_count("folds", folds, 2), random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Choose C, then fit to all the rows."""
        labels = np.asarray(y)
        splitter = StratifiedKFold(self.folds, shuffle=True, random_state=self.random_state)
        splits = list(splitter.split(np.zeros(len(labels)), labels))
        tables = path_predictions(self.model, X, labels, self.Cs, splits)
        right = sum(
            np.sum(table == labels[test], axis=1) for table, (_, test) in zip(tables, splits, strict=True)
        )
        self.scores_: Vector = np.asarray(right, dtype=np.float64) / len(labels)
        best = max(range(len(self.Cs)), key=lambda k: (self.scores_[k], -self.Cs[k]))
        self.C_ = self.Cs[best]
        self.model_ = clone(self.model).set_params(C=self.C_).fit(X, labels)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict by the model with the chosen C."""
        predictions: NDArray[Any] = self.model_.predict(X)
        return predictions


@dataclass(frozen=True, eq=False)
class Comparison:
    """Accuracies of every model on every split, and the differences between models."""

    names: tuple[str, ...]
    accuracies: Vector  #: (models, splits), splits in order of repetition
    predictions: list[NDArray[Any]]  #: for each model, out-of-fold predictions of the first repetition (n,)
    y: NDArray[Any]
    folds: int
    confidence: float

    def mean(self, name: str) -> float:
        """Mean accuracy of a model."""
        return float(self.accuracies[self.names.index(name)].mean())

    def difference(self, first: str, second: str) -> Difference:
        """The corrected resampled t-test of one model against another."""
        d = self.accuracies[self.names.index(first)] - self.accuracies[self.names.index(second)]
        return corrected_t(d, 1.0 - 1.0 / self.folds, 1.0 / self.folds, self.confidence)

    def mcnemar(self, first: str, second: str) -> McNemar:
        """McNemar's test on the out-of-fold predictions of the first repetition."""
        a, b = (self.predictions[self.names.index(name)] for name in (first, second))
        return mcnemar(self.y, a, b)

    def table(self) -> str:
        """Everything as text: a line for each model, then a line for each pair."""
        width = max(map(len, self.names))
        lines = [
            f"{'model':<{width}}  accuracy  deviation   ({self.accuracies.shape[1]} splits, {len(self.y)} rows)"
        ]
        lines += [
            f"{name:<{width}}  {values.mean():8.4f}  {values.std(ddof=1):9.4f}"
            for name, values in zip(self.names, self.accuracies, strict=True)
        ]
        for first, second in combinations(self.names, 2):
            d, m = self.difference(first, second), self.mcnemar(first, second)
            low, high = d.interval
            lines.append(
                f"{first} - {second}: {d.mean:+.4f} [{low:+.4f}, {high:+.4f}], corrected t p = {d.p_value:.3g}, "
                f"McNemar p = {m.p_value:.3g} ({m.only_first} : {m.only_second})"
            )
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.table()

    def plot(self, ax: Any = None) -> Any:
        """Draw accuracies of the splits as dots, means as bars, and the interval of each difference to the best."""
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(7.0, 0.6 + 0.6 * len(self.names)), layout="constrained")
        best = max(self.names, key=self.mean)
        spread = np.random.default_rng(0).uniform(-0.18, 0.18, self.accuracies.shape[1])
        labels = []
        for place, name in enumerate(self.names):
            values = self.accuracies[place]
            ax.plot(values, place + spread, ".", color="0.6", markersize=4, zorder=1)
            ax.plot([values.mean()] * 2, [place - 0.3, place + 0.3], color="C0", linewidth=2.5, zorder=2)
            label = name
            if name != best:
                difference = self.difference(name, best)
                low, high = (values.mean() - difference.mean + end for end in difference.interval)
                ax.plot([low, high], [place - 0.3] * 2, color="C3", linewidth=2, zorder=3)
                label += f"\n{difference.mean:+.3f}, p = {difference.p_value:.2g}"
            labels.append(label)
        ax.axvline(self.mean(best), color="C0", linewidth=0.8, linestyle=":")
        ax.set_yticks(range(len(self.names)), labels)
        ax.invert_yaxis()
        red = f"red: {self.confidence:.0%} interval of the difference to {best}"
        ax.set_xlabel(f"accuracy on {self.accuracies.shape[1]} test folds; {red}")
        return ax


def compare(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    folds: int = 10,
    repeats: int = 10,
    random_state: int = 0,
    confidence: float = 0.95,
) -> Comparison:
    """Repeated stratified cross-validation of several models on the same splits.

    >>> import separatrix as sx
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> result = compare({"svc": sx.SVC(), "guess": DummyClassifier()}, X, y == 0, folds=3, repeats=1)
    >>> result.mean("svc"), result.difference("svc", "guess").mean > 0.3
    (1.0, True)
    """
    labels = np.asarray(y)
    check_count("folds", folds, 2)
    splitter = RepeatedStratifiedKFold(
        n_splits=folds, n_repeats=check_count("repeats", repeats), random_state=random_state
    )
    splits = list(splitter.split(np.zeros(len(labels)), labels))
    accuracies, first_round = np.empty((len(models), len(splits))), []
    for place, model in enumerate(models.values()):
        kept: NDArray[Any] = np.empty_like(labels)
        for number, (train, test) in enumerate(splits):
            predictions = clone(model, safe=False).fit(X[train], labels[train]).predict(X[test])
            accuracies[place, number] = np.mean(predictions == labels[test])
            if number < folds:
                kept[test] = predictions
        first_round.append(kept)
    return Comparison(tuple(models), accuracies, first_round, labels, folds, confidence)
