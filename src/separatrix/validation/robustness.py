"""Robustness radius: the least change of a row that can change its prediction.

It is exact for linear models and proved from below for kernels.

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
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_is_fitted

from separatrix.errors import with_hint
from separatrix.fitting.inputs import check_matrix
from separatrix.problem.kernels import Laplacian, Poly, Rbf
from separatrix.proof.rigorous import UNIT, bounded_scores, factor
from separatrix.types import Vector
from separatrix.validation.dual_view import fitted_kernel

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
    """Radius in the given norm within which each row of X (n, d) keeps its prediction by a fitted `SVC`.

    >>> import separatrix as sx
    >>> model = sx.SVC(C=10.0).fit([[0.0, 0.0], [2.0, 0.0]], [0, 1])
    >>> radii = robustness_radius(model, [[3.0, 5.0]])
    >>> print(radii.prediction, round(float(radii.lower[0]), 9), radii.lower[0] <= 2.0 <= radii.upper[0])
    [1] 2.0 True
    """
    check_is_fitted(model)
    if norm not in NORMS:
        raise ValueError(f"norm must be one of {', '.join(map(repr, NORMS))}; got {norm!r}.")
    _refuse_scaling(model)
    rows: Any = check_matrix(model, X, reset=False)
    prediction = model.predict(X)
    if getattr(model, "_surface", None) is not None:
        lower = _kernel_radii(model, rows, norm)
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
    _refuse_scaling(model)
    row = _dense(x).ravel()
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


def _refuse_scaling(model: Any) -> None:
    if getattr(model, "scaling_", None) is not None:
        raise with_hint(
            ValueError,
            f"A radius is a distance in the columns of X, and this model has scaling={model.scaling!r}.",
            "scale the rows first, then fit with scaling=None",
        )


def _differences(model: Any) -> list[tuple[Vector, float, Any]]:
    """Functions whose sign decides between two classes, with those classes; for many classes, of every pair."""
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


def _kernel_radii(model: Any, X: Any, norm: str) -> Vector:
    """Radius within which the prediction of each row of X (n, d) is proved to stand, rounding included; shape (n,)."""
    if len(model.classes_) != 2:
        raise ValueError("The robustness radius of a kernel model is known for two classes only.")
    rows, vectors = _dense(X), _dense(model.support_vectors_)
    c = np.asarray(model.dual_coef_, dtype=np.float64).ravel()
    kernel = fitted_kernel(model)
    if not isinstance(kernel, Rbf | Laplacian | Poly):
        raise ValueError(
            f"The robustness radius is known for linear, rbf, laplacian and poly kernels; got {kernel.name!r}."
        )
    score, error = _combination(kernel, rows, vectors, c)
    intercept = float(np.ravel(model.intercept_)[0])
    size = np.abs(score + intercept) - error - 4 * UNIT * (np.abs(score) + abs(intercept))
    inner, inner_error = _combination(kernel, vectors, vectors, c)
    length = math.sqrt(
        max(0.0, float(c @ inner) + float(np.abs(c) @ (inner_error + len(c) * UNIT * np.abs(inner))))
    )
    ratio = np.maximum(0.0, size) / (length * (1 + 16 * UNIT)) if length > 0 else np.full(len(size), np.inf)
    d = max(1, rows.shape[1])
    if isinstance(kernel, Poly):
        lengths = np.linalg.norm(rows, axis=1) * (1 + 1e-12)
        radius = np.array([_poly_radius(kernel, s, r) for s, r in zip(lengths, ratio, strict=True)])
        own = "l2"
    else:
        with np.errstate(divide="ignore"):
            reach = -np.log1p(-np.minimum(1.0, 0.5 * ratio * ratio)) / float(kernel.gamma)
        radius, own = (np.sqrt(reach), "l2") if isinstance(kernel, Rbf) else (reach, "l1")
    shrink = {
        "l2": {"l2": 1.0, "l1": 1.0, "linf": math.sqrt(d)},
        "l1": {"l2": math.sqrt(d), "l1": 1.0, "linf": float(d)},
    }
    return radius / shrink[own][norm] * (1.0 - 1e-12)


def _combination(
    kernel: Rbf | Laplacian | Poly, X: NDArray[np.float64], Z: NDArray[np.float64], c: Vector
) -> tuple[Vector, Vector]:
    """sum_j c_j k(x_i, z_j) and a bound on its rounding error, each (n,)."""
    d, m = X.shape[1], len(c)
    if isinstance(kernel, Poly):
        sizes = np.abs(X) @ np.abs(Z).T * float(kernel.gamma) + abs(kernel.coef0)
        values = (X @ Z.T * float(kernel.gamma) + kernel.coef0) ** kernel.degree
        errors = 2.0 * kernel.degree * (d + 8) * UNIT * sizes**kernel.degree
    else:
        distances = cdist(X, Z, "sqeuclidean") if isinstance(kernel, Rbf) else cdist(X, Z, "cityblock")
        exponent = float(kernel.gamma) * distances
        values = np.exp(-exponent)
        errors = values * (exponent * (d + 8) + 8) * 2.0 * UNIT
    size = np.abs(values) @ np.abs(c)
    return values @ c, (errors @ np.abs(c)) * 1.01 + 2.0 * (m + 4) * UNIT * size


def _poly_radius(kernel: Poly, length: float, ratio: float) -> float:
    """The largest r found with r sqrt(h'(s^2) + h''(s^2) s^2) <= ratio, s = ||x|| + r; h must be increasing."""
    if not (float(kernel.gamma) > 0 and kernel.coef0 >= 0 and kernel.degree >= 1):
        raise ValueError("The robustness radius of a poly kernel needs gamma > 0 and coef0 >= 0.")
    if math.isinf(ratio):
        return math.inf
    p, g = kernel.degree, float(kernel.gamma)

    def moved(r: float) -> float:
        s2 = (length + r) ** 2
        t = g * s2 + kernel.coef0
        rate = p * g * t ** (p - 1) + (p * (p - 1) * g * g * t ** (p - 2) * s2 if p > 1 else 0.0)
        return r * math.sqrt(rate) * (1 + 1e-12)

    low, high = 0.0, 1.0
    while moved(high) <= ratio and high < 1e150:
        low, high = high, 2.0 * high
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if moved(middle) <= ratio else (low, middle)
    return low


def _dense(X: Any) -> NDArray[np.float64]:
    is_sparse = bool(sparse.issparse(X))
    return np.asarray(X.toarray() if is_sparse else X, dtype=np.float64)
