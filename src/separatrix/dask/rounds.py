"""What a shard says after a round of descent. It travels as one array, since every array of a message costs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from separatrix.solvers.block_descent import BlockSums, Proposal
from separatrix.solvers.block_span import BlockSpan


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

    def packed(self) -> NDArray[np.uint8]:
        """All of it as bytes: m, d and single numbers, vectors of m, v; then what is float32."""
        start, proposal, span = self.start, self.proposal, self.span
        numbers = (
            *(*span.images.shape, self.loss, self.seconds, start.s, start.dual, start.room),
            *(proposal.s, proposal.dual),
        )
        pieces = (
            np.array(numbers),
            span.s,
            span.slope,
            span.curvature,
            start.v,
            proposal.change,
            span.images,
        )
        ends = [0, *accumulate(piece.nbytes for piece in pieces)]
        out = np.empty(ends[-1], dtype=np.uint8)
        for piece, (begin, end) in zip(pieces, pairwise(ends), strict=True):
            out[begin:end].view(piece.dtype)[:] = piece.reshape(-1)
        return out

    @classmethod
    def unpacked(cls, message: NDArray[np.uint8]) -> Round:
        """The inverse of `packed`; arrays are views of the message."""
        head = message[: 8 * _NUMBERS].view(np.float64).tolist()
        m, d = int(head[0]), int(head[1])
        _, _, loss, seconds, s, dual, room, proposed_s, proposed_dual = head
        kinds = [(m, np.float64)] * 2 + [
            (m * m, np.float64),
            (d, np.float64),
            (d, np.float32),
            (m * d, np.float32),
        ]
        ends = accumulate([8 * _NUMBERS, *(count * np.dtype(kind).itemsize for count, kind in kinds)])
        span_s, slope, curvature, v, change, images = (
            message[begin:end].view(kind)
            for (begin, end), (_, kind) in zip(pairwise(ends), kinds, strict=True)
        )
        span = BlockSpan(images.reshape(m, d), span_s, slope, curvature.reshape(m, m))
        return cls(
            BlockSums(v, s, dual, room), loss, Proposal(change, proposed_s, proposed_dual), span, seconds
        )


_NUMBERS = 9  # single numbers of a round, m and d among them
