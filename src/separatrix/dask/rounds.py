"""What a shard says after a round of descent, and how it travels."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.solvers.cocoa.solver import BlockSums, Proposal
from separatrix.solvers.cocoa.subspace import BlockSpan

#: One array of bytes, or several arrays: each costs a tenth of a millisecond, and joining them a copy.
Message = NDArray[np.uint8] | list[NDArray[Any]]
_JOINED = 1 << 19  # bytes up to which a copy costs less


@dataclass(frozen=True, eq=False)
class Round:
    """A round of descent: where it began, what the rows lose at the w and b that came in, and what they propose.

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
        """As it travels: m, d, single numbers and vectors of m; v; then what is float32."""
        start, proposal, span = self.start, self.proposal, self.span
        numbers = [*span.images.shape, self.loss, self.seconds, start.s, start.dual, start.room]
        head = np.concatenate(
            [numbers, [proposal.s, proposal.dual], span.s, span.slope, span.curvature.ravel()]
        )
        pieces: list[NDArray[Any]] = [head, start.v, proposal.change, span.images.reshape(-1)]
        if sum(piece.nbytes for piece in pieces) > _JOINED:
            return pieces
        return np.concatenate([piece.view(np.uint8) for piece in pieces])

    @classmethod
    def unpacked(cls, message: Message) -> Round:
        """The inverse of `packed`; arrays are views of the message."""
        head, v, change, images = message if isinstance(message, list | tuple) else _cut(message)
        m, d = int(head[0]), int(head[1])
        loss, seconds, s, dual, room, proposed_s, proposed_dual = head[2:_NUMBERS].tolist()
        span_s, slope, curvature = np.split(head[_NUMBERS:], [m, 2 * m])
        span = BlockSpan(images.reshape(m, d), span_s, slope, curvature.reshape(m, m))
        return cls(
            BlockSums(v, s, dual, room), loss, Proposal(change, proposed_s, proposed_dual), span, seconds
        )


_NUMBERS = 9  # single numbers of a round, m and d among them


def _cut(message: NDArray[np.uint8]) -> list[NDArray[Any]]:
    """The arrays that were joined."""
    m, d = (int(number) for number in message[:16].view(np.float64))
    sizes = [8 * (_NUMBERS + 2 * m + m * m), 8 * d, 4 * d, 4 * m * d]
    kinds = [np.float64, np.float64, np.float32, np.float32]
    ends = pairwise(accumulate(sizes, initial=0))
    return [message[begin:end].view(kind) for (begin, end), kind in zip(ends, kinds, strict=True)]
