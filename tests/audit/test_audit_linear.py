"""Audits of linear models, against objectives computed by hand with NumPy.

Tests `audit/api.py`, `audit/linear_models.py`, `audit/measure.py`,
`audit/record.py`.
"""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.svm import SVC, LinearSVC, NuSVC

import separatrix
from separatrix import verify
from separatrix.audit import Audit, Audits
from separatrix.separability import separability

RNG = np.random.default_rng(5)
X = RNG.standard_normal((80, 4))
Y = np.where(X[:, 0] + 0.8 * RNG.standard_normal(80) > 0, "yes", "no")
SIGNS = np.where(Y == "yes", 1.0, -1.0)
THREE = np.array(["a", "b", "c"])[(X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 0] - X[:, 1] > 0.5)]
WEIGHTS = RNG.integers(0, 4, 80).astype(float)


def fitted(model, X=X, y=Y, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # models that are stopped early say so
        return model.fit(X, y, **keywords)


def by_hand(f, w, C, *, squared=False, b=0.0, signs=SIGNS):
    """1/2 |w|^2 + 1/2 b^2 + sum_i C_i loss(y_i f_i)."""
    slack = np.maximum(0.0, 1.0 - signs * f)
    return 0.5 * w @ w + 0.5 * b * b + np.sum(C * (slack**2 if squared else slack))


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
def test_linear_svc_has_a_penalised_bias(loss, C):
    model = fitted(LinearSVC(loss=loss, C=C, random_state=0))
    audit = separatrix.audit(model, X, Y)
    w, b = model.coef_[0], model.intercept_[0]
    hand = by_hand(X @ w + b, w, C, squared=loss == "squared_hinge", b=b)
    assert audit.primal == pytest.approx(hand, rel=1e-13)
    assert audit.dual <= audit.best_primal * (1 + 1e-14) <= audit.primal * (1 + 1e-13)
    assert audit.best_primal - audit.dual <= 1e-9 * audit.best_primal
    assert audit.gap == pytest.approx((hand - audit.dual) / hand, abs=1e-15)
    assert verify(audit.certificate, X, Y, exact=True)
    assert verify(audit.optimum_certificate, X, Y, exact=False)


def test_margins_and_errors_are_those_of_the_model():
    model = fitted(LinearSVC(random_state=0))
    audit = separatrix.audit(model, X, Y)
    products = SIGNS * model.decision_function(X)
    norm = np.linalg.norm(model.coef_)
    assert audit.errors == np.count_nonzero(products <= 0) == np.count_nonzero(model.predict(X) != Y)
    assert audit.functional_margin == pytest.approx(products.min(), rel=1e-12)
    assert audit.margin == pytest.approx(products.min() / norm, rel=1e-12)
    assert audit.slab == pytest.approx(2 / norm, rel=1e-12)
    assert audit.rows == 80
    assert audit.separability == separability(X, Y).verdict


def test_a_model_stopped_early_stands_far_above_the_optimum():
    scaled = X * np.array([1.0, 50.0, 1.0, 50.0])
    model = fitted(LinearSVC(loss="hinge", C=10.0, max_iter=1, random_state=0), scaled)
    audit = separatrix.audit(model, scaled, Y)
    assert audit.gap > 0.05
    assert audit.verdict.startswith("This model stopped ")
    least, most = audit.excess
    assert least == pytest.approx(most, rel=1e-6)
    best = separatrix.SVC(C=10.0, bias="augmented", tol=1e-9).fit(scaled, Y)
    assert most == pytest.approx(audit.primal / best.primal_ - 1, rel=1e-6)


def test_a_perfect_model_has_no_gap():
    tight = fitted(LinearSVC(tol=1e-14, max_iter=10**6, random_state=0))
    audit = separatrix.audit(tight, X, Y)
    assert 0 <= audit.gap <= 1e-9
    assert audit.verdict.startswith("This model is optimal")


def test_a_perturbed_model_is_no_longer_perfect():
    tight = fitted(LinearSVC(tol=1e-14, max_iter=10**6, random_state=0))
    audit = separatrix.audit(
        (tight.coef_[0] * 1.05, tight.intercept_[0]), X, Y, C=1, loss="squared_hinge", bias="augmented"
    )
    assert audit.gap > 1e-4


@pytest.mark.parametrize("matrix", [X, X.astype(np.float32), sparse.csr_array(X), sparse.csc_matrix(X)])
def test_another_value_of_the_bias_column(matrix):
    model = fitted(LinearSVC(loss="hinge", intercept_scaling=5.0, random_state=0), matrix)
    audit = separatrix.audit(model, matrix, Y)
    w, b = model.coef_[0].astype(float), model.intercept_[0]
    dense = np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix, dtype=float)
    assert audit.primal == pytest.approx(by_hand(dense @ w + b, w, 1.0, b=b / 5), rel=1e-6)
    assert audit.gap < 0.05
    assert "(b / 5)^2" in audit.problem
    assert verify(audit.certificate, np.hstack([dense, np.full((80, 1), 5.0)]), Y, exact=False)


def test_no_intercept():
    model = fitted(LinearSVC(fit_intercept=False, random_state=0))
    audit = separatrix.audit(model, X, Y)
    w = model.coef_[0]
    assert audit.primal == pytest.approx(by_hand(X @ w, w, 1.0, squared=True), rel=1e-12)
    assert "b = 0" in audit.problem
    assert audit.gap < 1e-4


@pytest.mark.parametrize("class_weight", [None, "balanced", {"yes": 3.0}])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_weights_of_linear_svc_and_svc(class_weight, weights):
    # Only with the right costs can a tightly solved model have a gap this small.
    for model in (
        LinearSVC(loss="squared_hinge", class_weight=class_weight, tol=1e-12, max_iter=10**6, random_state=0),
        SVC(kernel="linear", class_weight=class_weight, tol=1e-9),
    ):
        audit = separatrix.audit(fitted(model, sample_weight=weights), X, Y, sample_weight=weights)
        assert audit.gap < 1e-5, audit
        assert audit.rows == (80 if weights is None else np.count_nonzero(weights))
        assert verify(audit.certificate, X, Y, exact=False)


def test_linear_svc_weighs_one_class_against_the_rest_only():
    model = LinearSVC(class_weight={"a": 5.0, "b": 0.5}, tol=1e-12, max_iter=10**6, random_state=0)
    audits = separatrix.audit(fitted(model, y=THREE), X, THREE)
    assert isinstance(audits, Audits)
    assert list(audits) == ["a", "b", "c"]
    assert audits.gap <= 1e-9
    assert audits["a"].negative is None
    assert "the rest" in audits["a"].problem
    assert all(verify(audit.certificate, X, THREE, exact=False) for audit in audits.values())


@pytest.mark.parametrize("matrix", [X, sparse.csr_array(X)])
def test_svc_has_a_free_bias_and_its_own_dual(matrix):
    model = fitted(SVC(kernel="linear", C=2.0), matrix)
    audit = separatrix.audit(model, matrix, Y)
    w = np.asarray(model.coef_.toarray() if sparse.issparse(model.coef_) else model.coef_)[0]
    b = model.intercept_[0]
    assert audit.primal == pytest.approx(by_hand(X @ w + b, w, 2.0), rel=1e-12)
    assert "b is free" in audit.problem
    assert 0 < audit.gap < 1e-2
    assert verify(audit.certificate, matrix, Y, exact=False)
    # Without time for a search the bound is that of the model's own dual variables.
    own = separatrix.audit(model, matrix, Y, max_time=0.0)
    alpha = np.zeros(80)
    alpha[model.support_] = np.abs(sparse.coo_array(model.dual_coef_).toarray()[0])
    v = (alpha * SIGNS) @ X
    assert own.dual == pytest.approx(alpha.sum() - 0.5 * v @ v, rel=1e-6)
    assert own.dual <= audit.dual
    assert verify(own.certificate, matrix, Y, exact=False)


def test_svc_of_many_classes_is_audited_by_pairs():
    model = fitted(SVC(kernel="linear", tol=1e-9, class_weight="balanced"), y=THREE)
    audits = separatrix.audit(model, X, THREE)
    assert list(audits) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert audits.gap < 1e-5
    pair = audits["a", "c"]
    members = (THREE == "a") | (THREE == "c")
    place = 1
    f = X[members] @ model.coef_[place] + model.intercept_[place]
    assert pair.rows == members.sum()
    assert pair.errors == np.count_nonzero(np.where(THREE[members] == "a", 1, -1) * f <= 0)
    assert verify(pair.certificate, X, THREE, exact=False)
    assert "binary problems" in str(audits)
    json.dumps(audits.to_dict())


def test_nu_svc_is_a_c_svc_with_another_c():
    model = fitted(NuSVC(kernel="linear", nu=0.5, tol=1e-9))
    audit = separatrix.audit(model, X, Y)
    assert audit.gap < 1e-5
    assert f"C = {np.abs(model.dual_coef_).max():.6g}" in audit.problem
    assert "nu-SVC" in audit.notes[0]


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_sgd_has_c_of_one_over_alpha_n(loss, class_weight):
    model = SGDClassifier(
        loss=loss, alpha=0.05, max_iter=3000, tol=None, class_weight=class_weight, random_state=0
    )
    model = fitted(model)
    audit = separatrix.audit(model, X, Y)
    w, b = model.coef_[0], model.intercept_[0]
    weight = np.ones(80)
    if class_weight:
        weight = np.where(Y == "yes", 40 / np.sum(Y == "yes"), 40 / np.sum(Y == "no"))
    cost = weight / (0.05 * 80)
    assert audit.primal == pytest.approx(
        by_hand(X @ w + b, w, cost, squared=loss == "squared_hinge"), rel=1e-12
    )
    assert audit.gap < 0.05  # 3000 epochs of a decaying step come close only if the problem is the right one
    assert "1 / (alpha n)" in audit.notes[0]


def test_perceptron_has_no_objective():
    model = fitted(Perceptron(random_state=0))
    audit = separatrix.audit(model, X, Y)
    assert audit.primal is audit.dual is audit.gap is audit.excess is audit.certificate is None
    assert audit.errors == np.count_nonzero(model.predict(X) != Y)
    assert "no objective" in audit.verdict
    assert audit.separability == "inseparable"
    assert isinstance(separatrix.audit(fitted(Perceptron(), y=THREE), X, THREE), Audits)


@pytest.mark.parametrize("bias", ["free", "augmented", "none"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_our_own_svc_is_what_it_says(bias, loss):
    model = separatrix.SVC(C=3.0, bias=bias, loss=loss, class_weight={"yes": 2.0}, tol=1e-10)
    audit = separatrix.audit(model.fit(X, Y, sample_weight=WEIGHTS), X, Y)
    assert audit.primal == pytest.approx(model.primal_, rel=1e-12)
    assert audit.gap <= 1e-9
    many = separatrix.SVC(multi_class="ovo", bias=bias, loss=loss).fit(X, THREE)
    assert separatrix.audit(many, X, THREE).gap <= 1e-3


def test_a_plain_pair_of_w_and_b():
    w, b = np.array([1.0, 0.2, 0.0, 0.0]), 0.1
    audit = separatrix.audit((w, b), X, Y, C=0.5, class_weight={"no": 2.0})
    cost = np.where(Y == "no", 1.0, 0.5)
    assert audit.primal == pytest.approx(by_hand(X @ w + b, w, cost), rel=1e-13)
    assert audit.positive == "yes"
    assert verify(audit.certificate, X, Y, exact=False)
    bare = separatrix.audit((w, b), X, Y)
    assert bare.primal is None
    assert "pass C=" in bare.notes[0]


def test_separability_is_asked_for_or_not():
    w = np.array([1.0, 0.0, 0.0, 0.0])
    y = X[:, 0] > 0.01
    assert separatrix.audit((w, -0.01), X, y).separability == "separable"  # the model is the witness
    assert separatrix.audit((-w, 0.01), X, y).separability == "separable"
    assert separatrix.audit((w, 0.0), X, Y, separability=False).separability is None
    assert separatrix.audit((w, 0.0), X, Y, separability=True).separability == "inseparable"


def test_the_record_prints_and_becomes_plain_values():
    audit = separatrix.audit(fitted(LinearSVC(random_state=0)), X, Y)
    assert isinstance(audit, Audit)
    shown = str(audit)
    for word in (
        audit.verdict,
        "its objective",
        "the optimum",
        "relative gap",
        "margin",
        "errors",
        "LinearSVC",
    ):
        assert word in shown
    plain = json.loads(json.dumps(audit.to_dict()))
    assert plain["primal"] == audit.primal
    assert plain["excess"] == list(audit.excess)
    assert not any(name.startswith("_") for name in plain)
    with pytest.raises(AttributeError):
        audit.primal = 0.0


def test_a_model_of_nothing_is_plain_json_too():
    audit = separatrix.audit((np.zeros(4), 0.0), X, Y, C=1.0)
    assert audit.primal == 80.0
    assert audit.errors == 80
    plain = json.loads(json.dumps(audit.to_dict(), allow_nan=False))
    assert plain["margin"] is None
