"""Many classes: layouts, names, agreement with scikit-learn.

Tests `fitting/predicting.py`.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as LibSVC
from sklearn.svm import LinearSVC

from separatrix import SVC, verify
from separatrix.fitting import classes

X, Y = load_iris(return_X_y=True)
X = StandardScaler().fit_transform(X)
NAMES = np.array(["setosa", "versicolor", "virginica"])


def test_ovo_agrees_with_libsvm_to_the_last_attribute() -> None:
    ours = SVC(multi_class="ovo").fit(X, Y)
    theirs = LibSVC(kernel="linear", tol=1e-10, break_ties=True).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-3)
    np.testing.assert_array_equal(ours.support_vectors_, theirs.support_vectors_)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.alpha_.shape == ours.slack_.shape == (2, len(Y))


def test_ovr_agrees_with_scikit_learn() -> None:
    ours = SVC(multi_class="ovr").fit(X, Y)
    theirs = OneVsRestClassifier(LibSVC(kernel="linear", tol=1e-10)).fit(X, Y)
    for k, estimator in enumerate(theirs.estimators_):
        np.testing.assert_allclose(ours.coef_[k], estimator.coef_[0], atol=1e-3)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.alpha_.shape == ours.slack_.shape == (3, len(Y))
    np.testing.assert_allclose(ours.dual_coef_ @ ours.support_vectors_, ours.coef_, atol=1e-6)


def test_ovr_agrees_with_liblinear() -> None:
    ours = SVC(loss="squared_hinge", bias="augmented").fit(X, Y)
    theirs = LinearSVC(dual=True, tol=1e-8, max_iter=100_000, random_state=0).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("labels", [Y, NAMES[Y], NAMES[Y].astype(object), Y.astype(float), Y - 1])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_each_binary_problem_is_reachable_by_class_name(labels: np.ndarray, multi_class: str) -> None:
    model = SVC(multi_class=multi_class).fit(X, labels)
    classes = np.unique(labels).tolist()
    keys = (
        classes if multi_class == "ovr" else [(a, b) for i, a in enumerate(classes) for b in classes[i + 1 :]]
    )
    assert list(model.problems_) == keys
    for row, key in enumerate(keys):
        result = model.problems_[key]
        np.testing.assert_array_equal(result.coef, model.coef_[row])
        assert result.intercept == model.intercept_[row]
        assert result.status == "converged"
        assert result.gap <= 1e-3
        assert result.history[-1].gap == result.gap
        assert result.margin == pytest.approx(1 / np.linalg.norm(result.coef))
        assert result.primal >= result.dual - 1e-12
        assert len(result.alpha) == len(result.slack) == len(result.rows)
        assert len(result.support) == len(result.support_kind) == np.count_nonzero(result.alpha)
        # positive on the side of the class (of the first class of a pair)
        positive = key if multi_class == "ovr" else key[0]
        assert result.positive == positive
        of_class = X[labels == positive] @ result.coef + result.intercept
        others = X[result.rows][labels[result.rows] != positive] @ result.coef + result.intercept
        assert of_class.mean() > others.mean()
        assert verify(result.certificate, X, labels, exact=False)
        assert not verify(result.certificate, X[::-1], labels)
    assert model.gap_ == max(result.gap for result in model.problems_.values())
    assert list(model.certificate_) == list(model.history_) == keys


def test_a_name_that_is_no_problem_gets_a_sentence() -> None:
    model = SVC().fit(X, NAMES[Y])
    with pytest.raises(
        KeyError, match="'rose' names no problem of this model; it has 'setosa', 'versicolor'"
    ):
        model.problems_["rose"]


def test_a_fitted_model_keeps_its_kind_of_problems() -> None:
    model = SVC(multi_class="ovo").fit(X, Y)
    expected = model.decision_function(X)
    model.set_params(multi_class="ovr")
    np.testing.assert_array_equal(model.decision_function(X), expected)


def test_two_classes_have_one_problem() -> None:
    two = Y < 2
    ovr = SVC().fit(X[two], NAMES[Y[two]])
    ovo = SVC(multi_class="ovo").fit(X[two], NAMES[Y[two]])
    assert list(ovr.problems_) == ["versicolor"]
    assert list(ovo.problems_) == [("setosa", "versicolor")]
    np.testing.assert_array_equal(ovr.coef_, ovo.coef_)
    for model in (ovr, ovo):
        assert verify(model.certificate_, X[two], NAMES[Y[two]], exact=False)
    booleans = SVC().fit(X[two], Y[two] == 1)
    assert list(booleans.problems_) == [True]
    assert booleans.problems_[np.True_].status == "converged"


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_classes_in_parallel_change_nothing(multi_class: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one = SVC(multi_class=multi_class, n_threads=1, random_state=0).fit(X, Y)
    monkeypatch.setattr(classes, "_workers", lambda *ignored: 2)
    two = SVC(multi_class=multi_class, n_threads=2, random_state=0).fit(X, Y)
    np.testing.assert_allclose(one.coef_, two.coef_, rtol=1e-9, atol=1e-12)
    assert list(one.problems_) == list(two.problems_)
    assert all(verify(certificate, X, Y, exact=False) for certificate in two.certificate_.values())


def test_classes_go_parallel_where_the_solver_is_compiled() -> None:
    rng = np.random.default_rng(0)
    text = sparse.random_array((2000, 6000), density=0.01, rng=rng, format="csr")
    labels = rng.integers(0, 3, 2000)
    one = SVC(n_threads=1, random_state=0).fit(text, labels)
    two = SVC(n_threads=2, random_state=0).fit(text, labels)
    assert one.status_ == two.status_ == "converged"
    for key in one.problems_:
        assert one.problems_[key].primal == pytest.approx(two.problems_[key].primal, rel=1e-3)
    np.testing.assert_array_equal(one.predict(text), two.predict(text))


def test_support_kinds_of_many_classes() -> None:
    for multi_class in ("ovr", "ovo"):
        model = SVC(multi_class=multi_class).fit(X, Y)
        assert model.support_kind_.shape == model.dual_coef_.shape
        np.testing.assert_array_equal(model.support_kind_ == "", model.dual_coef_ == 0)
        np.testing.assert_array_equal(model.support_kind_ == "slack", np.abs(model.dual_coef_) == 1.0)
