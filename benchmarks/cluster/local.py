"""A cluster of processes on this machine, and data cut up for it."""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import dask
import numpy as np
from distributed import Client, LocalCluster
from scipy import sparse


@contextlib.contextmanager
def cluster(workers: int) -> Iterator[Client]:
    """Worker processes of one thread."""
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=":0", memory_limit=0
        ) as local,
        Client(local) as client,
    ):
        yield client


def pieces(X: Any, y: np.ndarray, parts: int) -> list[tuple[Any, np.ndarray]]:
    """X and y cut into parts of about as many rows."""
    cuts = np.linspace(0, len(y), parts + 1).astype(int).tolist()
    rows = sparse.csr_array(X) if sparse.issparse(X) else X
    return [(rows[a:b], y[a:b]) for a, b in pairwise(cuts)]


def split(X: Any, y: np.ndarray, parts: int) -> tuple[list[Any], list[Any]]:
    """Delayed partitions of rows and of labels."""
    found = pieces(X, y, parts)
    return [dask.delayed(rows) for rows, _ in found], [dask.delayed(labels) for _, labels in found]


def timed(work: Callable[[], object], repeats: int) -> float:
    """Median seconds of a call, after one that is not counted."""
    work()
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)
