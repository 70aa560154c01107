"""Generalisation bounds, robustness radii, rows that change nothing.

Tests `validation/generalisation.py`, `validation/robustness.py`, `validation/exact_loo.py`.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.datasets import load_breast_cancer, load_iris

import separatrix as sx
from separatrix.validation import (
    compression_bound,
    exact_radius,
    margin_bound,
    online_to_batch,
    removal,
    robustness_radius,
)
from validation.small_real_sets import sets

NORMS = {"l2": 2, "l1": 1, "linf": np.inf}


# -- generalisation ----------------------------------------------------------------------------------------


def test_the_compression_bound_is_the_inverted_tail():
    X, y = load_iris(return_X_y=True)
    model = sx.SVC().fit(X, y == 0)
    bound = compression_bound(model, X, y == 0, confidence=0.9)
    n, k = 150, len(model.support_)
    assert stats.binom.cdf(0, n - k, bound.value) == pytest.approx(0.1 / (151 * math.comb(n, k)), rel=1e-6)
    assert not bound.vacuous


def test_a_perceptron_is_what_its_mistakes_make_of_it():
    X, y = load_iris(return_X_y=True)
    y = y == 0
    order = np.random.default_rng(0).permutation(150)
    X, y = X[order], y[order]
    model = sx.Perceptron().fit(X, y)
    bound = compression_bound(model, X, y)
    kept = np.asarray(model.alpha_).ravel() != 0
    again = sx.Perceptron().fit(X[kept], y[kept])
    assert again.coef_ == pytest.approx(model.coef_)
    assert f"{kept.sum()} of 150 rows" in bound.sentence
    with pytest.raises(ValueError, match="order='cyclic'"):
        compression_bound(sx.Perceptron(order="shuffle").fit(X, y), X, y)


def test_bounds_hold_on_fresh_rows_and_say_when_they_say_nothing():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 4000)
    X = np.where(y, 1.5, -1.5)[:, None] * [1.0, 0.0] + 0.3 * rng.normal(size=(4000, 2))
    some, many = sx.SVC().fit(X[:60], y[:60]), sx.SVC().fit(X[:2000], y[:2000])
    true = np.mean(many.predict(X[2000:]) != y[2000:])
    for bound in (margin_bound(many, X[:2000], y[:2000]), compression_bound(many, X[:2000], y[:2000])):
        assert bound.value >= true
        assert bound.vacuous == (bound.value >= 0.5)
        assert ("vacuous" in str(bound)) == bound.vacuous
        assert not bound.vacuous
    assert margin_bound(some, X[:60], y[:60]).vacuous


def test_online_to_batch_is_about_one_pass():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    y = (X[:, 0] > 0).astype(int)
    model = sx.Perceptron().partial_fit(X[:1000], y[:1000], classes=[0, 1]).partial_fit(X[1000:], y[1000:])
    mistakes = sum(record.mistakes for record in model.history_)
    bound = online_to_batch(model, confidence=0.95)
    assert bound.value == pytest.approx(mistakes / 2000 + math.sqrt(math.log(20) / 4000))
    with pytest.raises(ValueError, match="one pass"):
        online_to_batch(sx.Perceptron().fit(X, y))


# -- robustness --------------------------------------------------------------------------------------------


def crossing(w: np.ndarray, norm: str) -> np.ndarray:
    """The direction of unit length, in the norm, along which w.x changes fastest."""
    if norm == "l2":
        return w / np.linalg.norm(w)
    if norm == "linf":
        return np.sign(w)
    return np.where(np.arange(len(w)) == np.argmax(np.abs(w)), np.sign(w), 0.0)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("width", [np.float64, np.float32])
def test_linear_radii_are_exact(norm, width):
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:150].astype(width)
    model = sx.SVC(C=0.01).fit(X, y[:150])
    radii = robustness_radius(model, X, norm)
    for i in range(0, 150, 30):
        exact = exact_radius(model, X[i], norm)
        low, high = Fraction(float(radii.lower[i])), Fraction(float(radii.upper[i]))
        assert (low * low <= exact <= high * high) if norm == "l2" else (low <= exact <= high)
        assert high - low <= Fraction(1, 10**9) * high
        step = -np.sign(model.decision_function(X[i : i + 1])[0]) * crossing(model.coef_[0], norm)
        row = X[i].astype(np.float64)
        for factor, same in ((0.999, True), (1.001, False)):
            moved = row + factor * radii.lower[i] * step
            assert (model.predict(moved[None])[0] == radii.prediction[i]) == same
    assert radii.lower == pytest.approx(robustness_radius(model, sparse.csr_array(X), norm).lower, rel=1e-9)


def test_many_classes_change_at_the_nearest_boundary():
    X, y = load_iris(return_X_y=True)
    model = sx.SVC().fit(X, y)
    radii, rng = robustness_radius(model, X), np.random.default_rng(0)
    for _ in range(20):
        v = rng.normal(size=X.shape)
        v *= 0.999 * radii.lower[:, None] / np.linalg.norm(v, axis=1, keepdims=True)
        assert np.array_equal(model.predict(X + v), radii.prediction)
    f, changed = model.decision_function(X), 0
    for i in range(0, 150, 10):
        top = int(f[i].argmax())
        for rival in set(range(3)) - {top}:
            w = model.coef_[rival] - model.coef_[top]
            moved = X[i] + 1.0001 * radii.upper[i] * w / np.linalg.norm(w)
            changed += model.predict(moved[None])[0] != radii.prediction[i]
    assert changed == 15  # towards the nearest rival, and not towards the other one
    with pytest.raises(ValueError, match="'ovr'"):
        robustness_radius(sx.SVC(multi_class="ovo").fit(X, y), X)
    with pytest.raises(ValueError, match="norm must be one of"):
        robustness_radius(model, X, "l7")


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly"])
def test_no_move_within_a_kernel_radius_changes_the_prediction(kernel, norm):
    X, y = sets()["wine 0"]
    model = sx.SVC(kernel=kernel, gamma=0.1, coef0=1.0, degree=2).fit(X, y)
    radii, rng = robustness_radius(model, X, norm), np.random.default_rng(0)
    assert np.median(radii.lower) > 0
    assert np.isinf(radii.upper).all()
    gradient_like = model.support_vectors_
    for trial in range(15):
        v = rng.normal(size=X.shape) if trial % 3 else gradient_like[trial % len(gradient_like)] - X
        v *= radii.lower[:, None] / np.maximum(np.linalg.norm(v, NORMS[norm], axis=1, keepdims=True), 1e-300)
        assert np.array_equal(model.predict(X + v), radii.prediction)


# -- removal -----------------------------------------------------------------------------------------------


def test_rows_without_weight_can_go_and_a_certificate_proves_it():
    X, y = sets()["breast cancer 0"]
    model = sx.SVC().fit(X, y)
    free = np.setdiff1d(np.arange(len(y)), model.support_)
    for row in free[:3].tolist():
        result = removal(model, X, y, row)
        assert result
        assert result.certificate.data.excluded == (row,)
        assert sx.verify(result.certificate, X, y, exact=True, expect={"rows": len(y) - 1, "C": 1.0})
        kept = np.arange(len(y)) != row
        assert sx.SVC(tol=1e-9).fit(X[kept], y[kept]).coef_ == pytest.approx(model.coef_, abs=1e-6)
        changed = X.copy()
        changed[row] += 100.0
        assert not sx.verify(result.certificate, changed, y)
    held = removal(model, X, y, int(model.support_[0]))
    assert not held
    assert held.certificate is None
    assert "support vector" in held.reason


def test_removal_in_one_of_many_problems():
    X, y = load_iris(return_X_y=True)
    model = sx.SVC(bias="augmented").fit(X, y)
    key = next(iter(model.problems_))
    row = int(np.setdiff1d(np.arange(150), model.problems_[key].support)[0])
    assert removal(model, X, y, row, key=key)
    with pytest.raises(ValueError, match="Say which"):
        removal(model, X, y, row)
