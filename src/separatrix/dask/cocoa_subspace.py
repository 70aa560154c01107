"""The best step of all shards at once, in the small space that their directions span."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from separatrix.solvers.cocoa.subspace import BlockSpan
from separatrix.types import Vector

_LARGEST = 600  # unknowns; beyond, some shards share their coefficients
_COLUMNS = 4096  # of the images that are widened to float64 at a time: those of two shards fit the cache
_NOTHING = 1e-24  # squared length of a direction, relative to the longest, that is rounding
_SINGULAR = 1e-10  # of the small problem's matrix, relative


def best_step(spans: list[BlockSpan], w: Vector, b: float, kappa: float) -> list[Vector]:
    """Coefficients (m,) of each shard's directions that maximise D from where w (d,) and b are; bounds aside.

    >>> one = BlockSpan(np.ones((1, 2), np.float32), np.zeros(1), np.array([5.0]), np.zeros((1, 1)))
    >>> best_step([one, one], np.zeros(2), 0.0, 0.0)  # max 10 c - 1/2 ||(2c, 2c)||^2
    [array([1.25]), array([1.25])]
    """
    m = len(spans[0].s)
    n_groups = max(1, min(len(spans), _LARGEST // m))
    groups = [spans[first::n_groups] for first in range(n_groups)]
    s = np.concatenate([np.sum([each.s for each in group], axis=0) for group in groups])
    slope = np.concatenate([np.sum([each.slope for each in group], axis=0) for group in groups]) - b * s
    H: NDArray[np.float64] = kappa * np.outer(s, s)
    for first, group in enumerate(groups):
        own = slice(first * m, (first + 1) * m)
        H[own, own] += np.sum([each.curvature for each in group], axis=0)
    wide: NDArray[np.float64] = np.empty((len(s), min(_COLUMNS, len(w))))
    for begin in range(0, len(w), _COLUMNS):
        span = slice(begin, min(len(w), begin + _COLUMNS))
        images = wide[:, : span.stop - begin]
        for first, group in enumerate(groups):
            rows = images[first * m : (first + 1) * m]
            rows[:] = group[0].images[:, span]
            for each in group[1:]:
                rows += each.images[:, span]
        slope -= images @ w[span]
        H += images @ images.T
    square = H.diagonal()
    usable = square > _NOTHING * np.max(square, initial=np.finfo(float).tiny)
    size = np.where(usable, 1.0 / np.sqrt(np.where(usable, square, 1.0)), 0.0)
    scaled = np.linalg.lstsq(H * size * size[:, None], size * slope, rcond=_SINGULAR)[0]
    step = (size * scaled).reshape(n_groups, m)
    return [step[shard % n_groups] for shard in range(len(spans))]
