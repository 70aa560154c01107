"""Parts that the estimators of a cluster share: their client, the training lock, and lazy predictions."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import dask.array
import distributed
import numpy as np
from dask.base import is_dask_collection
from dask.delayed import Delayed, delayed
from distributed import Future, Semaphore
from distributed.utils import sync

from separatrix.errors import with_hint


class ClusterEstimator:
    """A scikit-learn estimator with a parameter ``client`` and a method ``_fit(client, *data)``; mixed in first."""

    client: Any

    def _train(self, *data: Any) -> Any:
        """`_fit` with the client, or the current one; with an asynchronous client an awaitable, run in a thread."""
        current: Any = distributed.default_client
        client = current() if self.client is None else self.client
        fit: Any = self._fit  # type: ignore[attr-defined]
        return asyncio.to_thread(fit, client, *data) if client.asynchronous else fit(client, *data)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        return {**state, "client": None}  # a connection is not pickled

    def __sklearn_clone__(self) -> Self:
        """An unfitted estimator with the same parameters on the same cluster: a connection cannot be copied."""
        parent: Any = super(ClusterEstimator, copy.copy(self))  # the copy has no client
        twin: Self = parent.__sklearn_clone__()
        twin.client = self.client
        return twin

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        return tags


@contextmanager
def training_lock(client: Any) -> Iterator[None]:
    """Hold the cluster's only lease for a training; a second training waits for it.

    A client that dies loses the lease by itself, so that others do not wait for ever.
    """

    async def acquire() -> Any:
        make: Any = Semaphore
        lease = await make(1, name="separatrix-training", scheduler_rpc=client.scheduler, loop=client.loop)
        await lease.acquire()
        return lease

    async def release(lease: Any) -> None:
        await lease.release()

    lease = sync(client.loop, acquire)
    try:
        yield
    finally:
        sync(client.loop, release, lease)


def is_partition_list(value: Any) -> bool:
    """True for a list of futures or delayed values."""
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(part, Delayed | Future) for part in value)
    )


def check_whole_rows(X: Any, why: str) -> None:
    """Raise a `ValueError` if a Dask array is cut along its columns."""
    if X.ndim == 2 and X.numblocks[1] != 1:
        raise with_hint(
            ValueError,
            f"X is cut into {X.numblocks[1]} pieces along its columns; {why}.",
            "X.rechunk({1: -1})",
        )


def lazily(function: Callable[[Any], Any], X: Any, dtype: Any, width: int | None) -> Any:
    """function(X) for every partition of X; ``width`` is the number of columns of an answer, None for a vector.

    Dask array in, Dask array out; data frame in, series (or data frame) out; a list of delayed values or futures gives
    a list of delayed values; anything else is passed to the function at once.
    """
    if isinstance(X, dask.array.Array):
        check_whole_rows(X, "a row is scored as a whole")
        shape = {"drop_axis": 1} if width is None else {"chunks": (X.chunks[0], (width,))}
        blocks: Any = X
        return blocks.map_blocks(
            function, dtype=dtype, meta=np.empty((0,) * (1 + (width is not None)), dtype), **shape
        )
    if is_dask_collection(X) and hasattr(X, "map_partitions"):
        return X.map_partitions(_framed, function, meta=_framed(X._meta_nonempty, function).iloc[:0])
    return [delayed(function)(part) for part in X] if is_partition_list(X) else function(X)


def _framed(frame: Any, function: Callable[[Any], Any]) -> Any:
    import pandas

    found = function(frame)
    kind = pandas.Series if found.ndim == 1 else pandas.DataFrame
    return kind(found, index=frame.index)
