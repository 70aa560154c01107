"""A shard: some partitions on a worker, and the computations on their rows.

A `Shard` is a Dask actor. Its rows are those of its partitions one after the other; vectors over rows come and go in
that order. It never talks to another shard.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from distributed import get_worker
from numpy.typing import NDArray

from separatrix.checker.fingerprint import BLOCK_ROWS
from separatrix.dask.partition import Description, checked_rows, column_names, describe, distinct_labels
from separatrix.dask.products import Picks, product
from separatrix.dask.rounds import Message, Round
from separatrix.dask.shard_path import Reply, ShardPath
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.passes import PrimalPasses
from separatrix.perceptron.rows import LabelledRows, largest_squared_norm
from separatrix.problem import LOSSES, Problem, rows_between
from separatrix.proof.fingerprint import block_digests
from separatrix.solvers.cocoa.solver import BlockDescent, BlockSums
from separatrix.threads import fit_threads
from separatrix.types import Matrix, Vector

#: Start of a round: at the present alphas, at a step from the last proposal, or at the proposal before that.
Step = Literal["stay", "follow", "back"]


@dataclass(frozen=True, eq=False)
class ProblemRows:
    """The binary problem on a shard's rows: signs (n,), costs (n,) or one for all, rows that take part (None: all)."""

    y: NDArray[np.int8]
    C: Vector | float
    loss: str
    bias: Any
    picks: Picks | None

    @property
    def costs(self) -> Vector:
        """C (n,); a constant takes no memory."""
        return np.broadcast_to(self.C, self.y.shape)


class Shard:
    """Partitions (X, y or None, weights or None), checked: X contiguous or canonical CSR, every value finite."""

    def __init__(self, partitions: list[tuple[Any, Any, Any]], number: int, n_threads: int | None) -> None:
        self.number = number
        self.n_threads = n_threads or int(get_worker().state.nthreads)
        self._labels = [distinct_labels(y) for _, y, _ in partitions if y is not None] or None
        self._weights = [np.asarray(w, dtype=np.float64) for _, _, w in partitions if w is not None] or None
        self.names = column_names(partitions[0][0])
        self.parts: list[Matrix] = [checked_rows(X) for X, _, _ in partitions]
        self._block: BlockDescent | None = None
        self._path: ShardPath | None = None

    def describe(self) -> Description:
        """Sizes, labels and weights; labels and weights are then forgotten here, because the client keeps them."""
        found = describe(self.parts, self.names, self._labels, self._weights)
        self._labels = self._weights = None
        return found

    def rest(self) -> None:
        """Free the memory of the problem; the rows stay."""
        self._block = self._path = None

    def largest_norm(self) -> float:
        """max ||x_i||."""
        return float(np.sqrt(max(largest_squared_norm(X) for X in self.parts)))

    def product(self, name: str, vector: Vector, picks: Picks | None) -> Any:
        """Product of the rows with a vector; see `products`."""
        with fit_threads(self.n_threads):
            return product(self.parts, name, vector, picks)

    def some_rows(self, picks: Picks | None) -> list[Any]:
        """Some rows of each partition; all of them without picks."""
        if picks is None:
            return list(self.parts)
        return [X[rows] for X, rows in zip(self.parts, picks, strict=True)]

    def digests(self, first_rows: list[int]) -> list[tuple[Any, list[bytes], Any]]:
        """For each partition and its first row among all: rows before the first full block, digests, the rest."""
        found = []
        for X, first in zip(self.parts, first_rows, strict=True):
            n = int(X.shape[0])
            head = min(n, -first % BLOCK_ROWS)
            whole = head + (n - head) // BLOCK_ROWS * BLOCK_ROWS
            digests = list(block_digests(rows_between(X, head, whole))) if whole > head else []
            found.append((rows_between(X, 0, head), digests, rows_between(X, whole, n)))
        return found

    def _problems(self, rows: ProblemRows) -> list[Problem]:
        parts = self.some_rows(rows.picks)
        y: Any = rows.y  # eight bits; products with them are floats
        ends = np.cumsum([0, *(X.shape[0] for X in parts)]).tolist()
        return [
            Problem(X, y[a:b], rows.costs[a:b], LOSSES[rows.loss], rows.bias)
            for X, (a, b) in zip(parts, pairwise(ends), strict=True)
            if b > a
        ]

    def begin_descent(
        self, rows: ProblemRows, sigma: float, kappa: float, seed: int, alpha: Vector | None
    ) -> BlockSums:
        """Begin a problem at alpha (n,), or at zero."""
        self.rest()  # free the memory of the last problem first
        block = BlockDescent(
            self.some_rows(rows.picks),
            rows.y.copy(),  # arrays of one message stay in memory as long as any of them
            rows.costs if isinstance(rows.C, float) else rows.C.copy(),
            LOSSES[rows.loss],
            sigma,
            kappa,
            seed=seed + 7919 * self.number,
            n_threads=self.n_threads,
        )
        self._block = block
        return block.sums if alpha is None else block.restart(alpha)

    def round(
        self, how: Step, coefficients: Vector, w: Vector, b: float, epochs: int, with_alpha: bool
    ) -> Message | tuple[Message, Vector]:
        """Take the step that the client found for the last proposals, then make a round from there; see `BlockDescent`.

        w and b are those of all rows, as the client expects them after that step. Returns a packed `Round` and, if
        wanted, the alphas at its start.
        """
        began, block = time.perf_counter(), self._descent()
        with fit_threads(self.n_threads):
            if how != "stay":
                block.follow(coefficients) if how == "follow" else block.back()
            loss = block.loss(w, b)
            proposal = block.improve(w, b, epochs)
            span = block.span()
        found = Round(block.sums, loss, proposal, span, time.perf_counter() - began).packed()
        return (found, block.alpha) if with_alpha else found

    def regroup(self) -> BlockSums:
        """Sums at the present alphas; earlier moves are forgotten, because a rebuilt shard does not know them."""
        block = self._descent()
        return block.restart(block.alpha)

    def alpha(self) -> Vector:
        """The alphas of the descent, or of the central path."""
        return self._descent().alpha if self._path is None else self._path.path.alpha

    def _descent(self) -> BlockDescent:
        assert self._block is not None, "begin_descent comes first"
        return self._block

    def begin_passes(
        self, signs: NDArray[np.int8], constant: float, step: float, shuffle: bool, seed: int
    ) -> None:
        """Prepare passes of the perceptron; signs (n,) of the rows, constant of the fictitious column."""
        self.rest()
        ends = np.cumsum([0, *(X.shape[0] for X in self.parts)]).tolist()
        seed += 7919 * self.number
        settings = Settings(step=step, shuffle=shuffle, seed=seed, n_threads=self.n_threads)
        self._passes = [
            PrimalPasses(LabelledRows(X, signs[a:b], constant), settings)
            for X, (a, b) in zip(self.parts, pairwise(ends), strict=True)
        ]

    def pass_over(self, w: Vector, b: float) -> tuple[Vector, float, int]:
        """One pass from w and b over all rows: w and b after it, and the updates it made."""
        updates = 0
        for passes in self._passes:
            state = passes.state
            state.w[0], state.b[0] = w, b
            updates += passes.sweep()
            w, b = state.w[0].copy(), float(state.b[0])
        return w, b, updates

    def begin_path(self, rows: ProblemRows, z: Vector) -> Reply:
        """Begin a problem by the interior point, at z (D,); the first share of a sum."""
        self.rest()
        self._path = ShardPath(self._problems(rows), leading=self.number == 0)
        with fit_threads(self.n_threads):
            return self._path.begin(rows.costs, z)

    def advance_path(self) -> Reply:
        """Begin a step; the first share of a sum."""
        with fit_threads(self.n_threads):
            return self._interior().advance()

    def answer(self, value: NDArray[np.float64]) -> Reply:
        """Go on with an answer, to the next share or to the end."""
        with fit_threads(self.n_threads):
            return self._interior().answer(value)

    def settled(self) -> NDArray[np.int8]:
        """Bits of the rows whose alpha is decided; see `ShardPath.settled`."""
        return self._interior().settled()

    def _interior(self) -> ShardPath:
        assert self._path is not None, "begin_path comes first"
        return self._path
