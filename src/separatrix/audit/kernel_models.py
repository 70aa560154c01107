"""Models of support vectors: readers of scikit-learn's SVC and NuSVC, and LIBSVM's layout, which model files share.

scikit-learn-intelex's models have the same attributes. Support vectors are grouped by class. The pair of classes
(i, j), i < j, positive for i, has the coefficients y_s alpha_s in row j - 1 for the vectors of class i and in row i for
those of class j. scikit-learn turns the signs round where there are two classes only, so that the second is positive;
its readers turn them back.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.audit.claim import (
    AuditData,
    Claim,
    Expansion,
    Hyperplane,
    ModelClaims,
    Objective,
    Unauditable,
    class_weights,
)
from separatrix.problem import HINGE
from separatrix.problem.kernels import Kernel, make_kernel
from separatrix.problem.rows import weighted_sum
from separatrix.types import Index, Vector

NU_NOTE = (
    "nu-SVC is C-SVC with a C that depends on the data: the largest alpha_i. The audit is of that C-SVC, "
    "whose surface is the same (Chang and Lin, 2001). Where nu is smaller than "
    "the data allow, that C grows without bound."
)


@dataclass(frozen=True, eq=False)
class SupportVectors:
    """The support vectors of a LIBSVM model.

    coef (k - 1, m), intercept (k (k - 1) / 2,) = -rho, counts (k,) vectors of each class, vectors (m, d), and the
    training row of each vector (m,) where that is known.
    """

    classes: list[Any]
    coef: NDArray[np.float64]
    intercept: Vector
    counts: list[int]
    vectors: Any
    rows: Index | None


def pair_claims(
    support: SupportVectors, kernel: Kernel, data: AuditData, C: float | None, weights: Vector
) -> list[Claim]:
    """A claim for each pair of classes, with C_i = C * sample weight * class weight.

    C of None reads it off each pair's coefficients, as nu-SVC needs. weights (k,) belong to data.classes.
    """
    claims = []
    first = np.concatenate([[0], np.cumsum(support.counts)])
    two = len(support.classes) == 2
    for place, (i, j) in enumerate(combinations(range(len(support.classes)), 2)):
        of_i, of_j = np.arange(first[i], first[i + 1]), np.arange(first[j], first[j + 1])
        members = np.concatenate([of_i, of_j])
        coef = np.concatenate([support.coef[j - 1, of_i], support.coef[i, of_j]])
        b = float(support.intercept[place])
        positive, negative = support.classes[i], support.classes[j]
        if two:  # named as scikit-learn does: the greater label is positive
            known = sorted(support.classes)
            if positive != known[1]:
                positive, negative, coef, b = negative, positive, -coef, -b
        alpha = _alpha(support.rows, members, coef, data, positive, negative)
        cost = data.weights * weights[data.codes]
        pair_C = C if C is not None else _nu_cost(coef, alpha, cost)
        claims.append(
            Claim(
                key=positive if two else (positive, negative),
                positive=positive,
                negative=negative,
                surface=_surface(kernel, support, members, coef, b),
                objective=Objective(HINGE, "free", pair_C * cost),
                alpha=alpha,
            )
        )
    return claims


def _surface(
    kernel: Kernel, support: SupportVectors, members: Index, coef: Vector, b: float
) -> Hyperplane | Expansion:
    used = members[coef != 0]  # the vectors of other pairs carry a zero here
    coef = coef[coef != 0]
    vectors = None if support.vectors is None else support.vectors[used]
    if kernel.name == "linear":
        return Hyperplane(weighted_sum(vectors, coef), b)
    return Expansion(kernel, vectors, None if support.rows is None else support.rows[used], coef, b)


def _alpha(
    rows: Index | None, members: Index, coef: Vector, data: AuditData, positive: Any, negative: Any
) -> Vector | None:
    """The dual variables over all rows (n,), or None where a coefficient has the wrong sign for its row."""
    if rows is None:
        return None
    codes = data.codes[rows[members]]
    sign = np.where(codes == data.code(positive), 1.0, np.where(codes == data.code(negative), -1.0, 0.0))
    if np.any((sign * coef < 0) | ((sign == 0) & (coef != 0))):
        return None
    alpha = np.zeros(len(data.codes))
    alpha[rows[members]] = np.abs(coef)
    return alpha


def _nu_cost(coef: Vector, alpha: Vector | None, cost: Vector) -> float:
    """C for which the solution of nu-SVC solves C-SVC: the largest alpha_i / weight_i.

    Chang, Lin: Training nu-support vector classifiers, Neural Computation 13 (2001). Where no alpha is at its
    bound, any C from the largest alpha upwards has the same solution.
    """
    if alpha is None:
        return float(np.max(np.abs(coef)))
    used = np.flatnonzero(alpha)
    return float(np.max(alpha[used] / cost[used]))


def read_svc(name: str, model: Any, data: AuditData) -> ModelClaims:
    """Read an SVC, whose C is a parameter."""
    weights = np.ones(len(data.classes))
    order = [data.code(label) for label in model.classes_.tolist()]
    if getattr(model, "class_weight_", None) is not None:
        weights[order] = np.asarray(model.class_weight_, dtype=np.float64)
    else:
        weights = class_weights(model.class_weight, data, weighted=False)
    support, notes = _support(name, model, data)
    return ModelClaims(name, pair_claims(support, _kernel(model, data), data, float(model.C), weights), notes)


def read_nu_svc(name: str, model: Any, data: AuditData) -> ModelClaims:
    """Read a NuSVC, whose C follows from the dual variables."""
    if model.class_weight is not None:
        raise Unauditable(
            f"{name} with class_weight has no C-SVC that it maps to; only without class_weight."
        )
    support, notes = _support(name, model, data)
    weights = np.ones(len(data.classes))
    return ModelClaims(
        name, pair_claims(support, _kernel(model, data), data, None, weights), [NU_NOTE, *notes]
    )


def _kernel(model: Any, data: AuditData) -> Kernel:
    gamma = model._gamma if isinstance(getattr(model, "_gamma", None), int | float) else model.gamma
    return make_kernel(model.kernel, data.X, model.degree, gamma, model.coef0)


def _support(name: str, model: Any, data: AuditData) -> tuple[SupportVectors, list[str]]:
    known = model.classes_.tolist()
    data.check_classes(known)
    is_sparse = bool(sparse.issparse(model.dual_coef_))
    coef = np.asarray(model.dual_coef_.toarray() if is_sparse else model.dual_coef_, dtype=np.float64)
    intercept = np.asarray(model.intercept_, dtype=np.float64).ravel()
    if len(known) == 2:  # back to LIBSVM's signs, the first class positive
        coef, intercept = -coef, -intercept
    counts = [int(count) for count in model.n_support_]
    precomputed = isinstance(model.kernel, str) and model.kernel == "precomputed"
    codes = [data.code(label) for label in known]
    # Grouped by class; only intelex leaves the vectors of two classes in the order of the rows.
    expected = np.repeat(codes, counts) if len(known) > 2 else np.where(coef[0] > 0, *codes)
    rows = _rows(np.asarray(model.support_, dtype=np.intp), expected, data)
    vectors: Any = None
    if not precomputed:
        vectors = model.support_vectors_
        if callable(model.kernel):  # scikit-learn keeps no vectors there
            vectors = None if rows is None else data.X[rows]
        elif vectors.shape[1] != data.X.shape[1]:
            raise ValueError(f"The model has {vectors.shape[1]} columns but X has {data.X.shape[1]}.")
        else:
            is_sparse = bool(sparse.issparse(vectors))
            vectors = sparse.csr_array(vectors) if is_sparse else np.asarray(vectors)
            rows = rows if rows is not None and _equal(data.X[rows], vectors) else None
    notes: list[str] = []
    if rows is None:
        notes.append(
            "X and y are not those the model was trained on: its support vectors are not where it says. "
            "All values below are about the rows that were given."
        )
        if vectors is None:
            raise ValueError(f"{name} refers to its training rows by number, and X and y are not those.")
    return SupportVectors(known, coef, intercept, counts, vectors, rows), notes


def _rows(support: Index, expected: Index, data: AuditData) -> Index | None:
    """The training row of each vector; None if those rows are not of the classes that the model has there."""
    # Rows of weight zero are removed before LIBSVM counts them.
    for candidate in (np.arange(len(data.codes)), np.flatnonzero(data.weights > 0)):
        if not len(support) or support.max() >= len(candidate):
            continue
        rows = candidate[support]
        if np.array_equal(data.codes[rows], expected) and np.all(data.weights[rows] > 0):
            return np.asarray(rows, dtype=np.intp)
    return None


def _equal(rows: Any, vectors: Any) -> bool:
    difference = sparse.csr_array(rows) - sparse.csr_array(vectors)
    return difference.nnz == 0 or not np.any(difference.data)
