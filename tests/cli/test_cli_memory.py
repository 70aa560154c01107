"""A store four times larger than the memory that may be taken: fit, verify and predict run within the limit.

The limit is RLIMIT_DATA, set once the libraries are loaded: all memory but mapped files counts. Were X copied,
widened or read whole, the process would end in a MemoryError.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_cases import run
from scipy import sparse

import separatrix.memory
from separatrix.data.dataset import Dataset, Source
from separatrix.data.store_writer import new_store, write_arrays, write_header

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits as Linux counts them")

PROGRAM = """
import json, os, resource, sys
from pathlib import Path
import separatrix.models.file, separatrix.data.read, separatrix.cli.fitting, separatrix.cli.verify
from separatrix.cli.app import main
import numpy as np
from scipy.linalg import blas

np.eye(256) @ np.eye(256)  # the libraries of linear algebra take their working memory at the first call
blas.dgemm(1.0, np.eye(256), np.eye(256))
allowed, *lines = json.loads(sys.argv[1])
taken = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmData"))
limit = 1024 * int(taken.split()[1]) + allowed
for line in lines:
    if os.fork() == 0:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        sys.exit(main(line))
    if os.wait()[1]:
        sys.exit(1)
"""


def within(allowed: int, folder: Path, *lines: str) -> list[dict[str, Any]]:
    """The answers of commands that may take so many bytes each beside their libraries, which are loaded once."""
    words = [["--debug", *line.split(), "--json", "-q"] for line in lines]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps([allowed, *words])],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def store_of(X: Any, y: Any, folder: Path) -> int:
    """Write the rows as the store `rows`; its size in bytes."""
    with new_store(folder / "rows") as place:
        data = Dataset(
            X, y, None, {"format": "array", "n_columns": X.shape[1]}, Source("test", "store", *X.shape, 0)
        )
        write_header(place, write_arrays(data, place))
    return sum(path.stat().st_size for path in (folder / "rows").iterdir())


def dense(rng: np.random.Generator) -> Any:
    return rng.standard_normal((32_000, 1_000), dtype=np.float32)


def csr(rng: np.random.Generator) -> Any:
    n, per_row, strip = 40_000, 400, 10
    columns = (
        rng.integers(0, strip, (n, per_row), dtype=np.int32) + np.arange(per_row, dtype=np.int32) * strip
    )
    values = rng.standard_normal(n * per_row, dtype=np.float32)
    values[values == 0] = 1.0
    return sparse.csr_array((values, columns.ravel(), np.arange(n + 1, dtype=np.int32) * per_row))


@pytest.mark.parametrize("layout", [dense, csr])
def test_a_store_four_times_larger_than_the_memory_left(tmp_path: Path, layout) -> None:
    rng = np.random.default_rng(0)
    X = layout(rng)
    y = np.where(X @ rng.standard_normal(X.shape[1]) >= 0, 1, -1)
    y[::20] *= -1
    size = store_of(X, y, tmp_path)
    fitted, verified, predicted = within(
        size // 4,
        tmp_path,
        "fit rows -o . -c 1e-5 --tol 0.05 --threads 1 --verdict-time 0",
        "verify rows.certificate.json.gz rows",
        "predict rows.model.safetensors rows",
    )
    assert fitted["gap"] <= 0.05
    assert verified["proved"]
    assert predicted["accuracy"]["correct"] == len(y) - fitted["training"]["errors"]


def test_what_cannot_fit_is_refused_before_it_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    store_of(rng.standard_normal((30_000, 3)), rng.choice([-1, 1], 30_000), tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(separatrix.memory, "available_memory", lambda: 10_000.0)
    for line in ("fit rows -q", "fit rows --perceptron -q"):
        result = run(*line.split())
        assert result.exit_code == 1
        assert "A fit to 30,000 rows, wherever they lie, needs about " in result.stderr
    result = run("check", "rows", "--json")
    assert result.exit_code == 2
    assert "The exact verdict on 30,000 rows" in json.loads(result.stdout)["separability"]["short_of_memory"]
