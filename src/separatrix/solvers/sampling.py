"""A weighted sample of rows that stands for all of them, and how uncertain it leaves their margins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import Problem, row_blocks
from separatrix.problem.losses import Vector


def sample_rows(y: Vector, count: int, seed: int) -> tuple[NDArray[np.intp], Vector]:
    """About ``count`` rows drawn without repetition, in order, and how many rows each stands for.

    Each class gives in proportion to its size, but the smaller at least a quarter of the sample, so that a
    rare class is not lost. Its rows are cut into stretches of one length, and one row is drawn from each: where the
    order of the rows means something, every part of it is heard.

    >>> rows, weights = sample_rows(np.array([1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0]), 4, seed=0)
    >>> len(rows), float(np.sum(weights))
    (4, 7.0)
    """
    rng = np.random.default_rng(seed)
    positive = y > 0
    rows, each = [], []
    for members in (np.flatnonzero(~positive), np.flatnonzero(positive)):
        wanted = max(count * len(members) // len(y), min(len(members), count // 4))
        each.append(len(members) / max(1, wanted))
        if wanted > 0:
            ends = np.arange(wanted + 1) * len(members) // wanted
            rows.append(members[rng.integers(ends[:-1], ends[1:])])
    chosen = np.sort(np.concatenate(rows))
    return chosen, np.where(positive[chosen], each[1], each[0])


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
