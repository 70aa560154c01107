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

Vectors over rows are the memory it takes: alpha, the proposal (kept by the compiled descent), the one before that and
the last moves, 54 bytes a row with all that the descent needs. Whatever else has a number for each row is computed a
span of rows at a time.

Ma, Smith, Jaggi, Jordan, Richtarik, Takac: Adding vs. averaging in distributed primal-dual optimization, ICML 2015.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix import _core
from separatrix.problem.losses import Loss
from separatrix.solvers.cocoa.rows import BlockRows, Span
from separatrix.solvers.cocoa.subspace import BlockSpan, Directions, Rows, combination
from separatrix.types import Matrix, Vector


@dataclass(frozen=True, eq=False)
class BlockSums:
    """The share of a block in the whole: v (d,) and sums over its rows. Complete, not a change: safe to hear twice."""

    v: Vector
    s: float  #: sum_i alpha_i y_i
    dual: float  #: sum_i dual_term(alpha_i)
    room: float  #: sum of the distances of alphas to their nearer bound


@dataclass(frozen=True, eq=False)
class Proposal:
    """The move that a block proposes: v less that of `BlockSums`, in float32 as it only steers, and sums over rows."""

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
        y: NDArray[Any],
        C: Vector,
        loss: Loss,
        sigma: float,
        kappa: float = 0.0,
        memory: int = 3,
        seed: int = 0,
        n_threads: int = 1,
    ) -> None:
        self.sigma, self.kappa = sigma, kappa
        self._rows = BlockRows(parts, y, C, loss, n_threads)
        self._descents = self._rows.descents(sigma, kappa, seed)
        self._order = seed  # of the next epoch's visits
        self.directions = Directions(len(y), self._rows.columns, memory)
        self.alpha = np.zeros(len(y))
        self.forget()
        self._settle()

    def _proposed_alpha(self, span: Span) -> Vector:
        """The proposal of some rows, which the compiled descent holds from `improve` to the next step."""
        proposal = np.empty(len(span))
        self._descents[span.part].get_alpha(proposal, span.begin)
        proposal /= self.sigma
        return np.minimum(proposal, self._rows.upper(span), out=proposal)

    @property
    def proposal(self) -> Vector:
        """The alphas that were last proposed, shape (n,)."""
        return np.concatenate([self._proposed_alpha(span) for span in self._rows.spans()])

    def restart(self, alpha: Vector) -> BlockSums:
        """Continue from alpha (n,), clipped to its bounds; earlier moves are forgotten."""
        self.forget()
        for span in self._rows.spans():
            self._place(span, np.clip(alpha[span.rows], 0.0, self._rows.upper(span)))
        return self._settle()

    def forget(self) -> None:
        """Forget earlier moves: blocks must remember the same ones."""
        self.directions.forget()
        self._before: NDArray[np.float32] | None = None
        self._expected = np.zeros(0), 0.0  # v and s that others expect of the last proposal
        self._missed = np.zeros(0), 0.0

    def _place(self, span: Span, alpha: Vector) -> None:
        self.alpha[span.rows] = alpha
        self._descents[span.part].place_alpha(self.sigma * alpha, span.begin)

    def _settle(self) -> BlockSums:
        """The sums at alpha; v is computed anew from it."""
        v = np.zeros(self._rows.columns)
        share = np.empty_like(v)
        for descent in self._descents:
            descent.resum()
            descent.get_w(share)
            v += share
        v /= self.sigma
        s = dual = room = 0.0
        for span in self._rows.spans():
            alpha = self.alpha[span.rows]
            more_s, more_dual = self._rows.sums(span, alpha)
            s, dual, room = s + more_s, dual + more_dual, room + self._rows.room(span, alpha)
        self.sums = BlockSums(v, s, dual, room)
        return self.sums

    def loss(self, w: Vector, b: float) -> float:
        """sum_i C_i loss(y_i (w.x_i + b)) over the rows of the block."""
        return self._rows.loss_at(w, b)

    def improve(self, w: Vector, b: float, epochs: int) -> Proposal:
        """Propose better alphas for this w (d,) and b of the whole; both as expected, before any alpha was clipped."""
        missed, missed_s = self._missed
        start = w + missed if len(missed) else w
        w, b = start.copy(), b + self.kappa * missed_s
        for descent in self._descents:
            descent.unshrink()
        for _ in range(epochs):
            self._order += 1
            b = _core.epoch_over_parts(self._descents, w, b, self._order)
        w -= start
        w /= self.sigma
        s = dual = 0.0
        for span in self._rows.spans():
            more_s, more_dual = self._rows.sums(span, self._proposed_alpha(span))
            s, dual = s + more_s, dual + more_dual
        self._proposed = Proposal(w.astype(np.float32), s, dual)
        return self._proposed

    def _look(self, span: Span) -> Rows:
        """Some rows as `Directions` must see them."""
        rows, proposal = self._rows, self._proposed_alpha(span)
        held = (proposal <= 0.0) | (proposal >= rows.upper(span))
        slope = bend = None
        if rows.loss.squared:
            slope, bend = 1.0 - proposal / (2.0 * rows.C[span.rows]), 0.5 / rows.C[span.rows]
        alpha, y = self.alpha[span.rows], rows.y[span.rows]
        return Rows(span.rows, alpha, proposal, held, y, slope, bend, partial(rows.add, span))

    def span(self) -> BlockSpan:
        """The share of the rows in D on the span of `directions` around the proposal."""
        self._span = self.directions.span(map(self._look, self._rows.spans()))
        return self._span

    def follow(self, coefficients: Vector) -> BlockSums:
        """Go to the proposal plus a combination of the directions of `span`, clipped to the bounds.

        Without coefficients: to the proposal itself. What clipping took away from the move is kept for `improve`.
        """
        old = self.sums
        v, s = old.v + self._proposed.change, self._proposed.s
        self._expected = v.copy(), s
        if self._before is None:
            self._before = np.empty(len(self.alpha), dtype=np.float32)
        for span in self._rows.spans():
            look, upper = self._look(span), self._rows.upper(span)
            target = look.proposal
            if len(coefficients):
                target = np.clip(target + combination(coefficients, self.directions.of(look)), 0.0, upper)
            # Rounded, it is as good to go back to: what matters is to be at a bound or not.
            self._before[span.rows] = np.where(look.proposal >= upper, np.inf, look.proposal)
            self.directions.remember(span.rows, target - look.alpha)
            self._place(span, target)
        if len(coefficients):
            v += combination(coefficients, self._span.images)
            s += float(coefficients @ self._span.s)
        self._settle()
        self.directions.remember_image(self.sums.v - old.v)
        self._missed = self.sums.v - v, self.sums.s - s
        return self.sums

    def back(self) -> BlockSums:
        """Go to the proposal before the last one, up to float32: what followed it was no better."""
        assert self._before is not None, "a step comes first"
        for span in self._rows.spans():
            self._place(span, np.minimum(self._before[span.rows].astype(np.float64), self._rows.upper(span)))
        v, s = self._expected
        self._settle()
        self._missed = self.sums.v - v, self.sums.s - s
        return self.sums
