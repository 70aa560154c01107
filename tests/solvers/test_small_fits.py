"""Fits of many small problems in one call: parts of the rows, threads, limits, instruction sets, wrong arguments.

Tests `solvers/small/solver.py` and `solvers/small/tuning.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from separatrix import _core
from separatrix.problem import HINGE, SQUARED_HINGE, Problem
from separatrix.problem.losses import Loss
from separatrix.solvers.small.solver import TUNING, SmallAnswer, solve_small
from separatrix.solvers.small.tuning import Tuning


def classes(seed: int = 0, n: int = 240, d: int = 8, k: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return rng.standard_normal((n, d)) + 1.5 * rng.standard_normal((k, d))[y], y


def rest(y: np.ndarray) -> np.ndarray:
    return np.array([np.where(y == c, 1, -1) for c in np.unique(y)], np.int8)


def pairs(y: np.ndarray) -> np.ndarray:
    found = np.unique(y)
    return np.array(
        [np.where(y == a, 1, 0) - np.where(y == b, 1, 0) for i, a in enumerate(found) for b in found[:i]],
        np.int8,
    )


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("kernel", [False, True])
def test_a_part_of_the_rows_is_a_problem_of_its_own(squared: bool, kernel: bool) -> None:
    X, y = classes()
    signs, G = pairs(y), X @ X.T
    C = np.random.default_rng(1).uniform(0.1, 1.0, signs.shape)
    data = {"gram": G} if kernel else {"rows": X}
    together = solve_small(signs, C, squared=squared, **data)
    assert together.reached.all()
    for k, sign in enumerate(signs):
        own = np.flatnonzero(sign)
        data = {"gram": G[np.ix_(own, own)]} if kernel else {"rows": X[own]}
        alone = solve_small(sign[None, own], C[k : k + 1, own], squared=squared, **data)
        assert np.array_equal(together.alpha[k, own], alone.alpha[0])
        assert together.b[k] == alone.b[0]
        assert np.all(together.alpha[k, sign == 0] == 0)


@pytest.mark.parametrize("kernel", [False, True])
@pytest.mark.parametrize("labels", [rest, pairs])
def test_threads_change_nothing(labels: object, kernel: bool) -> None:
    X, y = classes(n=400, d=40)
    signs = labels(y)  # type: ignore[operator]
    data = {"gram": X @ X.T} if kernel else {"rows": X}
    answers = [solve_small(signs, np.ones(signs.shape), n_threads=threads, **data) for threads in (1, 2, 5)]
    for other in answers[1:]:
        assert np.array_equal(other.alpha, answers[0].alpha)
        assert np.array_equal(other.b, answers[0].b)
        assert np.array_equal(other.work, answers[0].work)
        assert kernel or np.array_equal(other.w, answers[0].w)


def gaps_and_rounding(
    X: np.ndarray, signs: np.ndarray, C: np.ndarray, answer: SmallAnswer, loss: Loss, bias: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Relative gap of each problem from the numbers of its answer, and what rounding may do to its scores."""
    found = []
    for y, costs, alpha, b, k in zip(signs, C, answer.alpha, answer.b, range(len(signs)), strict=True):
        problem = Problem(X, y.astype(float), costs, loss, bias)
        w = X.T @ (alpha * y) if answer.w is None else answer.w[k]
        primal, dual = problem.primal(w, float(b)), problem.dual(alpha)
        norms = np.sqrt(np.sum(X**2, axis=1) + (bias == "augmented"))
        terms = alpha @ norms if answer.w is None else np.sqrt(w @ w + b * b)
        errors = 2.2e-16 * (terms * norms + abs(b) + 1)
        slack = 1 - y * (X @ w + b)
        slopes = 2 * costs * (np.maximum(slack, 0) + errors) if loss.squared else costs
        found.append(((primal - dual) / primal, (alpha + slopes * (slack > -errors)) @ errors / primal))
    gaps, rounding = np.array(found).T
    return gaps, rounding


@pytest.mark.parametrize("bias", ["none", "augmented", "free"])
@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE], ids=lambda loss: loss.name)
@pytest.mark.parametrize("kernel", [False, True])
def test_a_chain_of_costs_ends_where_each_does_alone(kernel: bool, loss: Loss, bias: Any) -> None:
    X, y = classes(n=120, d=6, k=3)
    labels, costs = rest(y), np.array([1e-3, 0.1, 1.0, 30.0, 0.2, 1e4])
    signs = np.repeat(labels, len(costs), axis=0)
    C = np.tile(costs, len(labels))[:, None] * np.random.default_rng(1).uniform(0.5, 2.0, 120)
    data: Any = {"gram": X @ X.T} if kernel else {"rows": X}
    options: Any = {"squared": loss.squared, "bias": bias, "aim": 1e-10}
    alone = solve_small(signs, C, **data, **options)
    together = solve_small(signs, C, chain=len(costs), **data, **options)
    for answer in (alone, together):
        gaps, rounding = gaps_and_rounding(X, signs, C, answer, loss, bias)
        n_terms = np.sum(answer.alpha > 0, axis=1)  # of a score, each with a rounding
        assert np.all(gaps <= 1e-10 + n_terms * rounding)
        assert np.all(answer.reached | (gaps + rounding > 1e-10 / 1.1))
        assert answer.reached.sum() >= 14  # large costs leave fewer digits
    w = [(answer.alpha * signs) @ X for answer in (together, alone)]
    both = together.reached & alone.reached
    assert np.allclose(w[0][both], w[1][both], rtol=1e-4, atol=1e-4)
    on_two = solve_small(signs, C, chain=len(costs), n_threads=2, **data, **options)
    assert np.array_equal(on_two.alpha, together.alpha)


@pytest.mark.parametrize("kernel", [False, True])
def test_a_chain_of_growing_costs_takes_less_work(kernel: bool) -> None:
    X, y = classes(n=400, d=20, k=3)
    labels, costs = rest(y), np.logspace(-2, 2, 9)
    signs = np.repeat(labels, len(costs), axis=0)
    C = np.tile(costs, len(labels))[:, None] * np.ones(400)
    data: Any = {"gram": np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 40.0)} if kernel else {"rows": X}
    together, alone = (solve_small(signs, C, chain=chain, **data) for chain in (len(costs), 1))
    assert together.reached.all()
    assert together.work.sum() < 0.8 * alone.work.sum()


def test_a_chain_begins_anew_where_labels_change_or_numbers_fail() -> None:
    X, y = classes(n=60, d=3, k=3)
    labels = rest(y)
    C = np.ones(labels.shape)
    together, alone = solve_small(labels, C, rows=X, chain=3), solve_small(labels, C, rows=X)
    assert np.array_equal(together.alpha, alone.alpha)
    C[0] = np.nan
    labels[:] = labels[0]
    found = solve_small(labels, C, rows=X, chain=3)
    assert list(found.reached) == [False, True, True]
    assert np.array_equal(found.alpha[1], solve_small(labels[1:], C[1:], rows=X).alpha[0])


def test_classes_with_costs_of_their_own_do_not_share_a_factor() -> None:
    X, y = classes()
    signs = rest(y)
    C = np.where(signs > 0, 4.0, 1.0)
    C[2] = 1.0
    together = solve_small(signs, C, rows=X)
    for k in range(len(signs)):
        alone = solve_small(signs[k : k + 1], C[k : k + 1], rows=X)
        assert np.array_equal(together.alpha[k], alone.alpha[0])


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("bias", ["free", "augmented", "none"])
@pytest.mark.parametrize("kernel", [False, True])
def test_one_class_and_no_rows(squared: bool, bias: str, kernel: bool) -> None:
    X = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
    signs = np.array([[1, 1, 1], [-1, 0, 0], [0, 0, 0]], np.int8)
    data = {"gram": X @ X.T} if kernel else {"rows": X}
    answer = solve_small(signs, np.ones(signs.shape), squared=squared, bias=bias, **data)  # type: ignore[arg-type]
    assert np.isfinite(answer.alpha).all()
    assert np.isfinite(answer.b).all()
    if bias == "free":  # no loss is left, and no alpha is balanced but zero
        assert np.all(answer.alpha == 0)
        assert answer.b[0] >= 1
        assert answer.b[1] <= -1
    assert answer.reached.all()


def test_work_is_bounded() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, 300))  # contradictory, and costs that no column justifies
    y = np.where(rng.random(1500) < 0.5, 1, -1)
    G = np.exp(-0.001 * np.sum((X[:, None, :4] - X[None, :, :4]) ** 2, axis=2))
    answer = solve_small(y[None].astype(np.int8), np.full((1, 1500), 1e8), gram=G)
    assert 0 < answer.work[0] < 3e9
    assert np.isfinite(answer.alpha).all()
    assert np.all((answer.alpha >= 0) & (answer.alpha <= 1e8))


def test_a_limit_on_the_work_is_kept() -> None:
    X, y = classes(n=300, d=20, k=2)
    signs, C = rest(y)[:1], np.full((1, 300), 100.0)
    usual = solve_small(signs, C, rows=X)
    assert usual.reached[0]
    few = solve_small(signs, C, rows=X, tuning=Tuning(most_work=usual.work[0] / 4))
    assert few.work[0] < usual.work[0]
    assert not few.reached[0]
    assert np.all((few.alpha >= 0) & (few.alpha <= C))


def test_rounding_below_an_exact_answer_ends() -> None:
    a, b = (
        1.3849461899707975,
        -0.44409010822581657,
    )  # two different rows; the steps on pairs of rows solve it exactly
    X, y = np.array([a, a, a, b, b, a, b, b]), np.array([[1, -1, -1, 1, 1, -1, 1, -1]], np.int8)
    C = np.array([[0.041291479555215164, 0.015715384688985083, 0.0026603107940398447, 0.03542534460958875]])
    C = np.hstack(
        [C, [[0.0027678355717820477, 0.04215137069478675, 0.015428564164127608, 0.004422789851585492]]]
    )
    answer = solve_small(y, C, gram=np.outer(X, X), aim=1e-12)
    assert answer.reached[0]
    assert answer.work[0] < 10_000


def test_not_a_number_ends() -> None:
    X = np.array([[1.0], [np.nan], [2.0], [-1.0]])
    answer = solve_small(np.array([[1, -1, 1, -1]], np.int8), np.ones((1, 4)), rows=X)
    assert not answer.reached[0]
    G = np.full((200, 200), np.nan)
    signs = np.where(np.arange(200) % 2 == 0, 1, -1)[None].astype(np.int8)
    assert not solve_small(signs, np.ones((1, 200)), gram=G).reached[0]


@pytest.mark.parametrize("isa", ["baseline", "avx2", "avx512"])
def test_every_instruction_set_finds_the_optimum(isa: str) -> None:
    script = """
import numpy as np
from separatrix.solvers.small.solver import solve_small
rng = np.random.default_rng(0)
X = rng.standard_normal((90, 11))
y = np.where(X[:, 0] + rng.standard_normal(90) > 0, 1, -1)
for data in ({"rows": X}, {"gram": X @ X.T}):
    for squared in (False, True):
        a = solve_small(y[None].astype(np.int8), np.ones((1, 90)), squared=squared, aim=1e-11, **data)
        w = X.T @ (a.alpha[0] * y)
        print(bool(a.reached[0]), round(float(w @ w), 9))
"""
    env = {**os.environ, "SEPARATRIX_ISA": isa}
    found = subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True
    )
    own = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "False" not in found.stdout
    assert found.stdout == own.stdout


def test_wrong_arguments_are_named() -> None:
    X, signs, C = np.ones((3, 2)), np.ones((1, 3), np.int8), np.ones((1, 3))
    with pytest.raises(ValueError, match="Exactly one of rows and gram"):
        solve_small(signs, C)
    with pytest.raises(ValueError, match="Exactly one of rows and gram"):
        solve_small(signs, C, rows=X, gram=np.eye(3))
    with pytest.raises(ValueError, match="a row of signs must have length 3"):
        solve_small(np.ones((1, 2), np.int8), C, rows=X)
    with pytest.raises(ValueError, match="a row of costs must have length 3"):
        solve_small(signs, np.ones((1, 2)), rows=X)
    with pytest.raises(ValueError, match="a row of gram must have length 3"):
        solve_small(signs, C, gram=np.ones((3, 2)))
    with pytest.raises(ValueError, match="bias must be none, augmented or free"):
        _core.solve_small(X, None, signs, C, False, "some", 1e-3, 1, 1, TUNING)
    with pytest.raises(ValueError, match="chain must be at least 1; got 0"):
        solve_small(signs, C, rows=X, chain=0)
