"""The command line in processes of its own: Ctrl-C, kill -9 with checkpoints, pipes.

Tests `__main__.py`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from cli_cases import run, start

import separatrix

#: Coordinate descent on columns of very different scales: some seconds.
LONG = (
    "fit",
    "hard.svm",
    "--solver",
    "coordinate-descent",
    "--verdict-time",
    "0",
    "--checkpoint-every",
    "0.02",
)


@pytest.fixture
def hard(folder):
    """Rows that take coordinate descent long."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 40)) * 10.0 ** rng.uniform(-2, 2, 40)
    y = np.where(X @ rng.normal(size=40) + 100 * rng.normal(size=800) > 0, 1, -1)
    lines = [
        " ".join([str(label), *(f"{j}:{value:.9g}" for j, value in enumerate(row, 1))])
        for label, row in zip(y.tolist(), X.tolist(), strict=True)
    ]
    (folder / "hard.svm").write_text("\n".join(lines) + "\n")
    return folder


def wait_for(path, process, seconds=30.0):
    """Until the file is there, or the process has ended."""
    limit = time.monotonic() + seconds
    while not path.exists() and process.poll() is None and time.monotonic() < limit:
        time.sleep(0.01)


def test_ctrl_c_saves_what_there_is(hard):
    # With such a C coordinate descent is still at a gap of 1 after minutes: the signal comes first, on any machine.
    endless = (*LONG, "-c", "1e6", "--tol", "1e-12")
    process = start(*endless, "--json", "--checkpoint", "state", cwd=hard)
    wait_for(hard / "state", process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    found = json.loads(out)
    assert "Traceback" not in err
    assert process.returncode == 2
    assert found["status"] == "interrupted"
    assert (hard / "hard.model.safetensors").exists()
    assert run("verify", "hard.certificate.json.gz", "hard.svm").exit_code == 0


def test_a_killed_fit_goes_on_from_its_checkpoint_to_the_same_certified_result(hard):
    whole = json.loads(run(*LONG, "--json").stdout)
    for _ in range(3):
        process = start(*LONG, "--checkpoint", "state", cwd=hard)
        wait_for(hard / "state", process)
        process.kill()
        process.communicate(timeout=60)
        leftovers = [path.name for path in hard.iterdir() if path.name.startswith(".state")]
        assert len(leftovers) <= 3, "only what a killed writer could not remove"
    resumed = (hard / "state").exists()
    result = run(*LONG, "--checkpoint", "state", "--json")
    found = json.loads(result.stdout)
    assert found["proved"]
    assert found["resumed"] is resumed
    assert not (hard / "state").exists(), "a finished fit needs no checkpoint"
    # The optimum is in both proved intervals, which are as narrow as was asked for.
    assert max(found["dual"], whole["dual"]) <= min(found["primal"], whole["primal"])
    assert max(found["gap"], whole["gap"]) <= 1e-3
    assert run("verify", "hard.certificate.json.gz", "hard.svm").exit_code == 0


def test_a_checkpoint_of_other_data_or_of_another_problem_is_refused(folder):
    from separatrix.cli.checkpoint import Checkpoints, source_of
    from separatrix.svm.svc import fit_observed

    X, y = np.eye(4), np.array([1, 1, -1, -1])
    model = separatrix.SVC()
    saver = Checkpoints(folder / "state", source_of(X, y, {"C": 1.0}), pause=0.0)
    fit_observed(model, X, y, observer=saver)
    assert saver.written > 0
    result = run("fit", "data.svm", "--checkpoint", "state")
    assert result.exit_code == 1
    assert "is of another fit: its X and y and parameters differ." in result.stderr
    (folder / "state").write_bytes(b"nonsense")
    result = run("fit", "data.svm", "--checkpoint", "state")
    assert result.exit_code == 1
    assert "cannot be read" in result.stderr


def test_a_reader_that_leaves_early_is_no_error(folder):
    run("fit", "wdbc.libsvm", "--max-time", "60")
    predict = f"{sys.executable} -m separatrix predict wdbc.model.safetensors wdbc.libsvm -q"
    done = subprocess.run(
        ["bash", "-c", f"{predict} | head -1; echo ${{PIPESTATUS[0]}}"],
        cwd=folder, capture_output=True, text=True, env=os.environ, check=False,
    )  # fmt: skip
    assert done.stdout.split() == ["1", "0"]
    assert done.stderr == ""
