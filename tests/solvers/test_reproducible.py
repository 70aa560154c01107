"""The answer is a function of the data, the parameters and the seed: not of the clock, the load or the machine's mood.

docs/reproducibility.md says what holds and what does not; the last test here reads its bound.
"""

from __future__ import annotations

import hashlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification

from separatrix import SVC

ROOT = Path(__file__).parents[2]
ROWS, LABELS = make_classification(1500, 30, n_informative=12, flip_y=0.1, random_state=0)
SPARSE = sparse.csr_array(
    sparse.random_array((1500, 3000), density=0.01, format="csr", rng=np.random.default_rng(0))
)
THREE = np.digitize(ROWS[:, 0] + 0.5 * ROWS[:, 1], [-0.8, 0.8])

LARGE = make_classification(40_000, 30, n_informative=12, flip_y=0.1, random_state=0)  # split between threads

CASES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    **{
        f"{solver}, {loss}": (ROWS, LABELS, {"solver": solver, "loss": loss, "tol": 1e-4})
        for solver in ("auto", "coordinate-descent", "interior-point", "newton")
        for loss in ("hinge", "squared_hinge")
        if (solver, loss) != ("newton", "hinge")
    },
    "gram": (ROWS[:200], LABELS[:200], {"solver": "gram"}),
    "sparse, first solver left for the next": (SPARSE, LABELS[:1500], {"C": 1e3, "tol": 1e-7}),
    "classes in threads": (ROWS, THREE, {"tol": 1e-4}),
    "many rows": (*LARGE, {}),
    "many rows, squared": (*LARGE, {"loss": "squared_hinge"}),
    "joint": (ROWS[:200, :10], THREE[:200], {"multi_class": "crammer-singer"}),
    "joint, descent": (
        ROWS[:300, :6],
        THREE[:300],
        {"multi_class": "crammer-singer", "solver": "coordinate-descent", "C": 0.01},
    ),
    "kernel": (ROWS[:700], LABELS[:700], {"kernel": "rbf", "C": 10.0}),
    "kernel, squared": (ROWS[:400], LABELS[:400], {"kernel": "rbf", "loss": "squared_hinge", "tol": 1e-6}),
    "kernel, few rows": (ROWS[:100], LABELS[:100], {"kernel": "poly", "C": 100.0}),
    "kernel, factored": (ROWS[:200], LABELS[:200], {"kernel": "rbf", "solver": "gram"}),
}


def fit(name: str, n_threads: int = 1) -> SVC:
    X, y, parameters = CASES[name]
    return SVC(random_state=0, n_threads=n_threads, **parameters).fit(X, y)


def bits(model: SVC) -> str:
    """Every bit of the answer, and the steps that led to it."""
    arrays = [model.intercept_, model.alpha_, np.atleast_1d(model.gap_), np.atleast_1d(model.n_iter_)]
    if hasattr(model, "coef_"):
        arrays.append(model.coef_)
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()


def all_bits() -> dict[str, str]:
    return {name: bits(fit(name)) for name in CASES}


@pytest.fixture(scope="module")
def quiet() -> dict[str, str]:
    return all_bits()


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """As many processes as that, each with all the work it can get."""
    code = "while True: sum(range(10**5))"
    others = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def test_twice_and_under_load(quiet: dict[str, str]) -> None:
    with busy_processes(2 * (os.cpu_count() or 1)):
        assert all_bits() == quiet


def test_a_process_that_is_stopped_and_continued(quiet: dict[str, str]) -> None:
    """SIGSTOP in the middle of the fits: to a clock a step then takes a hundred times as long."""
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
    code += "from test_reproducible import CASES, bits, fit\n"
    code += "for name in CASES: print(f'{name}={bits(fit(name))}', flush=True)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        lines = [child.stdout.readline()]  # imports are over, fits have begun
        for _ in range(40):
            child.send_signal(signal.SIGSTOP)
            time.sleep(0.03)
            child.send_signal(signal.SIGCONT)
            time.sleep(0.02)
        lines += child.stdout.read().splitlines()
    assert dict(line.strip().split("=") for line in lines) == quiet


def test_no_solver_reads_a_clock() -> None:
    """Only ``max_time`` and the time column of the history do: in the loop, and in its deadline."""
    allowed = {"loop/run.py", "loop/deadline.py"}
    solvers = ROOT / "src" / "separatrix" / "solvers"
    readers = {
        path.relative_to(solvers).as_posix()
        for path in solvers.rglob("*.py")
        if re.search(r"\b(perf_counter|thread_time|process_time|monotonic|time\.time)\b", path.read_text())
    }
    assert readers <= allowed


def test_another_number_of_threads() -> None:
    """Sums are then added up in another order: the answers agree as far as the documented bound says."""
    text = " ".join((ROOT / "docs" / "reproducibility.md").read_text().split())
    found = re.search(r"differ by at most (\S+) times the gap asked for", text)
    assert found is not None
    for name, (_, _, parameters) in CASES.items():
        one, two = fit(name, 1), fit(name, 2)
        tol = parameters.get("tol", 1e-3)
        primal = np.atleast_1d(one.primal_)
        apart = np.abs(primal - np.atleast_1d(two.primal_)) / primal
        assert np.max(apart) <= float(found[1]) * tol, name
        if name.startswith("many"):
            assert bits(fit(name, 2)) == bits(two), name
