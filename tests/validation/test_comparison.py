"""Comparison, warm paths of C, calibration and conformal sets.

Tests `validation/comparison.py`, `validation/calibration.py`,
`validation/conformal.py`.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC as ScikitSVC

import separatrix as sx
from separatrix.validation import (
    ConformalSets,
    Tuned,
    calibrate,
    check_unseen,
    compare,
    corrected_t,
    mcnemar,
    path_predictions,
)
from validation.small_real_sets import sets

CS = [0.01, 0.1, 1.0, 10.0]


def noisy(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, (X[:, 0] + 0.7 * rng.normal(size=n) > 0).astype(int)


# -- significance ------------------------------------------------------------------------------------------


def test_the_corrected_test_is_the_t_test_when_nothing_is_shared():
    d = np.random.default_rng(0).normal(0.1, 1.0, 30)
    ours = corrected_t(d, n_train=1.0, n_test=0.0)
    theirs = stats.ttest_1samp(d, 0.0)
    assert ours.p_value == pytest.approx(theirs.pvalue)
    assert ours.interval == pytest.approx(tuple(theirs.confidence_interval(0.95)))
    wider = corrected_t(d, n_train=0.9, n_test=0.1)
    assert wider.p_value > ours.p_value
    assert corrected_t([0.0, 0.0], 9, 1).p_value == 1.0
    with pytest.raises(ValueError, match="at least two"):
        corrected_t([1.0], 9, 1)


def test_mcnemar_counts_disagreements():
    y = np.zeros(20)
    first, second = np.where(np.arange(20) < 3, 1, 0), np.where(np.arange(20) >= 9, 1, 0)
    result = mcnemar(y, first, second)
    assert (result.only_first, result.only_second) == (11, 3)
    assert result.p_value == pytest.approx(stats.binomtest(11, 14).pvalue)
    assert mcnemar(y, first, first).p_value == 1.0


# -- paths of C --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bias", "kernel"), [("free", "linear"), ("augmented", "linear"), ("none", "linear"), ("free", "rbf")]
)
def test_a_warm_path_predicts_what_single_fits_predict(bias, kernel):
    X, y = sets()["breast cancer 1"]
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    model = sx.SVC(bias=bias, kernel=kernel, tol=1e-8)
    tables = path_predictions(model, X, y, CS[::-1], splits)
    for table, (train, test) in zip(tables, splits, strict=True):
        for C, predictions in zip(CS[::-1], table, strict=True):
            single = sx.SVC(C=C, bias=bias, kernel=kernel, tol=1e-8).fit(X[train], y[train])
            sure = np.abs(single.decision_function(X[test])) > 1e-5
            assert np.array_equal(predictions[sure], single.predict(X[test])[sure])


@pytest.mark.parametrize("model", [sx.SVC(loss="squared_hinge"), ScikitSVC(kernel="linear"), sx.SVC()])
def test_other_models_are_fitted_one_after_the_other(model):
    X, y = load_iris(return_X_y=True)
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    tables = path_predictions(model, X, y, [0.1, 1.0], splits)
    train, test = splits[0]
    single = type(model)(**{**model.get_params(), "C": 1.0}).fit(X[train], y[train]).predict(X[test])
    assert np.mean(tables[0][1] == single) >= 0.98


def test_tuning_chooses_the_best_c_and_compare_nests_it():
    X, y = noisy(120)
    tuned = Tuned(sx.SVC(), CS, folds=3).fit(X, y)
    assert tuned.scores_[CS.index(tuned.C_)] == tuned.scores_.max()
    models = {"tuned": Tuned(sx.SVC(), CS[:3], folds=2), "fixed": sx.SVC(C=0.01), "guess": DummyClassifier()}
    result = compare(models, X, y, folds=3, repeats=2)
    assert result.accuracies.shape == (3, 6)
    assert result.mean("tuned") > result.mean("guess") + 0.1
    assert result.difference("tuned", "guess").p_value < 0.01
    assert result.mcnemar("tuned", "guess").p_value < 0.01
    text = str(result)
    assert text.count("McNemar") == 3
    assert "6 splits, 120 rows" in text


def test_the_picture_shows_every_model():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, y = noisy(60)
    ax = compare({"a": sx.SVC(), "b": DummyClassifier()}, X, y, folds=3, repeats=1).plot()
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert labels[0] == "a"
    assert labels[1].startswith("b\n-0.")
    assert "3 test folds" in ax.get_xlabel()
    matplotlib.pyplot.close(ax.figure)


# -- calibration and conformal sets ------------------------------------------------------------------------


def test_rows_that_were_trained_on_are_refused():
    X, y = noisy(100)
    model = sx.SVC().fit(X[:50], y[:50])
    with pytest.raises(ValueError, match="support vectors of the model"):
        calibrate(model, X, y)
    free = np.setdiff1d(np.arange(50), model.support_)
    check_unseen(model, X[free])  # leaves no trace in the model
    with pytest.raises(ValueError, match=f"{len(free)} of {len(free)} rows"):
        check_unseen(model, X[free].astype(np.float64), training=X[:50])
    with pytest.raises(ValueError, match="are among the training rows"):
        ConformalSets(model, X[40:], y[40:], training=X[:50])
    ConformalSets(model, X, y, allow_equal_rows=True)
    with pytest.raises(ValueError, match="method must be one of"):
        calibrate(model, X[50:], y[50:], "magic")


def test_the_check_of_unseen_rows_leaves_a_sparse_x_as_it_was():
    model = sx.SVC().fit([[0.0, 0.0], [1.0, 1.0]], [0, 1])
    X = sparse.csr_array((np.array([3.0, 0.0, 2.0]), np.array([0, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    check_unseen(model, X)
    assert X.nnz == 3
    assert X.data.tolist() == [3.0, 0.0, 2.0]


def test_conformal_sets_cover_at_their_level():
    X, y = load_digits(return_X_y=True)
    rng, covered, sizes = np.random.default_rng(0), [], []
    model = sx.SVC(C=0.001, tol=1e-2).fit(X[:300], y[:300])
    for _ in range(20):
        order = 300 + rng.permutation(len(y) - 300)
        cal, new = order[:400], order[400:]
        sets_ = ConformalSets(model, X[cal], y[cal], confidence=0.9, training=X[:300], allow_equal_rows=True)
        chosen = sets_.predict_set(X[new])
        covered.append(chosen[np.arange(len(new)), y[new]].mean())
        sizes.append(chosen.sum(axis=1).mean())
    assert 0.89 <= np.mean(covered) <= 0.915  # at least 0.9 in expectation, and not much above
    assert np.mean(sizes) < 3


def test_conformal_sets_by_class_cover_in_every_class():
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    model, hits = sx.SVC(C=1e-4).fit(X[:100], y[:100]), [[], []]
    for _ in range(40):
        order = 100 + rng.permutation(len(y) - 100)
        cal, new = order[:250], order[250:]
        chosen = ConformalSets(model, X[cal], y[cal], confidence=0.8, by_class=True).predict_set(X[new])
        for c in (0, 1):
            hits[c].append(chosen[y[new] == c, c].mean())
    assert all(np.mean(share) >= 0.785 for share in hits)
    with pytest.raises(ValueError, match="at least 19 are needed"):
        ConformalSets(model, X[100:110], y[100:110], confidence=0.95)
    with pytest.raises(ValueError, match="does not know"):
        ConformalSets(model, X[100:150], y[100:150] + 5)
