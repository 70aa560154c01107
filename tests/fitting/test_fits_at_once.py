"""Small fits: all problems in one call, with the answers of the ordinary way.

Tests `fitting/classes.py`, `fitting/training.py` and `solvers/small/solver.py`.
"""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, load_wine

from separatrix import SVC, verify
from separatrix.fitting import classes
from separatrix.solvers.small.solver import NAME, SmallAnswer

X, Y = load_iris(return_X_y=True)
KERNELS = [
    "linear",
    "rbf",
    "poly",
    "laplacian",
    pytest.param(lambda A, B: np.asarray(A) @ np.asarray(B).T + 1, id="function"),
]


def fitted(X, y, weights=None, **parameters):
    """The fit as it comes, and the same step by step: a limit of steps asks for them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a function may be any kernel
        return [
            SVC(max_iter=limit, tol=1e-9, **parameters).fit(X, y, sample_weight=weights)
            for limit in (None, 10**6)
        ]


def records(model):
    histories = model.history_
    return list(histories.values()) if isinstance(histories, dict) else [histories]


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("bias", ["free", "augmented", "none"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_same_answer_as_step_by_step(kernel, bias, loss, multi_class):
    at_once, stepwise = fitted(X, Y, kernel=kernel, bias=bias, loss=loss, multi_class=multi_class)
    assert all(len(history) == 1 and history[0].solver == NAME for history in records(at_once))
    assert all(NAME not in history["solver"] for history in records(stepwise))
    assert at_once.gap_ <= 1e-9
    assert list(at_once.problems_) == list(stepwise.problems_)
    for key, one in at_once.problems_.items():
        other = stepwise.problems_[key]
        assert one.primal == pytest.approx(other.primal, rel=1e-8)
        np.testing.assert_array_equal(one.rows, other.rows)
        np.testing.assert_allclose(one.slack, other.slack, atol=2e-3)
        assert (one.positive, one.negative) == (other.positive, other.negative)
    np.testing.assert_array_equal(at_once.predict(X), stepwise.predict(X))


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_its_certificates_are_proved(kernel, multi_class):
    model = SVC(kernel=kernel, multi_class=multi_class).fit(X, Y)
    for certificate in model.certificate_.values():
        assert verify(certificate, X, Y)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
def test_rows_of_no_weight_take_no_part(kernel):
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 3.0], len(Y))
    given = X @ X.T if kernel == "precomputed" else X
    gamma = 0.5 if kernel == "rbf" else "scale"
    at_once, stepwise = fitted(given, Y, weights, kernel=kernel, gamma=gamma)
    np.testing.assert_allclose(at_once.decision_function(given), stepwise.decision_function(given), atol=1e-6)
    assert not at_once.alpha_[:, weights == 0].any()


@pytest.mark.parametrize("convert", [sparse.csr_array, np.float32, np.asfortranarray])
def test_the_same_rows_in_another_form(convert):
    model = SVC().fit(convert(np.round(X, 1)), Y)
    expected = SVC().fit(np.float32(np.round(X, 1)) if convert is np.float32 else np.round(X, 1), Y)
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-6)
    assert all(history[0].solver == NAME for history in records(model))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_do_not_change_a_digit(threads):
    wine = load_wine(return_X_y=True)
    one, many = (SVC(n_threads=n, multi_class="ovo", C=100.0).fit(*wine) for n in (1, threads))
    np.testing.assert_array_equal(one.coef_, many.coef_)
    np.testing.assert_array_equal(one.intercept_, many.intercept_)


def test_what_is_not_proved_at_once_is_solved_step_by_step(monkeypatch):
    def nothing(signs, costs, **ignored):
        alpha = np.zeros(costs.shape)
        alpha[1] = np.nan
        return SmallAnswer(alpha, None, np.zeros(3), np.ones(3, np.int64), np.ones(3, bool))

    monkeypatch.setattr(classes, "solve_small", nothing)
    model = SVC().fit(X, Y)
    assert model.status_ == "converged"
    assert all(history[0].solver != NAME for history in records(model))
    assert model.primal_ == pytest.approx(SVC(max_iter=10**6).fit(X, Y).primal_, rel=1e-6)
