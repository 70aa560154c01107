"""Equal rows with equal labels, merged into one that costs as much as all of them.

k copies of a row with costs C_1, ..., C_k are one row with cost C_1 + ... + C_k: the same primal, and any split
of its alpha in proportion to the costs is a dual point of the same value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import Problem
from separatrix.types import Vector

_WORTH = 0.8  # the part of the rows that may remain for merging to pay


@dataclass(frozen=True, eq=False)
class Merged:
    """The smaller problem and the way back."""

    problem: Problem
    group: NDArray[np.intp]  # (n,) the merged row of each row
    C: Vector  # (n,) the costs before

    def split(self, alpha: Vector) -> Vector:
        """alpha of every row; those at their bound are there exactly."""
        total = self.problem.C[self.group]
        whole = alpha[self.group]
        return np.where(whole >= total, self.C, whole * (self.C / total))


def merge_duplicates(problem: Problem) -> Merged | None:
    """The problem with equal rows of CSR data merged, or None where that would save little.

    Rows are told apart by two random projections. Were two different rows ever to agree in both, the proof,
    which reads the original rows, would not accept the answer.

    >>> from scipy import sparse
    >>> from separatrix.problem import HINGE
    >>> X = sparse.csr_array(np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 1.0]]))
    >>> merged = merge_duplicates(Problem(X, np.array([1.0, 1.0, -1.0]), np.ones(3), HINGE, "none"))
    >>> merged.problem.C, merged.split(np.array([0.5, 1.0]))
    (array([1., 2.]), array([0.5, 0.5, 0.5]))
    """
    if not problem.is_sparse:
        return None
    X: Any = problem.X
    hashes = X @ np.random.default_rng(0).standard_normal((problem.n_columns, 2))
    order = np.lexsort((hashes[:, 0], hashes[:, 1], problem.y))
    keys, labels = hashes[order], problem.y[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.any(keys[1:] != keys[:-1], axis=1) | (labels[1:] != labels[:-1])
    if np.count_nonzero(new) > _WORTH * len(order):
        return None
    group = np.empty(len(order), dtype=np.intp)
    group[order] = np.cumsum(new) - 1
    smaller = problem.take(order[new])
    cost: Vector = np.bincount(group, weights=problem.C).astype(np.float64)
    return Merged(replace(smaller, C=cost), group, problem.C)
