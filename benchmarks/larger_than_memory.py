"""Train and verify on a store four times larger than the memory allowed: `python -m benchmarks.larger_than_memory`.

A store is written and dropped from the system's cache. Then `separatrix fit`, `verify`, `predict` and `check` are run
on it, each in a process of its own with a limit on its memory. The limit is that of a control group
(memory.limit_in_bytes, version 1, or memory.max, version 2) where one may be made: it counts everything, also the
cached pages of the store, which the system must drop to stay within it. Elsewhere it is RLIMIT_DATA, which counts all
memory but mapped files.
"""

from __future__ import annotations

import argparse
import itertools
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
KINDS = ("dense float32", "dense float64", "narrow float32", "csr float32", "csr float64")
COLUMNS = {"dense": 2_000, "narrow": 100, "csr": 60_000}


def write_store(folder: Path, kind: str, size: int, separable: bool) -> None:
    """About ``size`` bytes of rows with two classes; a hyperplane separates them if asked for."""
    from separatrix.data.dataset import Source
    from separatrix.data.store_writer import NpyWriter, new_store, store_header, write_header

    layout, dtype = kind.split()
    value = np.dtype(dtype)
    d, sparse = COLUMNS[layout], layout == "csr"
    per_row = 300 if sparse else d
    n = size // (per_row * (value.itemsize + 4 * sparse))
    rng = np.random.default_rng(0)
    w = rng.standard_normal(d)
    with new_store(folder) as place:
        X = NpyWriter(place / ("data.npy" if sparse else "X.npy"), value, None if sparse else d)
        indices = NpyWriter(place / "indices.npy", np.int32) if sparse else None
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
        write_header(
            place,
            store_header("csr" if sparse else "dense", source, None, {"format": "array", "n_columns": d}),
        )


def forget(folder: Path) -> None:
    """Drop the files from the cache: pages count for the group that brings them in, which must be the limited one."""
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


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


def limited(words: list[str], folder: Path, limit: int) -> dict[str, object]:
    """One command in a process of its own, within the limit, the store read from the disk."""
    forget(folder)
    group = ControlGroup(limit)

    def restrict() -> None:
        group.enter()
        if group.folder is None:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "separatrix", *words, "--json", "-q"],
        preexec_fn=restrict,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = round(time.perf_counter() - began, 1)
    enforced = "cgroup" if group.folder is not None else "RLIMIT_DATA"
    peak = group.close()
    outcome: dict[str, object] = {"limit": enforced, "peak_mb": peak and round(peak / MEGABYTE), "s": seconds}
    if done.returncode not in (0, 2):
        return {**outcome, "failed": done.stderr[-300:] or done.returncode}
    answer = json.loads(done.stdout.splitlines()[-1])
    answer |= answer.get("separability", {})
    told = ("status", "gap", "updates", "verdict", "proved", "short_of_memory")
    return {**outcome, "exit": done.returncode} | {name: answer[name] for name in told if name in answer}


def commands(store: Path, place: Path, what: str) -> dict[str, list[str]]:
    """What is asked of a store: fit, verify the certificate, predict; for the SVC also the verdict."""
    names = {"model": f"{store.name}.model.safetensors", "proof": f"{store.name}.certificate.json.gz"}
    model, proof = (str(place / name) for name in names.values())
    fit = ["fit", str(store), "-o", str(place), "--threads", "1", "--verdict-time", "0", "--force"]
    fit += ["--perceptron"] if what == "perceptron" else ["-c", "0.001", "--tol", "0.01"]
    asked = {
        "fit": fit,
        "verify": ["verify", proof, str(store)],
        "predict": ["predict", model, str(store), str(place / "predicted.txt"), "--force"],
    }
    return asked | ({"check": ["check", str(store), "--max-time", "60"]} if what == "svc" else {})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=256, help="megabytes")
    parser.add_argument("--times", type=float, default=4.0, help="how much larger the store is")
    parser.add_argument("--kinds", nargs="*", default=KINDS, choices=KINDS)
    parser.add_argument("--models", nargs="*", default=("svc", "perceptron"), choices=("svc", "perceptron"))
    parser.add_argument("--commands", nargs="*", default=("fit", "verify", "predict", "check"))
    arguments = parser.parse_args()
    failures = 0
    for kind, what in itertools.product(arguments.kinds, arguments.models):
        with tempfile.TemporaryDirectory() as folder:
            place, store = Path(folder), Path(folder) / what
            write_store(store, kind, int(arguments.times * arguments.limit * MEGABYTE), what == "perceptron")
            size = sum(path.stat().st_size for path in store.iterdir())
            print(f"{kind}, {what}: {size / MEGABYTE:.0f} MB, limit {arguments.limit} MB", flush=True)
            for name, words in commands(store, place, what).items():
                if name in arguments.commands:
                    outcome = limited(words, store, arguments.limit * MEGABYTE)
                    failures += "failed" in outcome
                    print(f"    {name:8}", outcome, flush=True)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
