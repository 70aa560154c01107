"""Coordinate descent on some rows of a larger problem while the other rows are worked on elsewhere.

    D(alpha) = sum_i dual_term(alpha_i) - 1/2 ||w||^2 - kappa/2 s^2 - centre s,     w = sum_k v_k,   s = sum_k s_k,
    v_k = sum_{i in k} alpha_i y_i x_i,   s_k = sum_{i in k} alpha_i y_i,           b = centre + kappa s

Block k, which knows w and b but no other row, raises its share of a lower bound of D:

    G_k(alpha'_k) = sum_{i in k} dual_term(alpha'_i) - w.(v'_k - v_k) - sigma/2 ||v'_k - v_k||^2  (and so for s and b)

If sigma is the number of blocks the bound holds, and adding up all moves is safe. In terms of beta = sigma alpha this
is the descent's own problem with C times sigma, started at w instead of v_k: the same compiled epoch serves.

Blocks that do not see each other take short steps, and undo each other's work along what all their rows have in common.
So D is then maximised over a small space (`block_span`): each block says what its rows add to that small problem, and
follows the step that solves it.

Ma, Smith, Jaggi, Jordan, Richtarik, Takac: Adding vs. averaging in distributed primal-dual optimization, ICML 2015.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from separatrix import _core
from separatrix.problem import Matrix
from separatrix.problem.losses import Loss, Vector
from separatrix.solvers.block_span import BlockSpan, Directions, combination
from separatrix.solvers.compiled import compiled_rows

_CHUNK = 8  # rows visited in a run, as on one machine


@dataclass(frozen=True, eq=False)
class BlockSums:
    """What a block adds to the whole: v (d,) and sums over its rows. Complete, not a change: safe to hear twice."""

    v: Vector
    s: float  #: sum_i alpha_i y_i
    dual: float  #: sum_i dual_term(alpha_i)
    room: float  #: sum of the distances of alphas to their nearer bound


@dataclass(frozen=True, eq=False)
class Proposal:
    """Where a block would go: v less that of its `BlockSums`, in float32 because it steers, and sums over its rows."""

    change: NDArray[np.float32]
    s: float
    dual: float


class BlockDescent:
    """The alphas of one block. Its rows may come in several parts; an epoch visits them in one random order.

    >>> from separatrix.problem import HINGE
    >>> X, y = np.array([[2.0], [-1.0]]), np.array([1.0, -1.0])
    >>> block = BlockDescent([X], y, np.ones(2), HINGE, sigma=1.0)
    >>> for _ in range(20):
    ...     proposal = block.improve(block.sums.v, 0.0, epochs=1)
    ...     sums = block.follow(np.zeros(0))
    >>> block.alpha.round(6)
    array([0., 1.])
    """

    def __init__(
        self,
        parts: Sequence[Matrix],
        y: Vector,
        C: Vector,
        loss: Loss,
        sigma: float,
        kappa: float = 0.0,
        memory: int = 3,
        seed: int = 0,
        n_threads: int = 1,
    ) -> None:
        self.sigma, self.kappa, self.n_threads = sigma, kappa, n_threads
        self._y, self._C, self._loss = y, C, loss
        self._upper: Vector | float = np.inf if loss.squared else C
        ends = np.cumsum([0, *(X.shape[0] for X in parts)]).tolist()
        self._spans = [slice(begin, end) for begin, end in pairwise(ends)]
        self._rows = [compiled_rows(X) for X in parts]
        self._descents = [
            rows.descent(
                y[span],
                sigma * C[span],
                squared=loss.squared,
                shrink=True,
                kappa=kappa,
                seed=seed + part,
                n_threads=n_threads,
                chunk=_CHUNK,
                memory=0,
                in_place=True,
            )
            for part, (rows, span) in enumerate(zip(self._rows, self._spans, strict=True))
        ]
        self._order = seed  # of the next epoch's visits
        self.directions = Directions(ends[-1], parts[0].shape[1], memory)
        self.restart(np.zeros(ends[-1]))

    def restart(self, alpha: Vector) -> BlockSums:
        """Continue from alpha (n,), clipped to its bounds; earlier moves are forgotten."""
        self.forget()
        self._settle(np.clip(alpha, 0.0, self._upper))
        return self.sums

    def forget(self) -> None:
        """Forget earlier moves: blocks must remember the same ones."""
        self.directions.forget()
        self.proposal: Vector | None = None
        self._before: Vector | None = None
        self._missed = np.zeros(0), 0.0

    def _settle(self, alpha: Vector) -> None:
        """Put the descents at alpha; v is computed anew from it."""
        self.alpha = alpha
        v = np.zeros(self.directions.images.shape[1])
        part = np.empty_like(v)
        for span, descent in zip(self._spans, self._descents, strict=True):
            descent.set_alpha(self.sigma * alpha[span])
            descent.get_w(part)
            v += part
        v /= self.sigma
        room = float(np.sum(alpha if self._loss.squared else np.minimum(alpha, self._C - alpha)))
        self.sums = BlockSums(v, float(alpha @ self._y), self._dual(alpha), room)

    def _dual(self, alpha: Vector) -> float:
        return float(np.sum(self._loss.dual_terms(alpha, self._C)))

    def loss(self, w: Vector, b: float) -> float:
        """sum_i C_i loss(y_i (w.x_i + b)) over the rows of the block."""
        total = 0.0
        for rows, span in zip(self._rows, self._spans, strict=True):
            margins = np.empty(span.stop - span.start)
            rows.scores(w, margins, self.n_threads)
            margins += b
            margins *= self._y[span]
            total += float(self._C[span] @ self._loss.values(margins))
        return total

    def improve(self, w: Vector, b: float, epochs: int) -> Proposal:
        """Propose better alphas for this w (d,) and b of the whole; both as expected, before any alpha was clipped."""
        missed, missed_s = self._missed
        start = w + missed if len(missed) else w
        w, b = start.copy(), b + self.kappa * missed_s
        for descent in self._descents:
            descent.unshrink()
        for _ in range(epochs):
            self._order += 1
            b = _core.epoch_together(self._descents, w, b, self._order)
        proposal = np.empty_like(self.alpha)
        for span, descent in zip(self._spans, self._descents, strict=True):
            descent.get_alpha(proposal[span])
        proposal /= self.sigma
        np.minimum(proposal, self._upper, out=proposal)
        self.proposal = proposal
        w -= start
        w /= self.sigma
        self._proposed = Proposal(w.astype(np.float32), float(proposal @ self._y), self._dual(proposal))
        return self._proposed

    def span(self) -> BlockSpan:
        """What the rows add to D on the span of `directions` around the proposal."""
        assert self.proposal is not None, "improve comes first"
        held = (self.proposal <= 0.0) | (self.proposal >= self._upper)
        self.directions.look_from(self.alpha, self.proposal, held, self._y, self._add)
        slope = curvature = None
        if self._loss.squared:
            slope, curvature = 1.0 - self.proposal / (2.0 * self._C), 0.5 / self._C
        self._span = self.directions.span(self._y, slope, curvature)
        return self._span

    def _add(self, image: Vector, rows: NDArray[np.intp], change: Vector) -> None:
        """image += sum over these rows of change_i y_i x_i."""
        signed = change * self._y[rows]
        for span, part in zip(self._spans, self._rows, strict=True):
            begin, end = np.searchsorted(rows, [span.start, span.stop])
            part.add_rows(rows[begin:end] - span.start, signed[begin:end], image)

    def follow(self, coefficients: Vector) -> BlockSums:
        """Go to the proposal plus a combination of the directions of `span`, clipped to the bounds.

        Without coefficients: to the proposal itself. What clipping took away from the move is kept for `improve`.
        """
        assert self.proposal is not None, "improve comes first"
        old_alpha, old, target = self.alpha, self.sums, self.proposal
        v, s = old.v + self._proposed.change, self._proposed.s
        self._before = self.proposal
        if len(coefficients):
            target = target + combination(coefficients, self.directions.moves)
            np.clip(target, 0.0, self._upper, out=target)
            v += combination(coefficients, self._span.images)
            s += float(coefficients @ self._span.s)
        self._settle(target)
        self.directions.remember(target - old_alpha, self.sums.v - old.v)
        self._missed = self.sums.v - v, self.sums.s - s
        return self.sums

    def back(self) -> BlockSums:
        """Go to the proposal before the last one: what followed it was no better."""
        assert self._before is not None, "a step comes first"
        self._settle(self._before)
        self._missed = np.zeros(0), 0.0
        return self.sums
