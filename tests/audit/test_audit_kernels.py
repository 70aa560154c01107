"""Audits of kernel models: values by hand from the kernel matrix.

Tests `audit/kernel_models.py`.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC, NuSVC

import separatrix
from separatrix.audit import measure

RNG = np.random.default_rng(3)
X = RNG.standard_normal((90, 3))
Y = np.where(np.sum(X**2, axis=1) + RNG.standard_normal(90) > 3, 1, 0)
SIGNS = 2.0 * Y - 1.0
MODELS = {
    "rbf": ({"gamma": 0.5}, {"gamma": 0.5}),
    "poly": ({"degree": 2, "gamma": 0.3, "coef0": 1.0}, {"degree": 2, "gamma": 0.3, "coef0": 1.0}),
}


@pytest.mark.parametrize("kernel", MODELS)
@pytest.mark.parametrize("matrix", [X, sparse.csr_matrix(X)])
def test_values_are_those_of_the_kernel_matrix(kernel, matrix):
    settings, functions = MODELS[kernel]
    model = SVC(kernel=kernel, C=2.0, tol=1e-6, **settings).fit(matrix, Y)
    audit = separatrix.audit(model, matrix, Y)
    K = pairwise_kernels(X, metric=kernel, **functions)
    coef = np.zeros(90)
    coef[model.support_] = np.asarray(sparse.coo_array(model.dual_coef_).toarray())[0]
    f = K @ coef + model.intercept_[0]
    hand = 0.5 * coef @ K @ coef + 2.0 * np.sum(np.maximum(0, 1 - SIGNS * f))
    assert audit.primal == pytest.approx(hand, rel=1e-9)
    assert audit.errors == np.count_nonzero(SIGNS * f <= 0)
    assert audit.margin == pytest.approx((SIGNS * f).min() / np.sqrt(coef @ K @ coef), rel=1e-6)
    assert 0 <= audit.gap < 1e-5
    assert audit.dual >= (np.abs(coef).sum() - 0.5 * coef @ K @ coef) * (1 - 1e-8)
    for certificate in (audit.certificate, audit.optimum_certificate):
        answer = separatrix.verify(certificate, matrix, Y)
        assert answer, answer.reason
        assert answer.gap == pytest.approx(audit.gap, abs=1e-5)
    assert separatrix.verify(audit.certificate, matrix, Y).primal == pytest.approx(audit.primal, rel=1e-8)
    assert kernel in audit.problem


def test_the_default_model_and_one_stopped_early():
    whole = separatrix.audit(SVC().fit(X, Y), X, Y)
    assert whole.gap < 1e-3
    with pytest.warns(UserWarning, match="terminated early"):
        early = SVC(max_iter=3).fit(X, Y)
    audit = separatrix.audit(early, X, Y)
    assert audit.gap > 0.1
    assert audit.best_primal == pytest.approx(whole.best_primal, rel=1e-8)


def test_precomputed_and_functions_agree_with_names():
    named = separatrix.audit(SVC(gamma=0.5).fit(X, Y), X, Y)
    K = pairwise_kernels(X, metric="rbf", gamma=0.5)
    computed = separatrix.audit(SVC(kernel="precomputed").fit(K, Y), K, Y)

    def function(A, B):
        return pairwise_kernels(A, B, metric="rbf", gamma=0.5)

    called = separatrix.audit(SVC(kernel=function).fit(X, Y), X, Y)
    for other in (computed, called):
        assert other.primal == pytest.approx(named.primal, rel=1e-6)
        assert other.dual == pytest.approx(named.dual, rel=1e-8)


def test_many_classes_and_nu():
    y = np.array(["a", "b", "c"])[Y + (X[:, 0] > 0.8)]
    for model in (SVC(tol=1e-8), NuSVC(nu=0.3, tol=1e-8)):
        audits = separatrix.audit(model.fit(X, y), X, y)
        assert list(audits) == [("a", "b"), ("a", "c"), ("b", "c")]
        assert audits.gap < 1e-6
        votes = model.set_params(decision_function_shape="ovo").decision_function(X)
        for place, (key, audit) in enumerate(audits.items()):
            members = np.isin(y, key)
            products = np.where(y[members] == key[0], 1, -1) * votes[members, place]
            assert audit.functional_margin == pytest.approx(products.min(), rel=1e-6)


def test_an_indefinite_kernel_has_no_bound():
    model = SVC(kernel="sigmoid", gamma=2.0, coef0=-1.0).fit(X, Y)
    audit = separatrix.audit(model, X, Y)
    assert audit.dual is audit.gap is None
    assert audit.primal is not None
    assert "not positive semidefinite" in audit.notes[-1]
    assert "No bound" in audit.verdict


def test_without_time_there_is_the_bound_of_the_models_own_dual():
    model = SVC(tol=1e-6).fit(X, Y)
    sought = separatrix.audit(model, X, Y)
    own = separatrix.audit(model, X, Y, max_time=0.0)
    assert own.primal == sought.primal
    assert own.dual <= sought.dual
    assert 1e-9 < own.gap < 1e-5
    assert sought.best_primal - sought.dual <= 1e-9 * sought.primal


def test_more_rows_than_values_in_a_block(monkeypatch):
    model = SVC().fit(X, Y)
    whole = separatrix.audit(model, X, Y)
    monkeypatch.setattr(measure, "_BLOCK", 500)
    assert separatrix.audit(model, X, Y).primal == pytest.approx(whole.primal, rel=1e-12)


def test_an_unknown_kernel_on_many_rows_has_no_bound(monkeypatch):
    monkeypatch.setattr(measure, "_EIGENVALUES", 10)
    audit = separatrix.audit(SVC(kernel="sigmoid").fit(X, Y), X, Y)
    assert audit.dual is None
    assert "is not decided" in audit.notes[-1]


def test_other_rows_than_those_of_the_training_are_noticed():
    model = SVC(kernel="linear").fit(X, Y)
    moved = X + 0.01
    audit = separatrix.audit(model, moved, Y)
    assert "not those the model was trained on" in audit.notes[0]
    w, b = model.coef_[0], model.intercept_[0]
    slack = np.maximum(0, 1 - SIGNS * (moved @ w + b))
    assert audit.primal == pytest.approx(0.5 * w @ w + slack.sum(), rel=1e-12)
    with pytest.raises(ValueError, match="refers to its training rows"):
        separatrix.audit(SVC(kernel="precomputed").fit(X @ X.T, Y), X @ X.T, 1 - Y)
