"""Rows cut into partitions, without a cluster: products, and bounds that hold on the collected rows too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from separatrix.problem import weighted_sum
from separatrix.proof.optimal import CLAIM_SLACK
from separatrix.proof.rigorous import bounded_weighted_sum, sliced_weighted_sum

pytest.importorskip("distributed")

from separatrix.dask.rows import ClusterRows
from separatrix.dask.shard import Shard


class ShardsHere:
    """A worker group whose shards are in this process."""

    def __init__(self, parts: list[Any], shares: list[list[int]]) -> None:
        self.shares = shares
        self._shards = [Shard([(parts[p], None, None) for p in some], i, 1) for i, some in enumerate(shares)]

    def each(self, method: str, arguments: list[Any], stateful: bool = False) -> list[Any]:
        return [getattr(shard, method)(*some) for shard, some in zip(self._shards, arguments, strict=True)]


def cut(X: Any, parts: int) -> ClusterRows:
    size = X.shape[0] // parts
    pieces = [X[p * size : (p + 1) * size] for p in range(parts)]
    halves = [list(range(0, parts, 2)), list(range(1, parts, 2))]
    group: Any = ShardsHere(pieces, halves)
    return ClusterRows(group, [size] * parts, X.shape[1])


@pytest.mark.parametrize("parts", [2, 16])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_claims_of_partitions_can_be_proved_on_the_collected_rows(parts: int, kind: str) -> None:
    """A check takes its own bounds once, where the claim took CLAIM_SLACK times those of the partitions."""
    rng = np.random.default_rng(0)
    X: Any = np.where(rng.random((32_000, 3)) < 0.5, 1.0, 0.0)
    X = sparse.csr_array(X) if kind == "sparse" else X
    c = rng.standard_normal(32_000)
    rows = cut(X, parts)
    assert weighted_sum(rows, c) == pytest.approx(weighted_sum(X, c), abs=1e-9)
    value, error = bounded_weighted_sum(X, c)
    ours, claimed = bounded_weighted_sum(rows, c)
    assert np.all(np.abs(ours - value) + error <= CLAIM_SLACK * claimed)
    hi, lo, error = sliced_weighted_sum(X, c)
    hi_here, lo_here, claimed = sliced_weighted_sum(rows, c)
    apart = np.abs((hi_here - hi) + (lo_here - lo))
    assert np.all(apart + error <= CLAIM_SLACK * claimed)


def test_some_rows_come_to_the_client() -> None:
    X = sparse.csr_array(np.arange(24.0).reshape(8, 3))
    rows = cut(X, 4)
    assert (rows[np.array([1, 2, 7])].fetch() != X[np.array([1, 2, 7])]).nnz == 0
    assert (rows.fetch() != X).nnz == 0
