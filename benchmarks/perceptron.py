"""The perceptron beside its peers: one pass against the memory, whole fits, batches, single rows, streams.

    python -m benchmarks.perceptron [--rows 1000000] [--core 1]

Times are process CPU seconds, the median of five, both sides in the same run; the two-thread pass is wall time.
BLAS keeps to one thread: an idle BLAS thread spins for a tenth of a second after each call, which would be counted for
whoever runs next.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable

import numpy as np
from scipy import sparse
from sklearn.linear_model import Perceptron as Theirs
from sklearn.linear_model import SGDClassifier
from threadpoolctl import threadpool_limits

import separatrix
from separatrix import _core
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.passes import PrimalPasses
from separatrix.perceptron.rows import LabelledRows


def median(
    work: Callable[[], object], repeats: int = 5, clock: Callable[[], float] = time.process_time
) -> float:
    times = []
    for _ in range(repeats):
        began = clock()
        work()
        times.append(clock() - began)
    return statistics.median(times)


def separable_rows(n: int, d: int, dtype: type, room: float) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian rows pushed away from a hyperplane until each has at least the given margin."""
    rng = np.random.default_rng(0)
    w = rng.standard_normal(d)
    w /= np.linalg.norm(w)
    X = np.empty((n, d), dtype=dtype)
    y = np.empty(n, dtype=np.int64)
    for start in range(0, n, 50_000):
        block = rng.standard_normal((min(50_000, n - start), d))
        side = np.where(block @ w > 0, 1, -1)
        X[start : start + len(block)] = block + room * side[:, None] * w
        y[start : start + len(block)] = side
    return X, y


def passes(X: np.ndarray, y: np.ndarray) -> None:
    rows = LabelledRows(X, y.astype(np.int8), constant=1.0)
    run = PrimalPasses(rows, Settings())
    while run.sweep():
        pass

    def clean(threads: int) -> Callable[[], object]:
        def work() -> None:
            run.settings = Settings(n_threads=threads)
            run.state.run = 10**9  # a long run without mistakes lies behind
            assert run.sweep() == 0

        return work

    # Alternate, so that what else the machine does falls on both alike; the best of each is compared. CPU seconds where
    # one thread works, for a busy machine takes the core away; wall time for one thread beside two.
    read, one, wall, two = [], [], [], []
    for _ in range(25):
        read.append(median(lambda: _core.read_memory(X), 1))
        one.append(median(clean(1), 1))
        wall.append(median(clean(1), 1, time.perf_counter))
        two.append(median(clean(2), 1, time.perf_counter))
    size = X.nbytes / 1e9
    speeds = [size / min(times) for times in (read, one, wall, two)]
    middles = [size / statistics.median(times) for times in (read, one)]
    print(
        f"one pass {X.shape[0]} x {X.shape[1]} {X.dtype}: memory {speeds[0]:.2f} GB/s, pass {speeds[1]:.2f} GB/s",
        end="",
    )
    print(f" = {100 * speeds[1] / speeds[0]:.0f} % (medians {100 * middles[1] / middles[0]:.0f} %)", end="")
    print(f", two threads {speeds[3]:.2f} GB/s = {speeds[3] / speeds[2]:.2f} x")


def fits(name: str, X: object, y: np.ndarray, repeats: int = 3) -> None:
    model = separatrix.Perceptron(n_threads=1)
    ours = median(lambda: model.fit(X, y), repeats)
    peers = {
        "same number of passes": Theirs(tol=None, max_iter=model.n_epochs_, shuffle=False),
        "its defaults": Theirs(),
    }
    for label, peer in peers.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = median(lambda peer=peer: peer.fit(X, y), 1)
        wrong = int(np.sum(peer.predict(X) != y))
        print(
            f"fit {name}: ours {ours:.3f} s ({model.n_epochs_} passes, {model.status_}), scikit-learn with {label} "
            f"{theirs:.3f} s ({peer.n_iter_} passes, {wrong} errors left): {theirs / ours:.1f} x"
        )


def online(X: np.ndarray, y: np.ndarray) -> None:
    n = len(y)

    def batches(model: object, count: int) -> Callable[[], object]:
        def work() -> None:
            for start in range(0, count, 1000):
                model.partial_fit(X[start : start + 1000], y[start : start + 1000], classes=[-1, 1])

        return work

    def singles(model: object, count: int) -> Callable[[], object]:
        def work() -> None:
            for row in range(count):
                model.partial_fit(X[row : row + 1], y[row : row + 1])

        return work

    theirs = SGDClassifier(loss="perceptron")
    a, b = min(n, 200_000), min(n, 50_000)
    rate = a / median(batches(separatrix.Perceptron(), a)), b / median(batches(theirs, b), 3)
    times = rate[0] / rate[1]
    print(
        f"partial_fit, batches of 1000: ours {rate[0] / 1e6:.2f} M rows/s, SGD {rate[1] / 1e6:.3f}: {times:.1f} x"
    )
    model = separatrix.Perceptron().partial_fit(X[:100], y[:100])
    rate = 20_000 / median(singles(model, 20_000)), 500 / median(singles(theirs, 500), 3)
    print(
        f"partial_fit, single rows: ours {rate[0]:.0f} rows/s, SGD {rate[1]:.0f}: {rate[0] / rate[1]:.1f} x"
    )

    def whole() -> None:
        for _ in separatrix.stream(separatrix.Perceptron(), X, y):
            pass

    print(f"stream over arrays: {n / median(whole, 3) / 1e6:.2f} M rows/s")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--core", type=int, help="stay on this core (not for the two-thread pass)")
    arguments = parser.parse_args()
    n = arguments.rows
    X, y = separable_rows(n, 100, np.float32, room=0.5)
    passes(X, y)
    if arguments.core is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {arguments.core})
    threadpool_limits(1, "blas")
    fits("dense float32", X, y)
    online(X, y)
    mask = np.random.default_rng(1).random((n // 5, 100)) < 0.1
    part, labels = separable_rows(n // 5, 100, np.float64, room=0.0)
    Z = sparse.csr_array(part * mask)
    w = np.random.default_rng(0).standard_normal(100)
    score = Z @ (w / np.linalg.norm(w))
    keep = np.abs(score) > 0.2
    Z, labels = Z[keep], np.where(score[keep] > 0, 1, -1)
    Z = sparse.csr_array((Z.data, Z.indices.astype(np.int32), Z.indptr.astype(np.int32)), shape=Z.shape)
    fits("CSR float64, 10 entries a row", Z, labels)


if __name__ == "__main__":
    main()
