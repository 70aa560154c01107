"""Random logistic regressions: grids, units from 1e-9 to 1e9, duplicates, aliases, categories, many classes."""

from __future__ import annotations

import numpy as np

DESIGNS = ("grid", "units", "near", "duplicated", "aliased", "constant", "categories", "interaction")
OUTCOMES = ("two", "two", "joint", "two", "ordinal")


def random_problem(
    generator: np.random.Generator, design: str, outcome: str
) -> tuple[np.ndarray, np.ndarray, int, bool]:
    """(X, codes 0 .. k - 1 that all occur, k, bias)."""
    k = 2 if outcome == "two" else int(generator.integers(3, 6))
    n = int(generator.integers(k + 1, 13 + k))
    d = int(generator.integers(1, 5 if outcome == "two" else 3))
    X = _design(generator, design, n, d)
    n = len(X)
    # Labels that follow a direction in most rows: so all three verdicts occur.
    score = X @ (generator.integers(-2, 3, size=X.shape[1]) / np.maximum(np.abs(X).max(axis=0), 1e-300))
    score = score + generator.choice([0.0, 0.5, 2.0]) * generator.standard_normal(n)
    cuts = np.sort(generator.choice(np.arange(1, n), size=k - 1, replace=False))
    codes = np.searchsorted(cuts, np.argsort(np.argsort(score, kind="stable")), side="right")
    if outcome == "joint":
        codes = generator.permutation(k)[codes]
    flips = generator.random(n) < generator.choice([0.0, 0.1, 0.3])
    codes[flips] = generator.integers(0, k, size=int(flips.sum()))
    missing = np.setdiff1d(np.arange(k), codes)
    if len(missing):  # every class has a row
        codes = np.unique(codes, return_inverse=True)[1]
        k = int(codes.max()) + 1
        if k < 2:
            codes[0], k = 1, 2
            codes[1:] = 0
    bias = outcome == "ordinal" or bool(generator.random() < 0.8)
    return X, codes, k, bias


def _design(generator: np.random.Generator, design: str, n: int, d: int) -> np.ndarray:
    X = generator.integers(-2, 3, size=(n, d)).astype(float)
    if design == "units":
        X = X * 10.0 ** generator.integers(-9, 10, size=d)
    elif design == "near":
        # Large numbers that differ by little: 1e6 .. 4e6, or ones apart by 1e-9.
        base, step = [(1e6, 1e6), (1.0, 1e-9), (1e4, 1e-3), (0.1, 0.1)][int(generator.integers(4))]
        X = base + step * generator.integers(0, 4, size=(n, d))
    elif design == "duplicated":
        X = X[generator.integers(0, max(1, n // 2), size=n)]
    elif design == "aliased":
        X = np.column_stack([X, X @ generator.integers(-1, 2, size=d) + generator.integers(-1, 2)])
        X = X[:, generator.permutation(X.shape[1])]
    elif design == "constant":
        X[:, int(generator.integers(d))] = generator.integers(-1, 2)
    elif design in ("categories", "interaction"):
        # Indicators of a category whose last levels are rare, all of them or all but the first; some never occur.
        levels = int(generator.integers(2, 5))
        level = np.minimum(generator.geometric(0.5, size=n) - 1, levels - 1)
        full = np.equal.outer(level, np.arange(int(generator.integers(0, 2)), levels)).astype(float)
        if design == "interaction":
            full = np.column_stack([full, full[:, :1] * X[:, :1]]) if full.shape[1] else full
        X = np.column_stack([full, X[:, : d - 1]])
        if not X.shape[1]:
            X = np.ones((n, 1))
    return X
