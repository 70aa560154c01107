"""A weighted sample of rows that stands for all of them, and how uncertain it leaves their margins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import Problem, row_blocks
from separatrix.types import Vector


def sample_rows(y: Vector, count: int, seed: int) -> tuple[NDArray[np.intp], Vector]:
    """About ``count`` rows drawn without repetition, in order, and how many rows each stands for.

    The rows are cut into stretches of one length, and one row is drawn from each: where their order means something,
    every part of it is heard. A class with less than a quarter of the rows gives a quarter of the sample, so that it
    is not lost; then each class has stretches of its own.

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
    """How many rows the negative and the positive class have."""
    count = int(np.count_nonzero(positive))
    return len(positive) - count, count


def _one_of_each_stretch(n: int, count: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Numbers below n in order, one from each of ``count`` stretches of about one length."""
    count = min(n, count)
    ends = np.arange(count + 1) * n // max(1, count)
    drawn: NDArray[np.intp] = ends[:-1] + (rng.random(count) * np.diff(ends)).astype(np.intp)
    return drawn


def margin_spread(problem: Problem, variances: Vector) -> Vector:
    """How uncertain each margin is, up to a common factor: (sum_j a_ij^2 variance_j)^(1/2) plus its mean, (n,).

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
