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

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from separatrix.problem.losses import Vector

#: Adds sum_i change_i y_i x_i over some rows to an image.
AddRows = Callable[[Vector, NDArray[np.intp], Vector], None]


@dataclass(frozen=True, eq=False)
class BlockSpan:
    """What a block adds to D on the span of m directions, around its proposal."""

    images: NDArray[np.float32]  #: (m, d); they steer, so float32 is enough
    s: Vector  #: (m,)
    slope: Vector  #: (m,)
    curvature: NDArray[np.float64]  #: (m, m); zero for the hinge


class Directions:
    """Directions of one block: ``moves`` (m, n) and ``images`` (m, d), m = memory + 3; zero until there is one.

    >>> directions = Directions(rows=2, columns=1, memory=1)
    >>> directions.remember(np.array([1.0, -1.0]), np.array([0.5]))
    >>> directions.moves[0], directions.images[0]
    (array([ 1., -1.], dtype=float32), array([0.5]))
    """

    def __init__(self, rows: int, columns: int, memory: int) -> None:
        self.memory = memory
        self.moves = np.zeros((memory + 3, rows), dtype=np.float32)
        self.images = np.zeros((memory + 3, columns))
        self._count = 0

    def forget(self) -> None:
        """Begin anew."""
        self._count = 0
        self.moves[:], self.images[:] = 0.0, 0.0

    def remember(self, move: Vector, image: Vector) -> None:
        """A move of all rows (n,) and of v (d,), in place of the oldest."""
        slot = self._count % self.memory
        self.moves[slot], self.images[slot] = move, image
        self._count += 1

    def look_from(
        self, alpha: Vector, proposal: Vector, held: NDArray[np.bool_], y: Vector, add: AddRows
    ) -> None:
        """The directions at a proposal (n,) that began at alpha, with some rows held at a bound."""
        for move, image in zip(self.moves[: self.memory], self.images[: self.memory], strict=True):
            rows = np.flatnonzero(held & (move != 0.0))
            add(image, rows, -move[rows].astype(np.float64))
            move[rows] = 0.0
            if not np.any(move):
                image[:] = 0.0  # of what is left, all is rounding
        newest, positive, negative = self.moves[self.memory :]
        np.subtract(proposal, alpha, out=newest, casting="same_kind")
        newest[held] = 0.0
        positive[:] = ~held & (y > 0)
        negative[:] = ~held & (y < 0)
        self.images[self.memory :] = 0.0
        for move, image in zip(self.moves[self.memory :], self.images[self.memory :], strict=True):
            rows = np.flatnonzero(move)
            add(image, rows, move[rows].astype(np.float64))

    def span(self, y: Vector, gradient: Vector | None, bend: Vector | None) -> BlockSpan:
        """Sums over the rows: gradient (n,) and bend (n,) of the dual terms; None for those of the hinge, 1 and 0."""
        m = len(self.moves)
        s, slope, curvature = np.zeros(m), np.zeros(m), np.zeros((m, m))
        for j, narrow in enumerate(self.moves):
            move = narrow.astype(np.float64)
            s[j] = move @ y
            slope[j] = np.sum(move) if gradient is None else move @ gradient
            if bend is not None:
                move *= bend
                curvature[j] = [np.sum(move * other) for other in self.moves]
        return BlockSpan(self.images.astype(np.float32), s, slope, curvature)


def combination(coefficients: Vector, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """sum_j c_j vectors_j, in float32: computed so by all who must expect the same of a step.

    >>> combination(np.array([1.0, -1.0]), np.array([[2.0], [0.5]], dtype=np.float32))
    array([1.5], dtype=float32)
    """
    total: NDArray[np.float32] = coefficients.astype(np.float32) @ vectors
    return total
