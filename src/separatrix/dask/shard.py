"""What a worker does: hold some partitions, and answer for their rows.

A `Shard` is a Dask actor. Its rows are those of its partitions one after the other; vectors over rows come and go in
that order. It never talks to another shard.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from distributed import get_worker
from numpy.typing import NDArray
from scipy import sparse

from separatrix.checker.fingerprint import BLOCK_ROWS
from separatrix.dask.joining import join_bounded, join_plain
from separatrix.dask.signed_parts import SignedParts
from separatrix.problem import LOSSES, Matrix, Problem, rows_between, scores, weighted_sum
from separatrix.problem.conversion import canonical_csr, check_finite, contiguous
from separatrix.problem.losses import Vector
from separatrix.proof.fingerprint import block_digests
from separatrix.proof.rigorous import bounded_scores, bounded_weighted_sum
from separatrix.proof.sliced import join_sliced, sliced_scores, sliced_weighted_sum
from separatrix.solvers.block_descent import BlockDescent, BlockSums, Proposal
from separatrix.solvers.block_span import BlockSpan
from separatrix.solvers.central_path import CentralPath
from separatrix.solvers.crossover import undecided
from separatrix.solvers.normal_equations import PrimalSide
from separatrix.solvers.passes import LabelledRows, measure_rows
from separatrix.solvers.passes import Settings as PassSettings
from separatrix.solvers.perceptron import PrimalPasses
from separatrix.solvers.shared_sums import Request, Steps
from separatrix.solvers.signed_rows import SignedRows
from separatrix.solvers.threads import blas_threads

#: Of a round's beginning: where the alphas are, at a step from the last proposal, or at the proposal before that.
Step = Literal["stay", "follow", "back"]
_BY_ROW: dict[str, Callable[..., Any]] = {
    "scores": scores,
    "bounded_scores": bounded_scores,
    "sliced_scores": sliced_scores,
}
_SUMS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "weighted_sum": (weighted_sum, join_plain),
    "bounded_weighted_sum": (bounded_weighted_sum, join_bounded),
    "sliced_weighted_sum": (sliced_weighted_sum, join_sliced),
}


@dataclass(frozen=True, eq=False)
class Description:
    """What the client must know of a shard's partitions."""

    rows: list[int]  #: of each partition
    columns: int
    names: list[str] | None  #: of the columns, where the partitions are data frames
    labels: (
        list[tuple[NDArray[Any], NDArray[np.uint32]]] | None
    )  #: distinct labels, and each row's place among them
    weights: list[Vector] | None
    entries: int  #: stored entries of X
    square: float  #: sum of their squares
    bytes: int


@dataclass(frozen=True, eq=False)
class ProblemRows:
    """The binary problem on a shard's rows: signs (n,), costs (n,), and which of its rows take part (None: all)."""

    y: NDArray[np.int8]
    C: Vector
    loss: str
    bias: Any
    picks: list[NDArray[np.intp]] | None


@dataclass(frozen=True, eq=False)
class Round:
    """A round of descent: where it began, what the rows lose at the w and b that came in, and what they propose."""

    start: BlockSums
    loss: float
    proposal: Proposal
    span: BlockSpan
    alpha: Vector | None  #: at the w that came in, where it was asked for
    seconds: float


class Shard:
    """Partitions (X, y or None, weights or None), checked: X contiguous or canonical CSR, every value finite."""

    def __init__(self, partitions: list[tuple[Any, Any, Any]], number: int, n_threads: int | None) -> None:
        self.number = number
        self.n_threads = n_threads or int(get_worker().state.nthreads)
        self._labels = [None if y is None else _distinct(y) for _, y, _ in partitions]
        self._weights = [None if w is None else np.asarray(w, dtype=np.float64) for _, _, w in partitions]
        self.names = _names(partitions[0][0])
        self.parts: list[Matrix] = [_matrix(X) for X, _, _ in partitions]
        self._block: BlockDescent | None = None
        self._steps: Steps[Any] | None = None
        self._waiting: Request | None = None
        self._path: CentralPath | None = None

    def describe(self) -> Description:
        """Sizes, labels and weights; these are then the client's to keep."""
        labels, weights = self._labels, self._weights
        values = [X.data if sparse.issparse(X) else X.ravel() for X in self.parts]
        return Description(
            rows=[int(X.shape[0]) for X in self.parts],
            columns=int(self.parts[0].shape[1]),
            names=self.names,
            labels=None if labels[0] is None else [label for label in labels if label is not None],
            weights=None if weights[0] is None else [weight for weight in weights if weight is not None],
            entries=sum(int(part.size) for part in values),
            square=sum(float(np.dot(part, part)) for part in values),
            bytes=sum(_bytes(X) for X in self.parts),
        )

    def largest_norm(self) -> float:
        """max ||x_i||."""
        return float(np.sqrt(max(measure_rows(X)[1] for X in self.parts)))

    def product(self, name: str, vector: Vector, picks: list[NDArray[np.intp]] | None) -> Any:
        """A product of the rows with a vector (d,), by row; or their sum with coefficients (n,)."""
        parts = self._picked(picks)
        with blas_threads(self.n_threads):
            if name in _BY_ROW:
                found = [_BY_ROW[name](X, vector) for X in parts]
                if name == "scores":
                    return np.concatenate(found)
                return tuple(np.concatenate(pieces) for pieces in zip(*found, strict=True))
            function, join = _SUMS[name]
            ends = np.cumsum([0, *(X.shape[0] for X in parts)]).tolist()
            pieces = [function(X, vector[a:b]) for X, (a, b) in zip(parts, pairwise(ends), strict=True)]
            return pieces[0] if len(pieces) == 1 else join(pieces)

    def _picked(self, picks: list[NDArray[np.intp]] | None) -> list[Any]:
        return (
            list(self.parts)
            if picks is None
            else [X[rows] for X, rows in zip(self.parts, picks, strict=True)]
        )

    def some_rows(self, picks: list[NDArray[np.intp]]) -> list[Any]:
        """Some rows of each partition, for the client."""
        return self._picked(picks)

    def digests(self, first_rows: list[int]) -> list[tuple[Any, list[bytes], Any]]:
        """For each partition and its first row among all: rows before the first full block, digests, the rest."""
        found = []
        for X, first in zip(self.parts, first_rows, strict=True):
            n = int(X.shape[0])
            head = min(n, -first % BLOCK_ROWS)
            whole = head + (n - head) // BLOCK_ROWS * BLOCK_ROWS
            digests = list(block_digests(rows_between(X, head, whole))) if whole > head else []
            found.append((X[:head], digests, X[whole:]))
        return found

    def _problems(self, rows: ProblemRows) -> list[Problem]:
        parts = self._picked(rows.picks)
        y = rows.y.astype(np.float64)
        ends = np.cumsum([0, *(X.shape[0] for X in parts)]).tolist()
        return [
            Problem(X, y[a:b], rows.C[a:b], LOSSES[rows.loss], rows.bias)
            for X, (a, b) in zip(parts, pairwise(ends), strict=True)
            if b > a
        ]

    def begin_descent(
        self, rows: ProblemRows, sigma: float, kappa: float, seed: int, alpha: Vector | None
    ) -> BlockSums:
        """Take up a problem at alpha (n,), or at zero."""
        self._path = self._steps = None
        self._block = None  # its memory first
        block = BlockDescent(
            self._picked(rows.picks),
            rows.y.astype(np.float64),
            rows.C,
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
    ) -> Round:
        """The step that the client found for the last round's proposals, and a round from there; see `BlockDescent`.

        w and b are those of all rows, as the client expects them after that step.
        """
        began, block = time.perf_counter(), self._descent()
        with blas_threads(self.n_threads):
            if how != "stay":
                block.follow(coefficients) if how == "follow" else block.back()
            loss = block.loss(w, b)
            proposal = block.improve(w, b, epochs)
            span = block.span()
        alpha = block.alpha if with_alpha else None
        return Round(block.sums, loss, proposal, span, alpha, time.perf_counter() - began)

    def regroup(self) -> BlockSums:
        """Where the descent is; earlier moves are forgotten, because a rebuilt shard does not know them."""
        self._descent().forget()
        return self._descent().sums

    def alpha(self) -> Vector:
        """The alphas of the descent, or of the central path."""
        if self._path is not None:
            return self._path.alpha
        return self._descent().alpha

    def _descent(self) -> BlockDescent:
        assert self._block is not None, "begin_descent comes first"
        return self._block

    def begin_passes(
        self, signs: NDArray[np.int8], constant: float, step: float, shuffle: bool, seed: int
    ) -> None:
        """Prepare passes of the perceptron; signs (n,) of the rows, constant of the fictitious column."""
        self._block = self._path = None
        ends = np.cumsum([0, *(X.shape[0] for X in self.parts)]).tolist()
        self._solver = PrimalPasses(PassSettings(step=step, shuffle=shuffle, seed=seed + 7919 * self.number))
        self._labelled = [
            LabelledRows(X, signs[a:b], constant)
            for X, (a, b) in zip(self.parts, pairwise(ends), strict=True)
        ]
        self._states = [self._solver.init(rows, self.n_threads) for rows in self._labelled]

    def pass_over(self, w: Vector, b: float) -> tuple[Vector, float, int]:
        """One pass from w and b over all rows: w and b after it, and the updates it made."""
        updates = 0
        for rows, state in zip(self._labelled, self._states, strict=True):
            state.w[:], state.b[:] = w, b
            updates += self._solver.step(rows, state)
            w, b = state.w.copy(), float(state.b[0])
        return w, b, updates

    def begin_path(self, rows: ProblemRows, z: Vector) -> tuple[str, Any]:
        """Take up a problem by the interior point, at z (D,); the first share of an answer."""
        self._block = None
        problems = self._problems(rows)
        signed = SignedParts([SignedRows(problem, in_place=True) for problem in problems])
        algebra: Any = PrimalSide(signed)  # type: ignore[arg-type]  # the same methods, part after part
        self._algebra = algebra
        loss, C, h = LOSSES[rows.loss], rows.C, np.zeros(len(z))
        return self._go(CentralPath.starting(algebra, loss, C, h, z, np.broadcast_to(1.0, len(C))))

    def advance_path(self) -> tuple[str, Any]:
        """Begin a step; the first share of an answer."""
        assert self._path is not None, "begin_path comes first"
        return self._go(self._path.advancing())

    def answer(self, value: NDArray[np.float64]) -> tuple[str, Any]:
        """Go on with an answer, to the next share or to the end."""
        assert self._waiting is not None
        with np.errstate(all="ignore"), blas_threads(self.n_threads):
            whole = self._waiting.whole(self._algebra, value)
        return self._resume(whole)

    def settled(self) -> tuple[Vector, NDArray[np.bool_]]:
        """The alphas of the path at the bounds they tend to, and which rows may yet be between them."""
        path = self._path
        assert path is not None, "begin_path comes first"
        free = undecided(path)
        return np.where(path.s < path.xi, path.C, 0.0), free

    def _go(self, steps: Steps[Any]) -> tuple[str, Any]:
        self._steps = steps
        return self._resume(None)

    def _resume(self, answer: Any) -> tuple[str, Any]:
        assert self._steps is not None
        with np.errstate(all="ignore"), blas_threads(self.n_threads):
            try:
                self._waiting = self._steps.send(answer)
            except StopIteration as end:
                if isinstance(end.value, CentralPath):
                    self._path = end.value
                return "done", self._standing(end.value is not False)
            return type(self._waiting).__name__, self._waiting.share(self._algebra, self.number == 0)

    def _standing(self, advanced: bool) -> tuple[bool, Vector, Vector, float, float]:
        """Whether the path went on, z, A^T alpha of all rows, and these rows' loss and dual terms."""
        path = self._path
        assert path is not None
        return advanced, path.z, path.pulled, path.losses(), path.dual_terms()


def _matrix(X: Any) -> Matrix:
    matrix: Matrix = canonical_csr(X) if sparse.issparse(X) else contiguous(X)
    if matrix.ndim != 2:
        raise ValueError(f"A partition of X must have two dimensions; got shape {matrix.shape}.")
    check_finite(matrix)
    return matrix


def _names(X: Any) -> list[str] | None:
    columns = getattr(X, "columns", None)
    return None if columns is None else [str(name) for name in columns]


def _distinct(y: Any) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    values, codes = np.unique(labels, return_inverse=True)
    return values, codes.reshape(-1).astype(np.uint32)


def _bytes(X: Any) -> int:
    if isinstance(X, np.ndarray):
        return int(X.nbytes)
    return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
