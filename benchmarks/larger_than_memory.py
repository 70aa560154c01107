"""Train and verify on a store four times larger than the memory allowed: `python -m benchmarks.larger_than_memory`.

A store is written, then a process of its own, with a limit on its memory, opens it, fits SVC or Perceptron and
verifies the certificate. The limit is that of a control group (memory.limit_in_bytes, version 1, or memory.max,
version 2) where one may be made: it counts everything, also the cached pages of the store, which the system must drop
to stay within it. Elsewhere it is RLIMIT_DATA, which counts all memory but mapped files.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

MEGABYTE = 1 << 20
SIZES = ("dense float32", "dense float64", "csr float32", "csr float64")


def write_store(folder: Path, kind: str, size: int, separable: bool) -> None:
    """About ``size`` bytes of rows with two classes; a hyperplane separates them if asked for."""
    from separatrix.files.dataset import Source
    from separatrix.files.npy_stream import NpyWriter
    from separatrix.files.store_writer import new_store, store_header, write_header

    layout, dtype = kind.split()
    value = np.dtype(dtype)
    d = 2_000 if layout == "dense" else 60_000
    per_row = d if layout == "dense" else 300
    n = size // (per_row * (value.itemsize + (4 if layout == "csr" else 0)))
    rng = np.random.default_rng(0)
    w = rng.standard_normal(d)
    with new_store(folder) as place:
        names = ["X"] if layout == "dense" else ["data", "indices"]
        X = NpyWriter(place / f"{names[0]}.npy", value, d if layout == "dense" else None)
        indices = NpyWriter(place / "indices.npy", np.int32) if layout == "csr" else None
        y = NpyWriter(place / "y.npy", np.int64)
        for start in range(0, n, 1024):
            m = min(1024, n - start)
            rows = rng.standard_normal((m, per_row), dtype=np.float32)
            if indices is None:
                score = rows @ w / np.sqrt(d)
            else:
                # One column from each of per_row strips: sorted and distinct.
                columns = rng.integers(0, d // per_row, (m, per_row)) + np.arange(per_row) * (d // per_row)
                score = np.sum(rows * w[columns], axis=1) / np.sqrt(per_row)
                indices.append(columns.ravel())
            side = np.where(score >= 0, 1, -1)
            if separable:  # a gap between the classes
                rows *= np.where(np.abs(score) < 0.5, 0.0, 1.0).astype(np.float32)[:, None]
                rows[:, 0] += np.where(np.abs(score) < 0.5, 3.0 * side, 0.0).astype(np.float32)
                if indices is None:
                    rows += (side[:, None] * w / np.sqrt(d)).astype(np.float32)
            else:
                side = np.where(rng.random(m) < 0.05, -side, side)
            X.append(rows if indices is None else rows.ravel())
            y.append(side)
        for out in (X, y, *([indices] if indices is not None else [])):
            out.close()
        if indices is not None:
            with NpyWriter(place / "indptr.npy", np.int32) as starts:
                starts.append(np.arange(n + 1) * per_row)
        source = Source("generated", "store", n, d, n * per_row)
        write_header(place, store_header(layout, source, None, {"format": "array", "n_columns": d}))


def forget(folder: Path) -> None:
    """Drop the files from the cache: pages count for the group that brings them in, which must be the limited one."""
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def work(folder: str, what: str) -> None:
    """What the limited process does; prints one JSON object."""
    import separatrix as sx

    began = time.perf_counter()
    data = sx.read(folder)
    if what == "svc":
        model = sx.SVC(C=1e-3, tol=1e-2, n_threads=1).fit(data.X, data.y)
        outcome = {"status": model.status_, "gap": model.gap_, "epochs": int(np.max(model.n_iter_))}
    else:
        model = sx.Perceptron(max_epochs=5, n_threads=1).fit(data.X, data.y)
        outcome = {"status": model.status_, "updates": int(model.n_updates_)}
    fitted = time.perf_counter()
    certificate = model.certificate_
    checked = None if certificate is None else sx.verify(certificate, data.X, data.y)
    outcome |= {
        "verified": None if checked is None else bool(checked),
        "seconds": round(time.perf_counter() - began, 1),
        "fit_seconds": round(fitted - began, 1),
        "cpu_seconds": round(time.process_time(), 1),
        "rows": data.X.shape[0],
    }
    print(json.dumps(outcome))


class ControlGroup:
    """A control group with a limit on memory, of either version; None where none may be made."""

    def __init__(self, limit: int) -> None:
        self.folder: Path | None = None
        for root, limits, peak in (
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes"),
            ("/sys/fs/cgroup", "memory.max", "memory.peak"),
        ):
            folder = Path(root) / f"separatrix-{os.getpid()}"
            try:
                folder.mkdir()
                (folder / limits).write_text(str(limit))
            except OSError:
                continue
            self.folder, self._peak = folder, folder / peak
            return

    def enter(self) -> None:
        if self.folder is not None:
            (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def close(self) -> int | None:
        if self.folder is None:
            return None
        peak = int(self._peak.read_text()) if self._peak.exists() else None
        for _ in range(50):
            try:
                self.folder.rmdir()
                break
            except OSError:
                time.sleep(0.1)
        return peak


def measure(folder: Path, what: str, limit: int) -> dict[str, object]:
    group = ControlGroup(limit)

    def restrict() -> None:
        group.enter()
        if group.folder is None:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "benchmarks.larger_than_memory", "--work", what, str(folder)]
    done = subprocess.run(
        command, preexec_fn=restrict, env=environment, capture_output=True, text=True, check=False
    )
    enforced = "cgroup" if group.folder is not None else "RLIMIT_DATA"
    peak = group.close()
    outcome = (
        json.loads(done.stdout) if done.returncode == 0 else {"failed": done.stderr[-300:] or done.returncode}
    )
    return {"limit": enforced, "peak_mb": peak and round(peak / MEGABYTE), **outcome}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=256, help="megabytes")
    parser.add_argument("--times", type=float, default=4.0, help="how much larger the store is")
    parser.add_argument("--kinds", nargs="*", default=SIZES, choices=SIZES)
    parser.add_argument("--work", choices=("svc", "perceptron"), help=argparse.SUPPRESS)
    parser.add_argument("folder", nargs="?", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        work(arguments.folder, arguments.work)
        return 0
    failures = 0
    for kind in arguments.kinds:
        with tempfile.TemporaryDirectory() as place:
            for what in ("svc", "perceptron"):
                store = Path(place) / what
                write_store(
                    store, kind, int(arguments.times * arguments.limit * MEGABYTE), what == "perceptron"
                )
                size = sum(path.stat().st_size for path in store.iterdir())
                forget(store)
                outcome = measure(store, what, arguments.limit * MEGABYTE)
                failures += "failed" in outcome
                print(
                    f"{kind:14} {what:10} store {size / MEGABYTE:.0f} MB, limit {arguments.limit} MB:",
                    outcome,
                    flush=True,
                )
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
