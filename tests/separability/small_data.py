"""Small problems that are hard on purpose: grids, collinear, duplicated, extreme exponents."""

from __future__ import annotations

import numpy as np

KINDS = ("grid", "binary", "collinear", "duplicated", "columns", "rows", "entries", "normal", "parallel")


def small_problem(generator: np.random.Generator, kind: str) -> tuple[np.ndarray, np.ndarray, bool]:
    """(X, y, bias) with at most 9 rows and 3 columns."""
    n, d = int(generator.integers(2, 10)), int(generator.integers(1, 4))
    X = generator.integers(-2, 3, size=(n, d)).astype(float)
    if kind == "binary":
        X = generator.integers(0, 2, size=(n, d)).astype(float)
    elif kind == "collinear":
        X = np.outer(generator.integers(-3, 4, size=n), generator.integers(-3, 4, size=d)).astype(float)
    elif kind == "duplicated":
        X = X[generator.integers(0, max(1, n // 2), size=n)]
    elif kind == "columns":
        X = X * 10.0 ** generator.integers(-300, 300, size=d)
    elif kind == "rows":
        X = (
            X
            * 10.0 ** generator.integers(-150, 150, size=(n, 1))
            * 10.0 ** generator.integers(-150, 150, size=d)
        )
    elif kind == "entries":
        X = generator.standard_normal((n, d)) * 10.0 ** generator.integers(-300, 300, size=(n, d))
    elif kind == "normal":
        X = generator.standard_normal((n, d))
    elif kind == "parallel":
        # Rows that agree in all but their last bits: floating point cannot tell them apart.
        X = np.ones((n, d)) * generator.standard_normal(d)
        X = np.nextafter(X, X + generator.integers(-1, 2, size=(n, d)))
    y = generator.choice([-1.0, 1.0], size=n)
    y[:2] = 1.0, -1.0
    return X, y, bool(generator.integers(0, 2))
