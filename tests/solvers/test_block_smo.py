"""Block SMO: the same optimum as LIBSVM and as a quadratic program; witnesses, limits of memory, threads.

Tests `solvers/smo/tuning.py`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import optimize, sparse
from sklearn.svm import SVC

import separatrix
from separatrix.problem import HINGE, SQUARED_HINGE, Point, Problem
from separatrix.problem.kernels import (
    Function,
    Laplacian,
    Linear,
    Poly,
    Precomputed,
    Rbf,
    Sigmoid,
    kernel_width,
)
from separatrix.solvers.loop.protocol import Verdict
from separatrix.solvers.smo.solver import BlockSmo
from separatrix.solvers.smo.state import State, feasible

KERNELS = [Rbf(0.3), Poly(3, 0.2, 1.0), Linear(), Laplacian(0.2), Rbf(0.1) + Linear()]


def rings(n: int, seed: int = 0, dtype: type = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose label is the sign of a product, some of them wrong."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(n) > 0, 1.0, -1.0)
    return X.astype(dtype), y


def solve(problem, tol, solver=None, start=None, n_threads=1) -> tuple[Verdict, Point, State]:
    solver = solver or BlockSmo()
    state = solver.init(problem, start, n_threads)
    for _ in range(3000):
        solver.step(problem, state, tol)
        verdict = solver.terminate(problem, state, tol)
        if verdict is not Verdict.GO_ON:
            return verdict, solver.point(problem, state), state
    raise AssertionError("it did not end")


def values(problem: Problem, point: Point) -> tuple[float, float]:
    """Primal and dual, from the kernel's own matrix."""
    signed = point.alpha * problem.y
    F = problem.space.gram(np.arange(problem.n_rows), np.arange(problem.n_rows)) @ signed
    assert point.b is not None
    b, square = point.b if problem.bias != "none" else 0.0, float(signed @ F)
    return problem.primal_value(square, F + b, b), problem.dual_value(point.alpha, square)


def assert_proved(problem: Problem, point: Point, tol: float) -> float:
    assert (point.alpha >= 0).all()
    assert (point.alpha <= problem.upper).all()
    if problem.bias == "free":
        assert abs(point.alpha @ problem.y) <= 1e-11 * max(1.0, point.alpha.sum())
    primal, dual = values(problem, point)
    assert primal - dual <= tol * primal
    return dual


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bias", ["free", "augmented", "none"])
@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.name)
def test_gap_is_reached(kernel, loss, bias, dtype) -> None:
    X, y = rings(160, dtype=dtype)
    C = np.random.default_rng(1).uniform(0.1, 20.0, len(y))
    problem = Problem(X, y, C, loss, bias, kernel)
    verdict, point, _ = solve(problem, 1e-7)
    assert verdict is Verdict.CHECK
    assert_proved(problem, point, 1.01e-7)


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("kernel", [Rbf(0.3), Poly(3, 0.2, 1.0)], ids=lambda k: k.name)
def test_libsvm_finds_the_same_value(kernel, C) -> None:
    X, y = rings(250)
    problem = Problem(X, y, np.full(len(y), C), HINGE, "free", kernel)
    _, point, _ = solve(problem, 1e-8)
    dual = assert_proved(problem, point, 1.01e-8)
    theirs = SVC(C=C, kernel="precomputed", tol=1e-8).fit(kernel.matrix(X, X), y)
    alpha = np.zeros(len(y))
    alpha[theirs.support_] = np.abs(theirs.dual_coef_[0])
    assert values(problem, Point(alpha, b=0.0))[1] == pytest.approx(dual, rel=1e-6)


@pytest.mark.parametrize("bias", ["free", "augmented", "none"])
@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE])
def test_quadratic_program_finds_the_same_value(loss, bias) -> None:
    X, y = rings(12, seed=3)
    problem = Problem(X, y, np.linspace(0.2, 3.0, 12), loss, bias, Rbf(0.5))
    K = np.outer(y, y) * (Rbf(0.5).matrix(X, X) + (bias == "augmented"))
    if loss.squared:
        K += np.diag(1 / (2 * problem.C))
    answer = optimize.minimize(
        lambda a: 0.5 * a @ K @ a - a.sum(),
        np.zeros(12),
        jac=lambda a: K @ a - 1.0,
        bounds=[(0, None if loss.squared else c) for c in problem.C],
        constraints=[{"type": "eq", "fun": lambda a: a @ y, "jac": lambda a: y}] if bias == "free" else [],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    _, point, _ = solve(problem, 1e-9)
    assert assert_proved(problem, point, 1.01e-9) == pytest.approx(-answer.fun, rel=1e-6)


@pytest.mark.parametrize(
    "kernel", [Rbf(0.1), Poly(2, 0.5, 1.0), Linear(), Laplacian(0.1)], ids=lambda k: k.name
)
@pytest.mark.parametrize("columns", [40, 3000])
def test_sparse_rows_give_the_dense_answer(kernel, columns) -> None:
    rng = np.random.default_rng(5)
    X = sparse.random_array((200, columns), density=0.05, rng=rng, format="csr")
    y = np.where(X[:, :20].sum(axis=1) > np.median(X[:, :20].sum(axis=1)), 1.0, -1.0)
    C = np.ones(200)
    answers = []
    for rows in (X, X.toarray(), X.astype(np.float32)):
        problem = Problem(rows, y, C, HINGE, "free", kernel)
        _, point, _ = solve(problem, 1e-6)
        answers.append(assert_proved(problem, point, 1.1e-6))
    assert answers == pytest.approx([answers[0]] * 3, rel=2e-6)


def test_whole_numbers_and_their_multiples_are_solved_as_well() -> None:
    rng = np.random.default_rng(6)
    X = rng.integers(0, 256, (300, 30)) / 255.0
    y = np.where(X[:, 0] + X[:, 1] + 0.2 * rng.standard_normal(300) > 1, 1.0, -1.0)
    for rows in (X, X.astype(np.float32), np.round(X), 17.0 * np.round(3 * X)):
        problem = Problem(rows, y, np.full(300, 5.0), HINGE, "free", Rbf(1.0 / (30 * rows.var())))
        verdict, point, _ = solve(problem, 1e-8)
        assert verdict is Verdict.CHECK
        assert_proved(problem, point, 1.01e-8)


@pytest.mark.parametrize("kernel", [Linear(), Rbf(0.05), Poly(3, 0.02, 1.0)], ids=["linear", "rbf", "poly"])
@pytest.mark.parametrize("share", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_sums_of_whole_numbers_are_those_of_the_kernel(kernel, share, n_threads) -> None:
    rng = np.random.default_rng(16)
    X = (rng.integers(1, 4, (333, 41)) * (rng.random((333, 41)) < share)).astype(np.float32)
    y = np.where(X[:, 0] + X[:, 1] >= X[:, 2] + X[:, 3], 1.0, -1.0)
    problem = Problem(X, y, np.full(333, 0.5), HINGE, "free", kernel)
    state = BlockSmo(working_set=64).init(problem, None, n_threads)
    state.engine.run(1e-9, 3, np.inf)
    alpha, F = np.empty(333), np.empty(333)
    state.engine.get_alpha(alpha)
    state.engine.get_sums(F)
    assert np.count_nonzero(alpha) > 20
    K = problem.space.gram(np.arange(333), np.arange(333))
    rounding = 1e-6 * np.abs(K) @ problem.C  # of floats: an alpha may have gone up and come back
    assert np.all(np.abs(F - K @ (alpha * y)) <= rounding)


def test_rows_far_from_the_origin() -> None:
    X, y = rings(200)
    problem = Problem(X + 1e4, y, np.full(200, 10.0), HINGE, "free", Rbf(0.3))
    verdict, point, _ = solve(problem, 1e-6)
    assert verdict is Verdict.CHECK
    assert_proved(problem, point, 1.1e-6)


def test_a_gap_far_below_single_precision() -> None:
    X, y = rings(160, dtype=np.float32)
    problem = Problem(X, y, np.full(160, 10.0), HINGE, "free", Rbf(0.3))
    verdict, point, _ = solve(problem, 1e-12)
    assert verdict is Verdict.CHECK
    assert_proved(problem, point, 3e-12)


@pytest.mark.parametrize("kernel", ["function", "precomputed", "sum"])
def test_kernels_that_the_core_does_not_know(kernel) -> None:
    X, y = rings(180)
    known = Rbf(0.3)
    rows, asked = {
        "function": (X, Function(lambda A, B: known.matrix(A, B))),
        "precomputed": (known.matrix(X, X), Precomputed()),
        "sum": (X, known + Linear()),
    }[kernel]
    problem = Problem(rows, y, np.full(180, 3.0), HINGE, "free", asked)
    verdict, point, _ = solve(problem, 1e-8)
    assert verdict is Verdict.CHECK
    assert_proved(problem, point, 1.01e-8)


def test_a_small_cache_changes_nothing_but_time() -> None:
    X, y = rings(400)
    problem = Problem(X, y, np.full(400, 10.0), HINGE, "free", Rbf(0.3))
    _, ample, all_kept = solve(problem, 1e-6, BlockSmo(working_set=32))
    _, scarce, few_kept = solve(problem, 1e-6, BlockSmo(working_set=32, cache_mb=0.0))
    assert few_kept.report.computed > all_kept.report.computed
    np.testing.assert_array_equal(ample.alpha, scarce.alpha)


@pytest.mark.parametrize("bias", ["free", "augmented", "none"])
@pytest.mark.parametrize("rows", ["dense", "sparse", "whole"])
def test_rows_left_out_come_back(rows, bias) -> None:
    X, y = rings(600)
    if rows != "dense":
        X = np.round(np.abs(np.repeat(X, 4, axis=1)) * (2 if rows == "whole" else 1))
    if rows == "sparse":
        X = np.hstack([X, np.zeros((600, 100))])
    problem = Problem(X, y, np.full(600, 1.0), HINGE, bias, Rbf(0.1))
    solver = BlockSmo(working_set=8)
    state = solver.init(problem, None, 1)
    active = [state.engine.run(1e-4, 1, 1.0).active for _ in range(400)]
    assert min(active) < 400  # some were left out
    assert active[-1] == 600
    assert state.engine.run(1e-4, 0, 1.0).reached
    verdict, point, _ = solve(problem, 1e-6, solver)
    assert verdict is Verdict.CHECK
    assert_proved(problem, point, 1.01e-6)


def test_the_number_of_threads_changes_nothing() -> None:
    X, y = rings(1500, dtype=np.float32)
    problem = Problem(X, y, np.full(1500, 10.0), HINGE, "free", Rbf(0.3))
    _, one, _ = solve(problem, 1e-4)
    _, three, _ = solve(problem, 1e-4, n_threads=3)
    np.testing.assert_array_equal(one.alpha, three.alpha)


@pytest.mark.parametrize("share", [0.2, 0.9])
def test_threads_that_share_many_short_loops_change_nothing(share) -> None:
    """More threads than cores, and two fits at once, each with a team of its own."""
    rng = np.random.default_rng(3)
    X = (rng.integers(1, 200, (900, 64)) * (rng.random((900, 64)) < share)).astype(np.float32)
    y = np.where(X[:, 0] + X[:, 1] >= X[:, 2] + X[:, 3], 1.0, -1.0)
    problem = Problem(X, y, np.full(900, 10.0), HINGE, "free", Rbf(1.0 / (64 * X.var())))
    _, alone, _ = solve(problem, 1e-5, BlockSmo(working_set=256))
    with ThreadPoolExecutor(2) as pool:
        for n_threads in (2, 2, 7, 7):
            fits = [
                pool.submit(solve, problem, 1e-5, BlockSmo(working_set=256), None, n_threads)
                for _ in range(2)
            ]
            for fit in fits:
                np.testing.assert_array_equal(fit.result()[1].alpha, alone.alpha)
    assert_proved(problem, alone, 1.01e-5)


@pytest.mark.parametrize("bias", ["free", "none"])
def test_start_from_a_point(bias) -> None:
    X, y = rings(300)
    problem = Problem(X, y, np.full(300, 10.0), HINGE, bias, Rbf(0.3))
    _, point, cold = solve(problem, 1e-5)
    verdict, again, warm = solve(problem, 1e-5, start=point)
    assert verdict is Verdict.CHECK
    assert warm.report.steps < 0.2 * cold.report.steps
    assert_proved(problem, again, 1.1e-5)


def test_an_infeasible_start_is_made_feasible() -> None:
    X, y = rings(50)
    problem = Problem(X, y, np.full(50, 2.0), HINGE, "free", Linear())
    alpha = feasible(problem, np.random.default_rng(0).normal(1.0, 2.0, 50))
    assert (alpha >= 0).all()
    assert (alpha <= 2.0).all()
    assert alpha @ y == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("bias", ["free", "none"])
def test_negative_curvature_is_a_witness(bias) -> None:
    rng = np.random.default_rng(2)
    X = rng.standard_normal((60, 3))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    K = Rbf(0.5).matrix(X, X)
    K[7, 7] -= 3.0  # K is no longer positive semidefinite
    problem = Problem(K, y, np.full(60, 1.0), HINGE, bias, Precomputed())
    verdict, _, state = solve(problem, 1e-6)
    assert verdict is Verdict.STALLED
    assert state.negative_curvature is not None
    (i, j), value = state.negative_curvature.rows, state.negative_curvature.value
    assert 7 in (i, j)
    z = np.zeros(60)
    z[i] += 1.0
    if i != j:
        z[j] -= 1.0
    assert z @ K @ z == pytest.approx(value)
    assert value < 0


def test_negative_curvature_may_be_tolerated() -> None:
    X, y = rings(160)
    problem = Problem(X, y, np.full(160, 1.0), HINGE, "free", Sigmoid(1.0, -1.0))
    verdict, point, state = solve(problem, 1e-3, BlockSmo(stop_on_negative_curvature=False))
    assert verdict in (Verdict.CHECK, Verdict.STALLED)
    assert state.negative_curvature is not None
    assert np.isfinite(point.alpha).all()


@pytest.mark.parametrize("n", [60, 200])
@pytest.mark.parametrize("C", [1.0, 1e10])
def test_a_gap_that_rounding_hides_ends_as_stalled(n, C) -> None:
    X, y = rings(n)
    problem = Problem(10.0 * X, y, np.full(n, C), HINGE, "free", Poly(5, 1.0, 1.0))
    solver = BlockSmo()
    state = solver.init(problem, None, 1)
    verdicts = []
    while Verdict.STALLED not in verdicts:
        assert state.report.rounds < 10_000
        solver.step(problem, state, 1e-9)
        verdicts.append(solver.terminate(problem, state, 1e-9))
    point = solver.point(problem, state)
    primal, dual = values(problem, point)
    assert primal - dual > 1e-9 * primal  # it stalled, and does not claim otherwise
    assert not state.report.reached
    assert state.report.dual == pytest.approx(dual, rel=1e-3)


def test_equal_rows_with_both_labels() -> None:
    X = np.repeat(np.array([[0.0, 0.0], [1.0, 2.0]]), 10, axis=0)
    y = np.tile([1.0, -1.0], 10)
    problem = Problem(X, y, np.ones(20), HINGE, "free", Rbf(1.0))
    verdict, point, _ = solve(problem, 1e-9)
    assert verdict is Verdict.CHECK
    assert assert_proved(problem, point, 1e-9) == pytest.approx(20.0)


def test_one_class_only() -> None:
    problem = Problem(np.eye(4), np.ones(4), np.ones(4), HINGE, "free", Rbf(1.0))
    verdict, point, _ = solve(problem, 1e-6)
    assert verdict is not Verdict.GO_ON
    assert not point.alpha.any()


@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE])
def test_rounding_of_large_kernel_values_does_not_pass_for_a_small_gap(loss) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 16, (400, 16)).astype(np.float32)
    products = (X[:, 0] - 7.5) * (X[:, 1] - 7.5) + (X[:, 2] - 7.5) * (X[:, 3] - 7.5)
    y = np.where(products + 10 * rng.standard_normal(400) > 0, 1.0, -1.0)
    kernel = Poly(3, kernel_width("scale", X), 1.0)
    problem = Problem(X, y, np.full(400, 100.0), loss, "free", kernel)
    verdict, point, _ = solve(problem, 1e-3)
    assert verdict is Verdict.CHECK
    assert_proved(problem, point, 1.02e-3)  # in float32 the gap looked like 1e-3 at 9e-3


@pytest.mark.parametrize("bias", ["free", "augmented", "none"])
@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE])
def test_wide_values_reach_the_last_digits(loss, bias) -> None:
    X, y = rings(160)
    problem = Problem(X, y, np.full(160, 3.0), loss, bias, Rbf(0.3))
    verdict, point, state = solve(problem, 1e-12, BlockSmo(wide=True, working_set=160))
    assert verdict is Verdict.CHECK
    assert_proved(problem, point, 1.5e-12)
    assert 0 < state.report.computed <= 160  # none twice, and none whose alpha never moves


def test_working_sets_of_any_size_see_the_same_values() -> None:
    # Values that stay from round to round are moved, not gathered: their number depends on the size.
    X, y = rings(300)
    problem = Problem(X, y, np.full(300, 5.0), SQUARED_HINGE, "augmented", Rbf(0.3))
    duals = [
        assert_proved(problem, solve(problem, 1e-10, BlockSmo(working_set=size, wide=True))[1], 2e-10)
        for size in (2, 3, 17, 50, 128)
    ]
    assert duals == pytest.approx([duals[0]] * 5, rel=1e-9)


def test_few_rows_give_the_same_answer_whatever_the_clock_says():
    """A kernel of values near 1e12: rounds that ended by time left the interior point other starts each time."""
    rng = np.random.RandomState(0)
    X, y = rng.normal(loc=100, size=(80, 2)), rng.randint(0, 2, 80)
    first, second = (separatrix.SVC(kernel="poly", random_state=0).fit(X, y) for _ in range(2))
    assert first.gap_ <= 1e-3
    assert np.array_equal(first.alpha_, second.alpha_)
    assert first.n_iter_ == second.n_iter_
