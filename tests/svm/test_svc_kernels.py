"""SVC with kernels: agreement with scikit-learn, layouts, weights, warm starts, limits, refusals."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import cross_val_score

from separatrix import SVC, IndefiniteKernelError, NotConvergedError, ParameterError, kernels, verify
from separatrix.fitting.convergence import GapWarning
from separatrix.fitting.kernel_checks import IndefiniteKernelWarning

X, Y = make_classification(400, 6, n_informative=4, flip_y=0.1, random_state=1)
IRIS = load_iris()


def objective(model: svm.SVC, A: Any) -> float:
    """The dual value of scikit-learn's alphas, which is what LIBSVM improves (with kernel values in float32)."""
    coef = model.dual_coef_[0]
    square = coef @ (model.decision_function(A)[model.support_] - model.intercept_[0])
    return float(np.abs(coef).sum() - 0.5 * square)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian"])
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_agreement_with_scikit_learn(kernel: str, C: float) -> None:
    ours = SVC(C, kernel=kernel, gamma=0.2, tol=1e-8).fit(X, Y)
    named: Any = kernel if kernel != "laplacian" else kernels.Laplacian(0.2).matrix
    theirs = svm.SVC(C=C, kernel=named, gamma=0.2, tol=1e-7).fit(X, Y)
    assert ours.dual_ == pytest.approx(objective(theirs, X), rel=1e-6)
    assert ours.primal_ - ours.dual_ <= 1e-8 * ours.primal_
    clear = np.abs(ours.decision_function(X)) > 0.05
    np.testing.assert_array_equal(ours.predict(X)[clear], theirs.predict(X)[clear])
    assert verify(ours.certificate_, X, Y)


@pytest.mark.parametrize("solver", ["block-smo", "gram"])
@pytest.mark.parametrize(
    ("loss", "bias"), [("hinge", "free"), ("hinge", "augmented"), ("squared_hinge", "none")]
)
def test_the_attributes_describe_the_dual(solver: str, loss: str, bias: str) -> None:
    model = SVC(2.0, kernel="rbf", solver=solver, loss=loss, bias=bias, tol=1e-7).fit(X, Y)
    y = np.where(model.classes_[1] == Y, 1.0, -1.0)
    f = model.decision_function(X)
    assert model.status_ == "converged"
    assert model.gap_ <= 1e-7
    assert model.history_["solver"][0] == solver
    assert np.array_equal(np.sort(model.support_), np.flatnonzero(model.alpha_))
    np.testing.assert_allclose(model.slack_, np.maximum(0.0, 1.0 - y * f), atol=1e-9)
    np.testing.assert_allclose(model.dual_coef_[0], (model.alpha_ * y)[model.support_])
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    K = kernels.Rbf().fixed(X).matrix(X, X)
    signed = model.alpha_ * y
    assert model.margin_ == pytest.approx(1.0 / np.sqrt(signed @ K @ signed), rel=1e-9)
    assert bool(model.intercept_interval_[0] <= model.intercept_[0] <= model.intercept_interval_[1])
    if loss == "hinge":
        bounded = model.alpha_[model.support_] >= 2.0
        assert np.array_equal(model.support_kind_ == "slack", bounded)
        inside = model.slack_[model.support_] > 1e-3
        assert not np.any(inside & ~bounded)


def test_coef_belongs_to_the_linear_kernel() -> None:
    model = SVC(kernel="rbf").fit(X, Y)
    assert not hasattr(model, "coef_")
    with pytest.raises(AttributeError, match="kernel='linear' only"):
        _ = model.coef_
    again = model.set_params(kernel=kernels.Linear()).fit(X, Y)
    assert again.coef_.shape == (1, 6)
    np.testing.assert_allclose(again.decision_function(X), SVC().fit(X, Y).decision_function(X), atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_and_dense_are_one_model(dtype: Any) -> None:
    A = np.where(np.abs(X) > 1.0, X, 0.0).astype(dtype)
    dense = SVC(kernel="rbf", tol=1e-8).fit(A, Y)
    spare = SVC(kernel="rbf", tol=1e-8).fit(sparse.csr_array(A), Y)
    close = 1e-3 if dtype == np.float32 else 1e-5
    for rows in (A, sparse.csr_array(A)):
        np.testing.assert_allclose(spare.decision_function(rows), dense.decision_function(A), atol=close)
    assert sparse.issparse(spare.support_vectors_)


def test_precomputed_is_the_matrix() -> None:
    K = kernels.Rbf(0.3).matrix(X, X)
    given = SVC(3.0, kernel="precomputed", tol=1e-8).fit(K, Y)
    made = SVC(3.0, kernel="rbf", gamma=0.3, tol=1e-8).fit(X, Y)
    assert given.primal_ == pytest.approx(made.primal_, rel=1e-8)
    np.testing.assert_allclose(given.decision_function(K[:50]), made.decision_function(X[:50]), atol=1e-4)
    assert given.__sklearn_tags__().input_tags.pairwise
    assert given.support_vectors_.shape == (0, 0)
    assert cross_val_score(SVC(kernel="precomputed"), K, Y, cv=3).mean() > 0.7
    with pytest.raises(ValueError, match="square matrix"):
        SVC(kernel="precomputed").fit(X, Y)
    lopsided = K.copy()
    lopsided[2, 5] += 0.5
    with pytest.raises(ValueError, match="must be symmetric"):
        SVC(kernel="precomputed").fit(lopsided, Y)


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_weights_are_repetitions(kernel: str, multi_class: str) -> None:
    rng = np.random.default_rng(0)
    rows = rng.choice(150, 100, replace=False)
    A, y = IRIS.data[rows], IRIS.target[rows]
    weights = rng.integers(0, 3, size=100).astype(float)
    copies = np.repeat(np.arange(100), weights.astype(int))
    K = kernels.Rbf(0.5).matrix(A, A)
    train, repeated, new = (
        (A, A[copies], A) if kernel == "rbf" else (K, K[np.ix_(copies, copies)], K[:, copies])
    )
    options: dict[str, Any] = {"kernel": kernel, "multi_class": multi_class, "tol": 1e-10}
    weighted = SVC(**options).fit(train, y, sample_weight=weights)
    plain = SVC(**options).fit(repeated, y[copies])
    assert weighted.primal_ == pytest.approx(plain.primal_, rel=1e-9)
    np.testing.assert_allclose(weighted.decision_function(train), plain.decision_function(new), atol=1e-4)


def test_many_classes_and_their_certificates() -> None:
    pairs = SVC(kernel="poly", multi_class="ovo").fit(IRIS.data, IRIS.target)
    rest = SVC(kernel="rbf", class_weight="balanced").fit(IRIS.data, IRIS.target)
    theirs = svm.SVC(kernel="poly", tol=1e-6, decision_function_shape="ovr").fit(IRIS.data, IRIS.target)
    np.testing.assert_array_equal(pairs.predict(IRIS.data), theirs.predict(IRIS.data))
    assert pairs.decision_function(IRIS.data).shape == (150, 3)
    assert pairs.dual_coef_.shape == (2, len(pairs.support_))
    np.testing.assert_allclose(
        pairs.decision_function(IRIS.data), theirs.decision_function(IRIS.data), atol=1e-2
    )
    assert list(pairs.problems_) == [(0, 1), (0, 2), (1, 2)]
    assert pairs.problems_[0, 2].coef.shape == (0,)
    assert rest.score(IRIS.data, IRIS.target) > 0.95
    for model in (pairs, rest):
        for certificate in model.certificate_.values():
            assert verify(certificate, IRIS.data, IRIS.target)


def test_a_warm_start_starts_where_it_was() -> None:
    model = SVC(1.0, kernel="rbf", tol=1e-6, warm_start=True, solver="block-smo").fit(X, Y)
    cold = model.primal_
    again = model.fit(X, Y)
    assert again.primal_ == pytest.approx(cold, rel=1e-6)
    other = model.set_params(C=1.1).fit(X, Y)
    assert other.primal_ == pytest.approx(SVC(1.1, kernel="rbf", tol=1e-6).fit(X, Y).primal_, rel=1e-5)


def test_a_limit_keeps_the_iterate_with_its_certificate() -> None:
    with pytest.warns(GapWarning, match="max_iter=1 came first"):
        model = SVC(100.0, kernel="rbf", max_iter=1, tol=1e-12, solver="block-smo").fit(X, Y)
    assert model.status_ == "max_iter"
    assert model.gap_ > 1e-12
    answer = verify(model.certificate_, X, Y)
    assert answer
    assert answer.gap == pytest.approx(model.gap_, rel=1e-2)
    with pytest.raises(NotConvergedError):
        SVC(100.0, kernel="rbf", max_iter=1, tol=1e-12, solver="block-smo", strict=True).fit(X, Y)


def test_a_model_survives_pickling_and_cloning() -> None:
    model = SVC(kernel=kernels.Rbf(0.2) + kernels.Linear()).fit(X, Y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
    assert verify(copy.certificate_, X, Y)
    assert clone(model).kernel == model.kernel


def test_data_changed_after_the_fit_are_noticed() -> None:
    A = X.copy()
    model = SVC(kernel="rbf", gamma=0.2).fit(A, Y)
    A[:40] += 1.0
    with pytest.raises(ValueError, match="changed after the fit"):
        _ = model.certificate_


@pytest.mark.parametrize(
    ("kernel", "rows"),
    [
        ("precomputed", np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]])),
        (lambda A, B: -(A @ B.T), X[:20]),
        (kernels.Poly(3, 1.0, -2.0), X[:50]),
    ],
)
def test_an_indefinite_kernel_is_named_with_a_witness(kernel: Any, rows: Any) -> None:
    labels = np.arange(len(rows)) % 2
    with pytest.raises(IndefiniteKernelError, match="not positive semidefinite") as caught:
        SVC(kernel=kernel).fit(rows, labels)
    u, where = caught.value.vector, caught.value.rows
    K = (
        rows
        if isinstance(kernel, str)
        else kernel(rows, rows)
        if callable(kernel)
        else kernel.matrix(rows, rows)
    )
    assert u @ K[np.ix_(where, where)] @ u == pytest.approx(caught.value.value)
    assert caught.value.value < 0
    assert pickle.loads(pickle.dumps(caught.value)).value == caught.value.value


def test_the_sigmoid_kernel_warns_and_its_proof_is_conditional() -> None:
    A = np.abs(X)
    with pytest.warns(IndefiniteKernelWarning, match="sigmoid"), pytest.raises(IndefiniteKernelError):
        SVC(kernel="sigmoid", gamma=1.0, coef0=-5.0).fit(A, Y)
    rank_one = np.abs(X[:30, :1])
    with pytest.warns(IndefiniteKernelWarning, match="sigmoid"):
        model = SVC(kernel="sigmoid", gamma=1e-9).fit(rank_one, np.arange(30) % 2)
    for exact in (False, True):
        answer = verify(model.certificate_, rank_one, np.arange(30) % 2, exact)
        assert answer.outcome == "conditional"
        assert not answer
        assert "but only if the kernel" in answer.reason
        assert answer.gap == pytest.approx(model.gap_, abs=1e-9)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"kernel": "rbf", "solver": "newton"}, "With kernel='rbf' solver must be one of"),
        ({"kernel": "linear", "solver": "block-smo"}, "With kernel='linear' solver must be one of"),
        ({"kernel": 3}, "kernel must be one of"),
        ({"kernel": "rbf", "gamma": 0}, "gamma must be"),
    ],
)
def test_bad_parameters_are_explained(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        SVC(**options).fit(X, Y)


@pytest.mark.parametrize("gamma", ["scale", 1.0])
def test_values_whose_squares_overflow_are_refused_with_a_sentence_and_no_warning(gamma: Any) -> None:
    X = 1e200 * np.array([[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0]])
    with pytest.raises(ValueError, match="Row 1 of X has values whose squares leave the range"):
        SVC(kernel="rbf", gamma=gamma).fit(X, [0, 0, 1, 1])
