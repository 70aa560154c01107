"""The small space in which blocks that do not see each other agree on a step.

    D(proposal + sum_j c_j p_j) = D + c.(slope - images w - b s) - 1/2 c.H c
    H = curvature + images images^T + kappa s s^T,      image_j = sum_i p_ji y_i x_i,   s_j = sum_i p_ji y_i

Every block has its own coefficients c for the same kinds of direction p_j:

- its last moves and the one to its proposal: what conjugate directions are to gradient descent;
- all its rows between their bounds by the same amount, for each label: what rows have in common (their mean) is decided
  once for all blocks. In domain decomposition this is the coarse space, without which the number of rounds grows
  with the number of blocks. Toselli and Widlund: Domain Decomposition Methods, 2005, chapter 3.

Rows at a bound leave every direction, so that no step pushes against a bound that holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.types import Vector

#: Adds sum_i change_i y_i x_i over some rows, by their places in a span, to an image.
AddRows = Callable[[Vector, NDArray[np.intp], Vector], None]


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows at a proposal: alpha and proposal, which rows are held at a bound, y, and how to add them up.

    slope and bend are the derivatives of the dual terms; None for those of the hinge, 1 and 0.
    """

    span: slice
    alpha: Vector
    proposal: Vector
    held: NDArray[np.bool_]
    y: NDArray[Any]
    slope: Vector | None
    bend: Vector | None
    add: AddRows


@dataclass(frozen=True, eq=False)
class BlockSpan:
    """The share of a block in D on the span of m directions, around its proposal."""

    images: NDArray[np.float32]  #: (m, d); they steer, so float32 is enough
    s: Vector  #: (m,)
    slope: Vector  #: (m,)
    curvature: NDArray[np.float64]  #: (m, m); zero for the hinge


class Directions:
    """Directions of one block: ``moves`` (memory, n), the last ones; ``images`` (m, d), m = memory + 3, of all.

    The newest and the two of the labels follow from alpha and the proposal, so that their rows are not kept.

    >>> directions = Directions(rows=2, columns=1, memory=1)
    >>> directions.remember(slice(0, 2), np.array([1.0, -1.0]))
    >>> directions.remember_image(np.array([0.5]))
    >>> directions.moves[0], directions.images[0]
    (array([ 1., -1.], dtype=float32), array([0.5]))
    """

    def __init__(self, rows: int, columns: int, memory: int) -> None:
        self.memory = memory
        self.moves = np.zeros((memory, rows), dtype=np.float32)
        self.images = np.zeros((memory + 3, columns))
        self._count = 0

    def forget(self) -> None:
        """Begin anew."""
        self._count = 0
        self.moves[:], self.images[:] = 0.0, 0.0

    def remember(self, span: slice, move: Vector) -> None:
        """A move of some rows, in place of the oldest; `remember_image` ends it."""
        self.moves[self._count % self.memory, span] = move

    def remember_image(self, image: Vector) -> None:
        """Remember the change of v (d,) by the move of all rows."""
        self.images[self._count % self.memory] = image
        self._count += 1

    def of(self, rows: Rows) -> NDArray[np.float32]:
        """All directions of some rows, shape (m, rows of the span)."""
        moves = np.empty((self.memory + 3, len(rows.alpha)), dtype=np.float32)
        moves[: self.memory] = self.moves[:, rows.span]
        newest, positive, negative = moves[self.memory :]
        np.subtract(rows.proposal, rows.alpha, out=newest, casting="same_kind")
        newest[rows.held] = 0.0
        positive[:] = ~rows.held & (rows.y > 0)
        negative[:] = ~rows.held & (rows.y < 0)
        return moves

    def _release(self, rows: Rows) -> None:
        """Rows at a bound leave the last moves."""
        for move, image in zip(self.moves[:, rows.span], self.images, strict=False):
            leaving = np.flatnonzero(rows.held & (move != 0.0))
            rows.add(image, leaving, -move[leaving].astype(np.float64))
            move[leaving] = 0.0

    def span(self, looks: Iterable[Rows]) -> BlockSpan:
        """The share of the rows of a block in D on the span of the directions."""
        m = self.memory + 3
        s, slope, curvature = np.zeros(m), np.zeros(m), np.zeros((m, m))
        self.images[self.memory :] = 0.0
        moved = np.zeros(m, dtype=bool)
        for rows in looks:
            self._release(rows)
            moves = self.of(rows)
            for move, image in zip(moves[self.memory :], self.images[self.memory :], strict=True):
                ids = np.flatnonzero(move)
                rows.add(image, ids, move[ids].astype(np.float64))
            moved |= np.any(moves, axis=1)
            wide = moves.astype(np.float64)
            s += wide @ rows.y
            slope += np.sum(wide, axis=1) if rows.slope is None else wide @ rows.slope
            if rows.bend is not None:
                curvature += (wide * rows.bend) @ wide.T
        self.images[~moved] = 0.0  # of what is left, all is rounding
        return BlockSpan(self.images.astype(np.float32), s, slope, curvature)


def combination(coefficients: Vector, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """sum_j c_j vectors_j, in float32: computed so by all who must expect the same of a step.

    >>> combination(np.array([1.0, -1.0]), np.array([[2.0], [0.5]], dtype=np.float32))
    array([1.5], dtype=float32)
    """
    total: NDArray[np.float32] = coefficients.astype(np.float32) @ vectors
    return total
