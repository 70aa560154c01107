"""How far a row may move before its prediction can change: exact for linear models, proved from below for kernels.

Linear, score f(x) = w.x + b: the nearest point with f = 0 is at distance |f(x)| / ||w||_dual

    L2   |f| / ||w||_2          L1   |f| / max_j |w_j|          Linf   |f| / sum_j |w_j|

(many classes, one against the rest: the least of the same for the differences of scores). ``lower`` and ``upper``
enclose the exact value whatever the rounding; `exact_radius` gives it as a fraction (its square for L2).

Kernel: |f(x) - f(x')| <= ||f|| ||phi(x) - phi(x')||, and the prediction stands while the right side is below |f(x)|:

    rbf          ||phi(x) - phi(x')||^2 = 2 - 2 exp(-gamma ||x - x'||_2^2)
    laplacian    the same with ||x - x'||_1
    poly         ||phi(x) - phi(x')|| <= r sqrt(h'(s^2) + h''(s^2) s^2), h(t) = (gamma t + coef0)^degree, s = ||x|| + r

Other norms follow from ||v||_2 <= ||v||_1 <= sqrt(d) ||v||_2 and ||v||_2 <= sqrt(d) ||v||_inf.
Hein, Andriushchenko: Formal guarantees on the robustness of a classifier, NIPS 2017.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.fitting.inputs import check_matrix
from separatrix.proof.rigorous import UNIT, bounded_scores, factor
from separatrix.types import Vector
from separatrix.validation.kernel_radius import dense, kernel_radii

NORMS = ("l2", "l1", "linf")


@dataclass(frozen=True, eq=False)
class Radii:
    """For each row: no change of the given norm below ``lower`` changes the prediction; one of ``upper`` can.

    ``upper`` is infinite where only a lower bound is known (kernels).
    """

    norm: str
    prediction: Any  #: (n,)
    lower: Vector  #: (n,)
    upper: Vector  #: (n,)

    def __len__(self) -> int:
        return len(self.lower)

    def __str__(self) -> str:
        least, middle = self.lower.min(), np.median(self.lower)
        return f"{self.norm} radii of {len(self)} predictions: least {least:.6g}, median {middle:.6g}"


def robustness_radius(model: Any, X: Any, norm: str = "l2") -> Radii:
    """How far each row of X (n, d) may move, in the given norm, before the prediction of a fitted `SVC` can change.

    >>> import separatrix as sx
    >>> model = sx.SVC(C=10.0).fit([[0.0, 0.0], [2.0, 0.0]], [0, 1])
    >>> radii = robustness_radius(model, [[3.0, 5.0]])
    >>> print(radii.prediction, round(float(radii.lower[0]), 9), radii.lower[0] <= 2.0 <= radii.upper[0])
    [1] 2.0 True
    """
    check_is_fitted(model)
    if norm not in NORMS:
        raise ValueError(f"norm must be one of {', '.join(map(repr, NORMS))}; got {norm!r}.")
    rows: Any = check_matrix(model, X, reset=False)
    prediction = model.predict(X)
    if getattr(model, "_surface", None) is not None:
        lower = kernel_radii(model, rows, norm)
        return Radii(norm, prediction, lower, np.full(len(lower), np.inf))
    lower, upper = np.full(rows.shape[0], np.inf), np.full(rows.shape[0], np.inf)
    for w, b, pair in _differences(model):
        least, most = _linear_radii(rows, w, b, norm)
        near = np.isin(prediction, pair)  # only a rival of the predicted class can take its place
        lower[near], upper[near] = np.minimum(lower, least)[near], np.minimum(upper, most)[near]
    return Radii(norm, prediction, lower, upper)


def exact_radius(model: Any, x: Any, norm: str = "l2") -> Fraction:
    """The robustness radius of one row x (d,) under a linear model for two classes, in exact arithmetic.

    For "l2" the SQUARE of the radius, which is rational: (w.x + b)^2 / ||w||^2.

    >>> import separatrix as sx
    >>> model = sx.SVC(C=10.0).fit([[0.0], [2.0]], [0, 1])
    >>> model.coef_[:], model.intercept_[:] = 1.0, -1.0
    >>> exact_radius(model, [3.5], "linf")
    Fraction(5, 2)
    """
    check_is_fitted(model)
    if len(model.classes_) != 2 or getattr(model, "_surface", None) is not None:
        raise ValueError(
            "exact_radius is about linear models for two classes; see robustness_radius for others."
        )
    row = dense(x).ravel()
    w = [Fraction(value) for value in model.coef_[0].tolist()]
    score = sum(
        (a * Fraction(c) for a, c in zip(w, row.tolist(), strict=True)), Fraction(model.intercept_[0].item())
    )
    if not any(w):
        raise ValueError(
            "This model gives every row the same score (w = 0): no change of a row changes the prediction."
        )
    if norm == "l2":
        return score * score / sum(a * a for a in w)
    return abs(score) / (max(map(abs, w)) if norm == "l1" else sum(map(abs, w)))


def _differences(model: Any) -> list[tuple[Vector, float, Any]]:
    """The functions whose sign decides between two classes, and those classes; for many, of every pair."""
    coef, intercept = model.coef_, model.intercept_
    if len(model.classes_) == 2:
        return [(coef[0], float(intercept[0]), model.classes_)]
    if getattr(model, "multi_class", "ovr") != "ovr":
        raise ValueError("With many classes the radius is known for multi_class='ovr'; pairs vote.")
    return [
        (coef[i] - coef[j], float(intercept[i] - intercept[j]), model.classes_[[i, j]])
        for i, j in combinations(range(len(coef)), 2)
    ]


def _linear_radii(X: Any, w: Vector, b: float, norm: str) -> tuple[Vector, Vector]:
    """|w.x + b| over the dual norm of w, from below and from above."""
    f, error = bounded_scores(X, w)
    size = np.abs(f + b)
    error = error + 2.0 * UNIT * (np.abs(f) + abs(b))
    if norm == "l2":
        dual = math.sqrt(math.fsum((w * w).tolist()))
    else:
        dual = float(np.abs(w).max(initial=0.0)) if norm == "l1" else math.fsum(np.abs(w).tolist())
    if dual == 0.0:
        return np.full(len(f), np.inf), np.full(len(f), np.inf)
    slack = 1.0 + 2.0 * factor(8)
    return np.maximum(0.0, size - error) / (dual * slack), (size + error) * slack / dual
