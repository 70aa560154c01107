"""One training at a time on a cluster: a second one waits for its turn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from distributed import Semaphore
from distributed.utils import sync

_NAME = "separatrix-training"


@contextmanager
def one_training_at_a_time(client: Any) -> Iterator[None]:
    """Hold the cluster's only lease. A client that dies loses it by itself, so that others do not wait for ever."""

    async def acquire() -> Any:
        make: Any = Semaphore
        turn = await make(1, name=_NAME, scheduler_rpc=client.scheduler, loop=client.loop)
        await turn.acquire()
        return turn

    async def release(turn: Any) -> None:
        await turn.release()

    turn = sync(client.loop, acquire)
    try:
        yield
    finally:
        sync(client.loop, release, turn)
