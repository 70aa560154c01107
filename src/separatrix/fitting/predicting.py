"""Scores of new rows against fitted hyperplanes, block by block: float32 rows are never widened whole."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from separatrix.problem import row_blocks
from separatrix.types import Matrix, Vector


def raw_scores(X: Matrix, coef: Vector, intercept: Vector) -> Vector:
    """X coef^T + intercept, shape (n, number of problems), in float64.

    >>> raw_scores(np.array([[1.0, 2.0]]), np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([0.5, 0.0]))
    array([[3.5, 2. ]])
    """
    out = np.empty((X.shape[0], len(coef)))
    block: Any
    for rows, block in row_blocks(X):
        # BLAS rounds differently for other numbers of rows, which would settle ties between classes by the
        # size of the batch; einsum adds each row up on its own.
        out[rows] = block @ coef.T if bool(sparse.issparse(block)) else np.einsum("ij,kj->ik", block, coef)
    out += intercept
    return out


def pair_votes(scores: Vector, n_classes: int) -> Vector:
    """Votes of each pair (i, j), i < j, for i where its score is above 0, else for j; shape (n, k).

    Ties are settled by the sum of the scores, squeezed into (-1/3, 1/3) so that it never outweighs a vote.

    >>> pair_votes(np.array([[2.0, 1.0, -0.5]]), 3).argmax(axis=1)
    array([0])
    """
    votes, sums = np.zeros((len(scores), n_classes)), np.zeros((len(scores), n_classes))
    pairs = [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]
    for (i, j), score in zip(pairs, scores.T, strict=True):
        votes[:, i] += score > 0
        votes[:, j] += score <= 0
        sums[:, i] += score
        sums[:, j] -= score
    return votes + sums / (3.0 * (np.abs(sums) + 1.0))
