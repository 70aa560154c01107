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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix import _core
from separatrix.problem import Matrix
from separatrix.problem.losses import Loss, Vector
from separatrix.solvers.block_span import BlockSpan, Directions, Rows, combination
from separatrix.solvers.compiled import compiled_rows

_CHUNK = 8  # rows visited in a run, as on one machine
_SPAN = 1 << 13  # rows that are computed with together: their directions share the second-level cache


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
        y: NDArray[Any],
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
        ends = np.cumsum([0, *(X.shape[0] for X in parts)]).tolist()
        self._parts = [slice(begin, end) for begin, end in pairwise(ends)]
        self._rows = [compiled_rows(X) for X in parts]
        self._descents = [
            rows.descent(
                y[span].astype(np.float64),
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
            for part, (rows, span) in enumerate(zip(self._rows, self._parts, strict=True))
        ]
        self._order = seed  # of the next epoch's visits
        self.directions = Directions(ends[-1], parts[0].shape[1], memory)
        self.alpha = np.zeros(ends[-1])
        self.forget()
        self._settle()

    def _spans(self) -> Iterator[tuple[int, slice, int]]:
        """All rows, some at a time: the part they are in, where they are, and where they begin in that part."""
        for part, whole in enumerate(self._parts):
            for begin in range(whole.start, whole.stop, _SPAN):
                yield part, slice(begin, min(whole.stop, begin + _SPAN)), begin - whole.start

    def _upper(self, span: slice) -> Vector | float:
        return np.inf if self._loss.squared else self._C[span]

    def _proposed_alpha(self, part: int, span: slice, begin: int) -> Vector:
        """The proposal of some rows, which the compiled descent holds from `improve` to the next step."""
        proposal = np.empty(span.stop - span.start)
        self._descents[part].get_alpha(proposal, begin)
        proposal /= self.sigma
        return np.minimum(proposal, self._upper(span), out=proposal)

    @property
    def proposal(self) -> Vector:
        """The alphas that were last proposed, shape (n,)."""
        return np.concatenate([self._proposed_alpha(*where) for where in self._spans()])

    def restart(self, alpha: Vector) -> BlockSums:
        """Continue from alpha (n,), clipped to its bounds; earlier moves are forgotten."""
        self.forget()
        for part, span, begin in self._spans():
            self._place(part, span, begin, np.clip(alpha[span], 0.0, self._upper(span)))
        return self._settle()

    def forget(self) -> None:
        """Forget earlier moves: blocks must remember the same ones."""
        self.directions.forget()
        self._before: NDArray[np.float32] | None = None
        self._expected = np.zeros(0), 0.0  # v and s that others expect of the last step
        self._missed = np.zeros(0), 0.0

    def _place(self, part: int, span: slice, begin: int, alpha: Vector) -> None:
        self.alpha[span] = alpha
        self._descents[part].place_alpha(self.sigma * alpha, begin)

    def _settle(self) -> BlockSums:
        """The sums at alpha; v is computed anew from it."""
        v = np.zeros(self.directions.images.shape[1])
        share = np.empty_like(v)
        for descent in self._descents:
            descent.resum()
            descent.get_w(share)
            v += share
        v /= self.sigma
        s = dual = room = 0.0
        for _, span, _ in self._spans():
            alpha, C = self.alpha[span], self._C[span]
            s += float(alpha @ self._y[span])
            dual += float(np.sum(self._loss.dual_terms(alpha, C)))
            room += float(np.sum(alpha if self._loss.squared else np.minimum(alpha, C - alpha)))
        self.sums = BlockSums(v, s, dual, room)
        return self.sums

    def loss(self, w: Vector, b: float) -> float:
        """sum_i C_i loss(y_i (w.x_i + b)) over the rows of the block."""
        total = 0.0
        for part, span, begin in self._spans():
            margins = np.empty(span.stop - span.start)
            self._rows[part].scores(w, margins, self.n_threads, begin)
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
        w -= start
        w /= self.sigma
        s = dual = 0.0
        for where in self._spans():
            proposal, span = self._proposed_alpha(*where), where[1]
            s += float(proposal @ self._y[span])
            dual += float(np.sum(self._loss.dual_terms(proposal, self._C[span])))
        self._proposed = Proposal(w.astype(np.float32), s, dual)
        return self._proposed

    def _looks(self) -> Iterator[Rows]:
        """Some rows at a time, as `Directions` must see them."""
        for part, span, begin in self._spans():
            proposal = self._proposed_alpha(part, span, begin)
            held = (proposal <= 0.0) | (proposal >= self._upper(span))
            slope = bend = None
            if self._loss.squared:
                slope, bend = 1.0 - proposal / (2.0 * self._C[span]), 0.5 / self._C[span]
            rows = self._rows[part]

            def add(
                image: Vector,
                ids: NDArray[np.intp],
                change: Vector,
                rows: Any = rows,
                at: Any = (span, begin),
            ) -> None:
                rows.add_rows(ids + at[1], change * self._y[at[0]][ids], image)

            yield Rows(span, self.alpha[span], proposal, held, self._y[span], slope, bend, add)

    def span(self) -> BlockSpan:
        """What the rows add to D on the span of `directions` around the proposal."""
        self._span = self.directions.span(self._looks())
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
        for part, span, begin in self._spans():
            proposal = self._proposed_alpha(part, span, begin)
            upper, target = self._upper(span), proposal
            if len(coefficients):
                held = (proposal <= 0.0) | (proposal >= upper)
                moves = self.directions.moves_of(span, self.alpha[span], proposal, held, self._y[span])
                target = np.clip(proposal + combination(coefficients, moves), 0.0, upper)
            # Rounded, it is as good to go back to: what matters is to be at a bound or not.
            self._before[span] = np.where(proposal >= upper, np.inf, proposal)
            self.directions.remember(span, target - self.alpha[span])
            self._place(part, span, begin, target)
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
        for part, span, begin in self._spans():
            self._place(
                part, span, begin, np.minimum(self._before[span].astype(np.float64), self._upper(span))
            )
        v, s = self._expected
        self._settle()
        self._missed = self.sums.v - v, self.sums.s - s
        return self.sums
