"""Coordinate descent on some rows of a larger problem while the other rows are worked on elsewhere.

    D(alpha) = sum_i dual_term(alpha_i) - 1/2 ||w||^2 - kappa/2 s^2 - centre s,     w = sum_k v_k,   s = sum_k s_k,
    v_k = sum_{i in k} alpha_i y_i x_i,   s_k = sum_{i in k} alpha_i y_i,           b = centre + kappa s

Block k, which knows w and b but no other row, raises its share of a lower bound of D:

    G_k(alpha'_k) = sum_{i in k} dual_term(alpha'_i) - w.(v'_k - v_k) - sigma/2 ||v'_k - v_k||^2  (and so for s and b)

If sigma is the number of blocks the bound holds, and adding up all moves is safe. In terms of beta = sigma alpha this
is the descent's own problem with C times sigma, started at w instead of v_k: the same compiled epoch serves.

Blocks that do not see each other take short steps. So, as on one machine, D is then maximised over the span of the
last moves of all blocks: each says what its rows add to that small problem, and follows the step that solves it.

Ma, Smith, Jaggi, Jordan, Richtarik, Takac: Adding vs. averaging in distributed primal-dual optimization, ICML 2015.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import Problem
from separatrix.problem.losses import Vector
from separatrix.solvers.coordinate_descent import compiled_rows

_CHUNK = 8  # rows visited in a run, as on one machine


@dataclass(frozen=True, eq=False)
class BlockSums:
    """What a block adds to the whole: v (d,) and sums over its rows. Complete, not a change: safe to hear twice."""

    v: Vector
    s: float  #: sum_i alpha_i y_i
    dual: float  #: sum_i dual_term(alpha_i)
    room: float  #: sum of the distances of alphas to their nearer bound


@dataclass(frozen=True, eq=False)
class BlockSpan:
    """What a block adds to D on the span of m moves, around its proposal; rows at a bound stay where they are.

    D(proposal + sum_j c_j move_j) = D + c.(slope - images w - b s) - 1/2 c.H c
    H = curvature + images images^T + kappa s s^T,   images and s summed over the blocks first
    """

    images: NDArray[np.float32]  #: (m, d): sum_i move_i y_i x_i; it steers, so float32 is enough
    s: Vector  #: (m,)
    slope: Vector  #: (m,)
    curvature: NDArray[np.float64]  #: (m, m); zero for the hinge


class BlockDescent:
    """The alphas of one block. Its rows may come in several parts, visited one after the other.

    >>> from separatrix.problem import HINGE
    >>> X, y = np.array([[2.0], [-1.0]]), np.array([1.0, -1.0])
    >>> block = BlockDescent([Problem(X, y, np.ones(2), HINGE, "none")], sigma=1.0)
    >>> for _ in range(20):
    ...     sums = block.improve(block.sums.v, 0.0, epochs=1)
    ...     sums = block.move(np.zeros(0))
    >>> block.alpha.round(6)
    array([0., 1.])
    """

    def __init__(
        self,
        problems: Sequence[Problem],
        sigma: float,
        kappa: float = 0.0,
        memory: int = 4,
        seed: int = 0,
        n_threads: int = 1,
    ) -> None:
        self.problems, self.sigma, self.memory = list(problems), sigma, memory
        lengths = [problem.n_rows for problem in self.problems]
        ends = np.cumsum([0, *lengths]).tolist()
        self._spans = [slice(begin, end) for begin, end in pairwise(ends)]
        self._y = np.concatenate([problem.y for problem in self.problems])
        self._C = np.concatenate([problem.C for problem in self.problems])
        self._loss = self.problems[0].loss
        self._upper = self._loss.upper(self._C)
        self._descents = [
            compiled_rows(problem.X).descent(
                problem.y,
                sigma * problem.C,
                squared=problem.loss.squared,
                shrink=True,
                kappa=kappa,
                seed=seed + part,
                n_threads=n_threads,
                chunk=_CHUNK,
                memory=0,
                in_place=True,
            )
            for part, problem in enumerate(self.problems)
        ]
        self._moves: list[Vector] = []
        self._images: list[Vector] = []
        self._base: tuple[Vector, BlockSums] | None = None  # where the last proposal began
        self.restart(np.zeros(ends[-1]))

    def restart(self, alpha: Vector) -> BlockSums:
        """Continue from alpha (n,), clipped to its bounds; earlier moves are forgotten."""
        self.forget()
        return self._settle(np.clip(alpha, 0.0, self._upper))

    def forget(self) -> None:
        """Forget earlier moves: blocks must remember the same ones."""
        self._moves, self._images, self._base = [], [], None

    def _settle(self, alpha: Vector) -> BlockSums:
        """Put the descents at alpha; v is computed anew from it."""
        self.alpha = alpha
        v = np.zeros(self.problems[0].n_columns)
        for span, descent in zip(self._spans, self._descents, strict=True):
            descent.set_alpha(self.sigma * alpha[span])
            part = np.empty_like(v)
            descent.get_w(part)
            v += part
        self.sums = self._sums(alpha, v / self.sigma)
        return self.sums

    def _sums(self, alpha: Vector, v: Vector) -> BlockSums:
        room = alpha if self._loss.squared else np.minimum(alpha, self._C - alpha)
        dual = float(np.sum(self._loss.dual_terms(alpha, self._C)))
        return BlockSums(v, float(alpha @ self._y), dual, float(np.sum(room)))

    def loss(self, w: Vector, b: float) -> float:
        """sum_i C_i loss(y_i (w.x_i + b)) over the rows of the block."""
        total = 0.0
        for problem in self.problems:
            total += float(problem.C @ problem.loss.values(problem.y * problem.scores(w, b)))
        return total

    def improve(self, w: Vector, b: float, epochs: int) -> BlockSums:
        """Propose better alphas for this w (d,) and b; the sums of the proposal."""
        if self._base is not None:
            old, sums = self._base
            self._moves = [*self._moves, self.alpha - old][-self.memory :]
            self._images = [*self._images, self.sums.v - sums.v][-self.memory :]
        self._base = self.alpha, self.sums
        start, w = w, w.copy()
        several = len(self._descents) > 1
        for epoch in range(epochs):
            for descent in self._descents:
                if epoch == 0:
                    descent.unshrink()
                if epoch == 0 or several:
                    descent.set_w(w, b)
                descent.epoch()
                if several or epoch == epochs - 1:
                    descent.get_w(w)
                    b = descent.bias()
        proposal = np.empty_like(self.alpha)
        for span, descent in zip(self._spans, self._descents, strict=True):
            descent.get_alpha(proposal[span])
        proposal /= self.sigma
        np.minimum(proposal, self._upper, out=proposal)
        self.proposal = proposal
        return self._sums(proposal, self.sums.v + (w - start) / self.sigma)

    def span(self) -> BlockSpan:
        """The last moves and the one to the proposal, without the rows that are at a bound there."""
        held = (self.proposal <= 0.0) | (self.proposal >= self._upper)
        for move, image in zip(self._moves, self._images, strict=True):
            rows = np.flatnonzero(held & (move != 0.0))
            self._add(image, rows, -move[rows])
            move[rows] = 0.0
        self._newest = newest = np.where(held, 0.0, self.proposal - self.alpha)
        image = np.zeros(self.problems[0].n_columns)
        self._add(image, np.flatnonzero(newest), newest[newest != 0.0])
        moves = np.stack([*self._moves, newest])
        gradient, curvature = np.ones_like(newest), np.zeros((len(moves), len(moves)))
        if self._loss.squared:
            gradient -= self.proposal / (2.0 * self._C)
            curvature = (moves / (2.0 * self._C)) @ moves.T
        images = np.stack([*self._images, image])
        return BlockSpan(images.astype(np.float32), moves @ self._y, moves @ gradient, curvature)

    def _add(self, image: Vector, rows: NDArray[np.intp], change: Vector) -> None:
        """image += sum over these rows of change_i y_i x_i."""
        for span, problem in zip(self._spans, self.problems, strict=True):
            begin, end = np.searchsorted(rows, [span.start, span.stop])
            if begin == end:
                continue
            local = rows[begin:end] - span.start
            if 4 * len(local) > problem.n_rows:
                full = np.zeros(problem.n_rows)
                full[local] = change[begin:end]
                image += problem.weighted_sum(full)
            else:
                image += problem.take(local).weighted_sum(change[begin:end])

    def move(self, coefficients: Vector) -> BlockSums:
        """Go to the proposal plus a combination of the moves of `span`, clipped to the bounds; and again elsewhere.

        Without coefficients: to the proposal itself. The last call counts.
        """
        trial = self.proposal
        if len(coefficients):
            trial = trial + coefficients @ np.stack([*self._moves, self._newest])
            np.clip(trial, 0.0, self._upper, out=trial)
        return self._settle(trial)
