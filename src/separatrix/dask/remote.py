"""One shard as the client sees it: where it is, and how it is asked.

A Dask actor is asked through the scheduler, which costs a second journey of every byte, unless the client was told that
it may connect to workers. Whether it can is found out here: a worker that answers is asked directly from then on.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from distributed import actor, protocol

_proxy: Any = actor.ProxyRPC  # untyped
_serialized: Any = protocol.to_serialize  # type: ignore[attr-defined]
_REACH = 2.0  # seconds in which a worker must answer to be asked directly
_PLAIN = (str, int, float, bool, type(None))  # what a message holds as it is


@dataclass(frozen=True, eq=False)
class RemoteShard:
    """The actor with this key; all methods run on the client's event loop."""

    client: Any  #: distributed.Client
    key: str
    address: str  #: of its worker
    future: Any  #: of the actor, which lives as long as this does
    direct: bool

    @classmethod
    async def reached(cls, client: Any, key: str, address: str, future: Any) -> RemoteShard:
        """By the shortest way that works, unless the client was made with ``direct_to_workers=False``."""
        direct = client.direct_to_workers
        if direct is None:
            try:
                await asyncio.wait_for(client.rpc(address).identity(), _REACH)
                direct = True
            except (OSError, TimeoutError):
                direct = False
        return cls(client, key, address, future, direct)

    @property
    def lost(self) -> bool:
        """Whether the scheduler has noticed that the worker is gone."""
        return bool(self.future.status != "finished")

    async def ask(self, method: str, args: tuple[Any, ...]) -> Any:
        """What the actor's method returns, or raises."""
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
