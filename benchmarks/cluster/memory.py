"""Peak memory of a worker during a fit, beyond what it had before the data came, in parts of its partitions (X, y)."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.cluster.local import cluster
from separatrix.dask import SVC

_BYTES = 200 << 20  # of a partition
_CASES = (
    ("dense float64", 100, ("coordinate-descent", "interior-point")),
    ("dense float32", 100, ("coordinate-descent", "interior-point")),
    ("dense float64", 20, ("coordinate-descent", "interior-point")),
    ("csr float64", 20_000, ("coordinate-descent",)),
    ("csr float32", 20_000, ("coordinate-descent",)),
    ("csr float64", 200, ("coordinate-descent", "interior-point")),
)
_LINE = "{:<14} {:>7} {:>9} {:<18} {:>10} {:>10} {:>6}"


def run(options: argparse.Namespace) -> None:
    """One worker with two partitions of 200 MB; a fit of a few rounds, proof and fingerprint included."""
    size = _BYTES // (10 if options.quick else 1)
    print(_LINE.format("kind", "columns", "rows", "solver", "partitions", "peak", "ratio"))
    for kind, columns, solvers in _CASES:
        for solver in solvers:
            with cluster(1) as client:
                tiny = [client.submit(_make, kind, columns, 1 << 16, seed) for seed in range(2)]
                _fit(client, solver, tiny)
                del tiny
                before = _on(client, _resident)
                parts = [client.submit(_make, kind, columns, size, seed) for seed in range(2)]
                bytes_, rows = client.submit(_size_of, parts).result()
                _on(client, _forget_peak)  # making the data is not training
                _fit(client, solver, parts)
                peak = _on(client, _peak) - before
            mb = [f"{value / 2**20:.0f} MB" for value in (bytes_, peak)]
            print(_LINE.format(kind, columns, rows, solver, *mb, f"{peak / bytes_:.2f}"), flush=True)


def _fit(client: Any, solver: str, parts: list[Any]) -> None:
    labels = [client.submit(_labels, part, seed, pure=False) for seed, part in enumerate(parts)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the few rounds do not reach the gap
        SVC(solver=solver, client=client, max_iter=6, worker_timeout=600.0).fit(parts, labels)


def _on(client: Any, function: Any) -> Any:
    return next(iter(client.run(function).values()))


def _status(field: str) -> int:
    line = next(x for x in Path("/proc/self/status").read_text().splitlines() if x.startswith(field))
    return int(line.split()[1]) * 1024


def _resident() -> int:
    return _status("VmRSS")


def _peak() -> int:
    return _status("VmHWM")


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _labels(X: Any, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, X.shape[0])


def _make(kind: str, columns: int, size: int, seed: int) -> Any:
    """Rows that fill about ``size`` bytes; 80 entries in a sparse row, or a tenth of the columns."""
    rng, dtype = np.random.default_rng(seed), np.dtype(kind.split()[1])
    if kind.startswith("dense"):
        return rng.random((size // (columns * dtype.itemsize), columns), dtype=dtype.type)
    stored = min(80, columns // 10)
    rows = size // (stored * (dtype.itemsize + 4))
    step = columns // stored
    indices = rng.integers(0, step, (rows, stored), dtype=np.int32)
    indices += np.arange(0, stored * step, step, dtype=np.int32)  # increasing, none twice
    indptr = np.arange(0, stored * rows + 1, stored, dtype=np.int32)
    return sparse.csr_array(
        (rng.random(stored * rows, dtype=dtype.type), indices.ravel(), indptr), (rows, columns)
    )


def _size_of(parts: list[Any]) -> tuple[int, int]:
    arrays = [[X] if isinstance(X, np.ndarray) else [X.data, X.indices, X.indptr] for X in parts]
    rows = sum(X.shape[0] for X in parts)
    labels = 8 * rows  # as `_labels` makes them: they belong to a partition as its rows do
    return labels + sum(each.nbytes for part in arrays for each in part), rows
