"""Certified values against the formulas, residuals that add up to the gap, wild proposals."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from small_problems import exact_values, make, solve

from separatrix.problem import HINGE, LOSSES, Point, Problem
from separatrix.problem.kernels import Linear, Rbf
from separatrix.proof.duality import certify, kkt_residuals

BIASES = ["free", "augmented", "none"]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES)
def test_certified_values_are_those_of_the_formulas(loss, bias, form):
    problem, _ = make(loss, bias, weighted=True, form=form)
    solution = solve(problem)
    primal, dual = exact_values(problem, solution.w, solution.b, solution.alpha)
    assert solution.primal == pytest.approx(float(primal), rel=1e-13)
    assert solution.dual == pytest.approx(float(dual), rel=1e-12)
    assert primal >= dual
    assert solution.gap == pytest.approx((solution.primal - solution.dual) / solution.primal)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES)
def test_residuals_add_up_to_the_gap(loss, bias):
    problem, _ = make(loss, bias, weighted=True)
    solution = solve(problem, rounds=20)
    w, b = solution.w + 0.1, solution.b + (0.2 if bias != "none" else 0.0)
    residuals = kkt_residuals(problem, w, b, solution.alpha)
    assert np.all(residuals.slackness >= 0)
    total = residuals.slackness.sum() + 0.5 * residuals.stationarity @ residuals.stationarity
    total += 0.5 * residuals.bias**2 if bias == "augmented" else 0.0
    assert total == pytest.approx(problem.primal(w, b) - problem.dual(solution.alpha), rel=1e-12)


def test_residuals_vanish_at_a_known_optimum():
    # x = -1, +1: w = 1, b = 0, both rows on the margin with alpha = 1/2.
    problem = Problem(np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]), np.ones(2), HINGE, "free")
    residuals = kkt_residuals(problem, np.array([1.0]), 0.0, np.array([0.5, 0.5]))
    assert residuals.slackness.tolist() == [0.0, 0.0]
    assert residuals.stationarity.tolist() == [0.0]
    assert residuals.bias == 0.0


def test_a_wild_proposal_is_made_feasible():
    problem, _ = make("hinge", "free")
    alpha = np.full(problem.n_rows, np.nan)
    alpha[:6] = -1.0, np.inf, 5.0, 0.01, 0.02, -np.inf
    solution = certify(problem, Point(alpha))
    assert np.all((solution.alpha >= 0) & (solution.alpha <= problem.C))
    primal, dual = exact_values(problem, solution.w, solution.b, solution.alpha)
    assert primal >= dual
    assert solution.dual == pytest.approx(float(dual), rel=1e-12)


@pytest.mark.parametrize("bias", BIASES)
def test_a_primal_point_that_is_not_finite_is_replaced(bias):
    problem, _ = make("hinge", bias)
    alpha = np.full(problem.n_rows, 0.1)
    solution = certify(problem, Point(alpha, np.array([np.nan, 0.0, np.inf]), np.nan))
    assert np.isfinite(solution.primal)
    np.testing.assert_array_equal(solution.w, certify(problem, Point(alpha)).w)


def test_balancing_many_rows_keeps_the_dual_value_true():
    problem, _ = make("squared_hinge", "free", n=60)
    solution = certify(problem, Point(np.linspace(0, 1, 60)))
    _, dual = exact_values(problem, solution.w, solution.b, solution.alpha)
    assert solution.dual == pytest.approx(float(dual), rel=1e-12)


def test_the_proposed_point_is_kept():
    problem, _ = make("hinge", "augmented")
    w = np.array([0.1, -0.2, 0.3])
    solution = certify(problem, Point(np.zeros(problem.n_rows), w, 0.25))
    assert solution.w is w
    assert solution.b == 0.25
    assert solution.primal == pytest.approx(problem.primal(w, 0.25), rel=1e-15)
    assert solution.dual == 0.0


def test_a_proposed_bias_is_not_replaced_by_a_worse_one(monkeypatch):
    """Where C is large, the bias that is best but for rounding may cost more than the one that was proposed."""
    problem, _ = make("squared_hinge", "free")
    solution = solve(problem)
    point = Point(solution.alpha, solution.w, solution.b)
    beyond = solution.b + 0.01, solution.b + 0.02
    monkeypatch.setattr("separatrix.proof.duality.bias_interval", lambda *_: beyond)
    assert certify(problem, point).b == solution.b


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES)
def test_both_spaces_certify_alike(loss, bias):
    """Where w follows from alpha, the linear kernel and no kernel are the same question."""
    flat, _ = make(loss, bias, weighted=True)
    lifted = replace(flat, kernel=Linear())
    alpha = solve(flat).alpha
    one, other = certify(flat, Point(alpha)), certify(lifted, Point(alpha))
    assert other.w is None
    assert one.primal == pytest.approx(other.primal, rel=1e-12)
    assert one.dual == pytest.approx(other.dual, rel=1e-12)
    np.testing.assert_allclose(one.scores, other.scores, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(one.alpha, other.alpha)


def test_with_a_kernel_the_answer_is_that_of_its_balanced_alpha():
    problem = replace(make("hinge", "free")[0], kernel=Rbf(0.5))
    solution = certify(problem, Point(np.linspace(0.0, 2.0, problem.n_rows)))
    signed = solution.alpha * problem.y
    F = problem.space.gram(slice(None), slice(None)) @ signed
    np.testing.assert_allclose(solution.scores, F, rtol=1e-9, atol=1e-12)
    assert solution.primal == pytest.approx(
        problem.primal_value(float(signed @ F), F + solution.b, solution.b), rel=1e-12
    )
    assert solution.interval[0] <= solution.b <= solution.interval[1]
