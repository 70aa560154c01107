"""The command line in processes of its own: Ctrl-C, kill -9 with checkpoints, pipes.

Tests `__main__.py`, `cli/progress.py`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from cli_cases import run, start

import separatrix

ROOT = Path(__file__).resolve().parents[2]
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


# With such a C coordinate descent is still at a gap of 1 after minutes: the signal comes first, on any machine.
ENDLESS = (*LONG, "-c", "1e6", "--tol", "1e-12")


def fitting(process):
    """Until the process has said that it is fitting: its first line of progress comes after some seconds."""
    for line in process.stderr:
        if "coordinate-descent step" in line:
            return


def rest(process):
    """Everything else that a process says, until its end; for one whose stderr was read from already."""
    with process:
        return process.stdout.read(), process.stderr.read()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_heard_said_so_and_what_there_is_is_saved(hard, number):
    process = start(*ENDLESS, "--json", "--checkpoint", "state", cwd=hard)
    fitting(process)
    began = time.monotonic()
    process.send_signal(number)
    heard = process.stderr.readline()
    assert f"{'Ctrl-C' if number == signal.SIGINT else 'SIGTERM'} was heard" in heard
    assert time.monotonic() - began < 5, "an idle machine takes a hundredth of a second"
    out, err = rest(process)
    assert time.monotonic() - began < 20, "an idle machine takes a second"
    found = json.loads(out)
    assert "Traceback" not in err
    assert process.returncode == 2
    assert found["status"] == "interrupted"
    assert found["separability"] == {"skipped": "not asked: the fit was interrupted"}
    (note,) = found["notes"]
    assert note.endswith("The same command goes on from the checkpoint state.")
    assert "set_params" not in note
    assert (hard / "hard.model.safetensors").exists()
    assert run("verify", "hard.certificate.json.gz", "hard.svm").exit_code == 0


def test_a_second_ctrl_c_loses_nothing(hard):
    process = start(*ENDLESS, "--json", cwd=hard)
    fitting(process)
    process.send_signal(signal.SIGINT)
    assert "Ctrl-C was heard" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, _ = rest(process)
    found = json.loads(out)
    assert found["status"] == "interrupted"
    assert found["notes"][0].endswith("With --checkpoint FILE an interrupted fit can go on later.")
    assert run("verify", "hard.certificate.json.gz", "hard.svm").exit_code == 0


def test_kill_minus_nine_at_random_moments_of_a_fit_of_many_classes():
    """Progress never goes back, and the certificates are those of an undisturbed fit; by hand with 50 kills."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.kill_checkpoint", "--kills", "6"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 kills" in done.stdout
    assert "progress went back 0 times" in done.stdout


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
