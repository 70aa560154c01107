"""Interior point (both sides, screened or not) and Newton: tiny problems, hard scaling, degenerate data.

Tests `solvers/interior_point/crossover.py`.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from separatrix.problem import HINGE, LOSSES, Point, Problem, Solution, Status
from separatrix.problem.problem import relative_gap
from separatrix.proof.duality import certify
from separatrix.solvers.choose import stages
from separatrix.solvers.interior_point.central_path import CentralPath
from separatrix.solvers.interior_point.fewer_rows import sample_rows
from separatrix.solvers.interior_point.solver import InteriorPoint
from separatrix.solvers.loop.protocol import Verdict
from separatrix.solvers.loop.run import Limits, Stage, run
from separatrix.solvers.newton import Newton

sys.path.insert(0, str(Path(__file__).parents[1]))
from oracles import dual_ascent, primal_by_qp, signed_rows
from problems import Known, known, make

BIASES = ("none", "augmented", "free")
SOLVERS = {
    "primal side": InteriorPoint(side="primal"),
    "gram side": InteriorPoint(side="gram"),
    "auto side": InteriorPoint(),
    "newton": Newton(),
}


def solve(problem: Problem, solver: object, tol: float = 1e-9, start: Point | None = None) -> Solution:
    return run([Stage(solver, "test")], problem, Limits(tol, max_iter=300), certify, start)  # type: ignore[arg-type]


def suits(solver: object, problem: Problem) -> bool:
    return problem.loss.squared or not isinstance(solver, Newton)


def blobs(n: int = 60, d: int = 4, *, overlap: float = 1.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return rng.standard_normal((n, d)) * overlap + y[:, None] * 0.7, y


@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS.keys())
@pytest.mark.parametrize("case", known(), ids=lambda case: case.name)
def test_known_answers(case: Known, solver: object) -> None:
    if not suits(solver, case.problem):
        with pytest.raises(ValueError, match="squared_hinge"):
            solve(case.problem, solver)
        return
    found = solve(case.problem, solver)
    assert found.status is Status.CONVERGED
    assert found.primal == pytest.approx(case.value, rel=1e-8)
    # The primal is 1-strongly convex in w: |w - w*|^2 / 2 <= gap.
    near = np.sqrt(2e-9 * case.value)
    np.testing.assert_allclose(found.w, case.w, atol=near)
    if case.b is not None:
        assert found.b == pytest.approx(case.b, abs=4 * near)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
def test_agrees_with_oracles(loss: object, bias: str) -> None:
    X, y = blobs(16, 3)
    problem = make(X, y, np.linspace(0.1, 2.0, 16), loss, bias)  # type: ignore[arg-type]
    expected = primal_by_qp(problem)
    for name, solver in SOLVERS.items():
        if suits(solver, problem):
            assert solve(problem, solver).primal == pytest.approx(expected, rel=1e-6), name
    if bias != "free":
        assert problem.dual(dual_ascent(problem)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4, 1e10])
@pytest.mark.parametrize("overlap", [0.1, 1.0], ids=["separable", "inseparable"])
def test_any_cost_and_scaling(overlap: float, C: float, loss: object, bias: str) -> None:
    """Columns in units from 1e-8 to 1e8.

    alpha_i x_ij is known to eps C |x_ij| at best, and its square enters the dual: with C = 1e10 on inseparable
    data no dual point in float64 proves 1e-9 for a column of 1e8, so there the units end at 1e5.
    """
    X, y = blobs(80, 5, overlap=overlap, seed=3)
    largest = 1e5 if C == 1e10 and overlap == 1.0 else 1e8
    X = X * np.array([1e-8, 1e-3, 1.0, 1e3, largest])
    problem = make(X, y, C, loss, bias)  # type: ignore[arg-type]
    second_order = stages(problem, "auto")[:-1]
    found = run(second_order, problem, Limits(1e-9, max_iter=120), certify)
    assert found.status is Status.CONVERGED
    assert found.gap <= 1e-9


DEGENERATE = {
    "duplicate rows": ([[1.0, 2.0]] * 3 + [[-1.0, 0.5]] * 4, [1, 1, 1, -1, -1, -1, -1]),
    "contradicting rows": ([[1.0, 2.0]] * 4 + [[0.0, 1.0]], [1, -1, 1, -1, 1]),
    "zero row": ([[0.0, 0.0], [1.0, 1.0], [-1.0, -2.0]], [1, 1, -1]),
    "zero column": ([[0.0, 1.0], [0.0, -1.0], [0.0, 0.3]], [1, -1, -1]),
    "constant column": ([[1.0, 2.0], [1.0, -1.0], [1.0, 0.1]], [1, -1, 1]),
    "duplicate columns": ([[1.0, 1.0, 2.0], [-1.0, -1.0, 1.0], [0.5, 0.5, -3.0]], [1, -1, 1]),
    "two rows": ([[1.0], [3.0]], [-1, 1]),
    "one of a class": ([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0], [-1.0, -1.0]], [1, 1, 1, -1]),
    "more columns than rows": (np.eye(3, 7) + 0.1, [1, -1, 1]),
    "all zero": ([[0.0], [0.0], [0.0]], [1, -1, -1]),
    "identical rows, all of them": ([[1.0, 1.0]] * 4, [1, -1, 1, -1]),
}


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_data(name: str, loss: object, bias: str) -> None:
    X, y = DEGENERATE[name]
    for C in (0.01, 1.0, 1e6):
        problem = make(X, y, C, loss, bias)  # type: ignore[arg-type]
        for label, solver in SOLVERS.items():
            if suits(solver, problem):
                found = solve(problem, solver)
                assert found.gap <= 1e-9, (label, C)
                assert np.all(np.isfinite(found.w))
                assert np.all(np.isfinite(found.alpha))


@pytest.mark.parametrize("bias", BIASES)
def test_three_kinds_are_clean(bias: str) -> None:
    """Every alpha is exactly 0, exactly C, or belongs to a row on the margin."""
    X, y = blobs(400, 6, seed=1)
    problem = make(X, y, 0.7, HINGE, bias)
    found = solve(problem, InteriorPoint(), tol=1e-6)
    assert abs(found.gap) <= 1e-12
    margins = y * problem.scores(found.w, found.b)
    free = (found.alpha > 0) & (found.alpha < 0.7)
    assert 0 < np.count_nonzero(free) <= 7
    np.testing.assert_allclose(margins[free], 1.0, atol=1e-9)
    assert np.all(margins[found.alpha == 0] >= 1.0 - 1e-9)
    assert np.all(margins[found.alpha == 0.7] <= 1.0 + 1e-9)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("kind", ["dense64", "dense32", "csr"])
def test_screening_changes_nothing(kind: str, bias: str) -> None:
    """Sample and band lead to the answer of all rows at once."""
    X, y = blobs(9000, 5, overlap=1.5, seed=2)
    X[X[:, 1] < 0, 1] = 0.0
    data = {"dense64": X, "dense32": X.astype(np.float32), "csr": sparse.csr_array(X)}[kind]
    problem = Problem(data, y, np.ones(len(y)), HINGE, bias)  # type: ignore[arg-type]
    few, all_rows = solve(problem, InteriorPoint()), solve(problem, InteriorPoint(screen=False))
    assert any("band" in record.note for record in few.history)
    assert few.primal == pytest.approx(all_rows.primal, rel=1e-8)
    assert few.gap <= 1e-9


def test_screening_survives_heavy_tails_and_a_rare_class() -> None:
    rng = np.random.default_rng(5)
    X = rng.standard_t(1.5, size=(8000, 6))
    y = np.where(np.arange(8000) < 40, 1.0, -1.0)
    X[:40] += 1.0
    problem = Problem(X, y, np.where(y > 0, 50.0, 0.5), HINGE, "free")
    found = solve(problem, InteriorPoint(), tol=1e-8)
    assert found.gap <= 1e-8


def test_newton_ends_in_rounding() -> None:
    X, y = blobs(3000, 8, seed=4)
    found = solve(make(X, y, 1.0, LOSSES["squared_hinge"], "none"), Newton(), tol=1e-13)
    assert found.status is Status.CONVERGED
    assert found.n_iter <= 20


def test_newton_starts_from_a_sample() -> None:
    X, y = blobs(20000, 3, seed=4)
    found = solve(make(X, y, 1.0, LOSSES["squared_hinge"], "augmented"), Newton())
    assert "sample" in found.history[1].note
    assert found.gap <= 1e-9


@pytest.mark.parametrize("share", [0.001, 0.3, 1.0])
def test_a_sample_repeats_no_row_and_stands_for_all(share: float) -> None:
    y = np.where(np.random.default_rng(0).random(1000) < share, 1.0, -1.0)
    rows, weights = sample_rows(y, 700, seed=1)
    assert np.all(np.diff(rows) > 0)
    assert np.sum(weights) == pytest.approx(1000)
    assert np.sum(weights * y[rows]) == pytest.approx(np.sum(y))


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("kind", ["dense64", "dense32", "csr"])
def test_newton_goes_on_with_the_matrix_of_its_sample(kind: str, bias: str) -> None:
    """Or leaves it: with costs that differ by row and columns in units from 1e-3 to 1e3 the gap closes either way."""
    rng = np.random.default_rng(3)
    X, y = blobs(15000, 6, seed=6)
    X *= 10.0 ** np.array([-3, -1, 0, 0, 1, 3])
    data = {"dense64": X, "dense32": X.astype(np.float32), "csr": sparse.csr_array(X)}[kind]
    for C in (1e-4, 1.0, 1e4):
        problem = Problem(data, y, C * rng.uniform(0.1, 10.0, len(y)), LOSSES["squared_hinge"], bias)  # type: ignore[arg-type]
        found = solve(problem, Newton())
        assert found.gap <= 1e-9
        assert found.primal == pytest.approx(solve(problem, Newton(sample=False)).primal, rel=1e-8)


def test_warm_start_takes_no_longer() -> None:
    X, y = blobs(20000, 3, seed=4)
    problem = make(X, y, 1.0, LOSSES["squared_hinge"], "none")
    cold = solve(problem, Newton())
    warm = solve(problem, Newton(), start=Point(cold.alpha, cold.w, cold.b))
    assert warm.n_iter <= cold.n_iter
    hinge = replace(problem, loss=HINGE)
    cold = solve(hinge, InteriorPoint())
    warm = solve(hinge, InteriorPoint(), start=Point(cold.alpha, cold.w, cold.b))
    assert warm.gap <= 1e-9


def test_stalls_instead_of_looping_when_tol_is_out_of_reach() -> None:
    X, y = blobs(50, 3)
    problem = make(X, y, 1.0, HINGE, "free")
    solver = InteriorPoint()
    state = solver.init(problem, None, 1)
    for _ in range(200):
        solver.step(problem, state, -1.0)
        if solver.terminate(problem, state, -1.0) is Verdict.STALLED:
            break
    else:
        pytest.fail("never stalled")
    point = solver.point(problem, state)
    assert np.all(np.isfinite(point.alpha))
    assert certify(problem, point).gap <= 1e-12


def test_history_falls() -> None:
    X, y = blobs(500, 4)
    found = solve(make(X, y, 1.0, HINGE, "augmented"), InteriorPoint())
    gaps = found.history["gap"]
    assert np.all(gaps[1:] <= 10 * np.minimum.accumulate(gaps)[:-1] + 1e-12)


rows = st.integers(2, 12)


@st.composite
def small(draw: st.DrawFn) -> Problem:
    n, d = draw(rows), draw(st.integers(1, 4))
    value = st.integers(-3, 3).map(float)
    X = np.array(draw(st.lists(st.lists(value, min_size=d, max_size=d), min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n)))
    y[0], y[1] = 1.0, -1.0
    C = np.array(draw(st.lists(st.sampled_from([0.01, 1.0, 7.0, 1e4]), min_size=n, max_size=n)))
    return Problem(X, y, C, draw(st.sampled_from(list(LOSSES.values()))), draw(st.sampled_from(BIASES)))  # type: ignore[arg-type]


@settings(max_examples=40)
@given(small())
def test_gap_closes_and_is_not_negative(problem: Problem) -> None:
    found = run(stages(problem, "auto")[:2], problem, Limits(1e-8, max_iter=300), certify)
    assert -1e-10 <= found.gap <= 1e-8


@settings(max_examples=40)
@given(small())
def test_symmetries(problem: Problem) -> None:
    """Flipping X, flipping y or reversing the rows leaves the value as it is."""
    limits = Limits(1e-8, max_iter=300)
    value = run(stages(problem, "auto")[:2], problem, limits, certify).primal
    back = np.arange(problem.n_rows)[::-1]
    for other in (
        replace(problem, X=-problem.X),
        replace(problem, y=-problem.y),
        problem.take(back),
    ):
        assert run(stages(other, "auto")[:2], other, limits, certify).primal == pytest.approx(
            value, rel=1e-7, abs=1e-12
        )


@settings(max_examples=40)
@given(small())
def test_sides_agree(problem: Problem) -> None:
    values = [solve(problem, InteriorPoint(side=side), tol=1e-8).primal for side in ("primal", "gram")]
    assert values[0] == pytest.approx(values[1], rel=1e-7, abs=1e-12)


def test_signed_rows_oracle_is_what_the_proof_uses() -> None:
    X, y = blobs(10, 2)
    problem = make(X, y, 1.0, HINGE, "augmented")
    z = np.array([0.3, -0.2, 0.1])
    np.testing.assert_allclose(signed_rows(problem) @ z, y * problem.scores(z[:2], 0.1))


@pytest.mark.parametrize(("n", "d"), [(100, 500), (500, 100)])
@pytest.mark.parametrize("solver", ["auto", "interior-point", "coordinate-descent"])
def test_where_liblinear_plateaus(n: int, d: int, solver: str) -> None:
    """The data of scikit-learn issue 22283: hinge, no bias, C = 0.1, drawn from NumPy's legacy generator."""
    rng = np.random.RandomState(0)
    X = rng.randn(n, d)
    y = np.where(X @ rng.randn(d) + 0.1 * rng.randn(n) > 0, 1.0, -1.0)
    problem = make(X, y, 0.1, HINGE, "none")
    found = run(stages(problem, solver), problem, Limits(1e-10), certify)
    assert found.status is Status.CONVERGED
    assert found.gap <= 1e-10


@pytest.mark.parametrize("solver", [InteriorPoint(), Newton()], ids=["interior point", "newton"])
def test_gives_up_when_no_proof_succeeds(solver: object) -> None:
    """A solver whose estimate is refuted again and again must not ask for proofs for ever."""
    X, y = blobs(50, 3)
    problem = make(X, y, 1.0, LOSSES["squared_hinge"], "none")

    def refute(problem: Problem, point: Point) -> Solution:
        checked = certify(problem, point)
        return replace(checked, dual=0.5 * checked.dual, gap=0.5)

    found = run([Stage(solver, "test")], problem, Limits(1e-6, max_iter=500), refute)  # type: ignore[arg-type]
    assert found.status is Status.MAX_ITER
    assert found.n_iter < 100


def test_a_sample_is_never_larger_than_the_data() -> None:
    # Between 10 D and 16 D rows the size that balances the work exceeds the number of rows: all are taken.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3200, 210))
    y = np.where(X[:, 0] + rng.normal(size=3200) > 0, 1.0, -1.0)
    solution = solve(Problem(X, y, np.full(3200, 0.01), HINGE, "free"), InteriorPoint(), tol=1e-3)
    assert solution.status == Status.CONVERGED


def test_a_band_that_is_stuck_is_left_for_all_rows(monkeypatch) -> None:
    """Once, rows that could not be solved further were iterated on until time was over: no other row had crossed."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 3))
    y = np.where(X.sum(axis=1) + rng.standard_normal(20_000) > 0, 1.0, -1.0)
    problem = Problem(X, y, np.ones(20_000), HINGE, "none")
    solver = InteriorPoint()
    state = solver.init(problem, None, 1)
    while state.rows is None or state.sampled or state.primal - state.dual > 0.01 * state.primal:
        solver.step(problem, state, 0.0)
    with monkeypatch.context() as broken:
        broken.setattr(CentralPath, "advance", lambda self: False)
        for _ in range(5):
            solver.step(problem, state, 0.0)
    assert state.rows is None
    for _ in range(60):
        solver.step(problem, state, 0.0)
    assert relative_gap(state.primal, state.dual) < 1e-8


def test_columns_of_all_sizes_take_a_few_dozen_steps() -> None:
    """Few entries, up to 1e9 times the others: rows that are held where a sample would have them soon cross by far."""
    rng = np.random.default_rng(0)
    n = 6000
    large = 10.0 ** rng.uniform(-2, 9, (n, 10)) * (rng.random((n, 10)) < 0.02)
    X = np.hstack([rng.standard_normal((n, 6)), large])
    y = np.sign(X[:, 0] + (0.3 + 1e-5 * X[:, 8]) * rng.standard_normal(n))
    problem = Problem(X, y, np.ones(n), HINGE, "none")
    for seed in range(5):
        solution = solve(problem, InteriorPoint(seed=seed), tol=1e-6)
        assert solution.status is Status.CONVERGED
        assert solution.n_iter < 80
