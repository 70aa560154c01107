"""The workers of a cluster as the client sees them: their partitions, their heartbeats, and calls to their shards."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import distributed
from distributed import actor, protocol

from separatrix.errors import with_hint

#: Seconds between two looks at the heartbeats while a reply is awaited.
POLL = 0.5
#: Seconds within which a worker must answer, or its shard is called through the scheduler.
_CONNECT_TIMEOUT = 2.0
#: Types that a message holds without serialisation.
_PLAIN = (str, int, float, bool, type(None))
_proxy: Any = actor.ProxyRPC  # untyped
_serialized: Any = protocol.to_serialize  # type: ignore[attr-defined]


class WorkerFailureError(RuntimeError):
    """More workers failed during a training than `max_worker_failures` allows, or none is left."""


async def holders(client: Any, partitions: Sequence[Any], workers: Sequence[str]) -> list[int | None]:
    """Number of the worker that has most of each partition's data already; None if no worker has any."""
    place = {address: i for i, address in enumerate(workers)}
    futures_of: Any = distributed.futures_of
    futures = [futures_of(partition) for partition in partitions]
    known = [future for some in futures for future in some]
    who = await client.who_has(known) if known else {}
    found: list[int | None] = []
    for some in futures:
        homes = [place[a] for future in some for a in who.get(future.key, ()) if a in place]
        found.append(max(set(homes), key=homes.count) if homes else None)
    return found


def even_shares(holders: Sequence[int | None], shards: int) -> list[list[int]]:
    """Partitions of each shard: shares differ by at most one, and data stay where they are if that allows it.

    ``holders`` names, for each partition, the shard whose worker has its data already.

    >>> even_shares([None, None, None, None, None], 2)
    [[0, 1, 2], [3, 4]]
    >>> even_shares([1, 1, 0, 0], 2)
    [[2, 3], [0, 1]]
    """
    count = len(holders)
    most, larger = -(-count // shards), count % shards or shards
    shares: list[list[int]] = [[] for _ in range(shards)]

    def has_room(i: int) -> bool:
        full = sum(len(share) == most for share in shares)
        return len(shares[i]) < most - 1 or (len(shares[i]) == most - 1 and full < larger)

    homeless = []
    for p, holder in enumerate(holders):
        if holder is not None and holder < shards and has_room(holder):
            shares[holder].append(p)
        else:
            homeless.append(p)
    for p in homeless:
        shares[next(i for i in range(shards) if has_room(i))].append(p)
    return [sorted(share) for share in shares]


@dataclass
class HeartbeatMonitor:
    """Heartbeats of the workers as the scheduler has received them. All methods run on the client's event loop."""

    client: Any  #: distributed.Client
    timeout: float  #: seconds without a heartbeat after which a worker is given up
    max_failures: int
    failed: set[str] = field(default_factory=set)  #: addresses of the workers that were given up
    #: Last heartbeat of each worker, and when it changed by our clock: the clocks of the cluster are not compared.
    _changes: dict[str, tuple[float, float]] = field(default_factory=dict)

    async def alive(self) -> dict[str, float]:
        """Last heartbeat of every worker that the scheduler knows."""
        try:
            identity = await asyncio.wait_for(self.client.scheduler.identity(n_workers=-1), self.timeout)
        except (TimeoutError, OSError) as error:
            raise WorkerFailureError(f"The scheduler does not answer ({error!r}).") from error
        return {address: float(worker["last_seen"]) for address, worker in identity["workers"].items()}

    async def remove_frozen(self, at_least: float = 0.0) -> set[str]:
        """Remove workers without a heartbeat for the timeout, or ``at_least`` so many seconds; return the others."""
        alive, now = await self.alive(), time.monotonic()
        longest = max(self.timeout, at_least)
        for address, beat in alive.items():
            if self._changes.get(address, (None,))[0] != beat:
                self._changes[address] = beat, now
        for address in [a for a in alive if now - self._changes[a][1] > longest]:
            await self.give_up(address, f"has not been heard from for {longest:g} s")
            del alive[address]
        deadline = time.monotonic() + self.timeout
        while not alive:
            if time.monotonic() > deadline:
                raise WorkerFailureError(f"All workers are gone, and none came within {self.timeout:g} s.")
            await asyncio.sleep(POLL)
            alive = await self.alive()
        return set(alive)

    async def give_up(self, address: str, what: str) -> None:
        """Remove a worker from the cluster, if it is there, and count it as failed, once."""
        if address in await self.alive():
            await self.client.run_on_scheduler(_remove_worker, address=address)
        self.failed.add(address)
        if len(self.failed) > self.max_failures:
            raise with_hint(
                WorkerFailureError,
                f"Worker {address} {what}: that is failure {len(self.failed)} of this training, and "
                f"max_worker_failures={self.max_failures}.",
                "look at the worker's memory and logs, or raise the limit",
            )


async def _remove_worker(dask_scheduler: Any, address: str) -> None:
    await dask_scheduler.remove_worker(address=address, stimulus_id=f"separatrix-{time.time()}")


@dataclass(frozen=True, eq=False)
class RemoteShard:
    """The shard with this key, a Dask actor; all methods run on the client's event loop.

    An actor is called through the scheduler, which costs a second journey of every byte, unless the client may connect
    to workers. `connected` finds out whether it can: a worker that answers is called directly from then on.
    """

    client: Any  #: distributed.Client
    key: str
    address: str  #: of its worker
    future: Any  #: of the actor, which lives as long as this does
    direct: bool

    @classmethod
    async def connected(cls, client: Any, key: str, address: str, future: Any) -> RemoteShard:
        """Connect by the shortest way that works, unless the client was made with ``direct_to_workers=False``."""
        direct = client.direct_to_workers
        if direct is None:
            try:
                await asyncio.wait_for(client.rpc(address).identity(), _CONNECT_TIMEOUT)
                direct = True
            except (OSError, TimeoutError):
                direct = False
        return cls(client, key, address, future, direct)

    @property
    def lost(self) -> bool:
        """True once the scheduler has noticed that the worker is gone."""
        return bool(self.future.status != "finished")

    async def call(self, method: str, args: tuple[Any, ...]) -> Any:
        """Call a method of the actor; return its result, or raise its exception."""
        if self.lost:
            raise OSError(f"The worker {self.address} that held {self.key} is gone.")
        rpc: Any = (
            self.client.rpc(self.address) if self.direct else _proxy(self.client.scheduler, self.address)
        )
        packed = [arg if type(arg) in _PLAIN else _serialized(arg) for arg in args]
        reply = await rpc.actor_execute(function=method, actor=self.key, args=packed, kwargs={})
        if reply["status"] != "OK":
            raise reply["exception"]
        return reply["result"]
