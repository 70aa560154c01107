"""Bounds on the true error of a model from its training data alone, each with the sentence it proves.

They hold with the stated confidence if the n training rows are independent draws from the distribution that
matters, and before anything else was chosen from them. Most are vacuous on small data, and say so.

    margin        true error <= share of rows with y f / ||f|| < margin + 2 sqrt(trace K) / (margin n)
                                + 3 sqrt(log(2 / failure) / (2 n))
                  Bartlett, Mendelson (2002), in the form of Mohri, Rostamizadeh, Talwalkar (2018), theorem 5.8 with the
                  empirical Rademacher complexity sqrt(trace K) / n. The margin, and the constant column that carries
                  a free bias, are chosen afterwards among powers of two, whose shares of the failure sum to one.
    compression   the model is what its k support rows alone give; the other n - k rows are a test set for each of the
                  binom(n, k) subsets: binomial tail inversion with failure / ((n + 1) binom(n, k)).
                  Littlestone, Warmuth (1986); Langford (2005), section 5.
    online        one pass of the perceptron with m mistakes: the mean true error of its n weight vectors is at most
                  m / n + sqrt(log(1 / failure) / (2 n)); twice that for their vote.
                  Cesa-Bianchi, Conconi, Gentile (2004); Hoeffding-Azuma.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.types import Vector
from separatrix.validation.dual_view import DualView, dual_view
from separatrix.validation.held_out import check_confidence
from separatrix.validation.intervals import upper_bound

#: Sum over whole numbers k of 1 / (1 + |k|)^2.
_ALL_SCALES = math.pi**2 / 3.0 - 1.0
#: Relative distance from an end of the interval of biases at which a row fixes it.
_NEAR = 1e-9


@dataclass(frozen=True)
class Bound:
    """An upper bound on the true error."""

    name: str
    value: float
    confidence: float
    sentence: str  #: the model that it is about, and its evidence

    @property
    def vacuous(self) -> bool:
        """True if the bound is no better than guessing."""
        return self.value >= 0.5

    def __str__(self) -> str:
        said = " (vacuous: no better than guessing)" if self.vacuous else ""
        claim = f"true error at most {self.value:.4f} with confidence {self.confidence:g}"
        return f"{self.name}: {claim}{said}; {self.sentence}"


def margin_bound(model: Any, X: Any, y: Any, *, confidence: float = 0.95, key: Any = None) -> Bound:
    """The margin bound of a fitted `SVC` for two classes (or its problem ``key``) on its training data.

    >>> import separatrix as sx
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> margin_bound(sx.SVC().fit(X, y == 0), X, y == 0).vacuous
    True
    """
    view, check = dual_view(model, X, y, key), check_confidence(confidence)
    n, trace = view.n, float(np.sum(view.K.diagonal()))
    weights = view.alpha * view.y
    norm2 = float(weights @ view.scores)
    best = (math.inf, 0.0, 0.0)
    for column in _columns(view):
        constant = 2.0**column if column is not None else 0.0
        length = math.sqrt(norm2 + ((view.b / constant) ** 2 if constant else 0.0))
        if length <= 0:
            continue
        margins = view.margins / length
        share = 1.0 if column is None else 1.0 / (_ALL_SCALES * (1 + abs(column)) ** 2)
        for k in range(*_exponents(margins)):
            failure = (1.0 - check) * share / (_ALL_SCALES * (1 + abs(k)) ** 2)
            complexity = 2.0 * math.sqrt(trace + n * constant * constant) / (2.0**k * n)
            value = (
                float(np.mean(margins < 2.0**k))
                + complexity
                + 3.0 * math.sqrt(math.log(2.0 / failure) / (2.0 * n))
            )
            best = min(best, (value, 2.0**k, float(np.mean(margins < 2.0**k))))
    value, margin, below = best
    return Bound("margin", value, check, f"{below:.1%} of {n} rows have a geometric margin below {margin:g}")


def _columns(view: DualView) -> list[int | None]:
    """Powers of two for the constant column that carries the bias; None: there is no bias."""
    if view.bias == "none":
        return [None]
    if view.bias == "augmented":
        return [0]
    middle = round(0.5 * math.log2(max(1e-30, float(np.mean(view.K.diagonal())))))
    return list(range(middle - 4, middle + 5))


def _exponents(margins: Vector) -> tuple[int, int]:
    largest = float(np.max(margins, initial=1e-30))
    top = math.ceil(math.log2(max(largest, 1e-30))) + 1
    return top - 30, top + 1


def compression_bound(model: Any, X: Any, y: Any, *, confidence: float = 0.95, key: Any = None) -> Bound:
    """The compression bound of a fitted `SVC` for two classes, or of a `Perceptron` that visits rows in order.

    >>> import separatrix as sx
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> print(compression_bound(sx.SVC().fit(X, y == 0), X, y == 0))
    compression: true error at most 0.1345 with confidence 0.95; 3 of 150 rows determine the model, which is wrong
    on 0 of the others
    """
    check = check_confidence(confidence)
    if hasattr(model, "n_updates_"):
        kept, wrong = _perceptron_rows(model, X, y)
    else:
        view = dual_view(model, X, y, key)
        kept = (view.alpha > 0) | _ends(view)
        wrong = view.margins <= 0
    n, k, errors = len(kept), int(np.count_nonzero(kept)), int(np.count_nonzero(wrong & ~kept))
    log_subsets = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    value = upper_bound(errors, n - k, math.log(1.0 - check) - math.log(n + 1) - log_subsets)
    return Bound(
        "compression",
        value,
        check,
        f"{k} of {n} rows determine the model, which is wrong on {errors} of the others",
    )


def _ends(view: DualView) -> NDArray[np.bool_]:
    """Rows that fix the interval of best biases where no support vector does."""
    low, high = view.interval
    rows = np.zeros(view.n, dtype=bool)
    if view.bias == "free" and high > low:
        breaks = view.y - view.scores
        for end in (low, high):
            at = np.flatnonzero(np.abs(breaks - end) <= _NEAR * max(1.0, abs(end)))
            rows[at[:1]] = True
    return rows


def _perceptron_rows(model: Any, X: Any, y: Any) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Rows that caused an update, and rows that the model gets wrong.

    Rows that never caused one could be left out: visited in the same order, the others cause the same updates.
    """
    if model.algorithm != "perceptron" or model.order != "cyclic" or model.output != "last":
        raise ValueError(
            "The compression bound of a perceptron needs algorithm='perceptron', order='cyclic' and output='last': "
            "then the rows that caused updates alone give the same model."
        )
    alpha = np.asarray(model.alpha_)
    updated = np.any(alpha.reshape(-1, alpha.shape[-1]) != 0, axis=0)
    return updated, np.asarray(model.predict(X) != np.asarray(y))


def online_to_batch(model: Any, *, confidence: float = 0.95) -> Bound:
    """The online-to-batch bound of a `Perceptron` that saw every row once, in the order in which they were drawn.

    With ``output="voted"`` it is about the model itself (a vote errs at most twice as often as the mean of the voters);
    otherwise about a weight vector taken at random from those of the pass.

    >>> import numpy as np, separatrix as sx
    >>> X = np.random.default_rng(0).normal(size=(4000, 2))
    >>> y = X[:, 0] > 0
    >>> model = sx.Perceptron(output="last").partial_fit(X, y, classes=[False, True])
    >>> bound = online_to_batch(model)
    >>> bound.value < 0.05, bound.sentence
    (True, 'of a weight vector taken at random from the pass, from ... mistakes on 4000 rows')
    """
    check = check_confidence(confidence)
    mistakes, n = _single_pass(model)
    mean = mistakes / n + math.sqrt(-math.log(1.0 - check) / (2.0 * n))
    voted = model.output == "voted"
    about = (
        "the vote of all weight vectors of the pass"
        if voted
        else "a weight vector taken at random from the pass"
    )
    value = min(1.0, (2.0 if voted else 1.0) * mean)
    return Bound("online-to-batch", value, check, f"of {about}, from {mistakes} mistakes on {n} rows")


def _single_pass(model: Any) -> tuple[int, int]:
    """Mistakes and rows of the one pass that the model made."""
    history = model.history_
    if model.algorithm == "perceptron" and len(history):
        if all(record.epoch == 0 for record in history):  # partial_fit: rows as they came
            return sum(record.mistakes for record in history), int(history[-1].rows)
        if model.order == "cyclic" and len(history) == 1:
            return int(history[0].mistakes), int(history[0].rows)
    raise ValueError(
        "The online-to-batch bound is about one pass over rows in the order in which they were drawn: partial_fit, or "
        f"Perceptron(max_epochs=1, order='cyclic'). This model made {len(history)} passes, "
        f"algorithm={model.algorithm!r}, order={model.order!r}."
    )
