"""The arithmetic of the benchmark tables: who is credited with what."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.problems import CASES, SUITES, Case
from benchmarks.reference import lowest, objective
from benchmarks.table import credited, fastest, row, summary
from separatrix.problem import LOSSES, Problem


def result(ours: list[dict[str, float]], peer: list[dict[str, float]], method: str = "rehline") -> dict:
    runs = [{"method": "separatrix f64", "points": ours}, {"method": method, "points": peer}]
    case = {"suite": "rows", "data": "toy"}
    return {"case": case, "label": "toy, C=1", "optimum": 10.0, "optimum_proved_to": 1e-9, "runs": runs}


def point(cpu: float, primal: float, gap: float = np.nan) -> dict[str, float]:
    return {"cpu": cpu, "primal": primal, "gap": gap}


def test_proved_counts_only_what_ours_proved_and_ours_what_is_truly_close():
    measured = result([point(1.0, 10.001, gap=0.5), point(2.0, 10.005, gap=9e-4)], [])
    assert fastest(measured, 1e-3, "proved") == (2.0, "separatrix f64", 9e-4)
    assert fastest(measured, 1e-6, "proved") is None
    assert fastest(measured, 1e-3, "ours") == (1.0, "separatrix f64", pytest.approx(1e-4))
    assert fastest(measured, 1e-5, "ours") is None
    assert fastest(measured, 1e-3, "peer") is None


def test_a_peer_is_credited_with_its_fastest_setting_that_is_truly_close():
    measured = result([], [point(1.0, 10.2), point(3.0, 10.0), point(2.0, 10.00001)])
    assert fastest(measured, 1e-2, "peer")[0] == 2.0
    assert fastest(measured, 1e-6, "peer")[0] == pytest.approx(2.0)
    assert fastest(measured, 1e-7, "peer")[0] == 3.0


def test_the_fits_that_cells_rest_on_are_named_once_each():
    loose, tight = point(1.0, 10.05, gap=9e-3), point(2.0, 10.0, gap=9e-7)
    slow, quick = point(5.0, 10.0), point(3.0, 10.0)
    found = credited(result([loose, tight], [slow, quick]))
    assert [(method, one["cpu"]) for method, one in found] == [
        ("separatrix f64", 1.0),
        ("rehline", 3.0),
        ("separatrix f64", 2.0),
    ]


def test_a_peer_without_its_conversion_is_not_counted():
    assert fastest(result([], [point(1.0, 10.0)], "liblinear, training only"), 1e-2, "peer") is None


def test_the_ratio_is_peer_over_ours():
    measured = result([point(0.5, 10.0, gap=1e-7)], [point(2.0, 10.0)])
    assert row(measured).count("**4.00**, **4.00**") == 3
    assert "| rows | 1e-06 | proved | 1 | 4.00 | 4.00 | 0 | 0 |" in summary([measured])


def test_every_case_is_in_a_named_suite_once():
    assert {case.suite for case in CASES} == set(SUITES)
    assert len(set(CASES)) == len(CASES)


@pytest.mark.parametrize("bias", ["free", "augmented", "none"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_scored_objective_is_the_problem_of_the_library(bias, loss):
    rng = np.random.default_rng(0)
    X, w, b = rng.normal(size=(30, 4)), rng.normal(size=4), 0.0 if bias == "none" else 0.7
    y = np.where(rng.random(30) < 0.5, 1.0, -1.0)
    problem = Problem(X, y, np.full(30, 2.0), LOSSES[loss], bias)
    assert objective(X, y, Case("", "toy", 2.0, loss, bias), w, b) == pytest.approx(problem.primal(w, b))


def test_a_reference_solver_is_never_below_the_proved_bound():
    from separatrix import SVC

    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    y = np.where(X[:, 0] + rng.normal(size=40) > 0, 1.0, -1.0)
    model = SVC(bias="augmented", tol=1e-6).fit(X, y)
    value, solver = lowest(X, y, Case("", "toy", 1.0, "hinge", "augmented"), seconds=20)
    assert solver != "none"
    assert model.dual_ * (1 - 1e-12) <= value <= model.primal_ * 1.01
