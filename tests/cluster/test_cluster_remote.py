"""Shards are asked directly where that works, and through the scheduler where it does not."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import dask
import numpy as np
import pytest

pytest.importorskip("distributed")

from separatrix.dask.cluster import WorkerGroup
from separatrix.dask.workers import RemoteShard


def answers(client: Any) -> tuple[bool, list[float]]:
    """Whether shards are asked directly, and what they say."""
    parts = [np.full((2, 3), 1.0), np.full((2, 3), 2.0)]
    partitions = [dask.delayed(lambda X: (X, None, None))(X) for X in parts]
    with WorkerGroup(client, partitions) as group:
        found = group.each("product", [("scores", np.ones(3), None)] * len(group.shares))
        direct = all(shard is not None and shard.direct for shard in group.shards)
    return direct, sorted(np.concatenate(found).tolist())


def test_workers_that_answer_are_asked_directly(client: Any) -> None:
    assert answers(client) == (True, [3.0, 3.0, 6.0, 6.0])


def test_a_client_that_must_not_connect_to_workers_does_not(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "direct_to_workers", False)
    assert answers(client) == (False, [3.0, 3.0, 6.0, 6.0])


def test_workers_out_of_reach_are_asked_through_the_scheduler(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused() -> None:
        raise OSError("no route to host")

    monkeypatch.setattr(client, "rpc", lambda address: SimpleNamespace(identity=refused))
    assert answers(client) == (False, [3.0, 3.0, 6.0, 6.0])


def test_what_a_shard_raises_is_raised_here(client: Any) -> None:
    with (
        WorkerGroup(client, [dask.delayed((np.ones((2, 3)), None, None))]) as group,
        pytest.raises(KeyError, match="no such"),
    ):
        group.each("product", [("no such product", np.ones(3), None)])


def test_a_lost_shard_is_not_asked() -> None:
    gone: Any = SimpleNamespace(status="lost")
    shard = RemoteShard(None, "shard-0", "tcp://nowhere:1", gone, direct=True)
    with pytest.raises(OSError, match="is gone"):
        asyncio.run(shard.call("describe", ()))
