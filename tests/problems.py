"""Tiny problems with answers known by hand. The formula stands above each."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from separatrix.problem import HINGE, SQUARED_HINGE, Problem
from separatrix.problem.losses import Loss
from separatrix.types import Vector


@dataclass(frozen=True)
class Known:
    """A problem, its optimal value, w and b (None where it is not unique)."""

    name: str
    problem: Problem
    value: float
    w: Vector
    b: float | None = 0.0


def make(X: object, y: object, C: object, loss: Loss, bias: str) -> Problem:
    """A problem from lists."""
    X, y = np.array(X, dtype=float), np.array(y, dtype=float)
    return Problem(X, y, np.broadcast_to(np.asarray(C, dtype=float), y.shape).copy(), loss, bias)  # type: ignore[arg-type]


def known() -> list[Known]:
    """All problems of this file."""
    found = []

    # One column, rows 2 and -2, no bias, C = 1: hard margin w = 1/2, alpha = 1/8 each. value = w^2 / 2.
    found.append(Known("pair", make([[2], [-2]], [1, -1], 1, HINGE, "none"), 0.125, np.array([0.5])))

    # The same with C = 1/16: alpha = C, w = 2 * 2 / 16 = 1/4, margin 1/2. value = 1/32 + 2/16 * 1/2.
    found.append(
        Known("pair, small C", make([[2], [-2]], [1, -1], 1 / 16, HINGE, "none"), 3 / 32, np.array([0.25]))
    )

    # Free bias, rows 3 and 1: the margin is the gap, w = 1, b = -2. value = 1/2.
    found.append(Known("gap", make([[3], [1]], [1, -1], 10, HINGE, "free"), 0.5, np.array([1.0]), -2.0))

    # Augmented bias on the same rows: min (w^2 + b^2) / 2, 3w + b >= 1, -w - b >= 1  ->  w = 1, b = -2.
    found.append(
        Known("gap, augmented", make([[3], [1]], [1, -1], 10, HINGE, "augmented"), 2.5, np.array([1.0]), -2.0)
    )

    # The same x in both classes, no bias: loss(w) + loss(-w) >= 2 with equality for |w| <= 1, so w = 0.
    found.append(Known("contradiction", make([[1], [1]], [1, -1], 3, HINGE, "none"), 6.0, np.array([0.0])))

    # Zero rows alone carry no information: w = 0, every loss is 1.
    found.append(Known("zero rows", make([[0, 0], [0, 0]], [1, -1], 2, HINGE, "none"), 4.0, np.zeros(2)))

    # Squared hinge, one column, rows 1 and -1, no bias: min w^2/2 + 2C (1-w)^2  ->  w = 4C / (1 + 4C).
    C = 0.5
    w = 4 * C / (1 + 4 * C)
    found.append(
        Known(
            "squared pair",
            make([[1], [-1]], [1, -1], C, SQUARED_HINGE, "none"),
            w * w / 2 + 2 * C * (1 - w) ** 2,
            np.array([w]),
        )
    )

    # Squared hinge, free bias, rows 3 and 1: by symmetry b = -2w, the pair above shifted.
    found.append(
        Known(
            "squared gap",
            make([[3], [1]], [1, -1], C, SQUARED_HINGE, "free"),
            w * w / 2 + 2 * C * (1 - w) ** 2,
            np.array([w]),
            -2 * w,
        )
    )

    # Squared hinge, contradiction: C (1-w)^2 + C (1+w)^2 is least at w = 0.
    found.append(
        Known(
            "squared contradiction",
            make([[1], [1]], [1, -1], 3, SQUARED_HINGE, "none"),
            6.0,
            np.array([0.0]),
        )
    )

    # Duplicate columns share the weight: with rows (1, 1) and (-1, -1), w = (1/2, 1/2), value 1/4.
    found.append(
        Known(
            "duplicate columns",
            make([[1, 1], [-1, -1]], [1, -1], 10, HINGE, "none"),
            0.25,
            np.array([0.5, 0.5]),
        )
    )

    # A row of weight 3 counts as three: rows 1 (C = 3) and -1 (C = 1) of both labels around zero.
    # min w^2/2 + 3 loss(w) + loss(-w) = w^2/2 + 4 - 2w for |w| <= 1  ->  w = 1, value 1/2 + 0 + 2.
    found.append(Known("weights", make([[1], [1]], [1, -1], [3, 1], HINGE, "none"), 2.5, np.array([1.0])))
    return found


def noisy(
    n: int = 200, d: int = 8, *, loss: Loss = HINGE, bias: str = "none", C: float = 1.0, seed: int = 0
) -> Problem:
    """Overlapping classes, weights from C to 3C, one zero row, one duplicate, values that float32 cannot hold."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.where(X @ rng.standard_normal(d) + 0.5 + rng.standard_normal(n) > 0, 1.0, -1.0)
    X[3] = 0.0
    X[5], y[5] = X[4], y[4]
    return make(X, y, C * rng.uniform(1, 3, n), loss, bias)


def as_sparse(problem: Problem, index: type = np.int32) -> Problem:
    X = sparse.csr_array(problem.X)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    return replace(problem, X=X)
