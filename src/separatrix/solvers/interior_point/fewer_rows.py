"""Fewer rows that stand for all: a weighted sample, and equal rows merged into one.

k copies of a row with one label and costs C_1, ..., C_k are one row with cost C_1 + ... + C_k: the same primal, and any
split of its alpha in proportion to the costs is a dual point of the same value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import Problem, row_blocks
from separatrix.types import Vector


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
    """The problem with equal rows of CSR data merged, or None where no two are equal.

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
    if np.all(new):
        return None
    group = np.empty(len(order), dtype=np.intp)
    group[order] = np.cumsum(new) - 1
    smaller = problem.take(order[new])
    cost: Vector = np.bincount(group, weights=problem.C).astype(np.float64)
    return Merged(replace(smaller, C=cost), group, problem.C)


def sample_rows(y: Vector, count: int, seed: int) -> tuple[NDArray[np.intp], Vector]:
    """About ``count`` rows drawn without repetition, in order, and how many rows each stands for.

    The rows are cut into stretches of one length, and one row is drawn from each: where their order means something,
    every part of it is represented. A class with less than a quarter of the rows gives a quarter of the sample, so that
    it is not lost; then each class has stretches of its own.

    >>> rows, weights = sample_rows(np.array([1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0]), 4, seed=0)
    >>> len(rows), float(np.sum(weights))
    (4, 7.0)
    """
    rng = np.random.default_rng(seed)
    positive = y > 0
    sizes = _sizes(positive)
    if 4 * min(sizes) >= len(y):
        chosen = _one_of_each_stretch(len(y), count, rng)
    else:
        wanted = [max(count * size // len(y), min(size, count // 4)) for size in sizes]
        members = np.flatnonzero(~positive), np.flatnonzero(positive)
        drawn = [
            rows[_one_of_each_stretch(len(rows), k, rng)] for rows, k in zip(members, wanted, strict=True)
        ]
        chosen = np.sort(np.concatenate(drawn))
    side = positive[chosen]
    below, above = (size / max(1, found) for size, found in zip(sizes, _sizes(side), strict=True))
    return chosen, np.where(side, above, below)


def _sizes(positive: NDArray[np.bool_]) -> tuple[int, int]:
    """Numbers of rows of the negative and the positive class."""
    count = int(np.count_nonzero(positive))
    return len(positive) - count, count


def _one_of_each_stretch(n: int, count: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Numbers below n in order, one from each of ``count`` stretches of about one length."""
    count = min(n, count)
    ends = np.arange(count + 1) * n // max(1, count)
    drawn: NDArray[np.intp] = ends[:-1] + (rng.random(count) * np.diff(ends)).astype(np.intp)
    return drawn


def margin_spread(problem: Problem, variances: Vector) -> Vector:
    """Uncertainty of each margin, up to a common factor: (sum_j a_ij^2 variance_j)^(1/2) plus its mean, (n,).

    >>> from separatrix.problem import HINGE
    >>> problem = Problem(np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([1.0, -1.0]), np.ones(2), HINGE, "none")
    >>> margin_spread(problem, np.ones(2))
    array([7.5, 2.5])
    """
    out = np.empty(problem.n_rows)
    for span, block in row_blocks(problem.X):
        squares = block * block if isinstance(block, np.ndarray) else block.power(2)
        out[span] = squares @ variances[: problem.n_columns]
    if problem.bias != "none":
        out += variances[-1]
    np.sqrt(out, out=out)
    spread: Vector = out + np.mean(out)
    return spread
