"""Small separable problems for the perceptron tests, on a dyadic grid where float sums are exact."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

#: The eight points of the lecture notes.
EIGHT = np.array(
    [[1.9, 3.0], [4.8, 3.5], [3.7, 0.1], [3.0, 4.8], [8.6, 11.3], [8.6, 8.8], [8.2, 8.7], [11.5, 8.7]]
)
EIGHT_LABELS = np.array([1, 1, 1, 1, -1, -1, -1, -1])


@st.composite
def separable(draw: st.DrawFn, through_origin: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Rows with coordinates k / 8 that a hyperplane (through the origin or not) separates with some room."""
    d = draw(st.integers(1, 4))
    n = draw(st.integers(2, 24))
    seed = draw(st.integers(0, 2**31 - 1))
    rng = np.random.default_rng(seed)
    w = rng.integers(-4, 5, d).astype(float)
    if not w.any():
        w[0] = 1.0
    b = 0.0 if through_origin else float(rng.integers(-4, 5))
    X = rng.integers(-32, 33, (4 * n, d)) / 8.0
    f = X @ w + b
    X, f = X[np.abs(f) >= 1.0], f[np.abs(f) >= 1.0]
    X, y = X[:n], np.where(f[:n] > 0, 1, -1)
    if len(y) < 2 or len(set(y.tolist())) < 2:  # a pair that is separable whatever was drawn
        X = np.zeros((2, d))
        X[0, 0], X[1, 0] = 2.0, -2.0
        y = np.array([1, -1])
    return X, y
