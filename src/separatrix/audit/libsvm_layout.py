"""LIBSVM's layout of support vectors, shared by scikit-learn's SVC and by model files.

Support vectors are grouped by class. The pair of classes (i, j), i < j, positive for i, has the coefficients
y_s alpha_s in row j - 1 for the vectors of class i and in row i for those of class j. scikit-learn turns the signs
round where there are two classes only, so that the second is positive; its readers turn them back.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.audit.claim import Claim, Expansion, Given, Hyperplane, Objective
from separatrix.problem import HINGE
from separatrix.problem.kernels import Kernel
from separatrix.problem.rows import weighted_sum
from separatrix.types import Index, Vector

NU_NOTE = (
    "nu-SVC is C-SVC with a C that depends on the data: the largest alpha_i. The audit is of that C-SVC, "
    "whose surface is the same (Chang and Lin, 2001). Where nu is smaller than "
    "the data allow, that C grows without bound."
)


@dataclass(frozen=True, eq=False)
class SupportVectors:
    """The inside of a LIBSVM model.

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
    support: SupportVectors, kernel: Kernel, given: Given, C: float | None, weights: Vector
) -> list[Claim]:
    """A claim for each pair of classes, with C_i = C * sample weight * class weight.

    C of None reads it off each pair's coefficients, as nu-SVC needs. weights (k,) belong to given.classes.
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
        alpha = _alpha(support.rows, members, coef, given, positive, negative)
        cost = given.weights * weights[given.codes]
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
    rows: Index | None, members: Index, coef: Vector, given: Given, positive: Any, negative: Any
) -> Vector | None:
    """The dual variables over all rows (n,), or None where a coefficient has the wrong sign for its row."""
    if rows is None:
        return None
    codes = given.codes[rows[members]]
    sign = np.where(codes == given.code(positive), 1.0, np.where(codes == given.code(negative), -1.0, 0.0))
    if np.any((sign * coef < 0) | ((sign == 0) & (coef != 0))):
        return None
    alpha = np.zeros(len(given.codes))
    alpha[rows[members]] = np.abs(coef)
    return alpha


def _nu_cost(coef: Vector, alpha: Vector | None, cost: Vector) -> float:
    """The C for which the solution of nu-SVC solves C-SVC: the largest alpha_i / weight_i.

    Chang, Lin: Training nu-support vector classifiers, Neural Computation 13 (2001). Where no alpha is at its
    bound, any C from the largest alpha upwards has the same solution.
    """
    if alpha is None:
        return float(np.max(np.abs(coef)))
    used = np.flatnonzero(alpha)
    return float(np.max(alpha[used] / cost[used]))
