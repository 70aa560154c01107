"""Inactive rows of coordinate descent: when rows become inactive, what is measured of them, when they return."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from problems import as_sparse, noisy
from separatrix.problem import HINGE, SQUARED_HINGE, Problem, Status
from separatrix.proof.duality import certify
from separatrix.solvers.compiled import compiled_rows
from separatrix.solvers.coordinate_descent.solver import CoordinateDescent
from separatrix.solvers.coordinate_descent.tuning import Tuning
from separatrix.solvers.loop.run import Limits, Stage, run

LOSSES = [HINGE, SQUARED_HINGE]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_rows_at_a_bound_become_inactive(loss) -> None:
    problem = as_sparse(noisy(500, 600, loss=loss, C=0.01))
    for shrink in (False, True):
        descent = compiled_rows(problem.X).descent(
            problem.y, problem.C, tuning=Tuning(shrink=shrink), squared=loss.squared, kappa=0.0, seed=1
        )
        active = [descent.epoch().active for _ in range(20)]
        assert active[0] == 500
        assert (min(active) < 450) is shrink
        descent.unshrink()
        assert descent.epoch().active == 500
        assert (descent.epoch().active < 450) is shrink


@pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("kappa", [0.0, 0.1])
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_the_gap_of_inactive_rows_is_measured_as_it_is(loss, kappa, as_csr) -> None:
    rng = np.random.default_rng(0)
    n = 4000
    X, C = rng.standard_normal((n, 6)).astype(np.float32), rng.uniform(1, 3, n)
    wrong = 0.0 if loss.squared else 0.01  # few rows stay off their bounds
    y = np.sign(X.sum(axis=1)).astype(float) * np.where(rng.uniform(size=n) < wrong, -1.0, 1.0)
    descent = compiled_rows(sparse.csr_array(X) if as_csr else X).descent(
        y, C, tuning=Tuning(), squared=loss.squared, kappa=kappa, seed=3
    )
    alpha, w = np.empty(n), np.empty(6)

    def gaps() -> np.ndarray:
        descent.get_alpha(alpha)
        descent.get_w(w)
        margins = y * (X @ w + descent.bias())
        dual_terms = alpha - 0.25 * alpha**2 / C if loss.squared else alpha
        return C * loss.values(margins) - dual_terms + alpha * margins

    for _ in range(30):
        active = descent.epoch().active
    assert 5 * active < n  # or nothing of what follows is at stake
    descent.set_centre(0.5)  # moves all rows: some that are inactive should not be
    shares, before = gaps(), alpha.copy()
    inactive = descent.inactive_gap(np.inf)
    assert 0 < inactive < shares.sum()
    assert descent.inactive_gap(0.0) == inactive
    assert descent.inactive_gap(np.inf) == 0  # those that were part of it are active now
    np.testing.assert_array_equal(gaps(), shares)  # nothing was moved
    np.testing.assert_array_equal(alpha, before)
    assert descent.epoch().active >= np.sum(shares > 1e-9)


def test_rows_that_leave_in_turn_are_kept() -> None:
    """Two rows, each held at zero while the other alone moves the bias: one always was left out."""
    X = np.zeros((11, 1))
    X[0], X[6] = 1.0, -2.0
    y, C = np.where(np.arange(11) == 0, 1.0, -1.0), np.full(11, 0.01)
    C[0], C[6] = 7.0, 1.0
    problem = Problem(X, y, C, HINGE, "augmented")
    found = run([Stage(CoordinateDescent(), "test")], problem, Limits(1e-8, max_time=20.0), certify)
    assert found.status is Status.CONVERGED
    assert found.n_iter < 100


def test_a_gap_that_left_rows_out_is_no_measure_of_progress() -> None:
    """Word counts: the gap of the rows visited was far below that of all; the descent was taken for stalled."""
    problem, solver = noisy(400, 20), CoordinateDescent()
    state = solver.init(problem, None, 1)
    while state.complete or state.gap > 1e-3:
        solver.step(problem, state, 1e-9)
    state.least_primal = state.dual  # as if the active rows had come to their best,
    state.stall.update(0.0)
    state.descent.set_centre(0.1)  # and the others not
    solver.rejected(problem, state, 1e-9)
    assert state.complete
    assert state.gap > 1e-3
    assert state.least_primal == state.stall.best == np.inf
