"""The compiled rows of an interior-point step beside the same formulas in NumPy."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from separatrix._core import PathDirection, PathStage


def iterate(n: int, squared: bool, one_cost: bool) -> SimpleNamespace:
    rng = np.random.default_rng(n)
    C = np.full(1, 1.5) if one_cost else rng.uniform(0.5, 2.0, n)
    at = SimpleNamespace(C=C, squared=squared, alpha=rng.uniform(0.01, 0.4, n), s=rng.uniform(0.1, 2.0, n))
    at.beta = np.empty(0) if squared else C - at.alpha
    at.xi = at.alpha / (2 * C) if squared else rng.uniform(0.1, 2.0, n)
    at.spare, at.da = rng.standard_normal(n), 0.1 * rng.standard_normal(n)
    at.a, at.c = np.zeros(n, np.float32), np.zeros(len(at.beta), np.float32)
    at.direction = PathDirection(squared, C, at.alpha, at.beta, at.s, at.xi, at.spare, at.da, at.a, at.c)
    return at


def moves(at: SimpleNamespace, da: np.ndarray, a: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    ds = a - at.s - at.s * (da / at.alpha)
    return ds, np.zeros_like(ds) if at.squared else c - at.xi + at.xi * (da / at.beta)


@pytest.mark.parametrize("one_cost", [False, True])
@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("n", [1, 7, 8, 100])
def test_every_quantity_is_its_formula(n: int, squared: bool, one_cost: bool) -> None:
    at = iterate(n, squared, one_cost)
    step, zero = at.direction, np.zeros(n)
    theta = 1.0 / (at.s / at.alpha + (0.5 / at.C if squared else at.xi / at.beta))
    out = np.empty(n)
    step.theta(out)
    assert out == pytest.approx(theta)

    g = 1.0 - at.spare - (0.5 * at.alpha / at.C if squared else 0.0)
    step.right_side(PathStage.predictor, out)
    assert out == pytest.approx(g)
    values = np.ones(n - n // 2)
    step.weigh(PathStage.predictor, n // 2, values)
    assert values == pytest.approx((theta * (g - 1.0))[n // 2 :])

    ds, dxi = moves(at, at.da, zero, zero)
    falls = [np.max(-at.da / at.alpha), np.max(-ds / at.s)]
    then = (at.s + 0.3 * ds) @ (at.alpha + 0.3 * at.da)
    now = at.s @ at.alpha
    if not squared:
        falls += [np.max(at.da / at.beta), np.max(-dxi / at.xi)]
        now += at.xi @ at.beta
        then += (at.xi + 0.3 * dxi) @ (at.beta - 0.3 * at.da)
    assert step.predicted_falls()[: len(falls)] == pytest.approx(falls)
    assert step.predicted_products(0.3) == pytest.approx((now, then))

    step.correct(0.02, 0.005)
    a = (0.02 - np.clip(ds * at.da, -0.05, 0.05)) / at.alpha
    c = zero if squared else (0.02 + np.clip(dxi * at.da, -0.05, 0.05)) / at.beta
    assert at.a == pytest.approx(a, rel=1e-6)
    assert squared or at.c == pytest.approx(c, rel=1e-6)

    a, c = at.a.astype(float), zero if squared else at.c.astype(float)
    step.right_side(PathStage.correction, out)
    assert out == pytest.approx(a - c)
    ds, dxi = moves(at, at.da, a, c)
    found = [-at.da / at.alpha, -ds / at.s]
    assert step.fall() == pytest.approx(np.max(found if squared else [*found, at.da / at.beta, -dxi / at.xi]))

    alpha, s = at.alpha + 0.5 * at.da, at.s + 0.5 * ds
    xi = alpha / (2 * at.C) if squared else at.xi + 0.5 * dxi
    step.take(0.5)
    assert at.alpha == pytest.approx(alpha)
    assert at.s == pytest.approx(s)
    assert at.xi == pytest.approx(xi)


def test_what_is_not_a_number_is_not_lost() -> None:
    for where in (0, 9, 16):
        at = iterate(17, False, True)
        at.da[where] = np.nan
        assert np.isnan(at.direction.fall())
        assert np.isnan(at.direction.predicted_falls()[0])


def test_arrays_of_other_lengths_are_refused() -> None:
    at = iterate(4, False, True)
    with pytest.raises(ValueError, match="da must have length 4; got 3"):
        PathDirection(False, at.C, at.alpha, at.beta, at.s, at.xi, at.spare, at.da[:3], at.a, at.c)
    with pytest.raises(IndexError, match="There are 4 rows; got a range of 3"):
        at.direction.weigh(PathStage.predictor, 2, np.zeros(3))
