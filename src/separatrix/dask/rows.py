"""Rows on workers with the interface of a matrix: shape, products, digest, some of the rows.

A `Problem` with a `ClusterRows` for X is proved, balanced and settled by the same code as on one machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.checker.fingerprint import BLOCK_ROWS
from separatrix.dask.cluster import WorkerGroup
from separatrix.dask.products import SUMS
from separatrix.problem.rows import scores, weighted_sum
from separatrix.proof.fingerprint import block_digests, fingerprint_rows, join_digests
from separatrix.proof.rigorous import bounded_scores, bounded_weighted_sum, sliced_scores, sliced_weighted_sum
from separatrix.types import Index, Vector

#: Factor on the error of a sliced product: on data that are cut elsewhere each of three slices may lose one bit.
_SLICE_ERROR = 8.0


class ClusterRows:
    """The rows of all partitions in order, or some of them; row i is row ``local[i]`` of partition ``part[i]``.

    ``ends[p]`` and ``ends[p + 1]`` are where partition p begins and ends among all rows. ``dtype`` is that of the
    collected rows.
    """

    def __init__(
        self,
        group: WorkerGroup,
        lengths: list[int],
        n_columns: int,
        rows: Index | None = None,
        dtype: Any = np.float64,
    ) -> None:
        self.group, self.lengths, self.rows, self.dtype = group, lengths, rows, np.dtype(dtype)
        self.ends = np.cumsum([0, *lengths])
        self.shape = (int(self.ends[-1]) if rows is None else len(rows), n_columns)
        # The places of each shard's rows among ours, partition after partition.
        bounds = self.ends if rows is None else np.searchsorted(rows, self.ends)
        self._spans = [[slice(int(bounds[p]), int(bounds[p + 1])) for p in parts] for parts in group.shares]

    def __getitem__(self, rows: Any) -> ClusterRows:
        """Some of the rows, in increasing order."""
        rows = np.asarray(rows)
        whole = rows if self.rows is None else self.rows[rows]
        return ClusterRows(self.group, self.lengths, self.shape[1], whole, self.dtype)

    def picks(self) -> list[list[Index] | None]:
        """Rows of each partition of each shard that are ours; None for a shard all of whose rows are."""
        if self.rows is None:
            return [None] * len(self._spans)
        return [
            [self.rows[span] - self.ends[p] for p, span in zip(parts, spans, strict=True)]
            for parts, spans in zip(self.group.shares, self._spans, strict=True)
        ]

    def spread(self, vector: NDArray[Any]) -> list[NDArray[Any]]:
        """Cut a vector over our rows into one piece for each shard."""
        return [np.concatenate([vector[span] for span in spans]) for spans in self._spans]

    def collect(self, pieces: list[NDArray[Any]]) -> NDArray[Any]:
        """Invert `spread`."""
        out = np.empty(self.shape[0], dtype=pieces[0].dtype)
        for spans, piece in zip(self._spans, pieces, strict=True):
            begin = 0
            for span in spans:
                out[span] = piece[begin : begin + span.stop - span.start]
                begin += span.stop - span.start
        return out

    @property
    def coarser(self) -> float:
        """Largest ratio of the rows in a block of the collected data to those of a partition, at most 64.

        Rounding is bounded for blocks of rows. What is claimed here must be proved again on the collected data, whose
        blocks are larger.
        """
        sizes = [span.stop - span.start for spans in self._spans for span in spans]
        least = min((size for size in sizes if size), default=1)
        return min(64.0, self.shape[0] / least)

    def by_row(self, name: str, w: Vector) -> list[Any]:
        """Product of each shard's rows with w (d,)."""
        return self.group.each("product", [(name, w, picks) for picks in self.picks()])

    def summed(self, name: str, coefficients: Vector) -> Any:
        """Sum over all rows with coefficients (n,)."""
        pieces = zip(self.spread(coefficients), self.picks(), strict=True)
        return SUMS[name][1](self.group.each("product", [(name, piece, picks) for piece, picks in pieces]))

    def fetch(self) -> Any:
        """Bring our rows to the client, dense or CSR; they should be few."""
        picks = [
            [np.arange(self.lengths[p]) for p in parts] if pick is None else pick
            for parts, pick in zip(self.group.shares, self.picks(), strict=True)
        ]
        found = self._by_partition("some_rows", picks)
        return _stacked([found[p] for p in sorted(found)])

    def _by_partition(self, method: str, argument: list[Any]) -> dict[int, Any]:
        """Call every shard for one reply about each of its partitions."""
        replies = self.group.each(method, [(each,) for each in argument])
        pairs = zip(self.group.shares, replies, strict=True)
        return {p: reply for parts, found in pairs for p, reply in zip(parts, found, strict=True)}

    def digests(self) -> Iterator[bytes]:
        """Yield the digest of every 4096 rows; rows of blocks that span partitions come to the client for it."""
        first = [[int(self.ends[p]) for p in parts] for parts in self.group.shares]
        found = self._by_partition("digests", first)
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
    total: Vector = X.summed("weighted_sum", coefficients)
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
    return hi, lo, _SLICE_ERROR * error


@bounded_weighted_sum.register
def _(X: ClusterRows, coefficients: Vector) -> tuple[Vector, Vector]:
    value, error = X.summed("bounded_weighted_sum", coefficients)
    return value, X.coarser * error


@sliced_weighted_sum.register
def _(X: ClusterRows, c: Vector) -> tuple[Vector, Vector, Vector]:
    hi, lo, error = X.summed("sliced_weighted_sum", c)
    # With k times the terms each of three slices has log2(k) / 2 bits less, and what is left over adds up k times.
    return hi, lo, _SLICE_ERROR * X.coarser**2.5 * error


@fingerprint_rows.register
def _(X: ClusterRows) -> str:
    return join_digests(X.shape[0], X.shape[1], X.digests())
