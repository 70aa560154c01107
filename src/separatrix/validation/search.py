"""From a table to a model that was chosen, fitted, proved and measured: `separatrix.search`.

    rows -> held out (looked at once, at the end) | calibration | training -> folds -> settings -> the best one fitted

The held-out rows choose nothing and teach nothing. A `Holdout` counts how often they were looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from separatrix.errors import ParameterError, with_hint
from separatrix.fitting.inputs import check_matrix
from separatrix.svm.svc import SVC, fit_observed
from separatrix.types import Index, Vector
from separatrix.validation.calibration import calibrate
from separatrix.validation.choose import Choice, Progress, Trial, choose, settings
from separatrix.validation.holdout import Holdout, Look
from separatrix.validation.ledger import AnyLedger
from separatrix.validation.scores import Scores, percentage, scores
from separatrix.validation.select import DEFAULT_CS

#: Share of the rows that are not held out on which probabilities are calibrated.
CALIBRATION = 0.2


@dataclass(frozen=True, eq=False)
class Parts:
    """Rows that are learnt from, rows that calibrate probabilities, and rows that measure; each (m,), or None."""

    training: Index
    calibration: Index | None
    held_out: Index | None

    def weights(self) -> Vector | None:
        """1 for each row that is learnt from and 0 for the others; None where all are learnt from."""
        if self.calibration is None and self.held_out is None:
            return None
        n = sum(len(part) for part in (self.training, self.calibration, self.held_out) if part is not None)
        weights = np.zeros(n)
        weights[self.training] = 1.0
        return weights


def divide(y: Any, holdout: float | None, calibrate: bool, random_state: int = 0) -> Parts:
    """Divide the rows: a share of each class held out, then one for calibration, chosen by the seed.

    >>> parts = divide([0, 1] * 50, 0.2, True)
    >>> [len(part) for part in (parts.training, parts.calibration, parts.held_out)]
    [64, 16, 20]
    """
    labels = np.asarray(y)
    left, held_out = _take(np.arange(len(labels)), labels, holdout, "holdout", random_state)
    share = CALIBRATION if calibrate else None
    training, calibration = _take(left, labels, share, "calibration", random_state)
    return Parts(training, calibration, held_out)


def _take(
    rows: Index, y: NDArray[Any], share: float | None, what: str, seed: int
) -> tuple[Index, Index | None]:
    if not share:
        return rows, None
    if not 0 < share < 1:
        raise with_hint(
            ParameterError,
            f"{what} must be between 0 and 1; got {share:g}.",
            "0.2 holds out a fifth of the rows",
        )
    try:
        size = max(math.ceil(share * len(rows)), len(np.unique(y[rows])))  # a row of each class at least
        left, taken = train_test_split(rows, test_size=size, random_state=seed, stratify=y[rows])
    except ValueError as error:
        raise with_hint(
            ParameterError,
            f"A {what} part of {share:g} cannot be taken: {error}",
            "each class needs at least two rows, and each part a row of every class",
        ) from None
    return np.sort(left), np.sort(taken)


@dataclass(frozen=True, eq=False)
class Search:
    """A chosen, fitted model with the table it was chosen from and its scores on rows that it has not seen."""

    model: SVC  #: fitted to the training rows; with ``predict_proba`` where probabilities were asked for
    choice: Choice
    parts: Parts
    holdout: Scores | None  #: None without a hold-out
    look: Look | None  #: at the held-out rows, with the interval that all looks so far allow

    @property
    def table(self) -> list[Trial]:
        """Every setting with its scores over the folds and its largest proved gap."""
        return self.choice.table

    @property
    def best(self) -> Trial:
        """The row of the table that was chosen."""
        return self.choice.best

    @property
    def looks(self) -> int:
        """Number of looks at the held-out rows so far, that of this search included."""
        return 0 if self.look is None else self.look.looks

    @property
    def sentence(self) -> str:
        """The choice and its scores, in a sentence."""
        return sentence_of(self.choice, self.holdout)

    def svg(self) -> str:
        """A picture: the accuracy of every setting."""
        from separatrix.validation.search_picture import heat_maps

        return heat_maps(self.choice)

    def __repr__(self) -> str:
        return f"Search({self.sentence})"


def sentence_of(choice: Choice, held_out: Scores | None) -> str:
    """A choice in a sentence, with its score on the folds and, where there are some, on held-out rows."""
    text = choice.sentence
    if held_out is None:
        return f"{text}, where the majority class alone has {percentage(choice.baseline)}."
    return (
        f"{text}; {percentage(held_out.accuracy)} of {held_out.rows:,} rows it has not seen, where the majority class "
        f"({held_out.majority}) alone has {percentage(held_out.baseline)}."
    )


def scores_of(model: Any, X: Any, y: Any) -> Scores:
    """The scores of a fitted model on rows: predictions, ranks, and probabilities where it has them."""
    chances = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    return scores(y, model.predict(X), model.decision_function(X), chances, model.classes_)


def search(
    X: Any,
    y: Any,
    *,
    kernels: Sequence[str] = ("linear", "rbf"),
    scaling: Sequence[str | None] = (None, "standard"),
    C: Sequence[float] = DEFAULT_CS,
    gamma: Sequence[Any] | None = None,
    folds: int = 5,
    holdout: float | None = 0.2,
    by: str = "accuracy",
    rows: int | None = None,
    probabilities: str | None = None,
    ledger: AnyLedger = None,
    random_state: int = 0,
    n_threads: int | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> Search:
    """Choose kernel, scaling, C and gamma by cross-validation, fit the best, measure it on rows kept apart.

    Parameters
    ----------
    X, y : rows and labels
        A share ``holdout`` of the rows (None: none) is kept apart and looked at once, at the end.
    kernels, scaling, C, gamma : sequences
        To choose from. ``gamma=None`` are 0.1, 1 and 10 times 1 / (d var(X)) of the columns as they are scaled.
    folds : int, default 5
        Fewer where a class has fewer rows.
    by : "accuracy" or "balanced_accuracy"
        What is best; of equals the simplest, in the order linear before curved, small C before large.
    rows : int or None
        Rows of the last step of the search, at most; None is 12,000. The best setting is fitted to all training rows.
    probabilities : None, "sigmoid", "isotonic" or "venn-abers"
        Calibrate on a fifth of the rows that are not held out; the model does not learn from them.
    ledger : path, Ledger or None
        Where looks at the held-out rows are counted; None counts this one alone.
    random_state : int
        Chooses the parts and the folds.
    progress : function(done, all, words) or None
        Called as the search goes on.
    parameters
        Of `SVC`: they hold for every fit.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = search(X, y, C=[1.0, 10.0], gamma=[0.1])
    >>> len(found.table), found.holdout.rows, found.looks, bool(found.holdout.accuracy > 0.9)
    (8, 30, 1, True)
    """
    for name in ("kernel", "warm_start"):
        if name in parameters:
            raise ParameterError(f"{name} is not a parameter of a search; kernels= are the candidates.")
    X, y = check_matrix(SVC(), X, reset=True), np.asarray(y)
    parts = divide(y, holdout, probabilities is not None, random_state)
    shared = {**parameters, "n_threads": n_threads, "random_state": random_state}
    own = X[parts.training]
    choice = choose(
        own,
        y[parts.training],
        settings(own, kernels=kernels, scaling=scaling, C=C, gamma=gamma),
        folds=folds,
        by=by,
        rows=rows,
        random_state=random_state,
        progress=progress,
        parameters=shared,
    )
    model = SVC(**{**shared, **choice.best.setting.parameters()})
    fit_observed(model, X, y, parts.weights())
    if parts.calibration is not None and probabilities is not None:
        # Rows that equal training rows by chance are new rows like any other.
        own = X[parts.calibration], y[parts.calibration]
        model = calibrate(model, *own, probabilities, allow_equal_rows=True)
    if parts.held_out is None:
        return Search(model, choice, parts, None, None)
    model.held_out_ = parts.held_out  # the model file keeps them for its report
    X_out, y_out = X[parts.held_out], y[parts.held_out]
    look = Holdout(X_out, y_out, resolution=0.0, ledger=ledger).score(model)
    return Search(model, choice, parts, scores_of(model, X_out, y_out), look)
