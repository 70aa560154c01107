"""Which predictions two certificates determine: no pair of points within their gaps can differ there.

    P(w, b) = 1/2 ||w||^2 + sum_i C_i max(0, 1 - y_i (w.x_i + b))      (+ 1/2 b^2 if the bias is augmented)

P is strongly convex in w, so that a point within g of the optimum has 1/2 ||w - w*||^2 <= g, and two points within g
and g' have ||w - w'|| <= r = sqrt(2 g) + sqrt(2 g'). Then |w.x - w'.x| <= r ||x||; with an augmented bias, the same for
(w, b) and (x, 1). A free bias is not penalised, but b' too must keep P below P(w, b) + g': as

    P(w', b') >= 1/2 max(0, ||w|| - r)^2 + sum_i C_i max(0, 1 - y_i (w.x_i + b') - r ||x_i||),

a convex function of b' alone, b' is in an interval around b.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def undetermined(
    one: Any, other: Any, X: Any, y: np.ndarray, weights: np.ndarray | None
) -> NDArray[np.bool_]:
    """Rows (n,) where the answer of ``one`` (hinge, two classes) does not determine that of ``other``."""
    w, b = one.coef_[0], float(one.intercept_[0])
    gaps = [max(0.0, model.primal_ - model.dual_) for model in (one, other)]
    r = sum(np.sqrt(2.0 * gap) for gap in gaps)
    squares = X.multiply(X).sum(axis=1) if sparse.issparse(X) else np.einsum("ij,ij->i", X, X)
    norms = np.sqrt(np.asarray(squares).ravel() + (one.bias == "augmented"))
    f = X @ w + b
    around = 0.0
    if one.bias == "free":
        C = one.C * (np.ones(len(y)) if weights is None else weights)
        least = 0.5 * max(0.0, float(np.linalg.norm(w)) - r) ** 2
        limit = one.primal_ + gaps[1]

        def too_far(shift: float) -> bool:
            """Whether no point within the gaps has the bias b + shift."""
            short = 1.0 - y * (f + shift) - r * norms
            return least + float(C @ np.maximum(short, 0.0)) > limit

        around = max(_edge(too_far, 1.0), _edge(too_far, -1.0))
    return np.abs(f) <= r * norms + around


def _edge(too_far: Callable[[float], bool], direction: float) -> float:
    """How far a shift may go in one direction, from above."""
    near, far = 0.0, 1e-9
    while not too_far(direction * far):
        near, far = far, 2.0 * far
        if far > 1e12:
            return far
    for _ in range(60):
        middle = 0.5 * (near + far)
        near, far = (near, middle) if too_far(direction * middle) else (middle, far)
    return far
