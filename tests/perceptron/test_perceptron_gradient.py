"""Gradient descent on the perceptron risk: the search along a ray, and the range its step is kept in."""

from __future__ import annotations

import numpy as np

from separatrix.perceptron.gradient import GradientSteps, minimise_on_ray
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.rows import LabelledRows


def test_the_ray_is_searched_exactly():
    rng = np.random.default_rng(1)
    for _ in range(200):
        m, d = rng.integers(-5, 6, 8).astype(float), rng.integers(-4, 5, 8).astype(float)
        if not np.any(d[m <= 0] > 0):
            continue

        def risk(s, m=m, d=d):
            return np.maximum(0, -(m + s * d)).sum()

        low, high = minimise_on_ray(m, d)
        creases = [0.0, *(-m[d != 0] / d[d != 0])]
        best = min(risk(s) for s in creases if s >= 0)
        assert risk(low) <= best + 1e-12
        if np.isfinite(high):
            assert risk(high) <= best + 1e-12


def test_exact_search_alone_can_jam_and_the_kept_range_does_not():
    """At w = 0 the risk is least already, and every row is misclassified: the search alone would stay there."""
    X, y = np.array([[3.0, 1.0], [-1.0, 2.0], [1.0, -3.0]]), np.array([1, 1, -1], dtype=np.int8)
    g = (y[:, None] * X).sum(axis=0)
    assert minimise_on_ray(np.zeros(3), y * (X @ g))[0] == 0.0
    descent = GradientSteps(LabelledRows(X, y, 0.0), Settings(step="line-search"))
    while descent.step():
        assert descent.sizes[-1] * np.sum(descent.counts >= 0) * 3 >= 1.0
        assert descent.updates < 1000
    assert np.all(y * (X @ descent.w) > 0)
