"""Scores of a classifier on labelled rows: never accuracy alone, always with the majority class's.

    accuracy             share of the rows that are given their own class
    baseline             share of the most frequent class: what always answering it would reach
    recall of a class    share of its rows that are found;   balanced accuracy is the mean recall
    precision            share of the rows given the class that belong to it
    F1                   2 hits / (rows of the class + rows given it)
    ROC AUC              probability that a row of the class scores above a row of another (ties count one half)
    average precision    sum over the recalls r_1 < r_2 < ... of (r_i - r_{i-1}) precision_i
    Brier score          mean of |p - truth|^2, halved for two classes;   log loss is the mean of -log p(own class)

Curves and areas for many classes are of one class against the rest, and their mean over the classes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from separatrix.errors import ParameterError, with_hint
from separatrix.types import Index, Vector
from separatrix.validation.intervals import error_interval

#: Failure probability of the interval around the accuracy.
_FAILURE = 0.05
#: Classes that a sentence names.
_NAMES = 8


@dataclass(frozen=True)
class ClassScores:
    """Scores of one class; None where there is nothing to divide by (no row of the class, or none given it)."""

    name: str
    support: int  #: rows of the class
    given: int  #: rows that the model gives this class
    hits: int  #: rows of the class that are given it
    precision: float | None
    recall: float | None
    f1: float | None
    roc_auc: float | None = None
    average_precision: float | None = None


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of a classifier on labelled rows; made by `scores`."""

    rows: int
    accuracy: float
    majority: str  #: the most frequent class of these rows
    baseline: float  #: its share: the accuracy of always answering it
    balanced_accuracy: float
    classes: list[ClassScores]
    confusion: NDArray[np.int64]  #: rows of class i that were given class j, shape (k, k)
    roc_auc: float | None = None
    average_precision: float | None = None
    brier: float | None = None
    log_loss: float | None = None

    @property
    def errors(self) -> int:
        """Rows that are given another class than their own."""
        return self.rows - int(np.trace(self.confusion))

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval for the accuracy on new rows like these, if the model has not seen them (Clopper, Pearson)."""
        low, high = error_interval(self.errors, self.errors, self.rows, math.log(_FAILURE))
        return 1.0 - high, 1.0 - low

    def record(self) -> dict[str, Any]:
        """All scores as plain JSON values."""
        out = {
            name: getattr(self, name)
            for name in ("rows", "errors", "accuracy", "majority", "baseline", "balanced_accuracy", "roc_auc")
        }
        out |= {name: getattr(self, name) for name in ("average_precision", "brier", "log_loss")}
        out["interval"] = list(self.interval)
        out["classes"] = [asdict(each) for each in self.classes]
        out["confusion"] = self.confusion.tolist()
        return out

    def sentences(self) -> list[str]:
        """The scores in a few whole sentences, the most important first."""
        out = [
            f"{percentage(self.accuracy)} of {self.rows:,} rows are right; always answering {self.majority} would be "
            f"right on {percentage(self.baseline)}."
        ]
        found = [(each.name, each.recall) for each in self.classes if each.recall is not None]
        mean, least = percentage(self.balanced_accuracy), min(found, key=lambda pair: pair[1])
        if len(found) == 2:
            (low, first), (high, second) = found
            said = f"{percentage(first)} of {low} and {percentage(second)} of {high} are found, {mean} on average"
        else:
            said = f"{mean} of a class are found on average, least of {least[0]} ({percentage(least[1])})"
        out.append(f"{said} (balanced accuracy).")
        never = [each.name for each in self.classes if each.support and not each.given]
        if never:
            out.append(
                f"No row is given {', '.join(never[:_NAMES])}{', ...' if len(never) > _NAMES else ''}."
            )
        if self.roc_auc is not None and len(self.classes) == 2:
            high, low = self.classes[1].name, self.classes[0].name
            out.append(
                f"A row of {high} gets a higher score than one of {low} with probability {area(self.roc_auc)} "
                "(ROC AUC; 0.5 is guessing)."
            )
        elif self.roc_auc is not None:
            out.append(
                f"ROC AUC {area(self.roc_auc)}, the mean of each class against the rest (0.5 is guessing)."
            )
        if self.brier is not None and self.log_loss is not None:
            out.append(
                f"Its probabilities have a Brier score of {self.brier:.4f} and a log loss of {self.log_loss:.4f}."
            )
        return out


def scores(
    y: Any,
    predicted: Any,
    decision: Any = None,
    probabilities: Any = None,
    classes: Sequence[Any] | NDArray[Any] | None = None,
) -> Scores:
    """Compare labels y (n,) with predictions (n,), and rank the rows by ``decision``, (n,) or (n, k).

    ``classes`` fixes the order of the k classes, which is that of the columns of ``decision`` and ``probabilities``
    (n, k); a decision (n,) is high for the second of two. Without it they are the sorted labels.

    >>> made = scores(["no", "no", "no", "yes"], ["no", "no", "yes", "yes"], [-2.0, -1.0, 0.5, 1.0])
    >>> made.accuracy, made.baseline, round(made.balanced_accuracy, 4), made.roc_auc
    (0.75, 0.75, 0.8333, 1.0)
    >>> print(made.sentences()[0])
    75.0 % of 4 rows are right; always answering no would be right on 75.0 %.
    """
    y, predicted = np.asarray(y).ravel(), np.asarray(predicted).ravel()
    if len(y) != len(predicted) or len(y) == 0:
        raise ParameterError(
            f"y and predicted must have the same rows, at least one; got {len(y)} and {len(predicted)}."
        )
    names = _sorted_labels(y, predicted) if classes is None else np.asarray(classes).tolist()
    true, given = label_codes(names, y), label_codes(names, predicted)
    n, k = len(true), len(names)
    confusion = np.bincount(true * k + given, minlength=k * k).reshape(k, k).astype(np.int64)
    chances = _columns(probabilities, n, k, "probabilities")
    ranking = chances if decision is None else _columns(decision, n, k, "decision")
    per_class = [_class_scores(names[code], code, confusion, true, ranking) for code in range(k)]
    recalls = [each.recall for each in per_class if each.recall is not None]
    support = confusion.sum(axis=1)
    return Scores(
        rows=n,
        accuracy=float(np.trace(confusion)) / n,
        majority=str(names[int(support.argmax())]),
        baseline=float(support.max()) / n,
        balanced_accuracy=math.fsum(recalls) / len(recalls),
        classes=per_class,
        confusion=confusion,
        roc_auc=_mean(each.roc_auc for each in per_class),
        # The curve of the second of two classes is meant, not the mean of both.
        average_precision=(
            per_class[1].average_precision if k == 2 else _mean(each.average_precision for each in per_class)
        ),
        brier=None if chances is None else _brier(chances, true),
        log_loss=None if chances is None else _log_loss(chances, true),
    )


def label_codes(classes: Sequence[Any], labels: NDArray[Any]) -> Index:
    """The place of each label among the classes, which may be texts where labels are numbers, or the reverse."""
    values, inverse = np.unique(labels, return_inverse=True)
    known = {name: code for code, name in enumerate(classes)}
    as_text = {str(name): code for name, code in known.items()}
    codes = [known.get(value, as_text.get(str(value), -1)) for value in values.tolist()]
    if -1 in codes:
        unknown = values.tolist()[codes.index(-1)]
        row = int(np.flatnonzero(inverse == codes.index(-1))[0])
        raise with_hint(
            ParameterError,
            f"Row {row} has the label {unknown!r}, which is not among the classes {list(classes)[:10]}.",
            "give labels that are spelled as those of the training rows",
        )
    return np.array(codes, dtype=np.intp)[inverse]


def roc_points(positive: NDArray[np.bool_], score: Vector) -> tuple[Vector, Vector]:
    """Corners of the ROC curve from (0, 0): shares of the other and of the positive rows above each threshold."""
    hits, alarms = _counts(positive, score)
    return alarms / max(1, alarms[-1]), hits / max(1, hits[-1])


def precision_recall_points(positive: NDArray[np.bool_], score: Vector) -> tuple[Vector, Vector]:
    """Recall and precision at each threshold, from the highest score down; the first point repeats its precision."""
    hits, alarms = _counts(positive, score)
    recall, precision = hits[1:] / max(1, hits[-1]), hits[1:] / (hits[1:] + alarms[1:])
    return np.concatenate([[0.0], recall]), np.concatenate([precision[:1], precision])


def reliability(
    positive: NDArray[np.bool_], chance: Vector, bins: int = 10
) -> tuple[Vector, Vector, NDArray[np.int64]]:
    """Mean probability, share of positives and rows in each of ``bins`` equal intervals of [0, 1] that has rows."""
    place = np.clip(np.ceil(chance * bins).astype(np.intp) - 1, 0, bins - 1)
    rows = np.bincount(place, minlength=bins)
    used = rows > 0
    said = np.bincount(place, chance, bins)[used] / rows[used]
    seen = np.bincount(place, positive.astype(np.float64), bins)[used] / rows[used]
    return said, seen, rows[used].astype(np.int64)


def percentage(share: float) -> str:
    """A share in per cent that is never rounded to all or nothing.

    >>> percentage(0.8491), percentage(1.0), percentage(0.99999), percentage(0.0001)
    ('84.9 %', '100 %', '99.999 %', '0.01 %')
    """
    if share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    digits = next(
        digits for digits in range(1, 18) if 0 < float(f"{100 * share:.{digits}f}") < 100 or digits == 17
    )
    return f"{100 * share:.{digits}f} %"


def area(value: float) -> str:
    """An area such as a ROC AUC to three decimals, or more where it would be rounded to a 1 that it is not.

    >>> area(0.92149), area(1.0), area(0.99996)
    ('0.921', '1', '0.99996')
    """
    if value == 1.0:
        return "1"
    return next(text for digits in range(3, 18) if (text := f"{value:.{digits}f}") != f"{1:.{digits}f}")


def _sorted_labels(y: NDArray[Any], predicted: NDArray[Any]) -> list[Any]:
    found = {*np.unique(y).tolist(), *np.unique(predicted).tolist()}
    return sorted(found) if len({type(value) is str for value in found}) == 1 else sorted(found, key=str)


def _columns(values: Any, n: int, k: int, name: str) -> NDArray[np.float64] | None:
    """Scores (n, k), high in the column of the class that they speak for; None stays None."""
    if values is None:
        return None
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 1 and k == 2:
        array = np.column_stack([1.0 - array if name == "probabilities" else -array, array])
    if array.shape != (n, k):
        raise ParameterError(
            f"{name} must have the shape ({n}, {k}), or ({n},) for two classes; got {array.shape}."
        )
    return array


def _class_scores(
    name: Any, code: int, confusion: NDArray[np.int64], true: Index, ranking: NDArray[np.float64] | None
) -> ClassScores:
    support, given, hits = (
        int(confusion[code].sum()),
        int(confusion[:, code].sum()),
        int(confusion[code, code]),
    )
    auc = average = None
    if ranking is not None and 0 < support < len(true):
        positive, score = true == code, ranking[:, code]
        ranks = rankdata(score)
        above = float(ranks[positive].sum()) - support * (support + 1) / 2
        auc = above / (support * (len(true) - support))
        recall, precision = precision_recall_points(positive, score)
        average = float(np.diff(recall) @ precision[1:])
    return ClassScores(
        str(name),
        support,
        given,
        hits,
        precision=hits / given if given else None,
        recall=hits / support if support else None,
        f1=2 * hits / (support + given) if support + given else None,
        roc_auc=auc,
        average_precision=average,
    )


def _counts(positive: NDArray[np.bool_], score: Vector) -> tuple[Vector, Vector]:
    """Positive and other rows at or above each distinct score, highest first, with 0 before the first."""
    order = np.argsort(-score, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(score[order])), len(score) - 1)
    hits = np.cumsum(positive[order], dtype=np.float64)[ends]
    return np.concatenate([[0.0], hits]), np.concatenate([[0.0], ends + 1.0 - hits])


def _brier(chances: NDArray[np.float64], true: Index) -> float:
    truth = np.zeros_like(chances)
    truth[np.arange(len(true)), true] = 1.0
    total = float(np.mean(np.sum((chances - truth) ** 2, axis=1)))
    return total / 2 if chances.shape[1] == 2 else total


def _log_loss(chances: NDArray[np.float64], true: Index) -> float:
    own = chances[np.arange(len(true)), true]
    return float(-np.mean(np.log(np.clip(own, np.finfo(np.float64).eps, 1.0))))


def _mean(values: Iterator[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
