"""A run ends on time wherever it is: within a factorisation, a pass, before the first step."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

from separatrix import SVC, Perceptron, verify
from separatrix.perceptron import rows as perceptron_rows
from separatrix.problem import HINGE, SQUARED_HINGE, JointProblem, Point, Problem, Status
from separatrix.proof.duality import certify
from separatrix.solvers.compiled import compiled_rows
from separatrix.solvers.coordinate_descent import solver as coordinate_descent
from separatrix.solvers.coordinate_descent.tuning import Tuning
from separatrix.solvers.interior_point import solver as interior_point
from separatrix.solvers.interior_point.solver import InteriorPoint
from separatrix.solvers.interior_point.tuning import RowTuning
from separatrix.solvers.interior_point.tuning import Tuning as PathTuning
from separatrix.solvers.joint import descent as joint_descent
from separatrix.solvers.loop import deadline
from separatrix.solvers.loop import run as loop
from separatrix.solvers.loop.run import Limits, Stage, run
from separatrix.solvers.newton import Newton
from separatrix.solvers.newton import Tuning as NewtonTuning

X, Y = make_classification(9000, 12, flip_y=0.1, random_state=0)
SIDES = np.where(Y > 0, 1.0, -1.0)


@contextmanager
def looks(monkeypatch: pytest.MonkeyPatch, allowed: int) -> Iterator[Any]:
    """Time is over after this many looks at the clock."""
    seen = itertools.count()

    def left() -> float:
        return math.inf if next(seen) < allowed else 0.0

    with monkeypatch.context() as patched:
        for module in (deadline, coordinate_descent, interior_point, loop):
            patched.setattr(module, "time_left", left)
        yield seen


def looks_of(monkeypatch: pytest.MonkeyPatch, problem: Problem, plan: list[Stage]) -> int:
    """How often a run to the end looks at the clock."""
    with looks(monkeypatch, 1 << 60) as seen:
        assert run(plan, problem, Limits(1e-3), certify).status == Status.CONVERGED
    return next(seen)


@pytest.mark.parametrize(
    ("solver", "loss", "bias"),
    [
        ("interior-point", HINGE, "free"),
        ("interior-point", HINGE, "none"),
        ("newton", SQUARED_HINGE, "augmented"),
    ],
)
def test_time_may_be_over_at_any_look(
    monkeypatch: pytest.MonkeyPatch, solver: str, loss: Any, bias: Any
) -> None:
    rows = RowTuning(span=1000)  # as often as with a hundred times as many rows
    plan: list[Stage] = {
        "interior-point": [Stage(InteriorPoint(tuning=PathTuning(rows=rows)), "a test")],
        "newton": [Stage(Newton(tuning=NewtonTuning(rows=rows)), "a test")],
    }[solver]
    problem = Problem(X, SIDES, np.ones(len(X)), loss, bias)
    total = looks_of(monkeypatch, problem, plan)
    assert total > 4
    gaps = []
    for allowed in {*range(min(6, total - 1)), *np.linspace(0, total - 2, 9).astype(int).tolist()}:
        with looks(monkeypatch, allowed):
            solution = run(plan, problem, Limits(1e-3), certify)
        assert solution.status in (Status.MAX_TIME, Status.CONVERGED)
        assert solution.history[-1].proved
        again = certify(problem, Point(solution.alpha, solution.w, solution.b))
        assert again.gap == pytest.approx(solution.gap, abs=1e-9)
        gaps.append(solution.gap)
    assert max(gaps) == 1.0
    if solver == "interior-point":  # the few looks of Newton's steps are all while it works on a sample
        assert min(gaps) < 0.5


def test_a_pass_over_many_entries_ends_within() -> None:
    rows = np.zeros((4200, 4096), dtype=np.float32)
    rows[:, 0] = np.arange(4200) % 7 - 3
    y = np.where(rows[:, 0] > 0, 1.0, -1.0)
    descent = compiled_rows(rows).descent(y, np.ones(4200), tuning=Tuning(), squared=False, kappa=0.0, seed=0)
    cut = descent.epoch(0.0)
    assert (cut.whole, cut.epochs) == (False, 0)
    whole = descent.epoch()
    assert (whole.whole, whole.epochs) == (True, 1)
    assert np.isfinite(whole.gap)


def test_classes_for_which_no_time_is_left_have_certificates_too() -> None:
    many, labels = make_classification(4000, 8, n_informative=6, n_classes=4, random_state=0)
    with pytest.warns(UserWarning, match="max_time=1e-12 s came first"):
        model = SVC(max_time=1e-12).fit(many, labels)
    for result in model.problems_.values():
        assert result.status == "max_time"
        assert result.n_iter == 0
        assert result.gap == 1.0
        assert "no time was left for a step" in result.history["note"]
        assert verify(result.certificate, many, labels, exact=False)


def out_of_time_after(monkeypatch: pytest.MonkeyPatch, looks: int) -> None:
    """The clock of perceptron passes says so at its next look."""
    seen = itertools.count()
    monkeypatch.setattr(deadline, "time_left", lambda: math.inf if next(seen) < looks else 0.0)


@pytest.mark.parametrize("labels", [X[:, 0] > 0, np.digitize(X[:, 0], [-1, 1])], ids=["two", "many"])
@pytest.mark.parametrize("order", ["cyclic", "shuffle"])
def test_a_perceptron_ends_within_a_pass(monkeypatch: pytest.MonkeyPatch, labels: Any, order: Any) -> None:
    monkeypatch.setattr(perceptron_rows, "_PORTION_BYTES", 50 * X[0].nbytes)
    out_of_time_after(monkeypatch, 3)
    with pytest.warns(ConvergenceWarning, match="before max_time came"):
        model = Perceptron(order=order, max_time=1e9).fit(X, labels)
    assert model.status_ == "max_time"
    assert model.n_epochs_ == 0
    assert 0 < model.n_updates_ <= 4 * 50
    assert len(model.predict(X)) == len(X)


def test_portions_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"order": "shuffle", "random_state": 1, "max_epochs": 3}
    whole = Perceptron(**settings).fit(X, Y)
    monkeypatch.setattr(perceptron_rows, "_PORTION_BYTES", 77 * X[0].nbytes)
    parts = Perceptron(**settings).fit(X, Y)
    assert np.array_equal(whole.coef_, parts.coef_)
    assert np.array_equal(whole.alpha_, parts.alpha_)


def test_a_kernel_perceptron_ends_within_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    out_of_time_after(monkeypatch, 5)
    with pytest.warns(ConvergenceWarning, match="before max_time came"):
        model = Perceptron(kernel="rbf", max_time=1e9).fit(X[:300], X[:300, 0] > 0)
    assert model.status_ == "max_time"
    assert model.n_updates_ == 5


THREE = np.digitize(X[:900, 0] + 0.3 * X[:900, 1], [-0.7, 0.7])


@pytest.mark.parametrize("solver", ["coordinate-descent", "interior-point"])
@pytest.mark.parametrize("bias", ["free", "augmented", "none"])
@pytest.mark.parametrize("allowed", [0, 1, 2, 5])
def test_all_classes_in_one_problem_end_within_a_step(
    monkeypatch: pytest.MonkeyPatch, solver: str, bias: str, allowed: int
) -> None:
    seen = itertools.count()
    for module in (deadline, joint_descent, loop):
        monkeypatch.setattr(module, "time_left", lambda: math.inf if next(seen) < allowed else 0.0)
    model = SVC(multi_class="crammer-singer", solver=solver, bias=bias, tol=1e-12, max_time=1e9)
    with pytest.warns(ConvergenceWarning, match="max_time"):
        model.fit(X[:900], THREE)
    assert model.status_ == "max_time"
    assert 1e-12 < model.gap_ <= 1.0
    assert verify(model.certificate_, X[:900], THREE)


def test_a_joint_pass_ends_on_time() -> None:
    rows = np.random.default_rng(0).normal(size=(20_000, 50))
    problem = JointProblem(rows, np.arange(20_000) % 40, np.ones(20_000), 40, "none")
    solver = joint_descent.JointDescent()
    state = solver.init(problem, None, 1)
    _, _, visited, in_time = state.descent.run(0.0)
    assert not in_time
    assert visited == 63, "rows between two looks at the clock"
    assert state.descent.run(math.inf)[2:] == (20_000, True)
