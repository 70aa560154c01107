"""Coordinate descent against hand-made answers, a naive version, a QP solver, and itself in other clothes."""

from __future__ import annotations

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from oracles import dual_ascent, primal_by_qp
from problems import as_sparse, known, noisy
from separatrix.problem import HINGE, SQUARED_HINGE, Point, Problem, Status
from separatrix.proof.duality import certify
from separatrix.solvers.compiled import compiled_rows
from separatrix.solvers.coordinate_descent.solver import CoordinateDescent
from separatrix.solvers.coordinate_descent.tuning import Tuning
from separatrix.solvers.loop.protocol import Verdict
from separatrix.solvers.loop.run import Limits, Stage, run

LOSSES = [HINGE, SQUARED_HINGE]
BIASES = ["none", "augmented", "free"]


def solve(problem: Problem, tol: float = 1e-8, start: Point | None = None, n_threads: int = 1, **settings):
    limits = Limits(tol, max_time=20.0, n_threads=n_threads)
    return run([Stage(CoordinateDescent(**settings), "test")], problem, limits, certify, start=start)


@pytest.mark.parametrize("case", known(), ids=lambda case: case.name)
def test_known_answers(case) -> None:
    for problem in (case.problem, as_sparse(case.problem)):
        solution = solve(problem, tol=1e-10)
        assert solution.status is Status.CONVERGED
        assert solution.primal == pytest.approx(case.value, rel=1e-9)
        np.testing.assert_allclose(solution.w, case.w, atol=1e-4)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_agrees_with_a_qp_solver(loss, bias) -> None:
    problem = noisy(24, 3, loss=loss, bias=bias)
    assert solve(problem, tol=1e-9).primal == pytest.approx(primal_by_qp(problem), rel=1e-6)


@pytest.mark.parametrize("bias", ["none", "augmented"])
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_agrees_with_naive_coordinate_ascent(loss, bias) -> None:
    problem = noisy(40, 5, loss=loss, bias=bias, C=0.03)
    naive = certify(problem, Point(dual_ascent(problem, epochs=500)))
    assert naive.gap < 1e-6
    assert solve(problem).dual == pytest.approx(naive.dual, rel=1e-6)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
@pytest.mark.parametrize("tol", [1e-3, 1e-9])
def test_proves_what_it_is_asked_for(loss, bias, tol) -> None:
    for problem in (noisy(400, 20, loss=loss, bias=bias), as_sparse(noisy(400, 20, loss=loss, bias=bias))):
        solution = solve(problem, tol)
        assert solution.status is Status.CONVERGED
        assert solution.gap <= tol
        assert np.all(solution.alpha >= 0)
        assert np.all(solution.alpha <= problem.upper)


@pytest.mark.parametrize("bias", BIASES)
def test_dense_sparse_and_index_types_agree(bias) -> None:
    problem = noisy(bias=bias)
    values = [solve(p).primal for p in (problem, as_sparse(problem), as_sparse(problem, np.int64))]
    np.testing.assert_allclose(values, values[0], rtol=1e-7)


def test_float32_equals_float64_where_the_data_are_representable() -> None:
    problem = noisy()
    narrow = problem.X.astype(np.float32)
    wide = replace(problem, X=narrow.astype(np.float64))
    for single, double in ((narrow, wide.X), (sparse.csr_array(narrow), sparse.csr_array(wide.X))):
        a, b = solve(replace(problem, X=single), tol=1e-10), solve(replace(problem, X=double), tol=1e-10)
        assert a.status is b.status is Status.CONVERGED
        assert a.primal == pytest.approx(b.primal, rel=2e-10)


@pytest.mark.parametrize("as_csr", [False, True])
def test_float64_data_are_solved_as_float64(as_csr) -> None:
    # Column 0 is 1 + 1e-9 or 1 - 1e-9 by class: float32 sees a constant, only float64 can separate by it.
    y = np.tile([1.0, -1.0], 20)
    problem = Problem((np.ones(40) + 1e-9 * y)[:, None] * 1.0, y, np.full(40, 1e-3), HINGE, "none")
    solution = solve(as_sparse(problem) if as_csr else problem, tol=1e-12)
    assert solution.gap <= 1e-12
    rounded = solve(replace(problem, X=problem.X.astype(np.float32)), tol=1e-12)
    assert solution.primal < rounded.primal


@pytest.mark.parametrize("bias", BIASES)
def test_weight_k_equals_k_copies(bias) -> None:
    problem = noisy(60, 4, bias=bias)
    weights = np.arange(60) % 3 + 1
    weighted = replace(problem, C=weights.astype(float))
    rows = np.repeat(np.arange(60), weights)
    copied = replace(problem.take(rows), C=np.ones(len(rows)))
    assert solve(weighted).primal == pytest.approx(solve(copied).primal, rel=1e-7)


@pytest.mark.parametrize("C", [1e-4, 1e2])
@pytest.mark.parametrize("bias", BIASES)
def test_small_and_large_costs(C, bias) -> None:
    solution = solve(noisy(100, 5, C=C, bias=bias), tol=1e-6)
    assert solution.gap <= 1e-6


def test_hopeless_scaling_ends_with_a_bound_and_no_nan() -> None:
    problem = noisy(100, 5, C=1e10)
    problem = replace(problem, X=problem.X * np.array([1e-8, 1.0, 1e4, 1e8, 1.0]))
    limits = Limits(1e-12, max_iter=60)
    solution = run([Stage(CoordinateDescent(), "test")], problem, limits, certify)
    assert np.isfinite(solution.primal)
    assert 0 <= solution.dual <= solution.primal


def test_gives_up_when_nothing_falls_any_more() -> None:
    solution = run(
        [Stage(CoordinateDescent(), "test")], noisy(50, 3), Limits(tol=-1.0), certify
    )  # cannot be met
    assert solution.history[-1].note == "stalled"
    assert solution.gap < 1e-12


def test_a_rejected_check_is_not_asked_for_again_at_once() -> None:
    problem, solver = noisy(), CoordinateDescent()
    state = solver.init(problem, None, 1)
    verdict = Verdict.GO_ON
    while verdict is Verdict.GO_ON:
        solver.step(problem, state, 1e-4)
        verdict = solver.terminate(problem, state, 1e-4)
    assert verdict is Verdict.CHECK
    assert solver.terminate(problem, state, 1e-4) is Verdict.CHECK  # a query
    factor = state.check_factor
    for _ in range(2):  # first the inactive rows are measured, then less is asked for
        solver.rejected(problem, state, 1e-4)
    assert state.check_factor < factor


@pytest.mark.parametrize("bias", BIASES)
def test_a_warm_start_is_where_it_begins(bias) -> None:
    problem = noisy(400, 20, bias=bias)
    cold = solve(problem, tol=1e-6)
    warm = solve(problem, tol=1e-5, start=Point(cold.alpha, cold.w, cold.b))
    assert warm.status is Status.CONVERGED
    assert warm.n_iter <= 2
    outside = solve(problem, tol=1e-5, start=Point(np.full(400, 1e9)))
    assert outside.gap <= 1e-5


@pytest.mark.parametrize("as_csr", [False, True])
def test_the_same_seed_gives_the_same_answer(as_csr) -> None:
    problem = as_sparse(noisy()) if as_csr else noisy()
    first, second = solve(problem, tol=1e-5), solve(problem, tol=1e-5)
    np.testing.assert_array_equal(first.alpha, second.alpha)
    np.testing.assert_array_equal(first.alpha, solve(problem, tol=1e-5, n_threads=2).alpha)
    other = solve(problem, tol=1e-5, seed=7)
    assert other.primal == pytest.approx(first.primal, rel=2e-5)


@pytest.mark.parametrize(
    "tuning",
    [Tuning(shrink=False), Tuning(moves=0), Tuning(run_length=1), Tuning(moves=16), Tuning(copy=False)],
)
def test_numbers_change_the_way_not_the_answer(tuning) -> None:
    problem = as_sparse(noisy(bias="free"))
    assert solve(problem, tol=1e-7, tuning=tuning).primal == pytest.approx(solve(problem).primal, rel=2e-7)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("shrink", [False, True])
def test_w_is_the_sum_of_its_rows_wherever_they_are_read(shrink, exact, dtype, index) -> None:
    """First the caller's rows, after some epochs a copy: as floats only where no value would be rounded."""
    problem = as_sparse(noisy(300, 40), index)
    X = problem.X.astype(np.float32 if exact else dtype).astype(dtype)
    problem = replace(problem, X=X)
    descent = compiled_rows(X).descent(
        problem.y, problem.C, tuning=Tuning(shrink=shrink), squared=False, kappa=0.0, seed=1
    )
    alpha, w, copied = np.empty(problem.n_rows), np.empty(problem.n_columns), False
    for epoch in range(60):
        copied |= descent.epoch().copied
        descent.get_alpha(alpha)
        descent.get_w(w)
        np.testing.assert_allclose(w, problem.weighted_sum(alpha), atol=1e-11)
        if epoch == 30:
            descent.unshrink()
    assert copied


@pytest.mark.parametrize("kappa", [0.0, 0.1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_reports_hold_for_all_rows_while_a_few_are_worked_on(loss, as_csr, dtype, kappa) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 6)).astype(dtype)
    wide, C = X.astype(np.float64), rng.uniform(1, 3, 4000)
    wrong = 0.0 if loss.squared else 0.01  # few rows stay off their bounds
    y = np.sign(wide.sum(axis=1)) * np.where(rng.uniform(size=4000) < wrong, -1.0, 1.0)
    rows = compiled_rows(sparse.csr_array(X) if as_csr else X)
    descent = rows.descent(y, C, tuning=Tuning(), squared=loss.squared, kappa=kappa, seed=3)
    alpha, w, part, least = np.empty(4000), np.empty(6), np.empty(100), 4000
    copied, work = False, 0.0
    for epoch in range(60):
        if epoch == 50:
            descent.unshrink()
        report = descent.epoch()
        least, copied = min(least, report.active), copied or report.copied
        assert report.work > work
        work = report.work
        assert (report.active == 4000) or epoch != 50
        descent.get_alpha(alpha)
        descent.get_alpha(part, 1234)
        descent.get_w(w)
        np.testing.assert_array_equal(part, alpha[1234:1334])
        assert np.all((alpha >= 0) & (alpha <= loss.upper(C)))
        np.testing.assert_allclose(w, wide.T @ (alpha * y), rtol=0, atol=1e-9 * alpha.sum())
        assert report.dual == pytest.approx(loss.dual_total(alpha, C) - 0.5 * w @ w, rel=1e-5, abs=1e-5)
        assert report.residual == pytest.approx(alpha @ y if kappa else 0.0, abs=1e-9 * alpha.sum())
        assert report.bias == pytest.approx(kappa * report.residual, abs=1e-9 * alpha.sum())
    assert copied
    assert 8 * least < 4000  # or nothing of the above was at stake


@pytest.mark.parametrize("seed", range(12))
def test_long_steps_do_not_part_w_from_alpha(seed) -> None:
    """Moves that shrink by many orders of magnitude, then rows that come back: what is left of a move is rounding."""
    rng = np.random.default_rng(seed)
    y = np.repeat([-1.0, 1.0], 20)
    X = (rng.standard_normal((40, 2)) + 0.7 * y[:, np.newaxis]).astype(np.float32)
    descent = compiled_rows(X).descent(y, np.ones(40), tuning=Tuning(), squared=False, kappa=0.03, seed=seed)
    alpha, w = np.empty(40), np.empty(2)
    for epoch in range(600):
        descent.set_centre(descent.epoch().bias)
        if epoch % 100 == 99:
            descent.unshrink()
        descent.get_alpha(alpha)
        descent.get_w(w)
        np.testing.assert_allclose(w, X.astype(np.float64).T @ (alpha * y), atol=1e-11)


def test_sorted_labels_cost_no_more_epochs() -> None:
    problem = as_sparse(noisy(2000, 60))
    order = np.argsort(problem.y, kind="stable")
    sizes = [solve(part, tol=1e-6).n_iter for part in (problem, problem.take(order))]
    assert sizes[1] <= 2 * sizes[0]


def test_two_python_threads_solve_at_once() -> None:
    problems = [noisy(seed=seed) for seed in range(6)]
    alone = [solve(problem).alpha for problem in problems]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda problem: solve(problem).alpha, problems))
    for a, b in zip(alone, together, strict=True):
        np.testing.assert_array_equal(a, b)


def test_steps_do_not_grow_memory() -> None:
    problem, solver = noisy(500, 10), CoordinateDescent()
    state = solver.init(problem, None, 1)
    for _ in range(20):
        solver.step(problem, state, 1e-30)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(50):
        solver.step(problem, state, 1e-30)
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 2000


def test_a_run_that_creeps_is_not_given_up() -> None:
    """The gap stands still for hundreds of epochs at a time on its way to tol."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 60)) * np.logspace(-1, 1, 60)
    y = np.sign(X @ rng.standard_normal(60) + 20 * rng.standard_normal(300))
    problem = Problem(X, y, np.full(300, 100.0), HINGE, "none")
    assert solve(problem, tol=1e-6).status is Status.CONVERGED
    assert solve(problem, tol=1e-6, tuning=Tuning(patience=20)).status is Status.MAX_ITER


@pytest.mark.parametrize("slow_after", [8, 1000])
def test_rows_are_copied_once_passes_have_proved_many(slow_after) -> None:
    problem = as_sparse(noisy(300, 40))
    descent = compiled_rows(problem.X).descent(
        problem.y, problem.C, tuning=Tuning(slow_after=slow_after), squared=False, kappa=0.0, seed=3
    )
    copied = [descent.epoch().copied for _ in range(20)]
    assert copied == [epoch >= slow_after for epoch in range(20)]


def test_a_tuning_the_core_cannot_use_is_refused() -> None:
    problem = noisy(20, 2)
    for tuning, sentence in (
        (Tuning(run_length=0), "run_length must be at least 1; got 0."),
        (Tuning(moves=17), "moves must be from 0 to 16; got 17."),
    ):
        with pytest.raises(ValueError, match=sentence):
            CoordinateDescent(tuning=tuning).init(problem, None, 1)
