"""The shards of one training on the workers of a cluster: placement, calls, and recovery from lost workers.

Every worker gets one shard with an even share of the partitions, next to data that are already there where that keeps
the shares even. `each` calls all shards at once and watches the workers' heartbeats while it waits: a worker that has
left the cluster, or has not been heard from for `worker_timeout` seconds, is given up, and its partitions are computed
again from their lineage on another one. A slow worker still sends heartbeats, and is waited for.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Self

import numpy as np
from distributed.utils import sync

from separatrix.dask.shard import Shard
from separatrix.dask.workers import (
    POLL,
    HeartbeatMonitor,
    RemoteShard,
    WorkerFailureError,
    even_shares,
    holders,
)
from separatrix.errors import with_hint

#: Seconds without a heartbeat that a worker has at least while it loads libraries and data, which may hold the GIL.
_LOADING_TIMEOUT = 30.0
#: Exceptions that a call to a lost actor may raise.
_LOST = (OSError, asyncio.CancelledError, KeyError, RuntimeError)


class ShardsReplaced(Exception):
    """Some shards were rebuilt on other workers: their state since `WorkerGroup.setup_calls` is lost."""


@dataclass
class Traffic:
    """Bytes of arrays sent and received, seconds of waiting, since the last `WorkerGroup.traffic`."""

    sent: int = 0
    received: int = 0
    seconds: float = 0.0
    computing: float = 0.0  #: seconds of the waiting in which the slowest shard computed


@dataclass
class WorkerGroup:
    """The shards of one training on a client's cluster. Use it as a context; leaving it frees the workers' memory.

    ``partitions`` are Dask delayed values or futures, one (X, y, weights) for each partition.
    """

    client: Any  #: distributed.Client
    partitions: list[Any]
    worker_timeout: float = 60.0
    max_worker_failures: int = 3
    n_threads: int | None = None
    shares: list[list[int]] = field(default_factory=list)  #: numbers of the partitions of each shard
    #: Calls that a rebuilt shard gets again: method and the arguments of each shard.
    setup_calls: list[tuple[str, list[tuple[Any, ...]]]] = field(default_factory=list)
    rebuilt: int = 0  #: shards rebuilt so far: a solver notices by it that some lost their state
    shards: list[RemoteShard | None] = field(default_factory=list)
    _traffic: Traffic = field(default_factory=Traffic)

    def __post_init__(self) -> None:
        self.monitor = HeartbeatMonitor(self.client, self.worker_timeout, self.max_worker_failures)

    def __enter__(self) -> Self:
        try:
            self._run(self._place)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.shards = []

    def _run(self, function: Callable[..., Awaitable[Any]], *args: Any) -> Any:
        """Run a coroutine on the client's event loop, from a thread that is not the loop's."""
        return sync(self.client.loop, function, *args)

    async def _place(self) -> None:
        workers = sorted(await self.monitor.alive())
        if not workers:
            raise with_hint(
                WorkerFailureError,
                "The cluster has no workers.",
                "client.wait_for_workers(1)",
            )
        count = min(len(workers), len(self.partitions))
        self.shares = even_shares(await holders(self.client, self.partitions, workers), count)
        self.shards = [None] * count
        await self._prepare(workers)
        await asyncio.gather(*(self._build(i, workers[i]) for i in range(count)))

    async def _prepare(self, workers: list[str]) -> None:
        """Import what a shard needs in the workers' task threads: in their event loops it would delay heartbeats."""
        where = {"allow_other_workers": True, "pure": False}
        ready = [self.client.submit(import_module, Shard.__module__, workers=[a], **where) for a in workers]
        await self._monitored(asyncio.gather(*(future.exception() for future in ready)))

    async def _monitored(self, awaitable: Awaitable[Any]) -> Any:
        """Await a result; workers that freeze meanwhile are removed, and Dask computes elsewhere."""
        task = asyncio.ensure_future(_awaited(awaitable))
        while not (await asyncio.wait({task}, timeout=POLL))[0]:
            await self.monitor.remove_frozen(_LOADING_TIMEOUT)
        return task.result()

    async def _build(self, i: int, address: str) -> None:
        """Compute the partitions of shard i, at this worker if it can, and make the actor that holds them."""
        where = {"workers": [address], "allow_other_workers": True}
        futures = self.client.compute([self.partitions[p] for p in self.shares[i]], **where)
        key = f"separatrix-shard-{i}-{time.time_ns()}"
        maker = self.client.submit(
            Shard, list(futures), i, self.n_threads, actor=True, pure=False, key=key, **where
        )
        error = await self._monitored(maker.exception())
        if maker.status == "cancelled":
            raise with_hint(
                WorkerFailureError,
                f"The partitions {self.shares[i]} are lost and cannot be computed again.",
                "give Dask collections or delayed values, not the only copy of scattered data",
            )
        if error is not None:
            raise error
        places = await self.client.who_has([maker])
        place = next(iter(next(iter(places.values()), ())), address)
        self.shards[i] = await RemoteShard.connected(self.client, key, place, maker)

    def _shard(self, i: int) -> RemoteShard:
        shard = self.shards[i]
        assert shard is not None, "it was built when the group was entered"
        return shard

    def each(
        self, method: str, arguments: Sequence[tuple[Any, ...]] | None = None, *, stateful: bool = False
    ) -> list[Any]:
        """Call a method of every shard, each with its own arguments or all with none; replies in order of the shards.

        Shards that are lost are rebuilt. Then they are called again or, where the call depends on state that earlier
        calls left (``stateful``), `ShardsReplaced` is raised and all replies are dropped.
        """
        began = time.perf_counter()
        arguments = [()] * len(self.shares) if arguments is None else arguments
        replies: list[Any] = [None] * len(arguments)
        missing = list(range(len(arguments)))
        self._traffic.sent += sum(map(_size, arguments))
        while missing:
            lost, found = self._run(self._call, method, {i: arguments[i] for i in missing})
            for i, reply in found.items():
                replies[i] = reply
            if lost:
                self._run(self._rebuild, lost)
                if stateful:
                    raise ShardsReplaced(f"shards {lost} were rebuilt")
            missing = lost
        self._traffic.received += sum(map(_size, replies))
        self._traffic.seconds += time.perf_counter() - began
        return replies

    def computed(self, seconds: float) -> None:
        """Note how long the slowest shard computed."""
        self._traffic.computing += seconds

    def traffic(self) -> Traffic:
        """Traffic since the last call of this method."""
        counted, self._traffic = self._traffic, Traffic()
        return counted

    async def _call(
        self, method: str, arguments: dict[int, tuple[Any, ...]]
    ) -> tuple[list[int], dict[int, Any]]:
        """Call some shards; return those that are lost, and the replies of the others."""
        tasks = {asyncio.ensure_future(self._shard(i).call(method, args)): i for i, args in arguments.items()}
        for task in tasks:
            task.add_done_callback(_retrieve)
        pending, lost, found = set(tasks), list[int](), dict[int, Any]()
        while pending:
            done, pending = await asyncio.wait(pending, timeout=POLL)
            for task in done:
                error = task.exception()
                if error is None:
                    found[tasks[task]] = task.result()
                elif isinstance(error, _LOST) and await self._gone(tasks[task], error):
                    lost.append(tasks[task])
                else:
                    for other in pending:
                        other.cancel()
                    raise error
            if pending:
                alive = await self.monitor.remove_frozen()
                for task in [task for task in pending if self._shard(tasks[task]).address not in alive]:
                    task.cancel()
                    pending.discard(task)
                    lost.append(tasks[task])
        return sorted(lost), found

    async def _gone(self, i: int, error: BaseException) -> bool:
        """True if an error means that the worker of shard i is lost, rather than that its work failed."""
        shard = self._shard(i)
        if isinstance(error, OSError) or shard.lost:
            return True
        await asyncio.sleep(POLL)  # the scheduler may not have noticed yet
        return shard.address not in await self.monitor.alive() or shard.lost

    async def _rebuild(self, lost: list[int]) -> None:
        for address in {self._shard(i).address for i in lost}:
            await self.monitor.give_up(address, "was lost")
        while lost:
            alive = await self.monitor.remove_frozen()
            load = {
                a: sum(shard is not None and shard.address == a for shard in self.shards)
                for a in sorted(alive)
            }
            i = lost[0]
            await self._build(i, min(load, key=lambda a: load[a]))
            for method, arguments in self.setup_calls:
                again, _ = await self._call(method, {i: arguments[i]})
                if again:  # this worker is lost too
                    await self.monitor.give_up(self._shard(i).address, "was lost")
                    break
            else:
                self.rebuilt += 1
                lost = lost[1:]


def _retrieve(task: asyncio.Future[Any]) -> None:
    """Retrieve a task's exception, so that asyncio does not log what a lost worker's task raises later."""
    if not task.cancelled():
        task.exception()


async def _awaited(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


def _size(value: Any) -> int:
    """Bytes of the arrays in a message."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, list | tuple):
        return sum(map(_size, value))
    if hasattr(value, "__dict__"):
        return sum(map(_size, vars(value).values()))
    return 8 if isinstance(value, float | int) else 0
