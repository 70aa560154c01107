"""The compiled solver for small problems: exact answers, degenerate data, claims that hold."""

from __future__ import annotations

import itertools
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix.problem import HINGE, SQUARED_HINGE, Problem
from separatrix.problem.kernels import Precomputed
from separatrix.proof.duality import certify
from separatrix.solvers.interior_point.solver import InteriorPoint
from separatrix.solvers.loop.run import Limits, Stage, run
from separatrix.solvers.small.solver import SmallAnswer, solve_small

sys.path.insert(0, str(Path(__file__).parents[1]))
from problems import Known, known

BIASES = ("none", "augmented", "free")
LAST_DIGITS = 1e-13  # an aim below what rounding leaves: it goes on as far as it can


def answer_of(problem: Problem, gram: bool = False, aim: float = 1e-3) -> SmallAnswer:
    X = np.asarray(problem.X, dtype=float)
    given_as = {"gram": X @ X.T} if gram else {"rows": X}
    return solve_small(
        problem.y[None].astype(np.int8),
        problem.C[None],
        squared=problem.loss.squared,
        bias=problem.bias,
        aim=aim,
        **given_as,
    )


def values(problem: Problem, answer: SmallAnswer, k: int = 0) -> tuple[float, float]:
    """Primal and dual value of an answer, from its numbers alone."""
    alpha, X = answer.alpha[k], np.asarray(problem.X, dtype=float)
    w = X.T @ (alpha * problem.y) if answer.w is None else answer.w[k]
    return problem.primal(w, float(answer.b[k])), problem.dual(alpha)


def assert_feasible(problem: Problem, alpha: np.ndarray) -> None:
    assert np.all(alpha >= 0)
    assert np.all(alpha <= problem.upper)
    if problem.bias == "free":
        assert abs(alpha @ problem.y) <= 1e-14 * len(alpha) * np.sum(alpha)


def made(seed: int, n: int, d: int, loss: object, bias: str, C: float = 1.0) -> Problem:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.where(X @ rng.standard_normal(d) + rng.standard_normal(n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return Problem(X, y, C * rng.uniform(0.5, 2.0, n), loss, bias)  # type: ignore[arg-type]


@pytest.mark.parametrize("gram", [False, True])
@pytest.mark.parametrize("example", known(), ids=lambda example: example.name)
def test_known_answers(example: Known, gram: bool) -> None:
    answer = answer_of(example.problem, gram, 1e-10)
    primal, dual = values(example.problem, answer)
    assert answer.reached[0]
    assert primal == pytest.approx(example.value, rel=1e-9, abs=1e-12)
    assert dual == pytest.approx(example.value, rel=1e-9, abs=1e-12)
    assert_feasible(example.problem, answer.alpha[0])


@pytest.mark.parametrize("gram", [False, True])
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE], ids=lambda loss: loss.name)
@pytest.mark.parametrize("C", [1e-4, 1e-2, 1.0, 1e2, 1e4])
@pytest.mark.parametrize(("n", "d"), [(7, 1), (40, 3), (90, 12), (60, 70), (150, 33)])
def test_to_the_last_digits(n: int, d: int, C: float, loss: object, bias: str, gram: bool) -> None:
    problem = made(n, n, d, loss, bias, C)
    # Margins cannot be better than the digits of alpha.
    rounding = 1e-14 * np.sum(problem.C) * np.sqrt(np.sum(problem.X**2)) * np.linalg.norm(problem.X)
    for aim, bound in ((LAST_DIGITS, (1e-6 if gram else 1e-9) + rounding), (1e-3, 1e-3)):
        answer = answer_of(problem, gram, aim)
        primal, dual = values(problem, answer)
        assert -1e-9 * primal <= primal - dual <= bound * primal
        assert_feasible(problem, answer.alpha[0])
    assert answer.reached[0]


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE], ids=lambda loss: loss.name)
def test_agrees_with_the_interior_point(loss: object, bias: str) -> None:
    for seed, (n, d) in enumerate([(50, 2), (120, 20), (30, 60)]):
        problem = made(seed, n, d, loss, bias, C=10.0)
        other = run([Stage(InteriorPoint(), "test")], problem, Limits(1e-10, max_iter=300), certify)
        primal, _ = values(problem, answer_of(problem, aim=LAST_DIGITS))
        assert primal == pytest.approx(other.primal, rel=1e-9)


def test_bounds_are_hit_exactly() -> None:
    problem = made(3, 200, 4, HINGE, "free", C=0.05)
    alpha = answer_of(problem, aim=LAST_DIGITS).alpha[0]
    near = np.minimum(alpha, problem.C - alpha) <= 1e-6 * problem.C
    assert np.all((alpha[near] == 0) | (alpha[near] == problem.C[near]))
    assert 0 < np.sum(~near) <= 5  # no more rows between the bounds than columns and the bias


# --- exact rationals ---------------------------------------------------------------------------------------------


def solve_exactly(A: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """Solve A x = right by elimination; None if A is singular."""
    n = len(A)
    M = [[*row, value] for row, value in zip(A, right, strict=True)]
    for k in range(n):
        pivot = next((i for i in range(k, n) if M[i][k] != 0), None)
        if pivot is None:
            return None
        M[k], M[pivot] = M[pivot], M[k]
        for i in range(n):
            if i != k and M[i][k] != 0:
                factor = M[i][k] / M[k][k]
                M[i] = [a - factor * b for a, b in zip(M[i], M[k], strict=True)]
    return [M[i][n] / M[i][i] for i in range(n)]


def best_dual(
    Q: list[list[Fraction]], y: list[int], C: list[Fraction], squared: bool, free: bool
) -> Fraction:
    """The optimal dual value: the best of all corners, each row at 0, at C or between.

    A best alpha exists whose rows between the bounds have a regular system: others can move without loss to a bound.
    """
    n, best = len(y), Fraction(0)
    for places in itertools.product((0, 1) if squared else (0, 1, 2), repeat=n):
        between = [i for i in range(n) if places[i] == 1]
        alpha = [C[i] if places[i] == 2 else Fraction(0) for i in range(n)]
        rows = [[Q[i][j] for j in between] + ([Fraction(y[i])] if free else []) for i in between]
        right = [1 - sum(Q[i][j] * alpha[j] for j in range(n)) for i in between]
        if free and between:
            rows.append([Fraction(y[j]) for j in between] + [Fraction(0)])
            right.append(-sum(alpha[j] * y[j] for j in range(n)))
        found = solve_exactly(rows, right)
        if found is None:
            continue
        for i, value in zip(between, found, strict=False):
            alpha[i] = value
        if any(a < 0 or (not squared and a > c) for a, c in zip(alpha, C, strict=True)):
            continue
        if free and sum(a * label for a, label in zip(alpha, y, strict=True)) != 0:
            continue
        square = sum(alpha[i] * Q[i][j] * alpha[j] for i in range(n) for j in range(n))
        best = max(best, sum(alpha) - square / 2)
    return best


@st.composite
def tiny(draw: st.DrawFn) -> tuple[Problem, bool]:
    """Whole numbers between -2 and 2, so that rows tie, repeat, contradict each other and vanish."""
    n, d = draw(st.integers(2, 5)), draw(st.integers(1, 3))
    X = draw(st.lists(st.lists(st.integers(-2, 2), min_size=d, max_size=d), min_size=n, max_size=n))
    y = [1, -1, *draw(st.lists(st.sampled_from([1, -1]), min_size=n - 2, max_size=n - 2))]
    C = draw(st.lists(st.sampled_from([1 / 64, 0.5, 1.0, 1.0, 1.0, 16.0, 1024.0]), min_size=n, max_size=n))
    loss, bias = draw(st.sampled_from([HINGE, SQUARED_HINGE])), draw(st.sampled_from(BIASES))
    problem = Problem(np.array(X, float), np.array(y, float), np.array(C), loss, bias)  # type: ignore[arg-type]
    return problem, draw(st.booleans())


@settings(max_examples=400, deadline=None)
@given(tiny())
def test_tiny_problems_in_exact_rationals(case: tuple[Problem, bool]) -> None:
    problem, gram = case
    answer = answer_of(problem, gram, 1e-10)
    y, C = [int(label) for label in problem.y], [Fraction(c) for c in problem.C]
    shift, squared = int(problem.bias == "augmented"), problem.loss.squared
    whole = problem.X.astype(int)
    Q = [
        [
            Fraction(y[i] * y[j] * (int(whole[i] @ whole[j]) + shift))
            + (1 / (2 * C[i]) if squared and i == j else 0)
            for j in range(len(y))
        ]
        for i in range(len(y))
    ]
    optimum = float(best_dual(Q, y, C, squared, problem.bias == "free"))
    primal, dual = values(problem, answer)
    assert_feasible(problem, answer.alpha[0])
    assert dual - 1e-12 <= optimum <= primal + 1e-12
    if answer.reached[0]:  # test_ordinary_problems_succeed says how often
        assert primal == pytest.approx(optimum, rel=1e-9, abs=1e-12)
        assert dual == pytest.approx(optimum, rel=1e-9, abs=1e-12)


# --- what is claimed holds -----------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.sampled_from([2, 3, 8, 9, 31, 120]),
    d=st.sampled_from([1, 2, 9, 40]),
    kind=st.sampled_from(["plain", "raw", "repeated", "constant", "far"]),
    loss=st.sampled_from([HINGE, SQUARED_HINGE]),
    bias=st.sampled_from(BIASES),
    C=st.sampled_from([1e-4, 1e-2, 1.0, 1e2, 1e6]),
    spread=st.sampled_from([0.0, 1.0, 6.0]),
    gram=st.booleans(),
)
def test_success_is_never_claimed_wrongly(
    seed: int, n: int, d: int, kind: str, loss: object, bias: str, C: float, spread: float, gram: bool
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    if kind == "raw":
        X *= 10.0 ** rng.uniform(-3, 4, d)
    elif kind == "repeated":
        X = X[rng.integers(0, max(1, n // 3), n)]
    elif kind == "constant":
        X[:, 0], X[:, -1] = 1.0, 2.0 * X[:, 0]
    elif kind == "far":
        X += 100.0 * rng.standard_normal(d)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    problem = Problem(X, y, C * 10.0 ** rng.uniform(-spread, spread, n), loss, bias)  # type: ignore[arg-type]
    answer = answer_of(problem, gram)
    assert_feasible(problem, answer.alpha[0])
    assert np.isfinite(answer.b[0])
    if answer.reached[0]:
        if gram:  # the scores are those of the matrix
            lifted = Problem(X @ X.T, y, problem.C, loss, bias, Precomputed())  # type: ignore[arg-type]
            signed = answer.alpha[0] * y
            f = lifted.X @ signed
            primal = lifted.primal_value(float(signed @ f), f + answer.b[0], float(answer.b[0]))
            dual = lifted.dual_value(answer.alpha[0], float(signed @ f))
        else:
            primal, dual = values(problem, answer)
        assert abs(primal - dual) <= 1e-3 * primal


def gap_in_rationals(problem: Problem, answer: SmallAnswer) -> tuple[Fraction, Fraction]:
    """Primal value and primal - dual of the first answer to rows, exactly for its floats."""
    assert answer.w is not None
    X = [[Fraction(value) for value in row] for row in problem.X]
    y, C = [int(label) for label in problem.y], [Fraction(c) for c in problem.C]
    alpha, w = [Fraction(a) for a in answer.alpha[0]], [Fraction(value) for value in answer.w[0]]
    b, squared, columns = Fraction(float(answer.b[0])), problem.loss.squared, range(len(w))
    margins = [label * (sum(x[j] * w[j] for j in columns) + b) for x, label in zip(X, y, strict=True)]
    losses = [max(Fraction(0), 1 - margin) ** (2 if squared else 1) for margin in margins]
    total = [sum(a * label * x[j] for a, label, x in zip(alpha, y, X, strict=True)) for j in columns]
    pull = sum(a * label for a, label in zip(alpha, y, strict=True))
    penalised = problem.bias == "augmented"
    primal = sum(value * value for value in w) / 2 + sum(c * loss for c, loss in zip(C, losses, strict=True))
    dual = sum(alpha) - sum(value * value for value in total) / 2
    if squared:
        dual -= sum(a * a / (4 * c) for a, c in zip(alpha, C, strict=True))
    if penalised:
        primal, dual = primal + b * b / 2, dual - pull * pull / 2
    return Fraction(primal), Fraction(primal - dual)


def test_success_holds_in_exact_rationals() -> None:
    """Costs of all sizes: a row on the margin without a coefficient has a loss by rounding alone, times a large C."""
    rng, claimed = np.random.default_rng(0), 0
    for _ in range(3000):
        n, d = int(rng.choice([2, 3, 8, 9])), int(rng.choice([1, 2]))
        X = rng.standard_normal((n, d)) if rng.random() < 0.5 else rng.integers(-2, 3, (n, d)).astype(float)
        y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
        y[:2] = 1.0, -1.0
        C = 10.0 ** rng.uniform(-7, 7, n)
        loss, bias = (HINGE, SQUARED_HINGE)[rng.integers(2)], BIASES[rng.integers(3)]
        aim = float(rng.choice([1e-3, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13]))
        problem = Problem(X, y, C, loss, bias)  # type: ignore[arg-type]
        answer = answer_of(problem, aim=aim)
        if answer.reached[0]:
            primal, gap = gap_in_rationals(problem, answer)
            assert gap <= Fraction(aim) * primal
            claimed += 1
    assert claimed > 1000


def test_ordinary_problems_succeed() -> None:
    failures = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((80, 6)) * 10.0 ** rng.uniform(-3, 3, 6) + rng.standard_normal(6)
        y = np.where(X[:, 0] / X[:, 0].std() + rng.standard_normal(80) > 0, 1.0, -1.0)
        for loss, bias, C in itertools.product((HINGE, SQUARED_HINGE), BIASES, (1e-2, 1.0, 1e2)):
            failures += not answer_of(Problem(X, y, np.full(80, C), loss, bias)).reached[0]  # type: ignore[arg-type]
    assert failures == 0
    rng = np.random.default_rng(0)
    for _ in range(1000):  # whole numbers: rows on the margin and at a bound at once
        n, C = rng.integers(2, 6), rng.choice([0.25, 0.5, 1.0, 2.0, 8.0], 6)
        X, y = rng.integers(-3, 4, (n, 2)).astype(float), rng.choice([-1.0, 1.0], n)
        for bias in BIASES:
            problem = Problem(X, y, C[:n], HINGE, bias)  # type: ignore[arg-type]
            failures += not answer_of(problem, gram=True, aim=1e-10).reached[0]
    assert failures <= 30  # one in a hundred
