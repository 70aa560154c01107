"""The end of a fit: the middle of all best biases, and alphas on their bounds, with and without a kernel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from separatrix.fitting.binary import warm_point
from separatrix.fitting.observer import KeptPoint
from separatrix.fitting.settle import settle
from separatrix.problem import HINGE, SQUARED_HINGE, History, Point, Problem, Record
from separatrix.problem.kernels import Linear, Rbf
from separatrix.proof.duality import certify

KERNELS = pytest.mark.parametrize("kernel", [None, Linear()], ids=["columns", "kernel"])
RECORDS = History([Record(0.0, 1, 1.0, 0.0, 1.0, "any name")])


def certified(problem: Problem, point: Point):
    return replace(certify(problem, point), history=RECORDS)


@KERNELS
def test_the_bias_is_the_middle_of_all_best_ones(kernel) -> None:
    # Two rows at the bound, neither on the margin: every b in [-0.5, 0.5] is as good.
    X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    problem = Problem(X, y, np.full(2, 0.25), HINGE, "free", kernel)
    solution, slack = settle(problem, certified(problem, Point(np.full(2, 0.25), b=0.4)), 1e-3)
    assert solution.interval == pytest.approx((-0.5, 0.5))
    assert solution.b == pytest.approx(0.0)
    assert slack == pytest.approx([0.5, 0.5])
    assert solution.history[-1].note == "bias and bounds settled"


@KERNELS
@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE], ids=lambda loss: loss.name)
def test_alphas_of_an_interior_method_are_put_on_their_bounds(kernel, loss) -> None:
    # The outer rows lie beyond the margin, and have alpha = 0 at the optimum.
    X, y = np.array([[1.0], [3.0], [-1.0], [-4.0]]), np.array([1.0, 1.0, -1.0, -1.0])
    problem = Problem(X, y, np.full(4, 10.0), loss, "free", kernel)
    inner = 0.5 if loss is HINGE else 1.0 / (2.0 + 1.0 / 20.0)
    alpha = np.array([inner, 1e-7, inner, 1e-7])
    solution, _ = settle(problem, certified(problem, Point(alpha)), 1e-3)
    assert np.flatnonzero(solution.alpha).tolist() == [0, 2]
    assert solution.gap <= 1e-3


def test_with_a_kernel_leftovers_of_rounding_are_moved_and_nothing_else() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    problem = Problem(X, y, np.full(40, 2.0), HINGE, "none", Rbf(0.5))
    free = certified(problem, Point(np.where(np.arange(40) % 2 == 0, 0.5, 0.0)))
    assert settle(problem, free, 1.0)[0].alpha.tolist() == free.alpha.tolist()
    margins = y * free.scores
    row = int(np.argmax(np.where(free.alpha == 0, margins, -np.inf)))
    assert margins[row] > 1.0
    alpha = free.alpha.copy()
    alpha[row] = 1e-18
    assert settle(problem, certified(problem, Point(alpha)), 1.0)[0].alpha.tolist() == free.alpha.tolist()


@KERNELS
def test_a_warm_start_follows_the_change_of_C(kernel) -> None:
    coef = np.ones(1 if kernel is None else 0)
    previous = KeptPoint(np.arange(2), coef, 0.5, np.ones(2), np.array([1.0, 0.25]))
    problem = Problem(np.eye(2)[:, :1], np.array([1.0, -1.0]), np.full(2, 4.0), HINGE, "free", kernel)
    point = warm_point(previous, problem, np.arange(2))
    assert point.alpha.tolist() == [4.0, 1.0]
    assert (point.w is None) == (kernel is not None)
    assert warm_point(previous, problem, np.arange(3)) is None
    assert warm_point(None, problem, np.arange(2)) is None
