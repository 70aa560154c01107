"""The joint multi-class SVM: against LIBLINEAR's objective, its one certificate, weights, kernels, refusals.

Tests `fitting/joint.py`, `problem/joint_problem.py`, `solvers/joint/interior_point.py`,
`solvers/factored.py`.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from math import fsum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from separatrix import SVC, ParameterError, verify
from separatrix.problem import JointPoint, JointProblem
from separatrix.proof.joint_duality import certify_joint, feasible
from separatrix.proof.writing import write_real
from separatrix.solvers.choose import stages
from separatrix.solvers.joint.descent import JointDescent
from separatrix.solvers.loop.run import Limits, Stage, run

IRIS, SPECIES = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[SPECIES]
BIASES = ("free", "augmented", "none")


def objective(X: np.ndarray, codes: np.ndarray, C: float, W: np.ndarray, b: np.ndarray, bias: str) -> float:
    f = X @ W.T + b
    others = f + 1.0
    others[np.arange(len(codes)), codes] -= 1.0
    loss = others.max(axis=1) - f[np.arange(len(codes)), codes]
    return 0.5 * np.sum(W * W) + (0.5 * b @ b if bias == "augmented" else 0.0) + C * loss.sum()


@pytest.mark.parametrize("bias", ["none", "augmented"])
@pytest.mark.parametrize(("name", "C"), [("iris", 0.1), ("iris", 1.0), ("wine", 1.0), ("digits", 0.01)])
def test_objective_agrees_with_liblinear(name: str, C: float, bias: str) -> None:
    X, y = {"iris": load_iris, "wine": load_wine, "digits": load_digits}[name](return_X_y=True)
    X = StandardScaler().fit_transform(X)[:150] if name == "digits" else StandardScaler().fit_transform(X)
    y = y[: len(X)]
    model = SVC(C, bias=bias, multi_class="crammer-singer", tol=1e-7).fit(X, y)
    peer = LinearSVC(
        C=C,
        multi_class="crammer_singer",
        fit_intercept=bias == "augmented",
        tol=1e-9,
        max_iter=20_000,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer.fit(X, y)
    theirs = objective(X, y, C, peer.coef_, peer.intercept_ * np.ones(len(peer.coef_)), bias)
    ours = objective(X, y, C, model.coef_, model.intercept_, bias)
    assert ours == pytest.approx(model.primal_, rel=1e-10)
    assert ours <= theirs * (1 + 1e-6)
    assert model.status_ == "converged"
    assert model.gap_ <= 1e-7
    # The peer stops on a rule of its own; where it has arrived, both are at the same place.
    if theirs - ours < 1e-5 * ours:
        assert np.mean(model.predict(X) == peer.predict(X)) > 0.99


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_one_certificate_that_verifies(bias: str, kernel: str) -> None:
    X, y = IRIS[::3], NAMES[::3]
    model = SVC(2.0, bias=bias, kernel=kernel, degree=2, multi_class="crammer-singer", tol=1e-6).fit(X, y)
    certificate = model.certificate_
    assert certificate.kind == "optimal"
    checked = verify(certificate, X, y)
    assert checked, checked.reason
    assert checked.gap <= 1e-6
    assert not verify(certificate, X, np.roll(y, 1))
    changed = X.copy()
    changed[0, 0] += 1e-9
    assert not verify(certificate, changed, y)
    for field, factor in (("primal", 0.999), ("dual", 1.001)):
        value = float.fromhex(certificate.proof[field])
        proof = {**certificate.proof, field: write_real(value * factor)}
        assert not verify(replace(certificate, proof=proof), X, y)


def test_an_infeasible_dual_point_is_rejected() -> None:
    model = SVC(2.0, multi_class="crammer-singer").fit(IRIS, NAMES)
    certificate = model.certificate_
    beta = certificate.proof["beta"]
    for place in range(0, len(beta["values"]), 7):
        values = list(beta["values"])
        values[place] = write_real(2.0 * float.fromhex(values[place]))
        proof = {**certificate.proof, "beta": {**beta, "values": values}}
        assert not verify(replace(certificate, proof=proof), IRIS, NAMES)


@pytest.mark.parametrize("bias", BIASES)
def test_attributes(bias: str) -> None:
    model = SVC(1.0, bias=bias, multi_class="crammer-singer", tol=1e-6).fit(IRIS, NAMES)
    assert model.coef_.shape == (3, 4)
    assert model.alpha_.shape == (3, 150)
    np.testing.assert_allclose(model.dual_coef_ @ model.support_vectors_, model.coef_, atol=1e-4)
    np.testing.assert_allclose(model.dual_coef_.sum(axis=0), 0.0, atol=1e-12)
    if bias == "free":
        assert [fsum(row) for row in model.dual_coef_] == [0.0] * 3
    # Complementary slackness: a row with slack uses all of C; one that does not has none.
    slack = model.slack_[model.support_]
    assert np.all(model.support_kind_[slack > 1e-3] == "slack")
    assert np.all(slack[model.support_kind_ == "margin"] < 1e-3)
    assert model.n_support_.sum() == len(model.support_)
    scores = model.decision_function(IRIS)
    assert scores.shape == (150, 3)
    assert np.array_equal(model.predict(IRIS), model.classes_[scores.argmax(axis=1)])
    part = model.problems_["versicolor"]
    assert part.intercept == model.intercept_[1]
    assert part.certificate is model.certificate_
    with pytest.raises(KeyError, match="is no class of this model"):
        model.problems_["rose"]
    assert model.score(IRIS, NAMES) > 0.95


def test_sparse_and_single_precision_rows() -> None:
    X, y = load_digits(return_X_y=True)
    X, y = X[:300], y[:300]
    dense = SVC(0.1, multi_class="crammer-singer", tol=1e-8).fit(X, y)
    for other in (sparse.csr_array(X), X.astype(np.float32), sparse.csr_array(X.astype(np.float32))):
        for solver in ("auto", "coordinate-descent"):
            model = SVC(0.1, multi_class="crammer-singer", tol=1e-5, solver=solver).fit(other, y)
            assert model.gap_ <= 1e-5
            assert model.primal_ == pytest.approx(dense.primal_, rel=2e-5)


def test_weight_k_is_k_copies_and_weight_zero_removal() -> None:
    weights = np.random.default_rng(0).integers(0, 4, 150)
    weighted = SVC(multi_class="crammer-singer", tol=1e-9).fit(IRIS, NAMES, sample_weight=weights)
    copies = np.repeat(np.arange(150), weights)
    repeated = SVC(multi_class="crammer-singer", tol=1e-9).fit(IRIS[copies], NAMES[copies])
    assert weighted.primal_ == pytest.approx(repeated.primal_, rel=1e-7)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-3)
    assert verify(weighted.certificate_, IRIS, NAMES)
    assert np.all(weighted.alpha_[:, weights == 0] == 0.0)


def test_separable_classes_at_a_large_cost() -> None:
    # Almost a hard margin: multipliers far below C, where rounding small ones away once kept the gap from closing.
    X, y = load_digits(return_X_y=True)
    model = SVC(10.0, bias="none", multi_class="crammer-singer", tol=1e-6, solver="interior-point")
    assert model.fit(X[:60], y[:60]).gap_ <= 1e-6


def test_two_classes_are_the_ordinary_problem() -> None:
    X, y = IRIS[50:], NAMES[50:]
    joint = SVC(multi_class="crammer-singer").fit(X, y)
    plain = SVC().fit(X, y)
    np.testing.assert_allclose(joint.coef_, plain.coef_, rtol=1e-6)


def test_warm_start_goes_on_from_the_point() -> None:
    model = SVC(1.0, multi_class="crammer-singer", solver="coordinate-descent", tol=1e-4, warm_start=True)
    first = model.fit(IRIS, NAMES).n_iter_
    assert model.fit(IRIS, NAMES).n_iter_ < first


def test_limits_keep_the_best_iterate() -> None:
    model = SVC(100.0, multi_class="crammer-singer", solver="coordinate-descent", tol=1e-9, max_iter=3)
    with pytest.warns(UserWarning, match="relative duality gap"):
        model.fit(IRIS, NAMES)
    assert model.status_ == "max_iter"
    assert verify(model.certificate_, IRIS, NAMES).gap == pytest.approx(model.gap_, rel=1e-9)


def test_refusals_say_why() -> None:
    with pytest.raises(ParameterError, match="is for loss='hinge'"):
        SVC(multi_class="crammer-singer", loss="squared_hinge").fit(IRIS, NAMES)
    with pytest.raises(ParameterError, match="finite C"):
        SVC(float("inf"), multi_class="crammer-singer").fit(IRIS, NAMES)
    with pytest.raises(ValueError, match="solver must be one of"):
        SVC(multi_class="crammer-singer", solver="newton").fit(IRIS, NAMES)


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 5), st.integers(2, 12), st.integers(0, 10_000))
def test_feasible_points_are_exactly_feasible(k: int, n: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    codes = generator.integers(0, k, n)
    C = generator.uniform(0.1, 3.0, n)
    problem = JointProblem(generator.normal(size=(n, 2)), codes, C, k, "free")
    A = feasible(problem, generator.normal(size=(n, k)))
    others = A.copy()
    others[problem.own] = 0.0
    assert np.all(others <= 0.0)
    assert np.all(A[problem.own] <= C)
    assert all(fsum(line) == 0.0 for line in (*A, *A.T))


def test_both_solvers_agree() -> None:
    generator = np.random.default_rng(3)
    X, codes = generator.normal(size=(60, 5)), generator.integers(0, 4, 60)
    for bias in BIASES:
        problem = JointProblem(X, codes, np.full(60, 0.5), 4, bias)
        plans = [[Stage(JointDescent(), "")], stages(problem, "interior-point", 1e-6, 0)]
        values = [run(plan, problem, Limits(tol=1e-6), certify_joint) for plan in plans]
        assert all(value.gap <= 1e-6 for value in values)
        assert values[0].primal == pytest.approx(values[1].primal, rel=2e-6)
        assert values[0].dual <= values[1].primal
        assert values[1].dual <= values[0].primal


def test_certify_does_not_trust_a_proposal() -> None:
    problem = JointProblem(IRIS, SPECIES.astype(np.int64), np.ones(150), 3, "free")
    wild = JointPoint(np.full((150, 3), np.nan), np.full((3, 4), np.inf), np.full(3, np.nan))
    found = certify_joint(problem, wild)
    assert found.dual == 0.0
    assert found.primal == pytest.approx(150.0)


def test_no_bias_means_that_a_proposed_one_is_not_believed() -> None:
    """The second class has three rows of four, which a bias would serve, and there is none."""
    X, codes = np.zeros((4, 1)), np.array([0, 1, 1, 1])
    problem = JointProblem(X, codes, np.ones(4), 2, "none")
    found = certify_joint(problem, JointPoint(np.zeros((4, 2)), np.zeros((2, 1)), np.array([0.0, 1.0])))
    assert found.b.tolist() == [0.0, 0.0]
    assert found.primal == 4.0
