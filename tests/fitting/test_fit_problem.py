"""One way through a fit: `fit_problem` for the lab and clusters, observers, and fits that repeat to the last digit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_classification

from separatrix import SVC, SVCCV, path
from separatrix.fitting.binary import fit_problem, solve
from separatrix.fitting.context import FitContext
from separatrix.fitting.observer import Observer, Several
from separatrix.fitting.parameters import Settings
from separatrix.problem import HINGE, Problem, Status
from separatrix.proof.duality import certify
from separatrix.solvers.coordinate_descent.solver import CoordinateDescent
from separatrix.solvers.loop.run import Stage
from separatrix.svm.svc import fit_observed

X, Y = make_classification(200, 6, n_informative=4, flip_y=0.2, random_state=0)
IRIS, SPECIES = load_iris(return_X_y=True)
PROBLEM = Problem(X, 2.0 * Y - 1.0, np.ones(len(Y)), HINGE, "free")


class Counter(Observer):
    """Counts what it sees; asks to stop after some steps."""

    def __init__(self, stop_after: int = 1000) -> None:
        self.events: list[str] = []
        self.stop_after = stop_after

    def begin(self, part: Any) -> None:
        self.events.append("begin")

    def begin_step(self, part: Any) -> None:
        self.events.append("begin step")

    def step(self, part: Any, record: Any, point: Any) -> bool:
        self.events.append("check" if record.proved else "step")
        return record.iteration >= self.stop_after

    def end(self, part: Any, record: Any, status: Any, point: Any) -> None:
        self.events.append("end")


def test_the_answer_is_that_of_svc() -> None:
    found, model = fit_problem(PROBLEM, FitContext()), SVC().fit(X, Y)
    np.testing.assert_allclose(found.coef, model.coef_[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.alpha, model.alpha_, rtol=1e-9, atol=1e-12)
    assert found.status == Status.CONVERGED
    with pytest.raises(ValueError, match="was not asked to prove"):
        _ = found.certificate


def test_a_caller_may_bring_solvers_and_is_not_taken_beyond_tol() -> None:
    plan = [Stage(CoordinateDescent(), "a test")]
    found = solve(PROBLEM, FitContext(Settings(tol=1e-2)), certify, plan=plan)
    assert set(found.history["solver"]) == {"coordinate-descent"}
    assert 1e-9 < found.gap <= 1e-2


def test_observers_see_every_step_between_its_two_ends() -> None:
    counter, other = Counter(), Counter()
    found = solve(PROBLEM, FitContext(observer=Several([counter, other])), certify)
    assert counter.events == other.events
    assert counter.events[0] == "begin"
    assert counter.events[-2:] == ["check", "end"]
    assert counter.events.count("begin step") == counter.events.count("step") == found.n_iter


def test_an_observer_may_stop_a_problem() -> None:
    context = FitContext(Settings(tol=1e-12), observer=Counter(stop_after=2))
    found = solve(PROBLEM, context, certify, plan=[Stage(CoordinateDescent(), "a test")])
    assert (found.status, found.n_iter) == (Status.INTERRUPTED, 2)


def test_a_joint_problem_is_observed_like_any_other() -> None:
    model, counter = SVC(multi_class="crammer-singer"), Counter()
    fit_observed(model, IRIS, SPECIES, observer=counter)
    assert counter.events.count("step") == model.n_iter_


TEXT = sparse.random_array((600, 900), density=0.05, rng=np.random.default_rng(0), format="csr")
SIDES = np.random.default_rng(1).integers(0, 3, 600)


@pytest.mark.parametrize(
    ("settings", "rows", "labels"),
    [
        ({}, X, Y),
        ({"solver": "coordinate-descent"}, X, Y),
        ({"solver": "coordinate-descent", "loss": "squared_hinge"}, TEXT, SIDES),
        ({"multi_class": "crammer-singer"}, TEXT, SIDES),
        ({"kernel": "rbf"}, X, Y),
    ],
)
def test_identical_fits_give_identical_digits(settings: dict[str, Any], rows: Any, labels: Any) -> None:
    one, two = (SVC(n_threads=1, **settings).fit(rows, labels) for _ in range(2))
    np.testing.assert_array_equal(one.alpha_, two.alpha_)
    np.testing.assert_array_equal(one.intercept_, two.intercept_)
    np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)


def test_selections_and_paths_repeat_too() -> None:
    one, two = (SVCCV(Cs=[0.1, 1.0], cv=3, n_threads=1).fit(TEXT, SIDES > 0) for _ in range(2))
    np.testing.assert_array_equal(one.scores_, two.scores_)
    np.testing.assert_array_equal(one.best_estimator_.coef_, two.best_estimator_.coef_)
    first, second = (path(TEXT, SIDES > 0, [0.1, 1.0], n_threads=1) for _ in range(2))
    np.testing.assert_array_equal(first.coefs, second.coefs)


@pytest.mark.parametrize("seed", range(3))
def test_alphas_from_the_factor_of_a_kernel_matrix_are_on_their_bounds(seed: int) -> None:
    rows, labels = make_classification(200, 6, n_informative=4, flip_y=0.2, random_state=seed)
    alpha = SVC(100.0, kernel="rbf", solver="gram").fit(rows, labels).alpha_ / 100.0
    assert not np.any((alpha > 0) & (alpha < 1e-6))
    assert not np.any((alpha < 1) & (alpha > 1 - 1e-6))
