"""What a proof costs beside its fit: making the certificate, checking it in floats, checking it exactly.

    python -m benchmarks.proof_cost            # everything; --only cod-rna narrows it, --runs 5

CPU seconds in one process on one thread, medians of several runs in turn; ratios are to fit and certificate together.
Sets are read from the folder that SEPARATRIX_DATA names; the made ones need none.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import separatrix as sx
from benchmarks import data

Set = Callable[[], tuple[Any, Any]]


def made_rows(n: int, d: int) -> tuple[Any, Any]:
    """Overlapping classes with a linear border."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, np.where(X @ rng.normal(size=d) + 2.0 * rng.normal(size=n) > 0, 1, -1)


def made_kernel(n: int, d: int) -> tuple[Any, Any]:
    """Overlapping classes with a curved border, in single precision."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)).astype(np.float32)
    return X, np.where((X[:, :4] ** 2).sum(axis=1) + 1.5 * rng.normal(size=n) > 3.5, 1, -1)


def file_of(name: str, rows: int | None = None) -> Set:
    """A LIBSVM file of the data folder, perhaps its first rows as standardised single precision."""

    def read() -> tuple[Any, Any]:
        found = sx.read(str(data.folder() / f"{name}.bz2"))
        if rows is None:
            return found.X, found.y
        X = found.X[:rows]
        X = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
        return ((X - X.mean(0)) / (X.std(0) + 1e-12)).astype(np.float32), found.y[:rows]

    return read


LINEAR: dict[str, Set] = {
    "made, 100k x 50": lambda: made_rows(100_000, 50),
    "made, 400k x 20": lambda: made_rows(400_000, 20),
    "a9a": file_of("a9a"),
    "cod-rna": file_of("cod-rna_scaled"),
    "kddcup04_bio": file_of("kddcup04_bio"),
    "imdb": file_of("imdb"),
}
KERNEL: dict[str, Set] = {
    "made, 10k x 18": lambda: made_kernel(10_000, 18),
    "ijcnn1, 10k": file_of("ijcnn1", 10_000),
    "letter, two halves": file_of("letter", 10_000),
}


def seconds(action: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds, and what came of it."""
    start = time.process_time()
    result = action()
    return time.process_time() - start, result


def two_sides(y: Any) -> Any:
    values = np.unique(y)
    return y if len(values) == 2 else np.where(np.isin(y, values[: len(values) // 2]), 1, -1)


def linear(name: str, make: Set, runs: int) -> None:
    X, y = make()
    taken: dict[str, list[float]] = {"fit": [], "certificate": [], "floats": []}
    for _ in range(runs):
        t, model = seconds(lambda: sx.SVC(n_threads=1).fit(X, y))
        taken["fit"].append(t)
        t, certificate = seconds(lambda model=model: model.certificate_)
        taken["certificate"].append(t)
        t, found = seconds(lambda certificate=certificate: sx.verify(certificate, X, y, exact=False))
        assert found, found.reason
        taken["floats"].append(t)
    fit, made, floats = (statistics.median(each) for each in taken.values())
    exact, found = seconds(lambda: sx.verify(certificate, X, y, exact=True))
    assert found, found.reason
    print(
        f"{name:20} {fit:8.3f} {made / fit:10.2f} {floats / (fit + made):10.2f} {exact:10.2f} s", flush=True
    )


def kernel(name: str, make: Set, runs: int) -> None:
    X, y = make()
    y = two_sides(y)
    shares, fits = [], []
    for _ in range(runs):
        t, model = seconds(lambda: sx.SVC(kernel="rbf", n_threads=1).fit(X, y))
        made, _ = seconds(lambda model=model: model.certificate_)
        fits.append(t)
        shares.append(made / (t + made))
    print(f"{name:20} {statistics.median(fits):8.3f} {statistics.median(shares):10.2f}", flush=True)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="a part of a name")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        print(f"{'linear':20} {'fit, s':>8} {'made/fit':>10} {'floats':>10} {'exact':>10}")
        for name, make in LINEAR.items():
            if options.only in name:
                linear(name, make, options.runs)
        print(f"\n{'rbf':20} {'fit, s':>8} {'made':>10}   (share of the certificate in fit and certificate)")
        for name, make in KERNEL.items():
            if options.only in name:
                kernel(name, make, options.runs)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
