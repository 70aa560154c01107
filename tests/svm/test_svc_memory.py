"""float32 data stay float32: the memory a fit needs beside the data is bounded by a part of the data."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

MEASURE = """
import resource
import numpy as np
from separatrix import SVC

rng = np.random.default_rng(0)
SVC({parameters}).fit(rng.normal(size=(5000, 100)), np.arange(5000) % 2)  # loads everything
X = np.empty((200_000, 100), dtype=np.float32)
for start in range(0, len(X), 1000):
    X[start : start + 1000] = rng.normal(size=(1000, 100))
y = (X[:, 0] + X[:, 1] + rng.normal(size=len(X)) > 0).astype(int)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = SVC({parameters}).fit(X, y)
extra = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
assert model.status_ == "converged"
print(extra / X.nbytes)
"""


@pytest.mark.parametrize("parameters", ["n_threads=1", "n_threads=1, loss='squared_hinge', bias='augmented'"])
def test_peak_memory_of_a_fit(parameters: str) -> None:
    code = MEASURE.format(parameters=parameters)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) <= 1.3


FAULTS = """
import resource
import numpy as np
from separatrix import SVC

rng = np.random.default_rng(0)
X = rng.normal(size=(60_000, 8))
y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
faults = [resource.getrusage(resource.RUSAGE_SELF).ru_minflt]
for _ in range(8):
    SVC(loss="squared_hinge", n_threads=1).fit(X, y)
    faults.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)
print(min(np.diff(faults)))  # the system may take pages away at any time, but not in every fit
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators have rules of their own")
def test_a_fit_uses_the_memory_that_the_last_one_freed() -> None:
    """Pages returned to the system and asked for again took a third of such a fit."""
    # Dask sets limits of its own for the processes it starts, and leaves them in the environment.
    unset = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    done = subprocess.run(
        [sys.executable, "-c", FAULTS], env=unset, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 200
