"""The workers of a cluster, watched by their heartbeats: which live, which are given up, how many may be."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

from separatrix.errors import with_hint

POLL = 0.5  #: seconds between two looks at the heartbeats while something is awaited


class WorkerFailureError(RuntimeError):
    """More workers failed during a training than `max_worker_failures` allows, or none is left."""


@dataclass
class _Pulse:
    """When a worker's heartbeat last changed, by our own clock: the clocks of the cluster are not compared."""

    beat: float
    changed: float


@dataclass
class Watch:
    """Looks at the heartbeats that the scheduler has heard. All methods run on the client's event loop."""

    client: Any  #: distributed.Client
    timeout: float  #: seconds without a heartbeat after which a worker is given up
    max_failures: int
    failed: set[str] = field(default_factory=set)  #: addresses of the workers that were given up
    _pulses: dict[str, _Pulse] = field(default_factory=dict)

    async def alive(self) -> dict[str, float]:
        """The last heartbeat of every worker that the scheduler knows."""
        try:
            identity = await asyncio.wait_for(self.client.scheduler.identity(n_workers=-1), self.timeout)
        except (TimeoutError, OSError) as error:
            raise WorkerFailureError(f"The scheduler does not answer ({error!r}).") from error
        return {address: float(worker["last_seen"]) for address, worker in identity["workers"].items()}

    async def remove_frozen(self, patience: float = 0.0) -> set[str]:
        """The workers that live, at least one; those not heard from for too long are removed from the cluster."""
        alive, now = await self.alive(), time.monotonic()
        longest = max(self.timeout, patience)
        for address, beat in alive.items():
            pulse = self._pulses.get(address)
            if pulse is None or pulse.beat != beat:
                self._pulses[address] = _Pulse(beat, now)
        for address in [a for a in alive if now - self._pulses[a].changed > longest]:
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
