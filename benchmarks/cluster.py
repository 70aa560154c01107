"""The cluster beside one machine: agreement, faults, rounds, overhead of a round, memory of a worker.

    python -m benchmarks.cluster agreement | faults | rounds | overhead | memory  [--quick]

Workers are processes of one thread on this machine. Every line is JSON, so that a run can be kept and compared.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import resource
import signal
import statistics
import time
import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import dask
import dask.array
import numpy as np
from distributed import Client, LocalCluster
from scipy import sparse

import separatrix
from benchmarks.data import load
from separatrix.dask import SVC, WorkerFailureError
from separatrix.dask.gang import Gang

_SETS = ("a9a", "kddcup04_bio standardised", "imdb tf-idf")


def say(**record: Any) -> None:
    print(json.dumps(record), flush=True)


@contextlib.contextmanager
def cluster(workers: int) -> Iterator[Client]:
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=":0", memory_limit=0
        ) as local,
        Client(local) as client,
    ):
        yield client


def split(X: Any, y: np.ndarray, parts: int) -> tuple[list[Any], list[Any], list[int]]:
    """Delayed partitions of rows and labels, and where they begin."""
    cuts = np.linspace(0, len(y), parts + 1).astype(int).tolist()
    spans = [slice(a, b) for a, b in pairwise(cuts)]
    rows = sparse.csr_array(X) if sparse.issparse(X) else X
    return [dask.delayed(rows[s]) for s in spans], [dask.delayed(y[s]) for s in spans], cuts


def agreement(quick: bool, names: tuple[str, ...] = _SETS) -> None:
    """The solution of 1, 2, 4 and 8 partitions against one machine's, every bias, with and without weights."""
    tol = 1e-3
    with cluster(2) as client:
        for name in names:
            X, y = load(name)
            if quick:
                X, y = X[:4000], y[:4000]
            rng = np.random.default_rng(0)
            weights = rng.integers(1, 4, len(y)).astype(float)
            for bias in ("free", "augmented", "none"):
                for weighted in (False, True):
                    given = weights if weighted else None
                    local = separatrix.SVC(bias=bias, tol=tol, random_state=0).fit(X, y, sample_weight=given)
                    ours, theirs = local.dual_, local.primal_
                    # All numbers of partitions for the usual problem, some for the others.
                    for parts in (
                        (1, 2, 4, 8) if bias == "free" and not weighted else (4,) if weighted else (2, 8)
                    ):
                        A, b, _ = split(X, y, parts)
                        began = time.perf_counter()
                        model = SVC(bias=bias, tol=tol, random_state=0, client=client)
                        with warnings.catch_warnings():
                            warnings.simplefilter("ignore")
                            model.fit(A, b, sample_weight=given)
                        seconds = time.perf_counter() - began
                        proved = separatrix.verify(model.certificate_, X, y)
                        say(
                            set=name,
                            bias=bias,
                            weighted=weighted,
                            partitions=parts,
                            status=str(model.status_),
                            gap=model.gap_,
                            # Both intervals hold the optimum, so they must overlap.
                            agrees=bool(model.dual_ <= theirs and ours <= model.primal_),
                            verified=bool(proved),
                            objective=model.primal_ / theirs - 1.0,
                            same_predictions=float(np.mean(model.predict(X) == local.predict(X))),
                            rounds=model.n_iter_,
                            solver=model.history_[-1].solver,
                            seconds=round(seconds, 2),
                        )


def faults(quick: bool) -> None:
    """Workers killed or frozen at random moments: every run must end, with the gap or with a clear error."""
    rng, generator = np.random.default_rng(1), random.Random(1)
    n, d = 3000, 50
    X = rng.standard_normal((n, d))
    X /= np.linalg.norm(X, axis=1)[:, None]
    y = np.where(X @ rng.standard_normal(d) + 0.5 * rng.standard_normal(n) > 0.3, 1, -1)
    A, b = dask.array.from_array(X, chunks=(500, d)), dask.array.from_array(y, chunks=500)
    trials = list(range(4 if quick else 20))
    while trials:
        with cluster(5) as client:
            SVC(client=client, tol=1e-2).fit(A, b)  # so that the workers have loaded everything
            # A worker that comes back late on a busy machine is not waited for; two are lost for certain at a time.
            while trials and len(client.scheduler_info(n_workers=-1)["workers"]) >= 3:
                fault(client, trials.pop(0), generator, A, b, X, y)


def fault(client: Client, trial: int, generator: random.Random, A: Any, b: Any, X: Any, y: Any) -> None:
    """One fit during which a worker is killed or frozen."""
    plain = Gang.each
    solver = ("coordinate-descent", "interior-point")[trial % 2]
    kind = (signal.SIGKILL, signal.SIGSTOP)[trial // 2 % 2]
    limit = 0 if trial % 5 == 4 else 3
    victim = generator.choice(list(client.run(os.getpid).values()))
    moment, asked = generator.randrange(3, 40), [0]

    def each(self: Gang, *args: Any, **kwargs: Any) -> Any:
        asked[0] += 1
        if asked[0] == moment:
            os.kill(victim, kind)
        return plain(self, *args, **kwargs)

    Gang.each = each  # type: ignore[method-assign]
    model = SVC(solver=solver, tol=1e-3, worker_timeout=8.0, max_worker_failures=limit, client=client)
    began, outcome = time.perf_counter(), "converged"
    try:
        model.fit(A, b)
        right = bool(separatrix.verify(model.certificate_, X, y)) and model.gap_ <= 1e-3
    except WorkerFailureError as error:
        outcome, right = f"WorkerFailureError: {error}"[:60], limit == 0
    finally:
        Gang.each = plain  # type: ignore[method-assign]
    say(
        trial=trial,
        solver=solver,
        signal=kind.name,
        exchange=moment,
        struck=asked[0] >= moment,
        max_worker_failures=limit,
        outcome=outcome,
        right=right,
        failures=getattr(model, "n_worker_failures_", None),
        seconds=round(time.perf_counter() - began, 1),
    )
    if kind is signal.SIGSTOP:
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.SIGCONT)


class Echo:
    """A bare actor: what comes back is what went in."""

    def send(self, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        return arrays


def overhead(quick: bool) -> None:
    """Seconds of a round that are not computing, against a bare actor's round trip with as many bytes."""
    with cluster(2) as client:
        for d in (100, 10_000, 100_000):
            n = 400
            X = sparse.random_array((n, d), density=20 / d, rng=np.random.default_rng(0), format="csr")
            y = np.where(np.arange(n) % 2, 1.0, -1.0)
            A, b, _ = split(X, y, 2)
            gang = Gang(client, [dask.delayed(_triple)(p, q) for p, q in zip(A, b, strict=True)])
            with gang:
                w = np.zeros(d)
                repeats = 30 if quick else 100
                ours = timed(lambda: gang.each("product", [("scores", w, None)] * 2), repeats)  # noqa: B023
            actors = [client.submit(Echo, actor=True, workers=[a], pure=False).result() for a in gang._places]

            def bare() -> None:
                for reply in [actor.send(w) for actor in actors]:  # noqa: B023
                    reply.result()

            theirs = timed(bare, repeats)
            computing = timed(lambda: X[: n // 2] @ w, repeats)  # noqa: B023
            say(columns=d, ours=ours, bare=theirs, computing=computing, ratio=(ours - computing) / theirs)


def _triple(X: Any, y: Any) -> tuple[Any, Any, None]:
    return X, y, None


def timed(work: Any, repeats: int) -> float:
    """Median seconds of a call."""
    work()
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def rounds(quick: bool) -> None:
    """The gap after every round, for 1 and 2 workers, and what averaging needs (CoCoA's first form: no step, 1 / K)."""
    X, y = load("imdb tf-idf")
    for workers in (1, 2):
        with cluster(workers) as client:
            A, b, _ = split(X, y, workers)
            model = SVC(tol=1e-4, random_state=0, client=client).fit(A, b)
            for record in model.history_:
                say(
                    workers=workers,
                    round=record.iteration,
                    seconds=record.time,
                    gap=record.gap,
                    bytes=record.bytes_sent + record.bytes_received,
                )


def memory(quick: bool) -> None:
    """Peak resident memory of a worker beyond what it had before the data came, in parts of its partitions."""
    for kind in ("dense float64", "dense float32", "csr float64"):
        for solver in ("coordinate-descent", "interior-point"):
            if kind.startswith("csr") and solver == "interior-point":
                continue
            with cluster(1) as client:
                warm = dask.array.random.default_rng(0).random((400, 5), chunks=(400, 5))
                SVC(solver=solver, client=client, tol=0.5).fit(warm, np.arange(400) % 2)
                before = max(client.run(_peak).values())
                rows = 20_000 if quick else 100_000
                parts = [dask.delayed(_make)(kind, rows, seed) for seed in range(2)]
                labels = np.random.default_rng(5).integers(0, 2, 2 * rows)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    SVC(solver=solver, client=client, max_iter=3).fit(parts, labels)
                after = max(client.run(_peak).values())
            size = 2 * _size(_make(kind, rows, 0))
            say(kind=kind, solver=solver, partitions=size, peak=after - before, ratio=(after - before) / size)


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _make(kind: str, rows: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    if kind.startswith("csr"):
        indices = rng.integers(0, 20_000, (rows, 80), dtype=np.int32)
        indices.sort(axis=1)
        indptr = np.arange(0, 80 * rows + 1, 80, dtype=np.int32)
        return sparse.csr_array((rng.random(80 * rows), indices.ravel(), indptr), shape=(rows, 20_000))
    return rng.random((rows, 100), dtype=kind.split()[1])


def _size(X: Any) -> int:
    return X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes + X.indptr.nbytes


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("agreement", "faults", "rounds", "overhead", "memory"))
    parser.add_argument("--quick", action="store_true", help="fewer rows, fewer runs")
    parser.add_argument("--set", action="append", choices=_SETS, help="agreement: only these data sets")
    given = parser.parse_args()
    if given.what == "agreement" and given.set:
        agreement(given.quick, tuple(given.set))
    else:
        globals()[given.what](given.quick)


if __name__ == "__main__":
    main()
