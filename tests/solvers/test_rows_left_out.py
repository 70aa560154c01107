"""Rows that coordinate descent leaves out, and the looks it takes at them, and at the others before a proof."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from problems import as_sparse, noisy
from separatrix.problem import HINGE, SQUARED_HINGE, Problem, Status
from separatrix.proof.duality import certify
from separatrix.solvers.compiled import compiled_rows
from separatrix.solvers.coordinate_descent.solver import CoordinateDescent
from separatrix.solvers.loop.protocol import Verdict
from separatrix.solvers.loop.run import Limits, Stage, run

LOSSES = [HINGE, SQUARED_HINGE]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_rows_leave_once_their_bound_has_held_them_twice(loss) -> None:
    problem = as_sparse(noisy(500, 600, loss=loss, C=0.01))  # of more rows than columns some leave sooner
    settings = {"squared": loss.squared, "kappa": 0.0, "seed": 1, "n_threads": 1, "chunk": 8, "memory": 5}
    for shrink in (False, True):
        descent = compiled_rows(problem.X).descent(problem.y, problem.C, shrink=shrink, **settings)
        active = [descent.epoch().active for _ in range(20)]
        assert active[:2] == [500, 500]  # after one visit nobody has been held twice
        assert (min(active) < 450) is shrink
        descent.unshrink()
        assert descent.epoch().active == 500
        assert (descent.epoch().active < 450) is shrink  # those left out before have been held, too


def test_what_an_epoch_measured_before_its_updates_is_taken_further() -> None:
    problem = noisy()
    solver = CoordinateDescent()
    state = solver.init(problem, None, 1)
    solver.step(problem, state)
    assert state.predicted == state.gap  # nothing is known of how it falls
    state.decay = state.decay_before = 0.5
    assert 0.5 * state.gap < state.predicted < 0.6 * state.gap
    state.decay_before = 1.0  # the last epoch alone may promise too much
    assert 0.7 * state.gap < state.predicted < 0.8 * state.gap


def test_a_proof_is_asked_for_once_for_what_was_seen() -> None:
    problem = noisy()
    solver = CoordinateDescent()
    state = solver.init(problem, None, 1)
    solver.step(problem, state)
    tol = 0.5 * state.gap
    state.seen = 0.98 * tol
    assert solver.terminate(problem, state, tol) is Verdict.GO_ON
    state.seen = 0.9 * tol
    assert solver.terminate(problem, state, tol) is Verdict.CHECK
    assert solver.terminate(problem, state, tol) is Verdict.GO_ON
    assert not state.seems_likely  # it takes more to ask again


@pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("kappa", [0.0, 0.1])
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_a_look_sees_the_gap_as_it_is(loss, kappa, as_csr) -> None:
    rng = np.random.default_rng(0)
    n = 4000
    X, C = rng.standard_normal((n, 6)).astype(np.float32), rng.uniform(1, 3, n)
    wrong = 0.0 if loss.squared else 0.01  # few rows stay off their bounds
    y = np.sign(X.sum(axis=1)).astype(float) * np.where(rng.uniform(size=n) < wrong, -1.0, 1.0)
    descent = compiled_rows(sparse.csr_array(X) if as_csr else X).descent(
        y, C, squared=loss.squared, shrink=True, kappa=kappa, seed=3, n_threads=1, chunk=8, memory=5
    )
    descent.refine(1)
    alpha, w = np.empty(n), np.empty(6)

    def gap() -> float:
        descent.get_alpha(alpha)
        descent.get_w(w)
        margins = y * (X @ w + descent.bias())
        return float(C @ loss.values(margins) - loss.dual_total(alpha, C) + alpha @ margins)

    for _ in range(30):
        active = descent.epoch().active
        assert descent.look() + descent.look_aside(np.inf) == pytest.approx(gap(), rel=1e-9, abs=1e-9)
    assert 5 * active < n  # or nothing of the above was at stake
    descent.set_centre(0.5)  # moves all rows: some that were left out should not be
    aside = descent.look_aside(np.inf)
    assert 0 < aside < gap()
    assert descent.look() + aside == pytest.approx(gap(), rel=1e-9)
    assert descent.look_aside(0.0) == aside  # now they are active
    assert descent.look_aside(np.inf) == 0
    assert descent.look() == pytest.approx(gap(), rel=1e-9)


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


class Mistaken:
    """A descent that has left out rows with a large part of the gap."""

    def __init__(self, descent) -> None:
        self.descent = descent

    def look_aside(self, enough: float) -> float:
        return 1.0

    def __getattr__(self, name: str):
        return getattr(self.descent, name)


def test_a_gap_that_left_rows_out_is_no_measure_of_progress() -> None:
    """Word counts: the gap of the rows visited was far below that of all; the descent was taken for stalled."""
    problem = noisy()
    solver = CoordinateDescent()
    state = solver.init(problem, None, 1)
    for _ in range(3):
        solver.step(problem, state)
    state.descent = Mistaken(state.descent)
    state.complete, state.checked_at = False, state.epochs  # a proof has just failed,
    state.primal = state.dual * (1 + 1e-12)  # although the rows that were visited are all but at their best
    state.best = state.gap
    solver.step(problem, state)
    assert state.best == state.gap > 1e-6
