"""Scores against scikit-learn's metrics, and the sentences that say them."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from separatrix.errors import ParameterError
from separatrix.validation.scores import (
    percentage,
    precision_recall_points,
    reliability,
    roc_points,
    scores,
)


def _random_case(seed, k, n, ties):
    rng = np.random.default_rng(seed)
    true = rng.integers(k, size=n)
    decision = rng.normal(size=(n, k))
    decision[np.arange(n), true] += 0.8
    if ties:
        decision = np.round(decision)
    chances = np.exp(decision) / np.exp(decision).sum(axis=1, keepdims=True)
    names = np.array([f"class {code}" for code in range(k)])
    return names, true, decision, chances


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(2, 60), st.booleans())
def test_every_score_is_scikit_learns(seed, k, n, ties):
    names, true, decision, chances = _random_case(seed, k, n, ties)
    y, predicted = names[true], names[decision.argmax(axis=1)]
    score = decision[:, 1] - decision[:, 0] if k == 2 else decision
    made = scores(y, predicted, score, chances, names)
    labels = names.tolist()
    assert made.accuracy == pytest.approx(metrics.accuracy_score(y, predicted), abs=1e-14)
    recalls = [each.recall for each in made.classes if each.recall is not None]
    assert made.balanced_accuracy == pytest.approx(sum(recalls) / len(recalls), abs=1e-14)
    assert made.balanced_accuracy == pytest.approx(
        metrics.recall_score(y, predicted, labels=sorted(set(y)), average="macro"), abs=1e-14
    )
    assert (made.confusion == metrics.confusion_matrix(y, predicted, labels=labels)).all()
    theirs = metrics.precision_recall_fscore_support(y, predicted, labels=labels, zero_division=np.nan)
    for place, each in enumerate(made.classes):
        ours = (each.precision, each.recall, each.f1, each.support)
        for mine, other in zip(ours, theirs, strict=True):
            assert (math.nan if mine is None else mine) == pytest.approx(other[place], abs=1e-14, nan_ok=True)
        positive = y == names[place]
        if 0 < positive.sum() < n:
            column = (score if place else -score) if k == 2 else score[:, place]
            assert each.roc_auc == pytest.approx(metrics.roc_auc_score(positive, column), abs=1e-12)
            theirs_average = metrics.average_precision_score(positive, column)
            assert each.average_precision == pytest.approx(theirs_average, abs=1e-12)
        else:
            assert each.roc_auc is None
    expected = metrics.log_loss(y, chances, labels=labels)
    assert made.log_loss == pytest.approx(expected, rel=1e-10)
    if k == 2:
        assert made.brier == pytest.approx(metrics.brier_score_loss(y == names[1], chances[:, 1]), abs=1e-12)
    else:
        assert made.brier == pytest.approx(((np.eye(k)[true] - chances) ** 2).sum(axis=1).mean(), abs=1e-12)
    json.dumps(made.record(), allow_nan=False)
    assert all(sentence.endswith(".") for sentence in made.sentences())


def test_mean_over_classes_is_scikit_learns_one_versus_rest():
    names, true, decision, chances = _random_case(0, 4, 200, ties=False)
    made = scores(names[true], names[decision.argmax(axis=1)], None, chances, names)
    theirs = metrics.roc_auc_score(names[true], chances, multi_class="ovr", average="macro", labels=names)
    assert made.roc_auc == pytest.approx(theirs, abs=1e-12)
    assert made.brier == pytest.approx(
        metrics.brier_score_loss(names[true], chances, labels=names), abs=1e-12
    )


@pytest.mark.parametrize("seed", range(5))
def test_curves_go_through_scikit_learns_points(seed):
    _, true, decision, _ = _random_case(seed, 2, 80, ties=True)
    score = decision[:, 1]
    false_rate, true_rate, _ = metrics.roc_curve(true, score, drop_intermediate=False)
    across, up = roc_points(true == 1, score)
    assert np.allclose(across, false_rate)
    assert np.allclose(up, true_rate)
    precision, recall, _ = metrics.precision_recall_curve(true, score)
    found, kept = precision_recall_points(true == 1, score)
    assert np.allclose(found[1:], recall[:-1][::-1])
    assert np.allclose(kept[1:], precision[:-1][::-1])


def test_reliability_is_the_mean_in_each_interval():
    rng = np.random.default_rng(3)
    chance = np.concatenate([rng.random(500), [0.0, 1.0]])
    positive = rng.random(502) < chance
    said, seen, rows = reliability(positive, chance)
    assert rows.sum() == 502
    for place, (mean, share, count) in enumerate(zip(said, seen, rows, strict=True)):
        inside = (chance > place / 10) & (chance <= (place + 1) / 10) | ((chance == 0) & (place == 0))
        assert count == inside.sum()
        assert mean == pytest.approx(chance[inside].mean())
        assert share == pytest.approx(positive[inside].mean())


def test_a_class_that_no_row_has_counts_for_nothing():
    made = scores([1, 1, 2], [1, 2, 2], [[1, 0, 0], [0, 1, 0], [0, 1, 0]], classes=[1, 2, 3])
    assert made.classes[2].recall is None
    assert made.classes[2].roc_auc is None
    assert made.balanced_accuracy == 0.75
    assert made.majority == "1"


def test_the_interval_is_that_of_clopper_and_pearson():
    made = scores([0] * 90 + [1] * 10, [0] * 100)
    assert made.interval == pytest.approx((0.8237774, 0.9509953), abs=1e-6)  # R: binom.test(90, 100)
    assert made.baseline == made.accuracy == 0.9
    assert made.balanced_accuracy == 0.5


def test_labels_that_are_not_among_the_classes_are_refused():
    with pytest.raises(ParameterError, match=r"Row 1 has the label '<=50K\.'"):
        scores(["<=50K", "<=50K."], ["<=50K", "<=50K"], classes=["<=50K", ">50K"])
    with pytest.raises(ParameterError, match="same rows"):
        scores([1, 2], [1])
    with pytest.raises(ParameterError, match=r"decision must have the shape \(2, 3\)"):
        scores([1, 2], [1, 2], [0.0, 1.0], classes=[1, 2, 3])


def test_texts_and_numbers_are_the_same_label():
    made = scores(["1", "0", "1"], np.array([1, 0, 0]), classes=np.array([0, 1]))
    assert made.errors == 1
    assert made.majority == "1"


@pytest.mark.parametrize("share", [0.5, 0.9994, 0.99951, 0.999999, 1e-7, 1 - 1e-9])
def test_percentages_are_never_rounded_to_all_or_nothing(share):
    assert float(percentage(share).split()[0]) not in (0.0, 100.0)
