"""Workers killed or frozen at random moments: every run must end, with the gap or with a clear error."""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import time
from typing import Any

import dask.array
import numpy as np
from distributed import Client

import separatrix
from benchmarks.cluster.local import cluster
from separatrix.dask import SVC, WorkerFailureError
from separatrix.dask.cluster import WorkerGroup

_LONGEST = 240  # seconds of a run that count as a hang
_TOL = 1e-3
_LINE = "{:>3} {:<18} {:<7} {:>8} {:>7} {:>6} {:>8} {:>7}  {}"


def run(options: argparse.Namespace) -> None:
    """20 runs (4 with --quick): both solvers, both signals, every fifth with no failure allowed."""
    rng, generator = np.random.default_rng(1), random.Random(1)
    n, d = 3000, 50
    X = rng.standard_normal((n, d))
    X /= np.linalg.norm(X, axis=1)[:, None]
    y = np.where(X @ rng.standard_normal(d) + 0.5 * rng.standard_normal(n) > 0.3, 1, -1)
    A, b = dask.array.from_array(X, chunks=(500, d)), dask.array.from_array(y, chunks=500)
    trials = list(range(4 if options.quick else 20))
    count, right = len(trials), 0
    print(
        _LINE.format("run", "solver", "signal", "exchange", "allowed", "lost", "gap", "seconds", "ended with")
    )
    while trials:
        with cluster(5) as client:
            SVC(client=client, tol=1e-2).fit(A, b)  # so that the workers have loaded everything
            # A worker that comes back late on a busy machine is not waited for; two are lost for certain at a time.
            while trials and len(client.scheduler_info(n_workers=-1)["workers"]) >= 3:
                right += strike(client, trials.pop(0), generator, A, b, X, y)
    print(
        f"{right} of {count} runs ended as they should: a verified gap within {_TOL:g}, or the error asked for."
    )


def strike(client: Client, trial: int, generator: random.Random, A: Any, b: Any, X: Any, y: Any) -> bool:
    """One fit during which a worker is killed or frozen."""
    plain = WorkerGroup.each
    solver = ("coordinate-descent", "interior-point")[trial % 2]
    kind = (signal.SIGKILL, signal.SIGSTOP)[trial // 2 % 2]
    allowed = 0 if trial % 5 == 4 else 3
    victim = generator.choice(list(client.run(os.getpid).values()))
    moment, asked = generator.randrange(3, 40), [0]

    def each(self: WorkerGroup, *args: Any, **kwargs: Any) -> Any:
        asked[0] += 1
        if asked[0] == moment:
            os.kill(victim, kind)
        return plain(self, *args, **kwargs)

    WorkerGroup.each = each  # type: ignore[method-assign]
    model = SVC(solver=solver, tol=_TOL, worker_timeout=8.0, max_worker_failures=allowed, client=client)
    began, lost, gap = time.perf_counter(), "", ""
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(_LONGEST)
    try:
        model.fit(A, b)
        right = bool(separatrix.verify(model.certificate_, X, y)) and model.gap_ <= _TOL
        outcome, lost, gap = str(model.status_), str(model.n_worker_failures_), f"{model.gap_:.1e}"
    except WorkerFailureError as error:
        outcome, right = f"WorkerFailureError: {error}"[:70], allowed == 0 and asked[0] >= moment
    except TimeoutError as error:
        outcome, right = f"hang: {error}", False
    finally:
        signal.alarm(0)
        WorkerGroup.each = plain  # type: ignore[method-assign]
        if kind is signal.SIGSTOP:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGCONT)
    struck = str(moment) if asked[0] >= moment else "too late"
    seconds = f"{time.perf_counter() - began:.1f}"
    name = signal.Signals(kind).name
    print(_LINE.format(trial, solver, name, struck, allowed, lost, gap, seconds, outcome), flush=True)
    return right


def _too_long(*_: object) -> None:
    raise TimeoutError(f"no end after {_LONGEST} s")
