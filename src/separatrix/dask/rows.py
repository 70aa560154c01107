"""Rows that are on workers, as the rest of the library sees a matrix: a shape, products, a digest, some of the rows.

A `Problem` with a `ClusterRows` for X is proved, balanced and settled by the very code of one machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.checker.fingerprint import BLOCK_ROWS
from separatrix.dask.cluster import Gang
from separatrix.dask.reduce import join_bounded, join_plain
from separatrix.problem.rows import scores, weighted_sum
from separatrix.proof.fingerprint import block_digests, fingerprint_rows, join_digests
from separatrix.proof.rigorous import bounded_scores, bounded_weighted_sum
from separatrix.proof.sliced import join_sliced, sliced_scores, sliced_weighted_sum
from separatrix.types import Index, Vector

_SHARP = 8.0  # slices are whole bits: on data that are cut elsewhere each of three may be one bit coarser


class ClusterRows:
    """The rows of all partitions in order, or some of them; row i is row ``local[i]`` of partition ``part[i]``.

    ``ends[p]`` and ``ends[p + 1]`` are where partition p begins and ends among all rows. ``dtype`` is that of the
    collected rows.
    """

    def __init__(
        self,
        gang: Gang,
        lengths: list[int],
        n_columns: int,
        rows: Index | None = None,
        dtype: Any = np.float64,
    ) -> None:
        self.gang, self.lengths, self.rows, self.dtype = gang, lengths, rows, np.dtype(dtype)
        self.ends = np.cumsum([0, *lengths])
        self.shape = (int(self.ends[-1]) if rows is None else len(rows), n_columns)
        # Where each shard's rows are among ours, partition after partition.
        bounds = self.ends if rows is None else np.searchsorted(rows, self.ends)
        self._spans = [
            [slice(int(bounds[p]), int(bounds[p + 1])) for p in parts] for parts in gang.partitions
        ]

    def __getitem__(self, rows: Any) -> ClusterRows:
        """Some of the rows, increasing."""
        rows = np.asarray(rows)
        whole = rows if self.rows is None else self.rows[rows]
        return ClusterRows(self.gang, self.lengths, self.shape[1], whole, self.dtype)

    def picks(self) -> list[list[Index] | None]:
        """For each shard, which rows of each of its partitions are ours; None where all are."""
        if self.rows is None:
            return [None] * len(self._spans)
        return [
            [self.rows[span] - self.ends[p] for p, span in zip(parts, spans, strict=True)]
            for parts, spans in zip(self.gang.partitions, self._spans, strict=True)
        ]

    def spread(self, vector: NDArray[Any]) -> list[NDArray[Any]]:
        """A vector over our rows, cut up for the shards."""
        return [np.concatenate([vector[span] for span in spans]) for spans in self._spans]

    def collect(self, pieces: list[NDArray[Any]]) -> NDArray[Any]:
        """The inverse of `spread`."""
        out = np.empty(self.shape[0], dtype=pieces[0].dtype)
        for spans, piece in zip(self._spans, pieces, strict=True):
            begin = 0
            for span in spans:
                out[span] = piece[begin : begin + span.stop - span.start]
                begin += span.stop - span.start
        return out

    @property
    def coarser(self) -> float:
        """How many times more rows a block of the collected data may have than one of a partition, within reason.

        Rounding is bounded for blocks of rows. What is claimed here must be proved again on the collected data, whose
        blocks are larger.
        """
        sizes = [span.stop - span.start for spans in self._spans for span in spans]
        least = min((size for size in sizes if size), default=1)
        return min(64.0, self.shape[0] / least)

    def by_row(self, name: str, w: Vector) -> list[Any]:
        """A product with w (d,) of each shard's rows."""
        return self.gang.each("product", [(name, w, picks) for picks in self.picks()])

    def summed(self, name: str, coefficients: Vector, join: Callable[[Any], Any]) -> Any:
        """A sum over all rows with coefficients (n,)."""
        pieces = zip(self.spread(coefficients), self.picks(), strict=True)
        return join(self.gang.each("product", [(name, piece, picks) for piece, picks in pieces]))

    def fetch(self) -> Any:
        """Our rows themselves, brought to the client: dense, or CSR. They had better be few."""
        picks = [
            [np.arange(self.lengths[p]) for p in parts] if pick is None else pick
            for parts, pick in zip(self.gang.partitions, self.picks(), strict=True)
        ]
        found: dict[int, Any] = {}
        replies = self.gang.each("some_rows", [(pick,) for pick in picks])
        for parts, pieces in zip(self.gang.partitions, replies, strict=True):
            found.update(zip(parts, pieces, strict=True))
        return _stacked([found[p] for p in sorted(found)])

    def digests(self) -> Iterator[bytes]:
        """The digest of every 4096 rows; rows of blocks that span partitions come to the client for it."""
        first = [[int(self.ends[p]) for p in parts] for parts in self.gang.partitions]
        found: dict[int, Any] = {}
        for parts, replies in zip(
            self.gang.partitions, self.gang.each("digests", [(rows,) for rows in first]), strict=True
        ):
            found.update(zip(parts, replies, strict=True))
        pending: list[Any] = []
        for p in range(len(self.lengths)):
            head, whole, tail = found.pop(p)
            pending.append(head)
            if sum(piece.shape[0] for piece in pending) == BLOCK_ROWS:
                yield from block_digests(_stacked(pending))
                pending = []
            yield from whole
            pending.append(tail)
        if any(piece.shape[0] for piece in pending):
            yield from block_digests(_stacked(pending))


def _stacked(pieces: list[Any]) -> Any:
    pieces = [piece for piece in pieces if piece.shape[0]]
    if all(sparse.issparse(piece) for piece in pieces):
        return sparse.vstack(pieces, format="csr")
    return np.concatenate([piece if isinstance(piece, np.ndarray) else piece.toarray() for piece in pieces])


@scores.register
def _(X: ClusterRows, w: Vector) -> Vector:
    return X.collect(X.by_row("scores", w))


@weighted_sum.register
def _(X: ClusterRows, coefficients: Vector) -> Vector:
    total: Vector = X.summed("weighted_sum", coefficients, join_plain)
    return total


def _columns(X: ClusterRows, found: list[Any]) -> Any:
    return tuple(X.collect(list(pieces)) for pieces in zip(*found, strict=True))


@bounded_scores.register
def _(X: ClusterRows, w: Vector) -> tuple[Vector, Vector]:
    value, error = _columns(X, X.by_row("bounded_scores", w))
    return value, error


@sliced_scores.register
def _(X: ClusterRows, w: Vector) -> tuple[Vector, Vector, Vector]:
    hi, lo, error = _columns(X, X.by_row("sliced_scores", w))
    return hi, lo, _SHARP * error


@bounded_weighted_sum.register
def _(X: ClusterRows, coefficients: Vector) -> tuple[Vector, Vector]:
    value, error = X.summed("bounded_weighted_sum", coefficients, join_bounded)
    return value, X.coarser * error


@sliced_weighted_sum.register
def _(X: ClusterRows, c: Vector) -> tuple[Vector, Vector, Vector]:
    hi, lo, error = X.summed("sliced_weighted_sum", c, join_sliced)
    # With k times the terms each of three slices has log2(k) / 2 bits less, and what is left over adds up k times.
    return hi, lo, _SHARP * X.coarser**2.5 * error


@fingerprint_rows.register
def _(X: ClusterRows) -> str:
    return join_digests(X.shape[0], X.shape[1], X.digests())
