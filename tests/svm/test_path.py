"""The path over C and SVCCV: the same answers as fits from the beginning, certificates at every point.

Tests `svm/path.py`, `validation/select.py`.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix import SVC, SVCCV, ParameterError, path, verify

X, Y = load_breast_cancer(return_X_y=True)
X, Y = StandardScaler().fit_transform(X)[:200], Y[:200]
CS = [10.0, 0.01, 1.0, 0.1]


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_every_point_is_the_fit_at_that_cost(kernel: str) -> None:
    found = path(X, Y, CS, kernel=kernel, tol=1e-6)
    assert len(found) == 4
    assert found.Cs.tolist() == CS
    assert np.all(found.gaps <= 1e-6)
    for C, model in zip(CS, found, strict=True):
        alone = SVC(C, kernel=kernel, tol=1e-6).fit(X, Y)
        assert model.primal_ == pytest.approx(alone.primal_, rel=2e-6)
        assert verify(model.certificate_, X, Y, exact=False)
    assert found.scores(X, Y).shape == found.n_support.shape == (4,)


def test_many_classes_and_weights() -> None:
    A, b = load_iris(return_X_y=True)
    weights = np.arange(150) % 3
    found = path(A, b, [0.1, 1.0], sample_weight=weights, multi_class="ovo")
    alone = SVC(1.0, multi_class="ovo").fit(A, b, sample_weight=weights)
    np.testing.assert_allclose(found.coefs[1], alone.coef_, atol=1e-3)
    assert len(found.certificates[0]) == 3


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="Cs must hold finite numbers"):
        path(X, Y, [])
    with pytest.raises(ParameterError, match="Cs must hold finite numbers"):
        path(X, Y, [1.0, float("inf")])
    with pytest.raises(ParameterError, match="warm_start is set by the path"):
        path(X, Y, [1.0], warm_start=True)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_selection_agrees_with_a_grid_search(kernel: str) -> None:
    folds = StratifiedKFold(3)
    gammas = None if kernel == "linear" else [0.01, 0.1]
    ours = SVCCV(sorted(CS), gammas=gammas, cv=folds, kernel=kernel, tol=1e-6).fit(X, Y)
    grid = {"C": sorted(CS)} if gammas is None else {"C": sorted(CS), "gamma": gammas}
    search = GridSearchCV(SVC(kernel=kernel, tol=1e-6), grid, cv=folds).fit(X, Y)
    assert ours.best_score_ == pytest.approx(search.best_score_, abs=0.5 / len(Y))
    table = search.cv_results_["mean_test_score"].reshape(len(CS), -1).T
    np.testing.assert_allclose(ours.scores_.mean(axis=2), table, atol=1.01 / len(Y))
    assert verify(ours.certificate_, X, Y)
    assert ours.score(X, Y) == ours.best_estimator_.score(X, Y)


def test_a_fold_without_a_class_is_refused() -> None:
    with pytest.raises((ParameterError, ValueError), match="class"):
        SVCCV(cv=[(np.arange(2), np.arange(2, 4))]).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])


@parametrize_with_checks([SVCCV(Cs=[0.1, 1.0], cv=2)])
def test_selection_is_a_scikit_learn_estimator(estimator, check) -> None:
    check(estimator)
