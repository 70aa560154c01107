"""What a fitted SVC says of itself: attributes, optimality, agreement with scikit-learn.

Tests `svm/fitted.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as LibSVC
from sklearn.svm import LinearSVC

from separatrix import SVC

LOSSES, BIASES = ("hinge", "squared_hinge"), ("free", "augmented", "none")


def noisy(n: int = 120, d: int = 5, seed: int = 0) -> tuple[Any, Any]:
    return make_classification(n, d, n_informative=3, n_redundant=1, flip_y=0.2, random_state=seed)


def objective(model: Any, X: Any, signs: Any, C: float) -> float:
    """The primal objective written out naively, at the model's own coef_ and intercept_."""
    w, b = model.coef_[0], model.intercept_[0]
    slack = np.maximum(0.0, 1.0 - signs * (X @ w + b))
    penalty = w @ w + (b * b if model.bias == "augmented" else 0.0)
    return float(0.5 * penalty + C * np.sum(slack**2 if model.loss == "squared_hinge" else slack))


def test_hard_margin_by_hand() -> None:
    # Two points at distance 2: w = (1, 0), b = -1, margin 1, both alphas 1/2, primal = dual = 1/2.
    model = SVC(C=10.0).fit([[0.0, 0.0], [2.0, 0.0]], ["no", "yes"])
    np.testing.assert_allclose(model.coef_, [[1.0, 0.0]], atol=1e-9)
    np.testing.assert_allclose(model.intercept_, [-1.0], atol=1e-9)
    np.testing.assert_allclose(model.alpha_, [0.5, 0.5], atol=1e-9)
    np.testing.assert_allclose(model.dual_coef_, [[-0.5, 0.5]], atol=1e-9)
    assert model.primal_ == pytest.approx(0.5)
    assert model.dual_ == pytest.approx(0.5)
    assert model.margin_ == pytest.approx(1.0)
    assert model.support_kind_.tolist() == ["margin", "margin"]
    assert model.status_ == "converged"
    assert model.classes_.tolist() == ["no", "yes"]


def test_every_bias_of_an_interval_is_as_good() -> None:
    # With C small both alphas are at C and the bias may be anything in an interval.
    X, y, C = np.array([[-1.0], [1.0]]), np.array([-1, 1]), 0.1
    model = SVC(C=C).fit(X, y)
    lower, upper = model.intercept_interval_
    np.testing.assert_allclose([lower, upper], [-0.8, 0.8], atol=1e-9)
    assert model.intercept_[0] == pytest.approx(0.0, abs=1e-12)
    values = [0.5 * 0.2**2 + C * np.sum(np.maximum(0, 1 - y * (0.2 * X[:, 0] + b))) for b in (lower, upper)]
    np.testing.assert_allclose(values, model.primal_, rtol=1e-9)
    assert model.support_kind_.tolist() == ["slack", "slack"]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_attributes_satisfy_the_mathematics(loss: str, bias: str, C: float) -> None:
    X, y = noisy()
    signs = np.where(y == 1, 1.0, -1.0)
    model = SVC(C=C, loss=loss, bias=bias, tol=1e-6).fit(X, y)
    assert model.status_ == "converged"
    n, d, m = *X.shape, len(model.support_)
    assert model.coef_.shape == (1, d)
    assert model.intercept_.shape == (1,)
    assert model.alpha_.shape == model.slack_.shape == (n,)
    assert model.dual_coef_.shape == (1, m)
    assert model.support_vectors_.shape == (m, d)
    assert model.n_support_.tolist() == [int(np.sum(y[model.support_] == c)) for c in (0, 1)]
    np.testing.assert_array_equal(np.sort(model.support_), np.flatnonzero(model.alpha_))
    np.testing.assert_array_equal(model.dual_coef_[0], (signs * model.alpha_)[model.support_])
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    # primal, dual and gap are those of the attributes, computed naively
    assert model.primal_ == pytest.approx(objective(model, X, signs, C), rel=1e-12)
    v = X.T @ (signs * model.alpha_)
    dual = np.sum(model.alpha_) - 0.5 * v @ v
    if loss == "squared_hinge":
        dual -= np.sum(model.alpha_**2) / (4 * C)
    else:
        assert model.alpha_.max() <= C
        np.testing.assert_array_equal(model.support_kind_ == "slack", model.alpha_[model.support_] == C)
    if bias == "augmented":
        dual -= 0.5 * (signs @ model.alpha_) ** 2
    if bias == "free":
        assert abs(signs @ model.alpha_) <= 1e-12 * np.sum(model.alpha_)
    assert model.dual_ == pytest.approx(dual, rel=1e-10)
    assert model.gap_ == pytest.approx((model.primal_ - model.dual_) / model.primal_, abs=1e-13)
    assert 0 <= model.gap_ <= 1e-6
    np.testing.assert_allclose(model.coef_[0], v, atol=1e-4 * np.linalg.norm(v))
    np.testing.assert_allclose(
        model.slack_, np.maximum(0, 1 - signs * model.decision_function(X)), atol=1e-12
    )
    assert model.margin_ == pytest.approx(1 / np.linalg.norm(model.coef_))
    assert model.history_[-1].gap == model.gap_
    assert model.history_[-1].proved
    for name in ("time", "iteration", "primal", "dual", "gap"):
        assert len(model.history_[name]) == len(model.history_) >= 1
    if bias == "none":
        assert model.intercept_[0] == 0.0


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_agrees_with_libsvm(C: float) -> None:
    X, y = noisy(seed=1)
    ours, theirs = SVC(C=C, tol=1e-9).fit(X, y), LibSVC(C=C, kernel="linear", tol=1e-9).fit(X, y)
    signs = np.where(y == 1, 1.0, -1.0)
    slack = np.maximum(0.0, 1.0 - signs * theirs.decision_function(X))
    value = 0.5 * np.sum(theirs.coef_**2) + C * np.sum(slack)
    assert value * (1 - 1e-5) <= ours.primal_ <= value * (1 + 1e-12)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)  # LIBSVM stalls near 1e-6 at C = 100
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)
    np.testing.assert_array_equal(np.sort(ours.support_), np.sort(theirs.support_))
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("loss", LOSSES)
def test_agrees_with_liblinear(loss: str) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours = SVC(loss=loss, bias="augmented", tol=1e-9).fit(X, y)
    theirs = LinearSVC(loss=loss, dual=True, tol=1e-8, max_iter=200_000, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    signs = np.where(y == 1, 1.0, -1.0)
    w, b = theirs.coef_[0], theirs.intercept_[0]
    slack = np.maximum(0.0, 1.0 - signs * (X @ w + b))
    value = 0.5 * (w @ w + b * b) + np.sum(slack**2 if loss == "squared_hinge" else slack)
    assert ours.primal_ <= value * (1 + 1e-9)


def test_the_bias_is_penalised_only_where_asked() -> None:
    X, y = noisy(seed=2)
    X = X + 50.0  # far from the origin a penalised bias costs a lot
    free, augmented = SVC(tol=1e-8).fit(X, y), SVC(bias="augmented", tol=1e-8).fit(X, y)
    shifted = SVC(tol=1e-8).fit(X - 50.0, y)
    assert free.primal_ == pytest.approx(shifted.primal_, rel=1e-6)
    assert augmented.primal_ > free.primal_ * 1.001


def test_large_C_and_bad_scales_converge() -> None:
    X, y = noisy(200, 6, seed=3)
    X = X * 10.0 ** np.arange(-3, 3)
    for C in (1e-4, 1.0, 1e6):
        assert SVC(C=C, tol=1e-6).fit(X, y).status_ == "converged"


def test_separable_data_at_the_largest_C_find_the_hard_margin() -> None:
    X = np.array([[0.0, 0.0], [0.0, 1.0], [3.0, 0.0], [3.0, 1.0]])
    model = SVC(C=1e10).fit(X, [0, 0, 1, 1])
    assert model.status_ == "converged"
    assert model.margin_ == pytest.approx(1.5, rel=1e-6)


def test_dense_and_sparse_give_the_same_model() -> None:
    X, y = noisy(seed=4)
    X[np.abs(X) < 0.5] = 0.0
    dense, csr = SVC().fit(X, y), SVC().fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(dense.coef_, csr.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(
        dense.decision_function(X), csr.decision_function(sparse.coo_matrix(X)), atol=1e-7
    )
    assert sparse.issparse(csr.support_vectors_)


def test_more_columns_than_rows() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 200)), np.arange(30) % 2
    model = SVC().fit(X, y)
    assert model.status_ == "converged"
    assert model.score(X, y) == 1.0


def test_order_and_threads_change_nothing_that_matters() -> None:
    X, y = noisy(3000, 12, seed=5)  # more than the entries up to which problems are solved further than tol
    tol = 1e-4
    models = [SVC(tol=tol, n_threads=t, random_state=0).fit(X, y) for t in (1, 2)]
    order = np.random.default_rng(0).permutation(len(y))
    models.append(SVC(tol=tol, random_state=1).fit(X[order], y[order]))
    for model in models:
        assert model.status_ == "converged"
        assert model.gap_ <= tol
        assert model.primal_ == pytest.approx(models[0].primal_, rel=tol)


def test_small_problems_are_solved_further_than_tol() -> None:
    X, y = noisy(seed=6)
    model = SVC(tol=1e-2).fit(X, y)
    assert model.gap_ <= 1e-9


def test_ties_go_to_the_first_class_as_in_scikit_learn() -> None:
    model = SVC(C=10.0).fit([[0.0], [2.0]], ["a", "b"])
    model.coef_[:], model.intercept_[:] = 1.0, 0.0  # so that the score of 0 is exactly 0
    assert model.decision_function([[0.0]]).tolist() == [0.0]
    assert model.predict([[0.0]]).tolist() == ["a"]


@pytest.mark.parametrize("solver", ["interior-point", "gram"])
def test_interior_methods_end_with_alphas_on_their_bounds(solver: str) -> None:
    X, y = noisy(400, 10, seed=7)
    hinge = SVC(solver=solver).fit(X, y)
    assert np.count_nonzero(hinge.support_kind_ == "margin") <= 11  # as many as w and b have coordinates
    squared = SVC(solver=solver, loss="squared_hinge").fit(X, y)
    np.testing.assert_array_equal(squared.alpha_ > 0, squared.slack_ > 1e-9)
    np.testing.assert_allclose(squared.alpha_, 2 * squared.slack_, atol=1e-6)


def test_values_too_large_for_float64_end_with_a_gap_and_a_sentence() -> None:
    X, y = noisy(20, 5, seed=8)
    with pytest.warns(ConvergenceWarning, match="Scale the columns"):
        model = SVC(max_time=5.0).fit(X * 1e200, y)
    assert model.status_ != "converged"
    assert np.all(np.isfinite(model.coef_))
