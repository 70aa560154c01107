"""Bounds against brute force: no run of the inequality behind them may exceed them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix.problem.kernels import make_kernel
from separatrix.problem.mistakes import Variant, augmented_norm, inseparable_bound, ratio_of


@settings(max_examples=50)
@given(ratio=st.floats(1.0, 1e3), eps=st.sampled_from([0.1, 1.0, 7.0]))
def test_a_start_at_a_row_is_one_more_term(ratio, eps):
    bound = Variant("perceptron", eps, True, 5).bound(ratio)
    k = np.arange(20_000.0)
    most = int(k[(1 + eps * k) ** 2 <= ratio * (1 + eps**2 * k) * (1 + 1e-12)].max(initial=0.0))
    assert most <= bound + 1e-6
    assert bound < most + 1 + 1e-6


@settings(max_examples=50)
@given(ratio=st.floats(1.0, 50.0), n=st.integers(1, 9), seed=st.integers(0, 999))
def test_gradient_steps_obey_kantorovich(ratio, n, seed):
    sizes = np.random.default_rng(seed).choice([1.0, float(n)], 400)
    totals, squares = np.cumsum(sizes), np.cumsum(sizes**2)
    possible = np.flatnonzero(totals**2 <= ratio * squares)
    steps = 0 if len(possible) == 0 else int(possible[-1]) + 1
    assert steps <= Variant("gradient", 1.0, False, n).bound(ratio) + 1e-9


@pytest.mark.parametrize("algorithm", ["perceptron", "gradient"])
@pytest.mark.parametrize("ratio", [1.0, 3.0, 40.0])
def test_decreasing_steps(algorithm, ratio):
    n = 3 if algorithm == "gradient" else 1
    bound = Variant(algorithm, "decreasing", False, n).bound(ratio)
    steps = 1 / np.sqrt(np.arange(1, 20_000))
    # The worst choice of m_t for (*): few rows late, many early.
    for split in (0, 10, 100):
        sizes = np.where(np.arange(len(steps)) < split, n, 1) * steps
        possible = np.flatnonzero(np.cumsum(sizes) ** 2 <= ratio * np.cumsum(sizes**2))
        assert (0 if len(possible) == 0 else int(possible[-1]) + 1) <= bound


def test_the_bound_of_the_radius_variant_is_the_one_of_the_notes():
    w, b, radius, margin = np.array([0.6, 0.8]), -1.5, 3.0, 0.5
    ratio = ratio_of(radius, radius, margin, augmented_norm(w, b, radius))
    assert math.isclose(ratio, 2 * radius**2 * (1 + (b / radius) ** 2) / margin**2)


@settings(max_examples=30)
@given(st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=20), st.integers(1, 5))
def test_freund_and_schapire_is_the_least_over_all_margins(margins, passes):
    values = np.array(margins)
    bound = inseparable_bound(values, 1.0, passes)
    for g in np.geomspace(1e-3, 1e3, 200):
        D = math.sqrt(passes * float(np.sum(np.maximum(0.0, g - values) ** 2)))
        assert bound <= ((1.0 + D) / g) ** 2 * (1 + 1e-6) + 1e-9
    assert bound <= passes * len(values) + 1e-6


@pytest.mark.parametrize("name", ["linear", "poly", "rbf", "sigmoid", "laplacian"])
def test_kernels_agree_with_scikit_learn(name):
    from scipy import sparse
    from sklearn.metrics.pairwise import pairwise_kernels

    rng = np.random.default_rng(0)
    X, Z = rng.standard_normal((5, 3)), rng.standard_normal((4, 3))
    options = {} if name == "linear" else {"gamma": 0.7}
    options |= {"coef0": 0.5} if name in ("poly", "sigmoid") else {}
    ours = make_kernel(name, X, gamma=0.7, coef0=0.5)
    expected = pairwise_kernels(X, Z, metric=name, **options)
    assert np.allclose(ours.matrix(X, Z), expected)
    assert np.allclose(ours.matrix(sparse.csr_array(X), sparse.csr_array(Z)), expected)
    assert np.allclose(ours.diagonal(X), np.diag(ours.matrix(X, X)))
