"""What a round costs: seconds beside bare actors that send as many bytes, and bytes beside the formula of the docs."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import dask
import numpy as np
from scipy import sparse

from benchmarks.cluster.local import cluster, split, timed
from separatrix.dask import SVC
from separatrix.dask.cluster import WorkerGroup
from separatrix.dask.descent import ClusterDescent
from separatrix.dask.rows import ClusterRows
from separatrix.problem import HINGE, Problem

_WORKERS = 2
_DIRECTIONS = 6  # of a shard's small space
_WARM = 6  # rounds that do not count


class Echo:
    """A bare actor: it sends an array of so many bytes for what came in."""

    def send(self, _array: np.ndarray, reply: int) -> np.ndarray:
        return np.zeros(reply, dtype=np.uint8)


def run(options: argparse.Namespace) -> None:
    """Two workers, few rows: what is left of a round is its exchange."""
    repeats = 30 if options.quick else 100
    with cluster(_WORKERS) as client:
        print(
            "an exchange (w out, scores back) and a round of descent, milliseconds, medians; beside each a bare actor's"
        )
        print(
            "round trip with as many bytes, through the scheduler (as by default), and of a client that connects to"
        )
        print(
            "workers (direct). A round is the wall clock's, the client's work included; its overhead is what is left"
        )
        print("without the computing of the slowest worker.")
        print("columns  exchange   bare  ratio    round computing overhead   bare  ratio direct  ratio")
        for d in (100, 10_000, 100_000):
            _seconds(client, d, repeats)
        print("bytes of a round: counted, and by the formula")
        for d in (100, 10_000):
            _descent_bytes(client, d)
        _path_bytes(client, 100)


def _rows(d: int) -> tuple[Any, np.ndarray]:
    n = 400
    X = sparse.random_array((n, d), density=20 / d, rng=np.random.default_rng(0), format="csr")
    return X, np.where(np.random.default_rng(1).random(n) > 0.5, 1.0, -1.0)


def _seconds(client: Any, d: int, repeats: int) -> None:
    """Ours and the bare one in turn, so that both meet the same load of the machine."""
    X, y = _rows(d)
    A, b = split(X, y, _WORKERS)
    group = WorkerGroup(client, [dask.delayed(_triple)(p, q) for p, q in zip(A, b, strict=True)])
    w, exchanges, rounds = np.zeros(d), [], []
    reply = (8 + 4 + 4 * _DIRECTIONS) * d
    with group:
        actors = [
            client.submit(Echo, actor=True, workers=[a], pure=False).result()
            for a in (shard.address for shard in group.shards)
        ]
        local = timed(lambda: X[: len(y) // 2] @ w, repeats)
        rows = ClusterRows(group, [len(y) // 2] * _WORKERS, d)
        problem = Problem(rows, y, np.ones(len(y)), HINGE, "none")  # type: ignore[arg-type]
        descent = ClusterDescent(scale=20.0, checkpoint_every=10**6)
        state = descent.init(problem, None, 1)
        for _ in range(_WARM + repeats):
            ours = _clock(lambda: group.each("product", [("scores", w, None)] * _WORKERS)) - local
            exchanges.append((ours, _clock(lambda: _ask(actors, w, 8 * len(y) // 2))))
            group.traffic()
            wall = _clock(lambda: descent.step(problem, state))
            computing = group.traffic().computing
            bare = _clock(lambda: _ask(actors, w, reply))
            client.direct_to_workers = True
            direct = _clock(lambda: _ask(actors, w, reply))
            client.direct_to_workers = None
            rounds.append((wall, computing, wall - computing, bare, direct))
    ours, bare = np.median(exchanges[_WARM:], axis=0)
    wall, computing, overhead, same, direct = np.median(rounds[_WARM:], axis=0)
    print(
        f"{d:>7} {1e3 * ours:>9.2f} {1e3 * bare:>6.2f} {ours / bare:>6.2f}   {1e3 * wall:>6.2f} "
        f"{1e3 * computing:>9.2f} {1e3 * overhead:>8.2f} {1e3 * same:>6.2f} {overhead / same:>6.2f} "
        f"{1e3 * direct:>6.2f} {overhead / direct:>6.2f}",
        flush=True,
    )


def _clock(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _fitted(client: Any, A: Any, b: Any, solver: str, rounds: int) -> SVC:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tol cannot be reached
        settings = {"bias": "none", "tol": 1e-14, "max_iter": rounds, "checkpoint_every": 10**6}
        return SVC(solver=solver, client=client, **settings).fit(A, b)


def _ask(actors: list[Any], array: np.ndarray, reply: int) -> None:
    for answer in [actor.send(array, reply) for actor in actors]:
        answer.result()


def _descent_bytes(client: Any, d: int) -> None:
    sent, received = _counted(client, d, "coordinate-descent", 20)
    formula = _WORKERS * 8 * d, _WORKERS * (8 + 4 + 4 * _DIRECTIONS) * d
    print(
        f"{d:>7} columns, coordinate descent: sent {sent:.0f} ({sent / formula[0]:.2f} of the formula), "
        f"received {received:.0f} ({received / formula[1]:.2f})",
        flush=True,
    )


def _path_bytes(client: Any, d: int) -> None:
    """An iteration makes up to five further corrections, each of d numbers both ways."""
    sent, received = _counted(client, d, "interior-point", 14)
    vector = _WORKERS * 8 * d
    corrections = sent / vector - 3.0
    formula = vector * (d + 5 + corrections)
    print(
        f"{d:>7} columns, interior point: sent {sent:.0f} (3 vectors and {corrections:.2f} corrections; at most 5), "
        f"received {received:.0f} ({received / formula:.2f} of the formula)",
        flush=True,
    )


def _counted(client: Any, d: int, solver: str, rounds: int) -> tuple[float, float]:
    """Median bytes sent and received in a round."""
    A, b = split(*_rows(d), _WORKERS)
    records = [r for r in _fitted(client, A, b, solver, rounds).history_ if not r.proved][_WARM:]
    sent, received = [r.bytes_sent for r in records], [r.bytes_received for r in records]
    return float(np.median(sent)), float(np.median(received))


def _triple(X: Any, y: Any) -> tuple[Any, Any, None]:
    return X, y, None
