"""A round of distributed descent (CoCoA+): the message of a shard, and the best step of all shards at once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.solvers.cocoa.solver import BlockSums, Proposal
from separatrix.solvers.cocoa.subspace import BlockSpan
from separatrix.types import Vector

#: One array of bytes, or several arrays: each costs a tenth of a millisecond, and joining them a copy.
Message = NDArray[np.uint8] | list[NDArray[Any]]
#: Bytes up to which joining the arrays of a message costs less than sending them apart.
_JOINED_BYTES = 1 << 19
#: Single numbers at the head of a message, m and d among them.
_NUMBERS = 9
#: Unknowns of the joint step; beyond, some shards share their coefficients.
_MOST_UNKNOWNS = 600
#: Columns of the images that are widened to float64 at a time: those of two shards fit the cache.
_COLUMNS_AT_ONCE = 4096
#: Squared length of a direction, relative to the longest, below which it is rounding.
_NEGLIGIBLE = 1e-24
#: Relative size of the singular values of the small matrix that are taken as zero.
_SINGULAR = 1e-10


@dataclass(frozen=True, eq=False)
class Round:
    """Result of a round on a shard: sums at its start, loss at the w and b that came in, proposal and its subspace.

    >>> sums, proposal = BlockSums(np.array([1.0, 2.0]), 3.0, 4.0, 5.0), Proposal(np.float32([6, 7]), 8.0, 9.0)
    >>> span = BlockSpan(np.ones((1, 2), np.float32), np.array([2.0]), np.array([3.0]), np.array([[4.0]]))
    >>> Round.unpacked(Round(sums, 0.5, proposal, span, 0.1).packed()).proposal
    Proposal(change=array([6., 7.], dtype=float32), s=8.0, dual=9.0)
    """

    start: BlockSums
    loss: float
    proposal: Proposal
    span: BlockSpan
    seconds: float

    def packed(self) -> Message:
        """The message: m, d, single numbers and vectors of m; v; then the float32 arrays."""
        start, proposal, span = self.start, self.proposal, self.span
        numbers = [*span.images.shape, self.loss, self.seconds, start.s, start.dual, start.room]
        head = np.concatenate(
            [numbers, [proposal.s, proposal.dual], span.s, span.slope, span.curvature.ravel()]
        )
        pieces: list[NDArray[Any]] = [head, start.v, proposal.change, span.images.reshape(-1)]
        if sum(piece.nbytes for piece in pieces) > _JOINED_BYTES:
            return pieces
        return np.concatenate([piece.view(np.uint8) for piece in pieces])

    @classmethod
    def unpacked(cls, message: Message) -> Round:
        """Invert `packed`; arrays are views of the message."""
        head, v, change, images = message if isinstance(message, list | tuple) else _cut(message)
        m, d = int(head[0]), int(head[1])
        loss, seconds, s, dual, room, proposed_s, proposed_dual = head[2:_NUMBERS].tolist()
        span_s, slope, curvature = np.split(head[_NUMBERS:], [m, 2 * m])
        span = BlockSpan(images.reshape(m, d), span_s, slope, curvature.reshape(m, m))
        return cls(
            BlockSums(v, s, dual, room), loss, Proposal(change, proposed_s, proposed_dual), span, seconds
        )


def _cut(message: NDArray[np.uint8]) -> list[NDArray[Any]]:
    """Cut a message into the arrays that were joined."""
    m, d = (int(number) for number in message[:16].view(np.float64))
    sizes = [8 * (_NUMBERS + 2 * m + m * m), 8 * d, 4 * d, 4 * m * d]
    kinds = [np.float64, np.float64, np.float32, np.float32]
    ends = pairwise(accumulate(sizes, initial=0))
    return [message[begin:end].view(kind) for (begin, end), kind in zip(ends, kinds, strict=True)]


def best_step(spans: list[BlockSpan], w: Vector, b: float, kappa: float) -> list[Vector]:
    """Coefficients (m,) of each shard's directions that maximise D from w (d,) and b, bounds aside.

    >>> one = BlockSpan(np.ones((1, 2), np.float32), np.zeros(1), np.array([5.0]), np.zeros((1, 1)))
    >>> best_step([one, one], np.zeros(2), 0.0, 0.0)  # max 10 c - 1/2 ||(2c, 2c)||^2
    [array([1.25]), array([1.25])]
    """
    m = len(spans[0].s)
    n_groups = max(1, min(len(spans), _MOST_UNKNOWNS // m))
    groups = [spans[first::n_groups] for first in range(n_groups)]
    s = np.concatenate([np.sum([each.s for each in group], axis=0) for group in groups])
    slope = np.concatenate([np.sum([each.slope for each in group], axis=0) for group in groups]) - b * s
    H: NDArray[np.float64] = kappa * np.outer(s, s)
    for first, group in enumerate(groups):
        own = slice(first * m, (first + 1) * m)
        H[own, own] += np.sum([each.curvature for each in group], axis=0)
    wide: NDArray[np.float64] = np.empty((len(s), min(_COLUMNS_AT_ONCE, len(w))))
    for begin in range(0, len(w), _COLUMNS_AT_ONCE):
        span = slice(begin, min(len(w), begin + _COLUMNS_AT_ONCE))
        images = wide[:, : span.stop - begin]
        for first, group in enumerate(groups):
            rows = images[first * m : (first + 1) * m]
            rows[:] = group[0].images[:, span]
            for each in group[1:]:
                rows += each.images[:, span]
        slope -= images @ w[span]
        H += images @ images.T
    square = H.diagonal()
    usable = square > _NEGLIGIBLE * np.max(square, initial=np.finfo(float).tiny)
    size = np.where(usable, 1.0 / np.sqrt(np.where(usable, square, 1.0)), 0.0)
    scaled = np.linalg.lstsq(H * size * size[:, None], size * slope, rcond=_SINGULAR)[0]
    step = (size * scaled).reshape(n_groups, m)
    return [step[shard % n_groups] for shard in range(len(spans))]
