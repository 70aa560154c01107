"""One thread against two, alone and beside two busy processes; and how much of a second core one thread uses.

    python -m benchmarks.threads [--turns 7] [--only rbf]

Fits on one and on two threads take turns; seconds are medians of wall-clock time. "CPU / wall" is the CPU time of the
process with n_threads=1 over its wall-clock time, for as many fits in a row, with half a second's rest that counts
neither as work nor hides a thread that spins: its CPU time counts. Data are made up, so that anyone can run it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse

from separatrix import SVC, Perceptron

BUSY = 2  # processes that do nothing but count


def text(rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    """9,603 documents of about 60 words out of 29,045, some much more frequent than others."""
    n, d, words = 9603, 29_045, 60
    columns = (d * rng.random((n, words)) ** 3).astype(np.int32).ravel()
    X = sparse.csr_array((rng.random(n * words), columns, np.arange(0, n * words + 1, words)), shape=(n, d))
    X.sum_duplicates()
    X = sparse.csr_array(sparse.diags_array(1.0 / sparse.linalg.norm(X, axis=1)) @ X)
    return X, signs(X, rng)


def signs(X: Any, rng: np.random.Generator) -> np.ndarray:
    f = X @ rng.standard_normal(X.shape[1])
    return np.where(f + 0.3 * np.std(f) * rng.standard_normal(len(f)) > 0, 1, -1)


def cases() -> Iterator[tuple[str, Any, Any, np.ndarray]]:
    rng = np.random.default_rng(0)
    X, y = text(rng)
    yield "text 9,603 x 29,045", SVC(), X, y
    yield "text, squared hinge", SVC(loss="squared_hinge"), X, y
    X = rng.standard_normal((10_000, 18)).astype(np.float32)
    y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(len(X)) > 0, 1, -1)
    yield "rbf 10,000 x 18 float32", SVC(kernel="rbf"), X, y
    X = rng.standard_normal((100_000, 50))
    y = signs(X, rng)
    yield "dense 100,000 x 50", SVC(), X, y
    yield "dense 20,000 x 200", SVC(C=100.0), *_wide(rng)
    w = rng.standard_normal(50)
    keep = np.abs(X @ w) > 1.0
    yield "perceptron 86,000 x 50", Perceptron(), X[keep], np.where(X[keep] @ w > 0, 1, -1)


def _wide(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.standard_normal((20_000, 200))
    return X, signs(X, rng)


@contextmanager
def busy(processes: int) -> Iterator[None]:
    loop = [sys.executable, "-c", "while True: pass"]
    running = [subprocess.Popen(loop) for _ in range(processes)]
    time.sleep(0.2 * bool(processes))
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def seconds(model: Any, X: Any, y: np.ndarray, turns: int) -> dict[int, float]:
    """Median wall-clock time of a fit by number of threads, which take turns."""
    taken: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(turns):
        for threads, times in taken.items():
            model.set_params(n_threads=threads)
            began = time.perf_counter()
            model.fit(X, y)
            times.append(time.perf_counter() - began)
    return {threads: float(np.median(times)) for threads, times in taken.items()}


def cpu_over_wall(model: Any, X: Any, y: np.ndarray, turns: int) -> float:
    model.set_params(n_threads=1).fit(X, y)
    time.sleep(0.5)
    began, used = time.perf_counter(), time.process_time()
    for _ in range(turns):
        model.fit(X, y)
    wall = time.perf_counter() - began
    time.sleep(0.5)
    return (time.process_time() - used) / wall


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"Load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.\n")
    print(
        "| fit | CPU / wall, 1 thread | alone: 1 | 2 | ratio | beside two: 1 | 2 | ratio |\n"
        + "|---" * 8
        + "|"
    )
    for name, model, X, y in cases():
        if options.only not in name:
            continue
        share = cpu_over_wall(model, X, y, options.turns)
        cells = [name, f"{share:.2f}"]
        for processes in (0, BUSY):
            with busy(processes):
                taken = seconds(model, X, y, options.turns)
            cells += [f"{taken[1]:.3f}", f"{taken[2]:.3f}", f"{taken[2] / taken[1]:.2f}"]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
