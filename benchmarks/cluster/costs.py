"""What a round costs: seconds beside bare actors that send as many bytes, and bytes beside the formula of the docs."""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import dask
import numpy as np
from scipy import sparse

from benchmarks.cluster.local import cluster, split, timed
from separatrix.dask import SVC
from separatrix.dask.gang import Gang

_WORKERS = 2
_MOVES = 5  # that a shard remembers, the newest included


class Echo:
    """A bare actor: it sends an array of so many bytes for what came in."""

    def send(self, _array: np.ndarray, reply: int) -> np.ndarray:
        return np.zeros(reply, dtype=np.uint8)


def run(options: argparse.Namespace) -> None:
    """Two workers, few rows: what is left of a round is its exchanges."""
    repeats = 20 if options.quick else 60
    with cluster(_WORKERS) as client:
        print(
            "an exchange (w out, scores back) and a round of descent (two exchanges), milliseconds, medians"
        )
        print("columns  exchange   bare  ratio    round computing   bare  ratio")
        for d in (100, 10_000, 100_000):
            _seconds(client, d, repeats)
        print("bytes of a round: counted, and by the formula")
        for d in (100, 10_000):
            _bytes(client, d)


def _rows(d: int) -> tuple[Any, np.ndarray]:
    n = 400
    X = sparse.random_array((n, d), density=20 / d, rng=np.random.default_rng(0), format="csr")
    return X, np.where(np.random.default_rng(1).random(n) > 0.5, 1.0, -1.0)


def _seconds(client: Any, d: int, repeats: int) -> None:
    X, y = _rows(d)
    A, b = split(X, y, _WORKERS)
    gang = Gang(client, [dask.delayed(_triple)(p, q) for p, q in zip(A, b, strict=True)])
    w = np.zeros(d)
    with gang:
        ours = timed(lambda: gang.each("product", [("scores", w, None)] * _WORKERS), repeats)
        ours -= timed(lambda: X[: len(y) // 2] @ w, repeats)
        actors = [client.submit(Echo, actor=True, workers=[a], pure=False).result() for a in gang._places]
    bare = timed(lambda: _ask(actors, w, 8 * len(y) // 2), repeats)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tol cannot be reached
        fitted = SVC(
            solver="coordinate-descent",
            bias="none",
            tol=1e-12,
            max_iter=repeats,
            checkpoint_every=10**6,
            client=client,
        ).fit(A, b)
    rounds = [r for r in fitted.history_ if not r.proved][_MOVES:]
    seconds = float(np.median([r.seconds for r in rounds]))
    computing = float(np.median([r.computing for r in rounds]))
    improve, move = (8 + 4 * _MOVES) * d, 8 * d

    def bare_round() -> None:
        _ask(actors, w, improve)
        _ask(actors, np.zeros(_MOVES), move)

    pair = timed(bare_round, repeats)
    print(
        f"{d:>7} {1e3 * ours:>9.2f} {1e3 * bare:>6.2f} {ours / bare:>6.2f}   {1e3 * seconds:>6.2f} "
        f"{1e3 * computing:>9.2f} {1e3 * pair:>6.2f} {(seconds - computing) / pair:>6.2f}",
        flush=True,
    )


def _ask(actors: list[Any], array: np.ndarray, reply: int) -> None:
    for answer in [actor.send(array, reply) for actor in actors]:
        answer.result()


def _bytes(client: Any, d: int) -> None:
    X, y = _rows(d)
    A, b = split(X, y, _WORKERS)
    for solver in ("coordinate-descent", "interior-point"):
        if solver == "interior-point" and d > 1000:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = SVC(
                solver=solver, bias="none", tol=1e-12, max_iter=20, checkpoint_every=10**6, client=client
            )
            model.fit(A, b)
        rounds = [r for r in model.history_ if not r.proved][_MOVES:]
        sent = float(np.median([r.bytes_sent for r in rounds]))
        received = float(np.median([r.bytes_received for r in rounds]))
        if solver == "coordinate-descent":
            formula = _WORKERS * 8 * d, _WORKERS * (8 + 4 * _MOVES + 8) * d
        else:
            formula = _WORKERS * 8 * 8 * d, _WORKERS * 8 * (d * d + 8 * d)
        print(
            f"{d:>7} columns, {solver:<18} sent {sent:>9.0f} ({sent / formula[0]:.2f} of the formula), "
            f"received {received:>9.0f} ({received / formula[1]:.2f})",
            flush=True,
        )


def _triple(X: Any, y: Any) -> tuple[Any, Any, None]:
    return X, y, None
