"""The choice of solver: by shape, with a reason, with a fallback."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

from separatrix.problem import HINGE, SQUARED_HINGE, Problem
from separatrix.problem.losses import Loss
from separatrix.solvers.choose import SOLVERS, Tuning, count, stages


def shaped(n: int, d: int, *, density: float = 1.0, C: float = 1.0, loss: Loss = HINGE) -> Problem:
    rng = np.random.default_rng(0)
    X = (
        rng.standard_normal((n, d))
        if density == 1.0
        else sparse.csr_array(sparse.random_array((n, d), density=density, format="csr", rng=rng))
    )
    return Problem(X, np.where(np.arange(n) % 2, 1.0, -1.0), np.full(n, C), loss, "none")


def names(problem: Problem, solver: str = "auto") -> list[str]:
    return [stage.solver.name for stage in stages(problem, solver)]


def test_rows_much_more_than_columns() -> None:
    plan = stages(shaped(20000, 10), aim=1e-6)
    assert plan[0].solver.name == "interior-point"
    assert plan[0].reason == "rows >> columns (20000 x 10): interior point"


def test_squared_hinge_gets_newton() -> None:
    assert names(shaped(20000, 10, loss=SQUARED_HINGE))[0] == "newton"


@pytest.mark.parametrize(("n", "d"), [(40, 9000), (70, 3000), (60, 1500)])
def test_no_matrix_of_the_columns_is_factorised_where_rows_are_fewer(n: int, d: int) -> None:
    """Newton's matrix is columns x columns whatever the rows: 70 x 7129 took it 20 seconds, descent 3 ms."""
    problem = shaped(n, d, loss=SQUARED_HINGE)
    work = count(problem)
    assert work.newton > work.path
    plan = stages(problem, aim=1e-6)
    assert [stage.solver.name for stage in plan[:2]] == ["coordinate-descent", "interior-point"]
    assert "newton" not in [stage.solver.name for stage in plan]
    assert plan[0].patience < math.inf


def test_small_squared_problems_go_to_the_solver_that_ends_in_the_exact_corner() -> None:
    for d in (10, 40):  # small problems are solved to an aim far below tol
        assert stages(shaped(15, d, loss=SQUARED_HINGE), aim=1e-13)[0].solver.name == "newton"


@pytest.mark.parametrize(("solver", "n", "d"), [("newton", 3, 10**7), ("gram", 10**7, 2)])
def test_a_matrix_that_does_not_fit_is_refused_before_it_is_begun(solver: str, n: int, d: int) -> None:
    X = sparse.csr_array((n, d))
    problem = Problem(X, np.where(np.arange(n) % 2, 1.0, -1.0), np.ones(n), SQUARED_HINGE, "none")
    with pytest.raises(MemoryError, match=rf"solver='{solver}' \(use 'auto' .* 10,000,000 x 10,000,000"):
        stages(problem, solver)
    assert stages(problem, "interior-point" if solver == "newton" else "newton")


def test_sparse_text_gets_coordinate_descent_alone() -> None:
    problem = shaped(9000, 30000, density=0.001)
    assert names(problem) == ["coordinate-descent"]


def test_columns_much_more_than_rows() -> None:
    """A few passes are enough unless C is large, and then the interior point on the Gram side soon takes over."""
    plan = stages(shaped(40, 3000, C=1e3))
    assert [stage.solver.name for stage in plan[:2]] == ["coordinate-descent", "interior-point"]
    assert "columns >> rows" in plan[0].reason
    assert plan[0].patience < math.inf
    assert names(shaped(600, 1500, C=1e3))[0] == "interior-point"


def test_few_passes_beat_a_factorisation() -> None:
    """Rows of one-hot columns at a moderate cost: a few dozen passes are enough (a9a and mushrooms are like that)."""
    assert names(shaped(8000, 110, density=0.2, C=0.1))[0] == "coordinate-descent"
    assert names(shaped(8000, 110, density=0.2, C=1e3))[0] == "interior-point"


def test_the_last_digits_are_left_to_the_interior_point() -> None:
    problem = shaped(200, 5, C=1e-2)
    assert stages(problem, aim=1e-3)[0].solver.name == "coordinate-descent"
    assert stages(problem, aim=1e-13)[0].solver.name == "interior-point"


def test_large_costs_favour_the_interior_point() -> None:
    low, high = (shaped(6000, 100, density=0.1, C=C) for C in (1e-4, 1e4))
    assert count(high).descent > 10 * count(low).descent
    assert names(high)[0] == "interior-point"


def test_a_slow_first_choice_has_finite_patience() -> None:
    plan = stages(shaped(4000, 1500, density=0.01, C=1e-3))
    assert plan[0].solver.name == "coordinate-descent"
    assert math.isfinite(plan[0].patience)
    assert [stage.solver.name for stage in plan[1:]] == ["interior-point", "interior-point"]


@pytest.mark.parametrize("solver", [name for name in SOLVERS if name != "auto"])
def test_named_solvers_come_first(solver: str) -> None:
    assert names(shaped(30, 4, loss=SQUARED_HINGE), solver)[0] == solver


def test_unknown_name() -> None:
    with pytest.raises(ValueError, match=r"solver must be one of 'auto', .*'newton'; got 'magic'"):
        stages(shaped(30, 4), "magic")


def test_the_choice_follows_the_numbers_it_is_given() -> None:
    problem = shaped(8000, 110, density=0.2, C=0.1)
    slow = Tuning(passes=3e3)
    assert stages(problem)[0].solver.name == "coordinate-descent"
    assert stages(problem, tuning=slow)[0].solver.name == "interior-point"


def test_patience_is_the_work_of_the_next_solver() -> None:
    problem = shaped(8000, 110, density=0.2, C=0.1)
    work, first = count(problem), stages(problem)[0]
    assert first.patience == work.second_order * work.entries_per_pass
    assert work.descent < work.second_order
