"""Leave-one-out: exact equals brute force, and every bound is at least the exact error, on twenty real sets."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

import separatrix as sx
from separatrix.validation import enclosing_ball, leave_one_out, leave_one_out_bounds
from separatrix.validation.box_qp import BoxQP
from separatrix.validation.dual_view import dual_view
from separatrix.validation.exact_loo import scores_left_out
from separatrix.validation.loo_bounds import bounds_of
from validation.small_real_sets import sets

NAMES = sorted(sets())
KINDS = [("free", "hinge"), ("augmented", "hinge"), ("none", "hinge"), ("free", "squared_hinge")]


def brute_force(model, X, y, rows) -> np.ndarray:
    scores = []
    for i in rows:
        kept = np.arange(len(y)) != i
        fitted = sx.SVC(**{**model.get_params(), "tol": 1e-10}).fit(X[kept], y[kept])
        scores.append(fitted.decision_function(X[i : i + 1])[0])
    return np.array(scores)


@pytest.mark.parametrize("place", range(20))
def test_exact_equals_brute_force(place):
    name, (bias, loss), C = NAMES[place], KINDS[place % 4], (1.0, 0.05, 20.0)[place % 3]
    X, y = sets()[name]
    model = sx.SVC(C=C, bias=bias, loss=loss).fit(X, y)
    exact = leave_one_out(model, X, y)
    support = np.flatnonzero(np.isin(np.arange(len(y)), model.support_))
    others = np.setdiff1d(np.arange(len(y)), support)
    rows = np.concatenate(
        [support[:: max(1, len(support) // 5)][:5], others[:: max(1, len(others) // 2)][:2]]
    )
    expected = brute_force(model, X, y, rows)
    assert exact.scores[rows] == pytest.approx(expected, rel=1e-5, abs=1e-5)
    assert exact.refits <= len(support)
    assert exact.gap <= 1e-7


def test_every_row_of_one_set_against_brute_force():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:100:2], np.arange(25) % 2 == 0  # labels that mean nothing: many support vectors, many errors
    model = sx.SVC(C=1.0).fit(X, y)
    exact = leave_one_out(model, X, y)
    expected = brute_force(model, X, y, range(25))
    assert exact.scores == pytest.approx(expected, abs=1e-6)
    assert exact.errors.tolist() == ((expected > 0) != y).tolist()
    assert exact.error_rate == exact.errors.mean()


@pytest.mark.parametrize("name", NAMES)
def test_every_bound_is_at_least_the_exact_error(name):
    X, y = sets()[name]
    for C in (0.01, 2.0):
        bias, loss = KINDS[(len(name) + int(C)) % 4]
        view = dual_view(sx.SVC(C=C, bias=bias, loss=loss).fit(X, y), X, y)
        scores = scores_left_out(view).scores
        exact = np.mean(np.where(view.y > 0, scores <= 0, scores > 0))
        bounds = bounds_of(view)
        assert all(bound.value >= exact for bound in bounds), (C, exact, str(bounds))
        assert bounds.span.value <= bounds.xi_alpha.value <= bounds.support_vectors.value <= 1.0
        assert bounds.best.value == min(bound.value for bound in bounds)


@pytest.mark.parametrize(("kernel", "gamma"), [("rbf", 0.5), ("poly", 0.3), ("laplacian", 0.2)])
def test_kernels(kernel, gamma):
    X, y = sets()["wine 1"]
    model = sx.SVC(C=2.0, kernel=kernel, gamma=gamma, coef0=1.0, degree=2, tol=1e-9).fit(X, y)
    exact, rows = leave_one_out(model, X, y), range(0, len(y), 20)
    assert exact.scores[list(rows)] == pytest.approx(brute_force(model, X, y, rows), abs=1e-4)
    assert all(bound.value >= exact.error_rate for bound in leave_one_out_bounds(model, X, y))


def test_hard_margin():
    X, y = load_iris(return_X_y=True)
    model = sx.SVC(C=float("inf")).fit(X, y == 0)
    exact, rows = leave_one_out(model, X, y == 0), range(0, 150, 15)
    assert exact.scores[list(rows)] == pytest.approx(brute_force(model, X, y == 0, rows), abs=1e-6)
    bounds = leave_one_out_bounds(model, X, y == 0)
    radius = enclosing_ball(X @ X.T).radius
    assert bounds.radius_margin.value == pytest.approx(4 * radius**2 / model.margin_**2 / 150, rel=1e-6)
    assert bounds.radius_margin.conditions == ""


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_many_classes(multi_class):
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3]
    model = sx.SVC(C=1.0, multi_class=multi_class).fit(X, y)
    exact = leave_one_out(model, X, y)
    for i in range(0, len(y), 10):
        kept = np.arange(len(y)) != i
        again = sx.SVC(C=1.0, multi_class=multi_class, tol=1e-10).fit(X[kept], y[kept])
        assert exact.predictions[i] == again.predict(X[i : i + 1])[0]
    with pytest.raises(ValueError, match="say which with key"):
        leave_one_out_bounds(model, X, y)
    key = next(iter(model.problems_))
    assert leave_one_out_bounds(model, X, y, key).support_vectors.n == len(model.problems_[key].rows)


def test_the_last_row_of_a_class_is_an_error():
    X, y = np.array([[0.0], [1.0], [2.0], [5.0]]), np.array([0, 0, 0, 1])
    exact = leave_one_out(sx.SVC().fit(X, y), X, y)
    assert exact.errors.tolist()[-1]
    assert exact.scores[-1] == -np.inf


def test_a_bias_that_is_not_unique_is_found_again_without_the_row():
    # Equal classes and a tiny C: every alpha is on its bound, and the bias may be anywhere in an interval.
    X, y = sets()["digits 1 7"]
    X, y = np.concatenate([X[y][:20], X[~y][:20]]), np.repeat([True, False], 20)
    model = sx.SVC(C=1e-4).fit(X, y)
    rows = range(0, 40, 5)
    assert leave_one_out(model, X, y).scores[list(rows)] == pytest.approx(
        brute_force(model, X, y, rows), abs=1e-5
    )


def test_weights_and_rows_of_weight_zero():
    X, y = load_iris(return_X_y=True)
    X, y = X[50::2], y[50::2] == 2
    weight = np.where(np.arange(len(y)) % 5 == 0, 0.0, 1.0 + np.arange(len(y)) % 3)
    exact = leave_one_out(sx.SVC(C=0.5).fit(X, y, sample_weight=weight), X, y)
    for i in (1, 17, 23, 40):
        without = weight.copy()
        without[i] = 0.0
        again = sx.SVC(C=0.5, tol=1e-10).fit(X, y, sample_weight=without)
        assert exact.scores[i] == pytest.approx(again.decision_function(X[i : i + 1])[0], abs=1e-6)
    assert not exact.errors[weight == 0].any()


def test_other_data_than_the_training_data_are_refused():
    X, y = sets()["wine 0"]
    model = sx.SVC().fit(X, y)
    with pytest.raises(ValueError, match="not the data this model was trained on"):
        leave_one_out(model, X + 0.1 * np.arange(len(X))[:, None], y)
    with pytest.raises(ValueError, match="must be the training data"):
        leave_one_out(model, X[:-1], y[:-1])


@pytest.mark.parametrize("seed", range(20))
def test_the_active_set_method_finds_the_optimum_from_anywhere(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 30)), int(rng.integers(1, 6))
    X, y = (
        rng.integers(-3, 4, (n, d)).astype(float),
        np.where(np.arange(n) % 2, 1.0, -1.0),
    )  # with repeated rows
    C = float(10.0 ** rng.uniform(-2, 2))
    qp = BoxQP(X @ X.T, y, np.full(n, C), balanced=bool(seed % 2))
    alpha = qp.optimise(qp.start(np.zeros(n))).alpha
    model = sx.SVC(C=C, bias="free" if seed % 2 else "none", tol=1e-9).fit(X, y)
    w = X.T @ (alpha * y)
    assert alpha.sum() - 0.5 * w @ w == pytest.approx(model.dual_, rel=1e-8, abs=1e-9)
    assert alpha.min() >= 0
    assert alpha.max() <= C
    row = int(np.argmax(alpha))
    start = qp.start(alpha)
    without = qp.without(start, row).alpha
    assert without[row] == 0
    kept = np.arange(n) != row
    again = sx.SVC(C=C, bias=model.bias, tol=1e-9).fit(X[kept], y[kept])
    w = X.T @ (without * y)
    assert without.sum() - 0.5 * w @ w == pytest.approx(again.dual_, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_the_smallest_ball_holds_every_point_and_no_smaller_one_can(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (int(rng.integers(1, 40)), int(rng.integers(1, 6)))).astype(float)
    ball = enclosing_ball(X @ X.T)
    centre = ball.weights @ X
    distances = np.linalg.norm(X - centre, axis=1)
    assert distances.max() <= ball.radius * (1 + 1e-9) + 1e-12
    assert ball.lower == pytest.approx(ball.radius, rel=1e-6, abs=1e-6)
    assert ball.weights.sum() == pytest.approx(1.0)
    assert ball.weights.min() >= 0
