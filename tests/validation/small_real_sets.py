"""Twenty small real data sets for two classes, from those that scikit-learn ships."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine


def _scaled(X: np.ndarray) -> np.ndarray:
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


@cache
def sets() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Name -> (X, y), y boolean; 60 to 150 rows each."""
    found: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    X, y = load_iris(return_X_y=True)
    found |= {f"iris {c}": (X, y == c) for c in range(3)}
    X, y = load_wine(return_X_y=True)
    found |= {f"wine {c}": (_scaled(X)[::2], (y == c)[::2]) for c in range(3)}
    X, y = load_breast_cancer(return_X_y=True)
    X = _scaled(X)
    found |= {f"breast cancer {k}": (X[k::5], (y == 1)[k::5]) for k in range(4)}
    X, y = load_digits(return_X_y=True)
    for a, b in list(combinations((1, 7, 8, 9, 3), 2)):
        rows = np.flatnonzero((y == a) | (y == b))[:70]
        found[f"digits {a} {b}"] = (X[rows] / 16.0, y[rows] == b)
    assert len(found) == 20
    return found
